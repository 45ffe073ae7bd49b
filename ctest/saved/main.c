/* Tests saving and loading: an array must come back unchanged, whatever the layouts and the numbers of ranks on both
 * sides; NumPy must be able to read the file; every mistake must be reported; and no partial file may ever exist.
 *
 *   mpirun -n RANKS saved random FOLDER CASES | mistakes FOLDER | full FOLDER | forever FOLDER | whole FOLDER */
#include "saved.h"
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

int me, ranks, failures;
MPI_Comm first[MAX_RANKS + 1];

void must(int32_t code, const char *call) {
  if (!code) return;
  fprintf(stderr, "saved: rank %d: %s: %s, %s\n", me, call, reblock_code_name(code), reblock_message());
  MPI_Abort(MPI_COMM_WORLD, 3);
}

static const char *name_in(const char *folder, const char *name) {
  static char path[2][512];
  static int next;
  next = !next;
  snprintf(path[next], sizeof path[next], "%s/%s", folder, name);
  return path[next];
}

static struct array random_array(void) {
  static const int64_t sizes[] = {1, 2, 3, 4, 8, 16, 24};
  struct array array = {.axes = 1 + (int)draw(MAX_AXES), .element = sizes[draw(7)], .version = draw(1 << 30)};
  int64_t most = array.axes == 1 ? 20000 : array.axes == 2 ? 180 : array.axes == 3 ? 28 : 11;
  for (int k = 0; k < array.axes; k++) array.extents[k] = draw(20) ? 1 + (int64_t)draw((uint64_t)most) : 0;
  return array;
}

/* The progress of one save or load, as this rank has seen it. */
static struct progress {
  int64_t done, all;
  int wrong;
} progress;

static void watch(void *context, int64_t done, int64_t all) {
  struct progress *seen = context;
  seen->wrong += done <= seen->done || done > all || (seen->all && all != seen->all);
  seen->done = done, seen->all = all;
}

/* Checks the progress of a call that has passed over the array `times` times. */
static void check_progress(int c, const struct array *array, int times) {
  int64_t bytes = elements_of(array) * array->element * times;
  if (progress.wrong || progress.done != bytes || progress.all != bytes)
    FAIL("case %d: progress of %lld of %lld bytes, expected %lld", c, (long long)progress.done, (long long)progress.all, (long long)bytes);
  progress = (struct progress){0};
}

