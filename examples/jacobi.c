/* Jacobi's iteration on a plane in blocks. Around its own points each process has a shadow, one point wide, of its
 * neighbours' points, which a plan fills. Inner points are computed while the plan is under way. The result is compared
 * with a serial program, and the time with messages written by hand. */
#include "must.h"
#include <string.h>

enum { N = 500, STEPS = 200, ROWS = 2, COLS = 2 };

/* A process's points: `rows` x `cols`, row-major, with a shadow of one point around them. */
struct grid { int64_t rows, cols, first_row, first_col; };

static double start(int64_t i, int64_t j) { return (double)((i * 37 + j * 101) % 1000) / 1000; }

/* Computes the means of neighbours for rows from[0] to to[0] - 1 and columns from[1] to to[1] - 1. Points outside the
 * plane are 0. */
static void sweep(const struct grid *g, const double *u, double *next, const int64_t from[2], const int64_t to[2]) {
  int64_t wide = g->cols + 2;
  for (int64_t i = from[0]; i < to[0]; i++)
    for (int64_t j = from[1]; j < to[1]; j++) {
      int64_t x = (i + 1) * wide + j + 1;
      next[x] = 0.25 * (u[x - wide] + u[x + wide] + u[x - 1] + u[x + 1]);
    }
}

/* Computes all points while the shadow is filled: the inner points first. */
static void step(const struct grid *g, reblock_plan *plan, double *u, double *next) {
  int64_t all[2] = {g->rows, g->cols};
  reblock_request *request;
  MUST(reblock_plan_start(plan, u, u, &request));
  sweep(g, u, next, (int64_t[2]){1, 1}, (int64_t[2]){all[0] - 1, all[1] - 1});
  MUST(reblock_request_wait(&request));
  sweep(g, u, next, (int64_t[2]){0, 0}, (int64_t[2]){1, all[1]});
  sweep(g, u, next, (int64_t[2]){all[0] - 1, 0}, all);
  sweep(g, u, next, (int64_t[2]){1, 0}, (int64_t[2]){all[0] - 1, 1});
  sweep(g, u, next, (int64_t[2]){1, all[1] - 1}, (int64_t[2]){all[0] - 1, all[1]});
}

/* The same iteration with messages. */
struct messages { int next[4]; MPI_Datatype row, column; };

static void step_by_hand(const struct grid *g, const struct messages *m, double *u, double *next) {
  int64_t wide = g->cols + 2, rows = g->rows, cols = g->cols;
  double *own[4] = {u + wide + 1, u + rows * wide + 1, u + wide + 1, u + wide + cols};
  double *shadow[4] = {u + 1, u + (rows + 1) * wide + 1, u + wide, u + wide + cols + 1};
  MPI_Request requests[8];
  MPI_Status statuses[8];
  for (int k = 0; k < 4; k++)
    MPI_Irecv(shadow[k], 1, k < 2 ? m->row : m->column, m->next[k], k ^ 1, MPI_COMM_WORLD, &requests[k]);
  for (int k = 0; k < 4; k++)
    MPI_Isend(own[k], 1, k < 2 ? m->row : m->column, m->next[k], k, MPI_COMM_WORLD, &requests[4 + k]);
  MPI_Waitall(8, requests, statuses);
  sweep(g, u, next, (int64_t[2]){0, 0}, (int64_t[2]){rows, cols});
}

static void begin(const struct grid *g, double *u, double *next) {
  size_t bytes = (size_t)((g->rows + 2) * (g->cols + 2)) * sizeof *u;
  memset(u, 0, bytes), memset(next, 0, bytes);
  for (int64_t i = 0; i < g->rows; i++)
    for (int64_t j = 0; j < g->cols; j++) u[(i + 1) * (g->cols + 2) + j + 1] = start(g->first_row + i, g->first_col + j);
}

static void swap(double **a, double **b) {
  double *c = *a;
  *a = *b, *b = c;
}

/* Counts the points that differ from a serial program's. */
static long compared(const struct grid *g, const double *u) {
  struct grid whole = {N, N, 0, 0};
  double *a = malloc(sizeof *a * (N + 2) * (N + 2)), *b = malloc(sizeof *b * (N + 2) * (N + 2));
  long wrong = 0;
  begin(&whole, a, b);
  for (int n = 0; n < STEPS; n++) sweep(&whole, a, b, (int64_t[2]){0, 0}, (int64_t[2]){N, N}), swap(&a, &b);
  for (int64_t i = 1; i <= g->rows; i++)
    for (int64_t j = 1; j <= g->cols; j++)
      wrong += u[i * (g->cols + 2) + j] != a[(g->first_row + i) * (N + 2) + g->first_col + j];
  free(a), free(b);
  return wrong;
}

int main(int argc, char **argv) {
  int me = start_on_four(&argc, &argv);
  reblock_map *columns, *rows, *map;
  reblock_plan *plan;
  const int64_t extents[2] = {N, N}, shape[2] = {ROWS, COLS}, one[2] = {1, 1};
  MUST(reblock_map_block_cyclic(MPI_COMM_WORLD, 2, extents, shape, NULL, &columns));
  MUST(reblock_map_row_major(columns, &rows));
  MUST(reblock_map_shadow(rows, one, one, &map));
  MUST(reblock_plan_shadow(MPI_COMM_WORLD, map, NULL, NULL, NULL, 0, sizeof(double), NULL, &plan));

  int64_t own[2], lower[2];
  MUST(reblock_map_local(map, own, lower, NULL, NULL, NULL, NULL));
  struct grid g = {own[0], own[1], lower[0] + 1, lower[1] + 1};
  struct messages m = {{me >= COLS ? me - COLS : MPI_PROC_NULL, me < 4 - COLS ? me + COLS : MPI_PROC_NULL,
                        me % COLS ? me - 1 : MPI_PROC_NULL, me % COLS < COLS - 1 ? me + 1 : MPI_PROC_NULL}, 0, 0};
  MPI_Type_contiguous((int)g.cols, MPI_DOUBLE, &m.row);
  MPI_Type_vector((int)g.rows, 1, (int)g.cols + 2, MPI_DOUBLE, &m.column);
  MPI_Type_commit(&m.row), MPI_Type_commit(&m.column);
  size_t points = (size_t)((g.rows + 2) * (g.cols + 2));
  double *u = malloc(points * sizeof *u), *next = malloc(points * sizeof *next), seconds[2];
  long wrong = 0;
  for (int way = 0; way < 2; way++) {
    begin(&g, u, next);
    MPI_Barrier(MPI_COMM_WORLD);
    seconds[way] = -MPI_Wtime();
    for (int n = 0; n < STEPS; n++) {
      if (way == 0) step_by_hand(&g, &m, u, next);
      else step(&g, plan, u, next);
      swap(&u, &next);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    seconds[way] += MPI_Wtime();
    wrong += compared(&g, u);
  }
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (me == 0)
    printf("%d steps on %d x %d points: %.1f ms with messages by hand, %.1f ms with a plan; %ld points differ\n", STEPS, N, N,
           seconds[0] * 1e3, seconds[1] * 1e3, wrong);
  MPI_Type_free(&m.row), MPI_Type_free(&m.column);
  MUST(reblock_plan_free(&plan));
  MUST(reblock_map_free(&map)), MUST(reblock_map_free(&rows)), MUST(reblock_map_free(&columns));
  free(u), free(next);
  MPI_Finalize();
  return wrong != 0;
}
