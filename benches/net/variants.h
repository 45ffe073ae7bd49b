/* Ways to redistribute the same vector: by hand over MPI, or by a library's pdgemr2d. */
#ifndef NET_VARIANTS_H
#define NET_VARIANTS_H
#include "../../ctest/scalapack.h"
#include "pattern.h"

/* A vector on this rank: whole blocks of x doubles, in `a` on sources and in `b` on destinations. */
struct vector { int x, places, desca[9], descb[9], context; double *a, *b; };

/* "reference", "unscheduled", "alltoallv", "scalapack", or a library with SCHEDULER[/WINDOW[/BUFFER]]. */
struct variant { char name[64]; gemr2d *library; char scheduler[32], window[16], buffer[16]; };

/* Loads `library` for a variant that needs it. Each variant has a copy of its own, because a library reads its settings
 * once. Ends the job if the library cannot be loaded. */
void make_variant(struct variant *v, const char *name, const char *library);

/* Prepares a redistribution; its time does not count. */
void prepare(const struct variant *v);

/* Redistributes the vector. */
void redistribute(const struct variant *v, const struct pattern *p, struct vector *x, int rank);
#endif
