/* The parts of Omni's library that the shim uses: the descriptors, from a header that Omni installs, and functions that
 * this header does not declare. Compile with -D_XMP_MPI3_ONESIDED if Omni has one-sided communication by MPI-3:
 * descriptors are larger then. */
#ifndef OMNI_H
#define OMNI_H
#include <stdbool.h>
#include <xmp_data_struct.h>

/* Undefined in a program without Omni's library, such as a shell that starts one. */
extern int _XMP_world_rank __attribute__((weak));
_XMP_nodes_t *_XMP_get_execution_nodes(void);
void _XMP_fatal(char *message);
bool xmp_is_async(void);
_XMP_async_comm_t *_XMP_get_current_async(void);
bool _XMP_calc_coord_on_target_nodes2(_XMP_nodes_t *nodes, int *coords, _XMP_nodes_t *target, int *target_coords);
void _XMP_calc_rank_array(_XMP_nodes_t *nodes, int *coords, int rank);
#endif
