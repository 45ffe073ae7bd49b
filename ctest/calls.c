/* Counts the MPI calls that reblock makes through the ScaLAPACK and the HPF interface. This program wraps every MPI
 * function that reblock imports (tests/run checks the list). It runs on 4 ranks of one node: with
 * REBLOCK_TRANSPORT=mpi, and without, so that all messages go through shared memory once the ranks have set it up. */
#include "reblock.h"
#include "reblock_scalapack.h"
#include "scalapack.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 2 /* rounds of a broadcast to all 4 ranks */, FEW_CALLS = 64 /* calls for which MPI is used */ };
static int is_data(int tag) { return tag % 3 == 1; } /* the other tags are for agreement between ranks or nodes */
static int counting, calls, data, agreement, collectives, created, agreed_first;
static void count(int *kind) { if (counting) { calls++; if (kind) ++*kind; } }

#define PASS(name, parameters, arguments, kind) \
  int name parameters { count(kind); return P##name arguments; }
PASS(MPI_Comm_create_keyval, (MPI_Comm_copy_attr_function *c, MPI_Comm_delete_attr_function *d, int *k, void *x),
     (c, d, k, x), NULL)
PASS(MPI_Abort, (MPI_Comm c, int e), (c, e), NULL)
MPI_Comm (MPI_Comm_f2c)(MPI_Fint f) { count(NULL); return PMPI_Comm_f2c(f); }
MPI_Info (MPI_Info_f2c)(MPI_Fint f) { count(NULL); return PMPI_Info_f2c(f); }
PASS(MPI_Comm_dup, (MPI_Comm c, MPI_Comm *o), (c, o), &created)
PASS(MPI_Comm_free, (MPI_Comm *c), (c), NULL)
PASS(MPI_Comm_get_attr, (MPI_Comm c, int k, void *v, int *f), (c, k, v, f), NULL)
PASS(MPI_Comm_idup, (MPI_Comm c, MPI_Comm *o, MPI_Request *q), (c, o, q), &created)
PASS(MPI_Iallgather, (const void *a, int n, MPI_Datatype t, void *b, int m, MPI_Datatype u, MPI_Comm c, MPI_Request *q),
     (a, n, t, b, m, u, c, q), &collectives)
PASS(MPI_Iprobe, (int s, int t, MPI_Comm c, int *f, MPI_Status *u), (s, t, c, f, u), NULL)
PASS(MPI_Comm_group, (MPI_Comm c, MPI_Group *g), (c, g), &created)
PASS(MPI_Comm_rank, (MPI_Comm c, int *r), (c, r), NULL)
PASS(MPI_Comm_set_attr, (MPI_Comm c, int k, void *v), (c, k, v), NULL)
PASS(MPI_Comm_set_errhandler, (MPI_Comm c, MPI_Errhandler h), (c, h), NULL)
PASS(MPI_Comm_size, (MPI_Comm c, int *s), (c, s), NULL)
PASS(MPI_Comm_test_inter, (MPI_Comm c, int *f), (c, f), NULL)
PASS(MPI_Error_string, (int e, char *s, int *l), (e, s, l), NULL)
PASS(MPI_Finalized, (int *f), (f), NULL)
PASS(MPI_File_open, (MPI_Comm c, const char *n, int m, MPI_Info i, MPI_File *f), (c, n, m, i, f), &created)
PASS(MPI_File_close, (MPI_File *f), (f), NULL)
PASS(MPI_File_set_errhandler, (MPI_File f, MPI_Errhandler h), (f, h), NULL)
PASS(MPI_File_get_size, (MPI_File f, MPI_Offset *s), (f, s), NULL)
PASS(MPI_File_read_at, (MPI_File f, MPI_Offset o, void *b, int n, MPI_Datatype t, MPI_Status *s), (f, o, b, n, t, s), NULL)
PASS(MPI_File_write_at, (MPI_File f, MPI_Offset o, const void *b, int n, MPI_Datatype t, MPI_Status *s), (f, o, b, n, t, s),
     NULL)
PASS(MPI_File_sync, (MPI_File f), (f), NULL)
PASS(MPI_Get_count, (const MPI_Status *s, MPI_Datatype t, int *c), (s, t, c), NULL)
PASS(MPI_Get_library_version, (char *v, int *l), (v, l), NULL)
PASS(MPI_Group_free, (MPI_Group *g), (g), NULL)
PASS(MPI_Group_incl, (MPI_Group g, int n, const int *r, MPI_Group *o), (g, n, r, o), &created)
PASS(MPI_Group_translate_ranks, (MPI_Group g, int n, const int *r, MPI_Group h, int *s), (g, n, r, h, s), NULL)
PASS(MPI_Ibcast, (void *b, int n, MPI_Datatype t, int r, MPI_Comm c, MPI_Request *q), (b, n, t, r, c, q), &collectives)
PASS(MPI_Iallreduce, (const void *a, void *b, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c, MPI_Request *q),
     (a, b, n, t, o, c, q), NULL)
PASS(MPI_Ialltoallv, (const void *a, const int *n, const int *p, MPI_Datatype t, void *b, const int *m, const int *o,
     MPI_Datatype u, MPI_Comm c, MPI_Request *q), (a, n, p, t, b, m, o, u, c, q), &collectives)
PASS(MPI_Info_create, (MPI_Info *i), (i), &created)
PASS(MPI_Info_dup, (MPI_Info i, MPI_Info *o), (i, o), &created)
PASS(MPI_Info_free, (MPI_Info *i), (i), NULL)
PASS(MPI_Info_set, (MPI_Info i, const char *k, const char *v), (i, k, v), NULL)
PASS(MPI_Initialized, (int *f), (f), NULL)
PASS(MPI_Query_thread, (int *l), (l), NULL)
PASS(MPI_Irecv, (void *b, int n, MPI_Datatype t, int s, int tag, MPI_Comm c, MPI_Request *q), (b, n, t, s, tag, c, q),
     NULL)
PASS(MPI_Comm_get_errhandler, (MPI_Comm c, MPI_Errhandler *h), (c, h), NULL)
PASS(MPI_Comm_get_parent, (MPI_Comm *c), (c), NULL)
PASS(MPI_Comm_spawn, (const char *p, char **v, int n, MPI_Info i, int r, MPI_Comm c, MPI_Comm *o, int *e),
     (p, v, n, i, r, c, o, e), &created)
PASS(MPI_Comm_split, (MPI_Comm c, int x, int k, MPI_Comm *o), (c, x, k, o), &created)
PASS(MPI_Errhandler_free, (MPI_Errhandler *h), (h), NULL)
PASS(MPI_Intercomm_create, (MPI_Comm c, int l, MPI_Comm p, int r, int t, MPI_Comm *o), (c, l, p, r, t, o), &created)
PASS(MPI_Intercomm_merge, (MPI_Comm c, int h, MPI_Comm *o), (c, h, o), &created)
PASS(MPI_Recv, (void *b, int n, MPI_Datatype t, int s, int tag, MPI_Comm c, MPI_Status *u), (b, n, t, s, tag, c, u), NULL)
PASS(MPI_Send, (const void *b, int n, MPI_Datatype t, int d, int tag, MPI_Comm c), (b, n, t, d, tag, c), NULL)
MPI_Fint (MPI_Comm_c2f)(MPI_Comm c) { count(NULL); return PMPI_Comm_c2f(c); }
PASS(MPI_Test, (MPI_Request *q, int *f, MPI_Status *s), (q, f, s), NULL)
PASS(MPI_Testsome, (int n, MPI_Request *q, int *o, int *i, MPI_Status *s), (n, q, o, i, s), NULL)
int MPI_Isend(const void *b, int n, MPI_Datatype t, int d, int tag, MPI_Comm c, MPI_Request *q) {
  if (counting && !is_data(tag) && !data) agreed_first = 1;
  count(is_data(tag) ? &data : &agreement);
  return PMPI_Isend(b, n, t, d, tag, c, q);
}
int MPI_Issend(const void *b, int n, MPI_Datatype t, int d, int tag, MPI_Comm c, MPI_Request *q) {
  count(&data);
  return PMPI_Issend(b, n, t, d, tag, c, q);
}

static int me, failures;
static void expect(int good, const char *what) {
  if (good) return;
  fprintf(stderr, "rank %d: %s: calls %d data %d agreement %d collectives %d created %d\n", me, what, calls, data,
          agreement, collectives, created);
  failures++;
}

static int grid(int rows, int cols, int first) {
  int context, map[4];
  for (int i = 0; i < rows * cols; i++) map[i] = first + i;
  Cblacs_get(0, 0, &context);
  Cblacs_gridmap(&context, map, rows, rows, cols);
  return context;
}

/* Redistributes a 12 x 12 matrix from context a to context b and counts the calls. */
static void move(int m, int n, int a, int b, int all, int block_a, int block_b) {
  int one = 1, desca[9] = {1, a, 12, 12, block_a, block_a, 0, 0, 12}, descb[9] = {1, b, 12, 12, block_b, block_b, 0, 0, 12};
  double from[144] = {0}, to[144];
  counting = 1;
  calls = data = agreement = collectives = created = agreed_first = 0;
  pdgemr2d_(&m, &n, from, &one, &one, desca, to, &one, &one, descb, &all);
  counting = 0;
}

static void must(int32_t code) {
  if (code) fprintf(stderr, "rank %d: %s\n", me, reblock_message()), MPI_Abort(MPI_COMM_WORLD, 1);
}
static reblock_template *template(int64_t ranks, int64_t n, const char *distribution) {
  int64_t one = 1;
  reblock_procs *procs;
  reblock_template *made;
  must(reblock_procs_create(MPI_COMM_WORLD, 1, &ranks, NULL, &procs));
  must(reblock_template_create(procs, 1, &one, &n, &made));
  must(reblock_template_dist_text(made, distribution));
  must(reblock_template_commit(made));
  must(reblock_procs_free(&procs));
  return made;
}
static reblock_map *map(int64_t ranks, int64_t n, const char *distribution) {
  reblock_template *of = template(ranks, n, distribution);
  reblock_map *made;
  must(reblock_map_whole(of, &made));
  must(reblock_template_free(&of));
  return made;
}
static void begin(void) { counting = 1, calls = data = agreement = collectives = created = 0; }
static void end(int32_t code) { counting = 0, must(code); }

/* Counts the calls of the HPF interface if nothing moves: only calls for the agreement of ranks are allowed. */
static void idle(const char *what, int mpi) {
  expect(data + collectives + created == 0, what);
  expect(agreement == (mpi ? ROUNDS : 0), what);
}
static void move_mapped(reblock_map *from, reblock_map *to, int rounds, const char *what, int mpi) {
  double source[12] = {0}, target[12];
  reblock_plan *plan;
  begin();
  end(reblock_plan_create(MPI_COMM_WORLD, from, NULL, to, NULL, sizeof *source, NULL, &plan));
  if (rounds) idle(what, mpi);
  for (int in_place = 0; in_place < 2; in_place++) {
    begin();
    end(reblock_plan_execute(plan, source, in_place && rounds ? source : target));
    if (rounds) idle(what, mpi);
    else expect(!mpi || data > 0, what);
  }
  must(reblock_plan_free(&plan));
}
static void hpf(int mpi) {
  reblock_map *block = map(4, 12, "(BLOCK)"), *same = map(4, 12, "(CYCLIC(3))"), *cyclic = map(4, 12, "(CYCLIC)");
  reblock_map *none = map(4, 0, "(BLOCK)"), *nothing = map(4, 0, "(CYCLIC)"), *root = map(1, 12, "(BLOCK)");
  reblock_map *fixed = map(1, 12, "(CYCLIC)"), *maps[] = {block, same, cyclic, none, nothing, root, fixed};
  move_mapped(block, cyclic, 0, "something moves", mpi);
  move_mapped(block, same, 1, "equal layouts", mpi);
  move_mapped(none, nothing, 1, "arrays without elements", mpi);
  move_mapped(root, fixed, 1, "an array of rank 0", mpi);

  reblock_template *changed = template(4, 12, "(BLOCK)"), *like = template(4, 12, "(BLOCK)");
  reblock_map *whole;
  reblock_array *array;
  void *before, *after;
  must(reblock_map_whole(changed, &whole));
  must(reblock_array_create(whole, sizeof(double), &array));
  must(reblock_array_data(array, &before, NULL, NULL, NULL));
  begin();
  end(reblock_template_redistribute(changed, like, 0, NULL));
  idle("a template like it is", mpi);
  begin();
  end(reblock_array_realign(array, whole, 0));
  idle("an array like it is", mpi);
  must(reblock_array_data(array, &after, NULL, NULL, NULL));
  expect(before == after, "an array that stays has moved");
  must(reblock_array_free(&array));
  must(reblock_map_free(&whole));
  must(reblock_template_free(&changed));
  must(reblock_template_free(&like));
  for (int k = 0; k < 7; k++) must(reblock_map_free(&maps[k]));
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  int square = grid(2, 2, 0), column = grid(4, 1, 0), all = grid(1, 4, 0), alone = -1, root = grid(1, 1, 0);
  for (int r = 0; r < 4; r++) { int own = grid(1, 1, r); if (r == me) alone = own; }

  move(0, 12, square, column, all, 2, 3);
  expect(calls == 0, "m = 0");
  move(12, 0, square, column, all, 2, 3);
  expect(calls == 0, "n = 0");

  move(12, 12, alone, alone, alone, 2, 3);
  expect(data + agreement + collectives + created == 0, "one rank alone");

  move(12, 12, root, root, all, 2, 3);
  expect(data == 0 && collectives == 0 && agreement == ROUNDS, "1x1 grids within four ranks");
  for (int call = 2; call <= FEW_CALLS; call++) {
    move(12, 12, root, root, all, 2, 3);
    expect(data == 0 && collectives == 0 && created == 0 && agreement == ROUNDS, "the same again");
  }
  move(12, 12, root, root, all, 2, 3);
  expect(data == 0 && collectives > 0 && agreement == ROUNDS, "one call more: ranks get to know each other");

  const char *transport = getenv("REBLOCK_TRANSPORT");
  int mpi = transport && !strcmp(transport, "mpi");
  move(12, 12, square, column, all, 2, 3);
  expect(mpi ? data > 0 && !agreed_first : data + agreement == 0, "equal grids: nothing before the data");
  expect(collectives == 0, "equal grids: no collective");
  move(12, 12, square, column, all, 2, 3);
  expect((mpi ? data > 0 && agreement == 1 : data + agreement == 0) && created == 0, "the same again: nothing is created");
  move(12, 12, square, column, all, 3, 1);
  expect((mpi ? data > 0 : data == 0) && created == 0, "another layout: nothing is created");
  move(12, 12, root, square, all, 12, 1);
  move(12, 12, root, square, all, 12, 1);
  expect(collectives == 0 && created == 0, "from one process");
  expect(mpi ? agreement == ROUNDS && data == (me ? 0 : 3) : agreement + data == 0, "from one process: messages");
  move(12, 12, square, square, all, 4, 4);
  expect(data == 0, "the same layout");

  hpf(mpi);

  int many[20];
  for (int g = 0; g < 20; g++) many[g] = grid(g % 2 ? 2 : 4, g % 2 ? 2 : 1, 0);
  for (int round = 0; round < 2; round++)
    for (int g = 0; g < 20; g++) {
      move(12, 12, many[g], square, all, 2, 3);
      expect(!round || created == 0, "twenty grids in turn: nothing is created");
    }

  MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (!me) printf("calls: %d failures\n", failures);
  Cblacs_exit(1);
  MPI_Finalize();
  return failures != 0;
}
