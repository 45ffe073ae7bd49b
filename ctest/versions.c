/* Tests structures that the library fills in or reads. A size or version that never existed must be refused, with a
 * text that names the function that initializes the structure, and nothing may be written. Runs on any number of
 * ranks. */
#include "reblock.h"
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures, ranks;
static reblock_map *map;
static reblock_template *template;
static reblock_plan *plan;
static reblock_job *job;

static int expect(int holds, const char *what, const char *which) {
  if (!holds) fprintf(stderr, "versions: %s: %s (%s)\n", which, what, reblock_message()), failures++;
  return holds;
}
#define MUST(call) (call) == REBLOCK_OK ? (void)0 : (fprintf(stderr, "%s: %s\n", #call, reblock_message()), MPI_Abort(MPI_COMM_WORLD, 1), (void)0)

static int32_t map_format(void *out) { return reblock_map_format(map, 0, out); }
static int32_t template_format(void *out) { return reblock_template_format(template, 0, out); }
static int32_t inquire(void *out) { return reblock_plan_inquire(plan, out); }
static int32_t price(void *out) { return reblock_job_get_price(job, ranks, out); }
static int32_t times(void *out) { return reblock_job_get_times(job, out); }
static int32_t with_options(void *given) {
  reblock_plan *made = NULL;
  int32_t code = reblock_plan_create(MPI_COMM_WORLD, map, NULL, map, NULL, 8, given, &made);
  if (made) MUST(reblock_plan_free(&made));
  return code;
}
/* The functions called by programs compiled with version 1, which ends with `relabel`, or 2, which ends with
 * `overlap`. In later programs the name is a macro. */
#undef reblock_plan_options_init
int32_t reblock_plan_options_init(void *options);
int32_t reblock_plan_options_init_2(void *options);
static void older_options(int64_t version, size_t bytes, int32_t init(void *)) {
  char which[50];
  reblock_plan_options given;
  const unsigned char *behind = (const unsigned char *)&given + bytes;
  snprintf(which, sizeof which, "version %d of reblock_plan_options", (int)version);
  memset(&given, 0xa5, sizeof given);
  expect(init(&given) == REBLOCK_OK, "cannot be prepared", which);
  expect(given.size == (int64_t)bytes && given.version == version, "has another size or version", which);
  for (size_t k = 0; k < sizeof given - bytes; k++)
    if (!expect(behind[k] == 0xa5, "is written behind its end", which)) break;
  expect(with_options(&given) == REBLOCK_OK, "is refused", which);
  given.window = -1;
  expect(with_options(&given) != REBLOCK_OK, "is not read", which);
}
static int32_t updated(void *given) {
  static double array[100];
  reblock_update *update = given;
  if (update && update->size == sizeof *update) update->type = REBLOCK_DOUBLE;
  return reblock_plan_update(plan, array, array, update);
}
static int32_t with_job_options(void *given) {
  reblock_job *made = NULL;
  int32_t code = reblock_job_init(MPI_COMM_WORLD, given, &made);
  if (made) MUST(reblock_job_finalize(&made));
  return code;
}

/* The members at the start of every version of a structure. */
struct head { int64_t size, version; };
enum { ROOM = 512 };

/* Tests `use` with a structure of `bytes` bytes that `init` prepares. The bytes after the structure must stay
 * unchanged. */
static void structure(const char *name, int64_t bytes, int64_t newest, int32_t init(void *), int32_t use(void *)) {
  _Alignas(16) unsigned char room[ROOM], before[ROOM];
  struct head good, bad;
  memset(room, 0xa5, ROOM);
  expect(init(room) == REBLOCK_OK, "cannot be prepared", name);
  memcpy(&good, room, sizeof good);
  expect(good.size == bytes && good.version == newest, "is prepared with another size or version", name);
  expect(use(room) == REBLOCK_OK, "is refused", name);
  for (int64_t k = bytes; k < ROOM; k++)
    if (!expect(room[k] == 0xa5, "is written behind its end", name)) break;
  expect(use(NULL) == REBLOCK_OK, "NULL is refused", name);
  expect(init(NULL) == REBLOCK_ERR_ARGUMENT, "NULL is prepared", name);
  const struct head wrong[] = {{bytes - 8, newest}, {bytes + 8, newest}, {bytes, newest + 1}, {bytes, newest - 1},
                               {0, 0}, {-bytes, newest}, {16, newest}, {INT64_MAX, newest}, {bytes, INT64_MIN}};
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    bad = wrong[k];
    memcpy(room, &bad, sizeof bad);
    memcpy(before, room, ROOM);
    expect(use(room) == REBLOCK_ERR_ARGUMENT, "a wrong size or version is taken", name);
    expect(strstr(reblock_message(), name) && strstr(reblock_message(), "_init"), "the text does not say what to do", name);
    expect(!memcmp(room, before, ROOM), "a wrong one is written", name);
  }
}
#define STRUCTURE(type, version, use) structure(#type, sizeof(type), version, (int32_t(*)(void *))(void *)type##_init, use)

int main(int argc, char **argv) {
  int me;
  int64_t lower = 1, upper = 100, shape;
  reblock_procs *procs;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  shape = ranks;
  MUST(reblock_procs_create(MPI_COMM_WORLD, 1, &shape, NULL, &procs));
  MUST(reblock_template_create(procs, 1, &lower, &upper, &template));
  MUST(reblock_template_dist_block(template, 0, 0, 0));
  MUST(reblock_template_commit(template));
  MUST(reblock_map_whole(template, &map));
  MUST(reblock_plan_create(MPI_COMM_WORLD, map, NULL, map, NULL, 8, NULL, &plan));
  MUST(reblock_job_init(MPI_COMM_WORLD, NULL, &job));
  STRUCTURE(reblock_format, REBLOCK_FORMAT_VERSION, map_format);
  STRUCTURE(reblock_format, REBLOCK_FORMAT_VERSION, template_format);
  STRUCTURE(reblock_plan_info, REBLOCK_PLAN_INFO_VERSION, inquire);
  structure("reblock_plan_options", sizeof(reblock_plan_options), REBLOCK_PLAN_OPTIONS_VERSION,
            (int32_t(*)(void *))(void *)reblock_plan_options_init_3, with_options);
  /* The sizes that programs were compiled with. */
  older_options(1, 56, reblock_plan_options_init);
  older_options(2, 104, reblock_plan_options_init_2);
  STRUCTURE(reblock_update, REBLOCK_UPDATE_VERSION, updated);
  STRUCTURE(reblock_job_price, REBLOCK_JOB_PRICE_VERSION, price);
  STRUCTURE(reblock_job_times, REBLOCK_JOB_TIMES_VERSION, times);
  MUST(reblock_job_finalize(&job));
  STRUCTURE(reblock_job_options, REBLOCK_JOB_OPTIONS_VERSION, with_job_options);
  char made[40];
  snprintf(made, sizeof made, "%d.%d.%d", REBLOCK_VERSION_MAJOR, REBLOCK_VERSION_MINOR, REBLOCK_VERSION_PATCH);
  expect(!strcmp(made, REBLOCK_VERSION) && !strcmp(made, reblock_version()), "is not that of the library", "the header's version");
  MUST(reblock_plan_free(&plan));
  MUST(reblock_map_free(&map));
  MUST(reblock_template_free(&template));
  MUST(reblock_procs_free(&procs));
  MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (!me) printf("versions: %d failures\n", failures);
  MPI_Finalize();
  return failures != 0;
}
