#include "blacs.h"

MPI_Comm Cblacs2sys_handle(int handle) { return handle == 40 ? MPI_COMM_WORLD : MPI_COMM_NULL; }
