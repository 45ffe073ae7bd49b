/* Cases that are not random. */
#ifndef ASSIGNMENTS_MORE_H
#define ASSIGNMENTS_MORE_H
/* Calls that fail, on all ranks or one: the same code on all ranks, and nothing written. */
void mistakes(void);
/* Tests which maps are equal, and have equal keys on all ranks. */
void same_maps(void);
/* B = RESHAPE(A, ...), if both are contiguous in element order: two vectors in the same storage. */
void reshaped(void);
/* A spread whose target's parts relabelling gives to the ranks that have the source. */
void relabelled_spread(void);
/* Shifts an array of the library, exposed to other ranks, in place. */
void lent(void);
/* A shadow of two elements, filled by eight plans with strides in one batch; on four ranks. */
void shadows(void);
#endif
