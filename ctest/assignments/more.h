/* Cases that are not random. */
#ifndef ASSIGNMENTS_MORE_H
#define ASSIGNMENTS_MORE_H
/* Tests calls that fail, on all ranks or on one: all ranks must have the same code, and nothing may be written. */
void mistakes(void);
/* Tests the comparison of maps, and that equal maps have equal keys on all ranks. */
void same_maps(void);
/* Tests B = RESHAPE(A, ...) for arrays that are contiguous in element order, declared as vectors in the same
 * storage. */
void reshaped(void);
/* Tests a spread in which relabelling assigns parts of the target to the ranks that have the source. */
void relabelled_spread(void);
/* Shifts an array of the library, which is exposed to other ranks, in place. */
void lent(void);
/* Fills a shadow of two elements by eight plans with strides in one batch. Runs on four ranks. */
void shadows(void);
#endif
