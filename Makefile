# reblock: see README.md. MPICC chooses the MPI; ILP64=1 the library with 64-bit integers.
MPICC ?= mpicc
PREFIX ?= /usr/local
LIBDIR ?= lib
ILP64 ?=
FLAVOR ?=
export MPICC PREFIX LIBDIR ILP64 FLAVOR DESTDIR COMMAND

EXAMPLES = first merged malleable coupled fft lu symmetrize balance mesh jacobi jacobi_fortran sparse adi lowered lowered_fortran transpose_panels numpy_move reshard ownership
# These start processes, which Debian's MPICH cannot.
RESIZING = resize_first resize_lu resize_jacobi resize_sweet resize_meanwhile

.PHONY: all deps demo test test-report install uninstall headers bench bench-first bench-gpu gpu-check bench-hpf bench-net bench-nodes bench-small calibrate clean examples \
	$(EXAMPLES:%=example-%) $(RESIZING:%=example-%) test-resize

all:
	@build/needs
	build/library

# Only deps, demo, test and test-slurm install missing packages by apt, and only as root.
deps:
	@build/deps --install

.PHONY: have
have:
	@build/deps

# SCALAPACK links ScaLAPACK and BLACS; without it, Debian's are taken.
demo: $(if $(SCALAPACK),,deps)
	$(MAKE) --no-print-directory all
	examples/demo.sh

# Programs that use the HPF interface.
examples: have
	$(MAKE) --no-print-directory all
	examples/run $(EXAMPLES)

$(EXAMPLES:%=example-%) $(RESIZING:%=example-%): example-%: have
	$(MAKE) --no-print-directory all
	examples/run $*

# Programs in XcalableMP; OMNI says where Omni is installed.
.PHONY: example-xmp
example-xmp: have
	$(MAKE) --no-print-directory all
	OMNI='$(OMNI)' examples/xmp/run

# A contributor's loop: two minutes after the first build.
.PHONY: check
check: have
	tests/check

# The second library reuses the crates without MPI that the first one has built.
test:
	@build/deps --install python3-numpy python3-mpi4py python3-venv libfftw3-dev libblas3 g++ clang scalapack-mpi-test
	@MPICC=mpicc.openmpi build/library
	@[ -e target/mpich ] || { mkdir target/mpich; cp -a target/openmpi/release target/mpich; }
	@MPICC=mpicc.mpich build/library
	tests/both

# 30 rounds of growing and shrinking under Open MPI 5 and MPICH 5, which pip installs outside of this folder.
test-resize:
	@build/deps python3-venv
	for mpi in openmpi mpich; do MPICC=mpicc.$$mpi build/library || exit 1; done
	tests/resize_pip

# The library for MPI's standard ABI, with MPICH 5, which pip installs outside of this folder.
.PHONY: test-abi
test-abi:
	@build/deps python3-venv
	tests/standard_abi

# reblock as a dependency of a program in Rust that uses rsmpi, too.
.PHONY: test-crate
test-crate:
	@build/needs
	build/library
	RSMPI=1 tests/crate

# Packages that redistribute arrays themselves, with their own tests; pip installs them outside of this folder.
.PHONY: test-clients
test-clients:
	@build/deps python3-venv libfftw3-dev
	build/library
	tests/clients

# Their moves with reblock and without.
.PHONY: bench-clients
bench-clients:
	@build/deps python3-venv libfftw3-dev
	build/library
	TIMES=1 tests/clients

# Intel MPI and MKL, which pip installs outside of this folder.
.PHONY: test-intel
test-intel:
	@build/deps python3-venv
	MPICC=mpicc.mpich build/library
	tests/intel

# Under Slurm, whose services this target starts on this machine; as root.
.PHONY: test-slurm
test-slurm:
	@build/deps --install slurm-wlm munge
	@for mpi in openmpi mpich; do MPICC=mpicc.$$mpi build/library || exit 1; done
	tests/slurm

# The page of `reblock report` in headless Chromium. `make test` includes it if Chromium is installed.
test-report:
	tests/report/run

install: all
	build/install

uninstall:
	build/uninstall

# The archive of a release, with all crates, from the last commit: target/dist. It needs the network, and cargo-about for licences.
.PHONY: dist
dist:
	build/dist

# The archive, built by somebody else than root without a network, twice.
.PHONY: test-dist
test-dist: have dist
	tests/dist

# Debian's packages from the archive, built likewise, and their own tests in a fresh Debian; as root.
.PHONY: test-debian
test-debian: have dist
	tests/debian

# A Python package with the libraries for all MPIs.
.PHONY: wheel
wheel:
	@for mpi in openmpi mpich; do MPICC=mpicc.$$mpi build/library || exit 1; done
	@build/wheel

headers:
	@build/needs
	build/fortran_twins int32 >fortran/hpf/int32.f90
	build/fortran_twins f08 >fortran/reblock_hpf_f08.f90
	HEADERS=1 build/library
	build/fortran_page >docs/fortran.md

# What a resize takes, and how much of it is the data.
.PHONY: bench-resize
bench-resize: all
	benches/resize.sh

bench: have
	$(MAKE) --no-print-directory all
	benches/bench.sh

bench-hpf: have
	$(MAKE) --no-print-directory all
	benches/hpf.sh

bench-net: have
	benches/net.sh

bench-nodes: have
	benches/nodes.sh

calibrate: have
	@benches/calibrate.sh

bench-small: all
	benches/small.sh

bench-first: all
	benches/first.sh

# Builds a folder that checks arrays in GPU memory on a machine with a GPU; tries it with the stand-in for the driver.
gpu-check:
	tests/gpu build

bench-gpu:
	benches/gpu.sh

clean:
	rm -rf target
