/* What Rust cannot express: the family of the MPI that reblock is compiled with, and weak references to the host's BLACS, which the static or dynamic linker resolves where it can. */
#include <mpi.h>
#include <stddef.h>

const char *reblock_mpi_family(void) {
#ifdef OPEN_MPI
  return "Open MPI";
#else
  return "MPICH";
#endif
}

extern void blacs_gridinfo_(void) __attribute__((weak));
extern void blacs_get_(void) __attribute__((weak));

typedef void (*function)(void);
function reblock_weak_blacs_gridinfo(void) { return blacs_gridinfo_; }
function reblock_weak_blacs_get(void) { return blacs_get_; }
