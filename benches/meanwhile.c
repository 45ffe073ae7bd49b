/* Measures the share of a resize that iterations hide if the matrix is constant: meanwhile N BLOCK ROUNDS MS [threads].
 * An N x N matrix of doubles moves from one rank to two, ROUNDS times blocking and ROUNDS times during iterations of
 * MS milliseconds, and is compared each time. If the program starts on one rank, it spawns the second; if on two, it
 * parks the second. With `threads`, several threads may call MPI. Prints medians in milliseconds, without the start of
 * processes, which takes equally long in both kinds of resizes. */
#include "median.h"
#include "resized.h"


enum { MAX_ROUNDS = 100 };
static volatile double sum;
static reblock_job *job;

/* Performs one iteration of the program, which only computes. */
static void iterate(long work) {
  double x = sum;
  for (long k = 0; k < work; k++) x = x * 0.999999 + 1e-6;
  sum = x;
}

static double iterations(long work, int count) {
  double begin = MPI_Wtime();
  int32_t state;
  for (int k = 0; k < count; k++) {
    iterate(work);
    must(reblock_job_step(job, &state), "step");
  }
  return (MPI_Wtime() - begin) / count;
}

/* The times of one resize in seconds. */
struct taken {
  /* Time that the program loses to the resize, number of iterations during the resize, and the longest resize point. */
  double seen, steps, longest;
  /* Time until all data have arrived. */
  double until;
  reblock_job_times times;
};

/* Grows from one rank to two, while iterations of `usual` seconds continue; the new rank calls this, too. */
static void grow(long work, double usual, int constant, struct taken *taken) {
  int32_t state;
  double begin = MPI_Wtime(), step;
  int count = 0;
  must(reblock_job_set_constant(job, 0, constant), "constant");
  must(reblock_job_expand(job, 2, &state), "expand");
  taken->longest = 0;
  while (state == REBLOCK_JOB_MOVING) {
    iterate(work), count++;
    step = MPI_Wtime();
    must(reblock_job_step(job, &state), "step");
    step = MPI_Wtime() - step;
    if (step > taken->longest) taken->longest = step;
  }
  taken->until = MPI_Wtime() - begin;
  taken->seen = taken->until - count * usual, taken->steps = count;
  must(reblock_job_times_init(&taken->times), "times");
  must(reblock_job_get_times(job, &taken->times), "times");
}

static int64_t turn, rounds;

static double of(const struct taken *all, double (*what)(const struct taken *)) {
  double list[MAX_ROUNDS];
  for (int k = 0; k < rounds; k++) list[k] = what(&all[k]);
  return 1e3 * median(list, (int)rounds);
}
static double seen(const struct taken *t) { return t->seen - t->times.spawn; }
static double until(const struct taken *t) { return t->until - t->times.spawn; }
static double steps(const struct taken *t) { return 1e-3 * t->steps; }
static double longest(const struct taken *t) { return t->longest; }

int main(int argc, char **argv) {
  int level;
  MPI_Init_thread(&argc, &argv, argc > 5 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
  if (argc < 5) return fprintf(stderr, "meanwhile N BLOCK ROUNDS MS [threads]\n"), 2;
  n = atoi(argv[1]), nb = atoi(argv[2]), rounds = atoi(argv[3]);
  double ms = atof(argv[4]), usual = 0;
  static struct taken all[2][MAX_ROUNDS];
  int context, world, me = 0;
  int32_t joined, state = REBLOCK_JOB_SAME;
  reblock_job_options options;
  if (rounds > MAX_ROUNDS) return fprintf(stderr, "meanwhile: at most %d rounds\n", MAX_ROUNDS), 2;
  MPI_Comm_size(MPI_COMM_WORLD, &world);
  must(reblock_job_options_init(&options), "options");
  options.park = world == 2;
  must(reblock_job_init(MPI_COMM_WORLD, &options, &job), "init");
  must(reblock_job_joined(job, &joined), "joined");
  must(reblock_job_get_blacs(job, 0, 0, &context), "blacs");
  if (!joined) {
    int rows, cols, row, col;
    blacs_gridinfo_(&context, &rows, &cols, &row, &col);
    int height = numroc_(&n, &nb, &row, &zero, &rows);
    int entries[9] = {1, context, n, n, nb, nb, 0, 0, height > 0 ? height : 1};
    for (int k = 0; k < 9; k++) desc[k] = entries[k];
  }
  must(reblock_job_add_matrix(job, desc, sizeof *a, (void **)&a), "matrix");
  must(reblock_job_add_value(job, &turn, sizeof turn), "value");
  if (!joined) matrix(0);
  if (!joined && options.park) must(reblock_job_shrink(job, 1, &state), "shrink");
  long work = 1000000;
  while (state != REBLOCK_JOB_LEAVE) {
    MPI_Comm comm;
    must(reblock_job_get_comm(job, &comm), "comm");
    MPI_Comm_rank(comm, &me), MPI_Comm_size(comm, &world);
    if (world > 1) {
      matrix(1);
      must(reblock_job_set_constant(job, 0, 0), "constant");
      must(reblock_job_shrink(job, 1, &state), "shrink");
    } else if (turn < 2 * rounds) {
      if (turn == 0) work = (long)(ms * 1e-3 / iterations(work, 20) * (double)work), usual = iterations(work, 100);
      struct taken *now = &all[turn % 2][turn / 2];
      int constant = (int)(turn++ % 2);
      grow(work, usual, constant, now);
    } else break;
  }
  if (state == REBLOCK_JOB_LEAVE) must(reblock_job_leave(&job), "leave");
  else {
    double share[MAX_ROUNDS];
    for (int k = 0; k < rounds; k++) share[k] = 100 * (1 - 1e3 * seen(&all[1][k]) / of(all[0], seen));
    double middle = median(share, (int)rounds);
    printf("| %s, %s | %d | %.1f | %.1f | %.1f | %.1f | %.1f | %.0f | %.0f (%.0f to %.0f) |\n", options.park ? "parked" : "spawned",
           level == MPI_THREAD_MULTIPLE ? "a thread" : "no thread", n, 1e3 * usual, of(all[0], seen), of(all[1], seen),
           of(all[1], longest), of(all[1], until), of(all[1], steps), middle, share[0], share[rounds - 1]);
    must(reblock_job_finalize(&job), "finalize");
  }
  free(a);
  MPI_Finalize();
}
