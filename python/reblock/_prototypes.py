"""The types and functions of include/reblock.h that the package calls."""

from __future__ import annotations

import ctypes
from typing import Any, Iterable

Handle, Number, Numbers = ctypes.c_void_p, ctypes.c_int64, ctypes.POINTER(ctypes.c_int64)
Flags = ctypes.POINTER(ctypes.c_int32)
Address, Comm = ctypes.POINTER(Handle), ctypes.c_int32
ALL_AXES = -1
FileProgress = ctypes.CFUNCTYPE(None, Handle, Number, Number)


def array_of(values: Iterable[int]) -> Any:
    """Returns integers for the library, in an array with room for at least one."""
    values = list(values)
    return (Number * (len(values) + 1))(*values)


class Options(ctypes.Structure):
    _fields_ = [("size", Number), ("version", Number), ("scheduler", ctypes.c_char_p), ("transport", ctypes.c_char_p),
                ("buffer", Number), ("window", Number), ("relabel", Number), ("axes", Numbers), ("axes_count", Number),
                ("copies", Number), ("spread", Numbers), ("spread_count", Number), ("overlap", Number),
                ("skip", Number)]


class Range(ctypes.Structure):
    _fields_ = [("lower", Number), ("upper", Number), ("stride", Number)]


class Update(ctypes.Structure):
    _fields_ = [("size", Number), ("version", Number), ("type", Number), ("combine", Number), ("conjugate", Number),
                ("alpha", Handle), ("beta", Handle)]


class Format(ctypes.Structure):
    _fields_ = [("size", Number), ("version", Number), ("kind", Number), ("block", Number), ("template_axis", Number),
                ("procs_axis", Number), ("procs", Number), ("stride", Number), ("offset", Number), ("coordinate", Number)]


# The arguments of each function; all of them return the code of a failure. A communicator is MPI's handle in Fortran.
PROTOTYPES = {
    "procs_create_fortran": [Comm, Number, Numbers, Numbers, Address],
    "procs_free": [Address],
    "template_create": [Handle, Number, Numbers, Numbers, Address],
    "template_dist_block": [Handle, Number, Number, Number],
    "template_dist_gen_block": [Handle, Number, Number, Number, Numbers],
    "template_dist_indirect_runs": [Handle, Number, Number, Number, Numbers, Numbers],
    "template_commit": [Handle],
    "template_free": [Address],
    "map_whole": [Handle, Address],
    "map_from_text_fortran": [Comm, Number, Numbers, ctypes.c_char_p, Address],
    "map_from_boxes_fortran": [Comm, Number, Numbers, Number, Numbers, Numbers, ctypes.c_int32, Numbers, Numbers, Address],
    "map_elements": [Handle, Numbers],
    "map_row_major": [Handle, Address],
    "map_local": [Handle, Numbers, Numbers, Numbers, Numbers, Numbers, Flags],
    "map_part": [Handle, Number, Numbers, Numbers, Numbers, Numbers, Flags],
    "map_owners": [Handle, Numbers, Number, Numbers, Numbers],
    "map_format": [Handle, Number, Handle],
    "map_template": [Handle, *[Numbers] * 5],
    "format_init": [Handle],
    "map_global_index": [Handle, Numbers, Numbers, Flags],
    "map_shadow": [Handle, Numbers, Numbers, Address],
    "map_strides": [Handle, Numbers, Address],
    "map_text": [Handle, ctypes.c_char_p, Number, Numbers],
    "map_equal": [Handle, Handle, Flags],
    "map_key": [Handle, Numbers],
    "map_free": [Address],
    "plan_create_fortran": [Comm, *[Handle] * 4, Number, Handle, Address],
    "plan_cshift_fortran": [Comm, *[Handle] * 4, Number, Number, Numbers, Handle, Address],
    "plan_eoshift_fortran": [Comm, *[Handle] * 4, Number, Number, Numbers, Handle, Handle, Address],
    "plan_shift_lines_fortran": [Comm, *[Handle] * 4, Number, Number, ctypes.c_int32, Number, Numbers, Handle, Handle, Address],
    "plan_gather_fortran": [Comm, Handle, Number, Number, Numbers, Number, Handle, Address],
    "plan_scatter_fortran": [Comm, Handle, Number, Number, Numbers, Number, Handle, Address],
    "plan_shadow_fortran": [Comm, Handle, Numbers, Numbers, Flags, ctypes.c_int32, Number, Handle, Address],
    "plan_execute": [Handle, Handle, Handle],
    "plan_execute_many": [Number, Address, Address, Address],
    "plan_update_many": [Number, Address, Address, Address, Address],
    "plan_start_update_many": [Number, Address, Address, Address, Address, Address],
    "plan_target": [Handle, Address],
    "plan_explain": [Handle, ctypes.c_char_p, Number, Numbers],
    "request_test": [Address, Flags],
    "request_wait": [Address],
    "request_free": [Address],
    "save_fortran": [Comm, ctypes.c_char_p, Handle, Handle, Number, ctypes.c_char_p],
    "file_progress": [FileProgress, Handle],
    "load_fortran": [Comm, ctypes.c_char_p, Handle, Handle, Number, ctypes.c_char_p],
    "plan_options_init_3": [Handle],
    "update_init": [Handle],
    "plan_reverse": [Handle, Address],
    "plan_free": [Address],
    "device_stream": [Handle],
    "move_fortran": [Comm, Handle, Handle, Handle, Handle, Number, Handle, Handle],
}
