/* Preprocessed by build/mpi.sh: the last line names the MPI's ABI. */
#include <mpi.h>
#include "../mpi-sys/src/families.h"
FAMILY(openmpi, mpich, abi)
