/* Ghost points of PETSc's DMDA, for the same planes and cubes in blocks. Does nothing if this program is built without
 * PETSc (WITH_PETSC). */
#include "hpf.h"

#ifdef WITH_PETSC
#include <petscdmda.h>

#define PETSC(call) do { if ((call) != 0) MPI_Abort(MPI_COMM_WORLD, 1); } while (0)

struct ghosts { DM points; Vec global, local; };

/* Sets each element to its place in the whole array, and the rest of the local array, which this stencil does not use,
 * to -1. */
static void number(const struct ghosts *g, int64_t side) {
  PetscInt x, y, z, nx, ny, nz;
  PetscScalar *values;
  PETSC(DMDAGetCorners(g->points, &x, &y, &z, &nx, &ny, &nz));
  PETSC(VecGetArray(g->global, &values));
  for (PetscInt k = z, n = 0; k < z + nz; k++)
    for (PetscInt j = y; j < y + ny; j++)
      for (PetscInt i = x; i < x + nx; i++) values[n++] = (double)((k * side + j) * side + i);
  PETSC(VecRestoreArray(g->global, &values));
  PETSC(VecSet(g->local, -1));
}

static int outside(PetscInt at, PetscInt first, PetscInt count) { return at < first || at >= first + count; }

static void verify(const struct ghosts *g, int64_t side, const char *name) {
  PetscInt x, y, z, nx, ny, nz, gx, gy, gz, gnx, gny, gnz, n = 0, wrong = 0;
  const PetscScalar *values;
  PETSC(DMDAGetCorners(g->points, &x, &y, &z, &nx, &ny, &nz));
  PETSC(DMDAGetGhostCorners(g->points, &gx, &gy, &gz, &gnx, &gny, &gnz));
  PETSC(VecGetArrayRead(g->local, &values));
  for (PetscInt k = gz; k < gz + gnz; k++)
    for (PetscInt j = gy; j < gy + gny; j++)
      for (PetscInt i = gx; i < gx + gnx; i++, n++) {
        int corner = outside(i, x, nx) + outside(j, y, ny) + outside(k, z, nz) > 1;
        wrong += !corner && values[n] != (double)((k * side + j) * side + i);
      }
  PETSC(VecRestoreArrayRead(g->local, &values));
  if (wrong == 0) return;
  fprintf(stderr, "%s: PETSc has other shadows\n", name);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

struct ghosts *ghosts_make(const char *name, int axes, int64_t side, const int *shape, int width) {
  struct ghosts *g = malloc(sizeof *g);
  PetscInt n = (PetscInt)side;
  const DMBoundaryType end = DM_BOUNDARY_NONE;
  if (axes == 2)
    PETSC(DMDACreate2d(MPI_COMM_WORLD, end, end, DMDA_STENCIL_STAR, n, n, shape[0], shape[1], 1, width, NULL, NULL, &g->points));
  else
    PETSC(DMDACreate3d(MPI_COMM_WORLD, end, end, end, DMDA_STENCIL_STAR, n, n, n, shape[0], shape[1], shape[2], 1, width, NULL,
                       NULL, NULL, &g->points));
  PETSC(DMSetUp(g->points));
  PETSC(DMCreateGlobalVector(g->points, &g->global));
  PETSC(DMCreateLocalVector(g->points, &g->local));
  number(g, side);
  ghosts_from_global(g);
  verify(g, side, name);
  ghosts_in_place(g);
  verify(g, side, name);
  return g;
}

void ghosts_from_global(const void *ghosts) {
  const struct ghosts *g = ghosts;
  PETSC(DMGlobalToLocalBegin(g->points, g->global, INSERT_VALUES, g->local));
  PETSC(DMGlobalToLocalEnd(g->points, g->global, INSERT_VALUES, g->local));
}

void ghosts_in_place(const void *ghosts) {
  const struct ghosts *g = ghosts;
  PETSC(DMLocalToLocalBegin(g->points, g->local, INSERT_VALUES, g->local));
  PETSC(DMLocalToLocalEnd(g->points, g->local, INSERT_VALUES, g->local));
}

void ghosts_free(struct ghosts *g) {
  PETSC(VecDestroy(&g->global));
  PETSC(VecDestroy(&g->local));
  PETSC(DMDestroy(&g->points));
  free(g);
}
#else
struct ghosts *ghosts_make(const char *name, int axes, int64_t side, const int *shape, int width) {
  return (void)name, (void)axes, (void)side, (void)shape, (void)width, NULL;
}
void ghosts_from_global(const void *ghosts) { (void)ghosts; }
void ghosts_in_place(const void *ghosts) { (void)ghosts; }
void ghosts_free(struct ghosts *ghosts) { (void)ghosts; }
#endif