void random_cases(const char *folder, int cases) {
  const char *path = name_in(folder, "random.npy");
  MUST(reblock_file_progress(watch, &progress));
  for (int c = 0; c < cases && !failures; c++) {
    seed((uint64_t)c);
    struct array array = random_array();
    int savers = 1 + (int)draw((uint64_t)ranks), loaders = 1 + (int)draw((uint64_t)ranks), by_hand = draw(4) == 0;
    int of_library = draw(3) == 0, named = draw(2) == 0;
    char dtype[32];
    snprintf(dtype, sizeof dtype, array.element == 8 ? "<f%d" : "|V%d", (int)array.element);
    uint64_t rest = draw(1 << 30);
    if (by_hand && !me) write_by_hand(path, &array, dtype);
    if (!by_hand && me < savers) {
      seed(rest);
      struct laid laid = lay(&array, first[savers], !of_library);
      fill(&array, &laid);
      const char *as = array.element == 8 || named ? dtype : NULL;
      /* A rank without a part may leave out the map. */
      const reblock_map *map = laid.elements || !me || laid.in_boxes ? laid.map : NULL;
      if (!of_library) MUST(reblock_save(first[savers], path, map, laid.storage, array.element, as));
      else {
        reblock_array *own;
        void *data;
        MUST(reblock_array_create(laid.map, array.element, &own));
        MUST(reblock_array_data(own, &data, NULL, NULL, NULL));
        memcpy(data, laid.storage, (size_t)(laid.elements * array.element));
        MUST(reblock_array_save(own, path, as));
        MUST(reblock_array_free(&own));
      }
      check_progress(c, &array, 1);
      if (!me && judge(path, &array, dtype)) FAIL("case %d: the file is wrong", c);
      let_go(&laid);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (me < loaders) {
      seed(rest + 1);
      struct laid laid = lay(&array, first[loaders], 1);
      empty(&array, &laid);
      MUST(reblock_load(first[loaders], path, laid.map, laid.storage, array.element, named ? dtype : NULL));
      check_progress(c, &array, by_hand ? 1 : 2);
      int64_t bad = differ(&array, &laid);
      if (bad) FAIL("case %d: %lld bytes differ", c, (long long)bad);
      if (of_library) {
        reblock_array *own;
        struct laid other = laid;
        MUST(reblock_array_create(laid.map, array.element, &own));
        MUST(reblock_array_data(own, (void **)&other.storage, NULL, NULL, NULL));
        empty(&array, &other);
        MUST(reblock_array_load(own, path, NULL));
        check_progress(c, &array, by_hand ? 1 : 2);
        if (differ(&array, &other)) FAIL("case %d: the library's array differs", c);
        MUST(reblock_array_free(&own));
      }
      let_go(&laid);
    }
    MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
  MUST(reblock_file_progress(NULL, NULL));
}

/* Returns one of two versions of an array, which are saved in turn. */
static struct array version(uint64_t number) {
  return (struct array){.axes = 2, .extents = {1000, 257}, .element = 8, .version = number};
}

static void on_alarm(int number) { (void)number, kill(getpid(), SIGKILL); }

void forever(const char *folder) {
  const char *path = name_in(folder, "forever.npy");
  struct laid laid[2];
  for (uint64_t k = 0; k < 2; k++) {
    struct array array = version(k);
    seed(k);
    laid[k] = lay(&array, MPI_COMM_WORLD, 0);
    fill(&array, &laid[k]);
  }
  for (int n = 0;; n++) {
    MUST(reblock_save(MPI_COMM_WORLD, path, laid[n % 2].map, laid[n % 2].storage, 8, "<i8"));
    if (n == 1 && me == ranks - 1) {
      struct itimerval soon = {.it_value = {.tv_usec = 20000 + getpid() % 7 * 9000}};
      signal(SIGALRM, on_alarm);
      setitimer(ITIMER_REAL, &soon, NULL);
    }
  }
}

/* Checks that the file is complete after `forever` was killed. */
void whole(const char *folder) {
  seed(77);
  struct array array = version(0);
  struct laid laid = lay(&array, MPI_COMM_WORLD, 1);
  empty(&array, &laid);
  MUST(reblock_load(MPI_COMM_WORLD, name_in(folder, "forever.npy"), laid.map, laid.storage, 8, "<i8"));
  int64_t bad[2] = {differ(&array, &laid)};
  array.version = 1;
  bad[1] = differ(&array, &laid);
  MPI_Allreduce(MPI_IN_PLACE, bad, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  if (bad[0] && bad[1]) FAIL("the file is neither the old one nor the new one");
  let_go(&laid);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 3 || ranks > MAX_RANKS) MPI_Abort(MPI_COMM_WORLD, 2);
  for (int n = 1; n <= ranks; n++) MPI_Comm_split(MPI_COMM_WORLD, me < n ? 0 : MPI_UNDEFINED, me, &first[n]);
  const char *what = argv[1], *folder = argv[2];
  if (!strcmp(what, "random")) random_cases(folder, argc > 3 ? atoi(argv[3]) : 10);
  if (!strcmp(what, "mistakes")) mistakes(folder);
  if (!strcmp(what, "full")) full(folder);
  if (!strcmp(what, "forever")) forever(folder);
  if (!strcmp(what, "whole")) whole(folder);
  MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (!me) printf("saved: %s, %d ranks: %d failures\n", what, ranks, failures);
  for (int n = 1; n <= ranks; n++) if (first[n] != MPI_COMM_NULL) MPI_Comm_free(&first[n]);
  MPI_Finalize();
  return failures != 0;
}
