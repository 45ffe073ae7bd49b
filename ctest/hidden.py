"""Loads ctest/plugin.c as Python loads its extensions, with RTLD_LOCAL, and runs it."""
import ctypes
import sys

sys.exit(ctypes.CDLL(sys.argv[1]).run())
