"""Loads copies of ctest/plugin.c as Python loads its extensions, with RTLD_LOCAL, and runs them in turn. Their first contexts have grids
of different shapes.

hidden.py [--bare] PLUGIN...; --bare: calls pdgemr2d_ from Python itself, so that no calling library determines the BLACS."""
import ctypes
import sys

bare = "--bare" in sys.argv
plugins = [ctypes.CDLL(name) for name in sys.argv[1:] if name != "--bare"]
for k, plugin in enumerate(plugins):
    plugin.begin(2 - k % 2)
if bare:
    one, context = ctypes.c_int(1), ctypes.c_int(0)
    descriptor, array = (ctypes.c_int * 9)(1, 0, 1, 1, 1, 1, 0, 0, 1), (ctypes.c_double * 1)()
    at = ctypes.byref(one)
    ctypes.CDLL(None).pdgemr2d_(at, at, array, at, at, descriptor, array, at, at, descriptor, ctypes.byref(context))
wrong = [plugin.move() for turn in range(3) for plugin in plugins]
for plugin in plugins:
    plugin.end()
plugins[0].finalize()
if any(wrong):
    print(f"hidden.py: wrong elements: {wrong}")
sys.exit(any(wrong))
