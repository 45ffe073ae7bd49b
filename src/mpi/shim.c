/* Parts that Rust cannot express: the family of the MPI that reblock is compiled with, whether the MPI in the process
 * has the standard ABI, and weak references to the host's BLACS, which the static or dynamic linker resolves if it
 * can. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>
#include <string.h>

__attribute__((visibility("hidden"))) const char *reblock_mpi_family(void) {
#ifdef STANDARD_ABI
  return "MPI's standard ABI";
#elif defined OPEN_MPI
  return "Open MPI";
#else
  return "MPICH";
#endif
}

/* Available since MPI 5. An MPI library with an ABI of its own has it, too, and reports no version. */
extern int PMPI_Abi_get_version(int *, int *) __attribute__((weak));

/* Returns whether MPI calls go to a library of the standard ABI. It looks at a PMPI function, which tools do not
 * replace. If two MPI libraries are loaded, the function above may belong to the other one. */
__attribute__((visibility("hidden"))) int reblock_mpi_is_standard(void) {
  Dl_info abi_library, version_library;
  int version = -1, less;
  return PMPI_Abi_get_version && dladdr((void *)PMPI_Abi_get_version, &abi_library) &&
         dladdr((void *)PMPI_Get_library_version, &version_library) &&
         !strcmp(abi_library.dli_fname, version_library.dli_fname) &&
         PMPI_Abi_get_version(&version, &less) == MPI_SUCCESS && version > 0;
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
