# For a Spack repository: packages/reblock/package.py. Spack fetches the archive of a release from `url` below, or from
# a mirror.
from spack_repo.builtin.build_systems.makefile import MakefilePackage

from spack.package import *


class Reblock(MakefilePackage):
    """Moves distributed arrays from one layout to another over MPI: a drop-in for
    ScaLAPACK's p?gemr2d, p?trmr2d, p?tran and p?geadd, and plans for arrays of up to
    15 dimensions."""

    url = "file:///reblock-0.2.0.tar.xz"

    license("MIT OR Apache-2.0")

    version("0.2.0", sha256="0000000000000000000000000000000000000000000000000000000000000000")

    variant("ilp64", default=False, description="64-bit integers at the interface")

    depends_on("c", type="build")
    depends_on("fortran", type="build")
    depends_on("rust@1.85:", type="build")
    depends_on("binutils", type="build")
    depends_on("mpi")

    conflicts("platform=darwin", msg="reblock needs Linux")
    conflicts("platform=windows", msg="reblock needs Linux")

    def flags(self, spec, prefix):
        flags = [f"MPICC={spec['mpi'].mpicc}", f"PREFIX={prefix}"]
        return flags + (["ILP64=1"] if "+ilp64" in spec else [])

    def build(self, spec, prefix):
        make(*self.flags(spec, prefix))

    def install(self, spec, prefix):
        make("install", *self.flags(spec, prefix))

    def setup_run_environment(self, env):
        env.prepend_path("PYTHONPATH", join_path(self.prefix.share, "reblock", "python"))
