#!/usr/bin/env python3
"""Compiles kernels.cu, or only the kernels named, to PTX: ptx.py compute_70 kernels.ptx [KERNEL...]

No GPU is needed. The compiler is NVIDIA's NVRTC: libnvrtc.so of the Python package nvidia-cuda-nvrtc-cu12, or the file that $NVRTC
names."""
import ctypes, glob, os, re, sys

here = os.path.dirname(os.path.abspath(__file__))
found = [os.environ["NVRTC"]] if "NVRTC" in os.environ else [
    path for folder in sys.path for path in glob.glob(os.path.join(folder, "nvidia", "*", "lib", "libnvrtc.so.*"))
    if "builtins" not in path and "alt" not in path]
if not found or len(sys.argv) < 3:
    sys.exit(__doc__)
nvrtc = ctypes.CDLL(found[0])
headers = sorted(glob.glob(os.path.join(here, "*.h")) + glob.glob(os.path.join(here, "*.cuh")))
text = open(os.path.join(here, "kernels.cu"), "rb").read()
parts = [open(path, "rb").read() for path in headers]
wanted = [name.encode() for name in sys.argv[3:]]
if wanted:  # the others, where they are one line
    text, *parts = [re.sub(rb"^KERNEL (\w+)\(.*\}\n", lambda line: line[0] if line[1] in wanted else b"", part, flags=re.M) for part in [text, *parts]]
program = ctypes.c_void_p()
names = (ctypes.c_char_p * len(headers))(*[os.path.basename(path).encode() for path in headers])
code = nvrtc.nvrtcCreateProgram(ctypes.byref(program), text, b"kernels.cu", len(parts), (ctypes.c_char_p * len(parts))(*parts), names)
if code:
    sys.exit(f"nvrtcCreateProgram: {code}")
options = [b"--gpu-architecture=" + sys.argv[1].encode(), b"--fmad=false", b"--std=c++17"]
code = nvrtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
size = ctypes.c_size_t()
nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
log = ctypes.create_string_buffer(size.value)
nvrtc.nvrtcGetProgramLog(program, log)
if log.value.strip():
    print(log.value.decode(), file=sys.stderr)
if code:
    sys.exit(f"{sys.argv[1]}: NVRTC's code {code}")
nvrtc.nvrtcGetPTXSize(program, ctypes.byref(size))
ptx = ctypes.create_string_buffer(size.value)
nvrtc.nvrtcGetPTX(program, ptx)
with open(sys.argv[2], "wb") as out:
    out.write(ptx.value)
