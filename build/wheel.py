"""Packs a folder as a wheel: build/wheel. Whatever is called LICENSE goes to where licences of wheels are."""

import base64
import hashlib
import os
import pathlib
import sys
import zipfile

tree, out = map(pathlib.Path, sys.argv[1:])
version, platform = os.environ["VERSION"], os.environ["PLATFORM"]
info = f"reblock-{version}.dist-info"
files = {}
for path in sorted(path for path in tree.rglob("*") if path.is_file()):
    name = path.relative_to(tree).as_posix()
    files[f"{info}/licenses/{name}" if name.startswith("LICENSE") else name] = path.read_bytes()
files[f"{info}/METADATA"] = f"""Metadata-Version: 2.4
Name: reblock
Version: {version}
Summary: Moves distributed NumPy arrays from one layout to another over MPI
License-Expression: MIT OR Apache-2.0
Requires-Python: >=3.8
Requires-Dist: mpi4py
Requires-Dist: numpy
""".encode()
tag = f"py3-none-{platform}"
files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: reblock\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
record = ""
for name, data in files.items():
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    record += f"{name},sha256={digest},{len(data)}\n"
files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
wheel = out / f"reblock-{version}-{tag}.whl"
with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
    for name, data in files.items():
        entry = zipfile.ZipInfo(name)
        entry.external_attr, entry.compress_type = 0o644 << 16, zipfile.ZIP_DEFLATED
        archive.writestr(entry, data)
print(wheel)
