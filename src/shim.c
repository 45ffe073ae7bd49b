/* What Rust cannot express: the family of the MPI that reblock is compiled with, and weak references to the host's BLACS, which the static or dynamic linker resolves where it can. */
#include <mpi.h>
#include <stddef.h>

__attribute__((visibility("hidden"))) const char *reblock_mpi_family(void) {
#ifdef OPEN_MPI
  return "Open MPI";
#else
  return "MPICH";
#endif
}

typedef void (*function)(void);
#define WEAK(name, symbol) \
  extern void symbol(void) __attribute__((weak)); \
  __attribute__((visibility("hidden"))) function reblock_weak_##name(void) { return symbol; }
WEAK(blacs_gridinfo, blacs_gridinfo_)
WEAK(blacs_get, blacs_get_)
WEAK(c_gridinfo, Cblacs_gridinfo)
WEAK(c_get, Cblacs_get)
WEAK(c_communicator, Cblacs2sys_handle)
