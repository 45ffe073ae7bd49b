/* PETSc's VecScatter between two distributions of one axis. Does nothing if this program is built without PETSc
 * (WITH_PETSC). */
#include "hpf.h"

#ifdef WITH_PETSC
#include <petscvec.h>

/* PETSc numbers elements rank by rank, on each rank in local order. */
struct scatter { Vec from, to; IS places, targets; VecScatter scatter; };

#define PETSC(call) do { if ((call) != 0) MPI_Abort(MPI_COMM_WORLD, 1); } while (0)

void scatter_start(void) { PETSC(PetscInitializeNoArguments()); }
void scatter_end(void) { PETSC(PetscFinalize()); }

/* Returns PETSc's number of each element, by its index. */
static PetscInt *numbers_of(const struct array *a) {
  int64_t first = 0;
  PetscInt *numbers = calloc((size_t)a->extents[0], sizeof *numbers);
  MPI_Exscan(&a->counts[0], &first, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  for (int64_t i = 0; i < a->counts[0]; i++) numbers[a->indices[0][i]] = (PetscInt)(first + i);
  MPI_Allreduce(MPI_IN_PLACE, numbers, (int)a->extents[0], MPIU_INT, MPI_SUM, MPI_COMM_WORLD);
  return numbers;
}

static Vec vector_on(const struct array *a) {
  Vec vector;
  PETSC(VecCreateMPIWithArray(MPI_COMM_WORLD, (PetscInt)a->components, (PetscInt)(a->counts[0] * a->components),
                              PETSC_DECIDE, a->data, &vector));
  return vector;
}

struct scatter *scatter_make(const struct array *from, const struct array *to) {
  struct scatter *s = malloc(sizeof *s);
  int64_t first = 0, count = to->counts[0];
  PetscInt *numbers = numbers_of(from), *sources = malloc((size_t)(count + 1) * sizeof *sources);
  PetscInt *own = malloc((size_t)(count + 1) * sizeof *own), block = (PetscInt)from->components;
  MPI_Exscan(&to->counts[0], &first, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  for (int64_t i = 0; i < count; i++) sources[i] = numbers[to->indices[0][i]], own[i] = (PetscInt)(first + i);
  s->from = vector_on(from);
  s->to = vector_on(to);
  PETSC(ISCreateBlock(MPI_COMM_WORLD, block, (PetscInt)count, sources, PETSC_COPY_VALUES, &s->places));
  PETSC(ISCreateBlock(MPI_COMM_WORLD, block, (PetscInt)count, own, PETSC_COPY_VALUES, &s->targets));
  PETSC(VecScatterCreate(s->from, s->places, s->to, s->targets, &s->scatter));
  free(numbers);
  free(sources);
  free(own);
  return s;
}

void scatter_run(const void *scatter) {
  const struct scatter *s = scatter;
  PETSC(VecScatterBegin(s->scatter, s->from, s->to, INSERT_VALUES, SCATTER_FORWARD));
  PETSC(VecScatterEnd(s->scatter, s->from, s->to, INSERT_VALUES, SCATTER_FORWARD));
}

void scatter_plan(const void *scatter) {
  const struct scatter *s = scatter;
  VecScatter made;
  PETSC(VecScatterCreate(s->from, s->places, s->to, s->targets, &made));
  PETSC(VecScatterDestroy(&made));
}

void scatter_free(struct scatter *s) {
  PETSC(VecScatterDestroy(&s->scatter));
  PETSC(ISDestroy(&s->places));
  PETSC(ISDestroy(&s->targets));
  PETSC(VecDestroy(&s->from));
  PETSC(VecDestroy(&s->to));
  free(s);
}
#else
void scatter_start(void) {}
void scatter_end(void) {}
struct scatter *scatter_make(const struct array *from, const struct array *to) { return (void)from, (void)to, NULL; }
void scatter_run(const void *scatter) { (void)scatter; }
void scatter_plan(const void *scatter) { (void)scatter; }
void scatter_free(struct scatter *scatter) { (void)scatter; }
#endif
