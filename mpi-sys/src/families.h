/* Included after mpi.h: which ABI does this MPI have? FAMILY gives what belongs to Open MPI's, to that of MPICH and all MPIs that
 * share it, or to the standard's, which MPICH and Intel MPI have beside
 * their own. */
#if defined OPEN_MPI
#define FAMILY(openmpi, mpich, abi) openmpi
#elif defined MPI_ABI_VERSION && !defined MPICH && !defined MPICH_NAME && !defined MPICH_VERSION
#define FAMILY(openmpi, mpich, abi) abi
#else
#define FAMILY(openmpi, mpich, abi) mpich
#endif
