/* Tests MPI failures in the middle of a resize, when ranks are already parked: after an error the job must have its old
 * size. This program wraps MPI, and makes one call of a function fail, or three calls in turn.
 *
 *   mpirun -n 4 resizing_faults [FUNCTION [TIMES]]   one function; with TIMES, one resize with that number of failures */
#include "job.h"

enum { N = 24 };
/* The functions that fail: MPI_Recv on a parked rank; MPI_Comm_split on one working rank, while the other ranks are
 * inside the call; all other functions on all working ranks. The last three functions carry the data that moves by
 * MPI. */
enum { IBCAST, IALLREDUCE, RECV, SEND, SPLIT, ISEND, IRECV, TESTSOME, KINDS };
static const char *names[] = {"MPI_Ibcast", "MPI_Iallreduce", "MPI_Recv", "MPI_Send", "MPI_Comm_split", "MPI_Isend", "MPI_Irecv",
                              "MPI_Testsome"};
/* The ranks that are never parked. */
static MPI_Comm first;
static double *a;
static int desc[9], kind = -1, left, failed;

/* Returns whether this call fails: `times` calls in turn, from the first on. */
static int fails(int of) {
  if (of != kind || left-- <= 0) return 0;
  return failed = 1;
}

int MPI_Ibcast(void *b, int n, MPI_Datatype t, int root, MPI_Comm comm, MPI_Request *q) {
  return fails(IBCAST) ? MPI_ERR_OTHER : PMPI_Ibcast(b, n, t, root, comm, q);
}
int MPI_Iallreduce(const void *s, void *r, int n, MPI_Datatype t, MPI_Op op, MPI_Comm comm, MPI_Request *q) {
  return fails(IALLREDUCE) ? MPI_ERR_OTHER : PMPI_Iallreduce(s, r, n, t, op, comm, q);
}
int MPI_Recv(void *b, int n, MPI_Datatype t, int from, int tag, MPI_Comm comm, MPI_Status *status) {
  return fails(RECV) ? MPI_ERR_OTHER : PMPI_Recv(b, n, t, from, tag, comm, status);
}
int MPI_Send(const void *b, int n, MPI_Datatype t, int to, int tag, MPI_Comm comm) {
  return fails(SEND) ? MPI_ERR_OTHER : PMPI_Send(b, n, t, to, tag, comm);
}
int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *made) {
  return me == 1 && fails(SPLIT) ? MPI_ERR_OTHER : PMPI_Comm_split(comm, color, key, made);
}
int MPI_Isend(const void *b, int n, MPI_Datatype t, int to, int tag, MPI_Comm comm, MPI_Request *q) {
  return fails(ISEND) ? MPI_ERR_OTHER : PMPI_Isend(b, n, t, to, tag, comm, q);
}
int MPI_Irecv(void *b, int n, MPI_Datatype t, int from, int tag, MPI_Comm comm, MPI_Request *q) {
  return fails(IRECV) ? MPI_ERR_OTHER : PMPI_Irecv(b, n, t, from, tag, comm, q);
}
int MPI_Testsome(int n, MPI_Request *q, int *done, int *at, MPI_Status *status) {
  return fails(TESTSOME) ? MPI_ERR_OTHER : PMPI_Testsome(n, q, done, at, status);
}

static void elements(int check) {
  int context, rows, cols, row, col, i, j;
  must(reblock_job_get_blacs(job, 0, 0, &context), "blacs");
  if (context != desc[1]) fail("a descriptor with another context", desc[1]);
  blacs_gridinfo_(&context, &rows, &cols, &row, &col);
  for (int lj = 0; (j = global_index(lj, 3, col, cols)) < N; lj++)
    for (int li = 0; (i = global_index(li, 2, row, rows)) < N; li++) {
      double want = (double)(i + 100 * j + 10000 * round_), *place = &a[lj * desc[8] + li];
      if (!check) *place = want;
      else if (*place != want) {
        fail("a wrong element", i);
        return;
      }
    }
}

/* Makes one resize in which a call may fail. The working ranks must have one code, and the old or the new size. */
static int32_t tried(int ranks, int fault, int times, int *reached) {
  int32_t state, code, before = working(), codes[2], all[2];
  kind = fault, left = times, failed = 0;
  code = ranks > before ? reblock_job_expand(job, ranks, &state) : reblock_job_shrink(job, ranks, &state);
  while (!code && state == REBLOCK_JOB_MOVING) code = reblock_job_step(job, &state);
  kind = -1;
  /* A parked rank returns together with all others, or at the end of the job. */
  if (!code && me >= ranks) return state;
  if (me > 1) return state;
  if (code ? working() != before || state != REBLOCK_JOB_SAME : working() != ranks) fail("a size that is neither", working());
  codes[0] = code, codes[1] = failed;
  PMPI_Allreduce(codes, all, 2, MPI_INT, MPI_MAX, first);
  *reached = all[1];
  if (!code != !all[0]) fail("ranks have different codes", code);
  elements(1);
  return state;
}

