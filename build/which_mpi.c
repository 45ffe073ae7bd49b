/* Preprocessed by build/mpi.sh: the last line names the MPI. */
#include <mpi.h>
#ifdef OPEN_MPI
openmpi
#else
mpich
#endif
