/* interface.h as this MPI's mpi.h has it, and what Rust cannot express. It does not compile where a number, a type or a
 * function is another one than the Rust side takes it for. */
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include "families.h"

/* The crate mpi-sys of rsmpi, which a program may link, too, has other symbols. */
#define HIDDEN __attribute__((visibility("hidden")))
#define CONSTANT(type, name) HIDDEN type const reblock_mpi_##name = MPI_##name;
#define OTHERWISE "this MPI is neither Open MPI, nor has it the ABI of MPICH or of the standard"
#if FAMILY(0, 0, 1) && defined I_MPI_VERSION
/* Intel MPI 2021.18 numbers the predefined attributes as a draft of the standard did. src/mpi/launcher.rs asks the MPI
 * that runs. */
#undef MPI_UNIVERSE_SIZE
#define MPI_UNIVERSE_SIZE 507
#endif
#define NUMBER(name, openmpi, mpich, abi) _Static_assert(name == FAMILY(openmpi, mpich, abi), #name ": " OTHERWISE);
#include "interface.h"

/* Handles are pointers, or ints. */
#define IS_INT(handle) _Generic((handle){0}, int: 1, default: 0)
#define HANDLE(type) \
  _Static_assert(IS_INT(type) == FAMILY(0, 1, 0) && sizeof(type) == FAMILY(sizeof(void *), sizeof(int), sizeof(void *)), #type ": " OTHERWISE);
HANDLE(MPI_Comm)
HANDLE(MPI_Datatype)
HANDLE(MPI_Errhandler)
HANDLE(MPI_Group)
HANDLE(MPI_Info)
HANDLE(MPI_Op)
HANDLE(MPI_Request)
_Static_assert(!IS_INT(MPI_File) && sizeof(MPI_File) == sizeof(void *), "MPI_File: " OTHERWISE);
_Static_assert(sizeof(MPI_Offset) == 8, "MPI_Offset: " OTHERWISE);
_Static_assert(sizeof(MPI_Status) == FAMILY(24, 20, 32) && offsetof(MPI_Status, MPI_SOURCE) == FAMILY(0, 8, 0) &&
                 offsetof(MPI_Status, MPI_TAG) == FAMILY(4, 12, 4) && offsetof(MPI_Status, MPI_ERROR) == FAMILY(8, 16, 8),
               "MPI_Status: " OTHERWISE);

#if FAMILY(0, 0, 1)
/* Fortran's handles are the integers of the standard's conversions; its header has them by this name only. */
HIDDEN int32_t reblock_mpi_Comm_c2f(MPI_Comm comm) { return MPI_Comm_toint(comm); }
HIDDEN MPI_Comm reblock_mpi_Comm_f2c(int32_t comm) { return MPI_Comm_fromint(comm); }
HIDDEN MPI_Info reblock_mpi_Info_f2c(int32_t info) { return MPI_Info_fromint(info); }
#else
_Static_assert(sizeof(MPI_Fint) == 4, "MPI_Fint has 4 bytes");
HIDDEN int32_t reblock_mpi_Comm_c2f(MPI_Comm comm) { return MPI_Comm_c2f(comm); }
HIDDEN MPI_Comm reblock_mpi_Comm_f2c(int32_t comm) { return MPI_Comm_f2c(comm); }
HIDDEN MPI_Info reblock_mpi_Info_f2c(int32_t info) { return MPI_Info_f2c(info); }
#endif
