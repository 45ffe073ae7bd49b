/* Included after mpi.h: determines the ABI of this MPI. FAMILY selects the entry for Open MPI's ABI, for that of MPICH
 * and all MPIs that share it, or for the standard ABI, which MPICH and Intel MPI have beside their own. */
#if defined OPEN_MPI
#define FAMILY(openmpi, mpich, abi) openmpi
#elif defined MPI_ABI_VERSION && !defined MPICH && !defined MPICH_NAME && !defined MPICH_VERSION
#define FAMILY(openmpi, mpich, abi) abi
#else
#define FAMILY(openmpi, mpich, abi) mpich
#endif
