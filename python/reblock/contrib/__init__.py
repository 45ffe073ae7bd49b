"""Lets reblock make the redistributions of other packages. A program imports the module of its package.

    import reblock.contrib.mpi4py_fft

    reblock.contrib.mpi4py_fft.install()     # from here on, mpi4py-fft moves pencils by reblock

| module | package | what reblock does |
|---|---|---|
| `heat` | Heat | `resplit`, `DNDarray.resplit_`, `DNDarray.redistribute_`, so also `balance_` |
| `mpi4py_fft` | mpi4py-fft | `Transfer.forward` and `Transfer.backward` |
| `pylops_mpi` | pylops-mpi | `DistributedArray.redistribute` |

Each module has the functions `install()`, `uninstall()`, `installed()` for `with` blocks, and `moves()`, the number of moves
that reblock has made on this rank. All ranks of a communicator must use reblock, or none: install on all ranks.
"""
