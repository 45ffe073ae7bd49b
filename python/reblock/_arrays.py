"""A rank's parts of arrays: their checks and addresses."""

import numpy

from ._errors import reason


def asked(a, out, dtype, source, target):
    """Returns this rank's arrays, and the reason if they do not fit: `a`, C-contiguous, and `out`, which is made if it
    is None. Without `dtype`, the type of `a` counts. A rank that has no part may pass None."""
    try:
        if a is None and source.has_part:
            return None, None, f"the array is None, expected this rank's part, of shape {source.local_shape}"
        a = numpy.empty(source.local_shape, dtype) if a is None else a
        a = numpy.asarray(a, order="C")
        dtype = a.dtype if dtype is None else dtype
        why = source._misfit("the array", a)
        if not why and a.dtype != dtype:
            why = f"the array has elements of type {a.dtype}, expected {dtype}"
        if out is None:
            return a, numpy.zeros(target.local_shape, dtype), why
        why = why or target._misfit("out", out)
        if not why and not (out.dtype == dtype and out.flags.c_contiguous and out.flags.writeable):
            why = f"out is to be C-contiguous and writeable, with elements of type {dtype}"
        return a, out, why
    except Exception as bad:
        return None, None, reason(bad)


def address_of(map, array):
    return array.ctypes.data if map.has_part and array is not None else None
