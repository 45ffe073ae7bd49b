/* What is not drawn. */
#ifndef ASSIGNMENTS_MORE_H
#define ASSIGNMENTS_MORE_H
/* Calls that fail, by all ranks or one: with the same code on all of them, and nothing written. */
void mistakes(void);
/* Which maps are equal, and have the same key on all ranks. */
void same_maps(void);
/* B = RESHAPE(A, ...), where both lie in contiguous parts of the sequence of elements: two vectors of the same storage. */
void reshaped(void);
/* A spread whose target's parts go to the ranks that have its source. */
void relabelled_spread(void);
/* An array that the library owns, and lends to other ranks, is shifted in place. */
void lent(void);
/* A shadow of two elements, filled by eight plans with strides in one batch; on four ranks. */
void shadows(void);
#endif