/* A resize point at which MPI_Ibcast fails on one rank only: all ranks must have the same code. */
static void on_one_rank(void) {
  int32_t state, codes[2];
  must(reblock_job_init(MPI_COMM_WORLD, NULL, &job), "init");
  if (me == 1) kind = IBCAST, left = 100, failed = 0;
  int32_t code = reblock_job_step(job, &state);
  kind = -1;
  PMPI_Allreduce((int32_t[]){code, -code}, codes, 2, MPI_INT32_T, MPI_MAX, MPI_COMM_WORLD);
  if (codes[0] != -codes[1] || state != REBLOCK_JOB_SAME) fail("ranks have different codes", code);
  must(reblock_job_finalize(&job), "finalize");
}

/* Tests a fault in a job of its own, since a broken communicator cannot be repaired. One or two of 4 ranks are parked
 * before. If the matrix is constant, it moves while the program continues. */
static int trial(int fault, int times, int shrinks, int constant) {
  int32_t state = REBLOCK_JOB_SAME;
  reblock_job_options options;
  int context, rows, cols, row, col, reached = 0, went = 0;
  must(reblock_job_options_init(&options), "options");
  options.park = 1;
  must(reblock_job_init(MPI_COMM_WORLD, &options, &job), "init");
  must(reblock_job_get_blacs(job, 0, 0, &context), "blacs");
  blacs_gridinfo_(&context, &rows, &cols, &row, &col);
  memcpy(desc, (int[]){1, context, N, N, 2, 3, 0, 0, N}, sizeof desc);
  a = NULL;
  must(reblock_job_add_matrix(job, desc, sizeof *a, (void **)&a), "matrix");
  must(reblock_job_add_value(job, &round_, sizeof round_), "value");
  elements(0);
  /* If the calls of one parked rank fail, it is the last rank. */
  int alone = fault == RECV;
  if (alone && me == 3) kind = fault, left = times, failed = 0;
  must(reblock_job_shrink(job, 3, &state), "4 to 3");
  if (me == 3) kind = -1, went = failed;
  if (me < 3) {
    must(reblock_job_set_constant(job, 0, constant), "constant");
    if (!alone) state = tried(shrinks ? 2 : 4, fault, times, &reached);
    /* Without a fault all ranks are back, unless the communicator is broken. */
    if (state != REBLOCK_JOB_LEAVE && working() < 4) {
      int32_t code = reblock_job_expand(job, 4, &state);
      while (!code && state == REBLOCK_JOB_MOVING) code = reblock_job_step(job, &state);
      if (code && code != REBLOCK_ERR_BROKEN) fail("the next resize fails", code);
      if (!code && working() != 4) fail("not all are back", working());
    }
  }
  if (state == REBLOCK_JOB_LEAVE) {
    if (a) fail("a rank that has left has storage", 0);
    must(reblock_job_leave(&job), "leave");
  } else {
    elements(1);
    /* This call succeeds even if the communicator is broken. */
    must(reblock_job_finalize(&job), "finalize");
  }
  free(a);
  MPI_Allreduce(MPI_IN_PLACE, &went, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Bcast(&reached, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return reached || went;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_split(MPI_COMM_WORLD, me < 2, me, &first);
  int reached[KINDS] = {0}, kinds = getenv("REBLOCK_TRANSPORT") ? KINDS : ISEND;
  if (argc == 1) on_one_rank();
  for (int fault = 0; fault < kinds; fault++) {
    if (argc > 1 && strcmp(argv[1], names[fault])) continue;
    if (argc > 2) trial(fault, atoi(argv[2]), 1, 0), exit(0);
    for (int times = 1; times <= (fault == IALLREDUCE || fault == SPLIT ? 1 : 3); times += 2)
      for (int how = 0; how < 4; how++) reached[fault] += trial(fault, times, how % 2, how / 2);
    if (!reached[fault]) fail(names[fault], fault);
  }
  for (int fault = 0; fault < kinds && me == 0; fault++) printf("resizing_faults: %s has failed in %d resizes\n", names[fault], reached[fault]);
  MPI_Finalize();
  return wrong;
}
