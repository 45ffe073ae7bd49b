/* Tests a second thread that uses an array while it is saved to a file or loaded from one. The thread must receive the
 * error that the array is being moved, with no other effect. Afterwards the array must have the contents of the file.
 * Rank 1 joins only after rank 0's second thread has received the error.
 *
 *   mpirun -n 2 watched FILE */
#include "reblock.h"
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { N = 1000, SECONDS = 60 };
static reblock_array *array;
static int refused;

static void demand(int32_t code, const char *call) {
  if (code == REBLOCK_OK) return;
  fprintf(stderr, "watched: %s says %s: %s\n", call, reblock_code_name(code), reblock_message());
  MPI_Abort(MPI_COMM_WORLD, 1);
}
#define DEMAND(call) demand(call, #call)

static void *look(void *nothing) {
  void *data = NULL;
  time_t begin = time(NULL);
  while (!refused && time(NULL) - begin < SECONDS) {
    int32_t code = reblock_array_data(array, &data, NULL, NULL, NULL);
    refused = code == REBLOCK_ERR_STATE && strstr(reblock_message(), "being moved");
  }
  MPI_Send(&refused, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  return nothing;
}

static reblock_array *made(int ranks) {
  reblock_procs *procs = NULL;
  reblock_template *template = NULL;
  reblock_map *map = NULL;
  reblock_array *fresh = NULL;
  int64_t shape = ranks, lower = 0, upper = N - 1;
  DEMAND(reblock_procs_create(MPI_COMM_WORLD, 1, &shape, NULL, &procs));
  DEMAND(reblock_template_create(procs, 1, &lower, &upper, &template));
  DEMAND(reblock_template_dist_block(template, 0, 0, 0));
  DEMAND(reblock_template_commit(template));
  DEMAND(reblock_map_whole(template, &map));
  DEMAND(reblock_array_create(map, sizeof(int64_t), &fresh));
  DEMAND(reblock_map_free(&map));
  DEMAND(reblock_template_free(&template));
  DEMAND(reblock_procs_free(&procs));
  return fresh;
}

/* Saves or loads the array while rank 0's second thread uses it. */
static void watched(int save, const char *path, int me) {
  pthread_t other;
  refused = 0;
  if (me) MPI_Recv(&refused, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  else pthread_create(&other, NULL, look, NULL);
  if (save) DEMAND(reblock_array_save(array, path, "<i8"));
  else DEMAND(reblock_array_load(array, path, "<i8"));
  if (!me) pthread_join(other, NULL);
}

int main(int argc, char **argv) {
  int level, me, ranks, wrong = 0, saved;
  int64_t *data = NULL, extent;
  void *at = NULL;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 2 || ranks != 2) MPI_Abort(MPI_COMM_WORLD, 2);
  if (level < MPI_THREAD_MULTIPLE) {
    if (!me) printf("watched: this MPI has no MPI_THREAD_MULTIPLE\n");
    MPI_Finalize();
    return 0;
  }
  array = made(ranks);
  DEMAND(reblock_array_data(array, &at, &extent, NULL, NULL));
  data = at;
  for (int64_t i = 0; i < extent; i++) data[i] = 7 * i + me;
  watched(1, argv[1], me);
  saved = refused;
  memset(data, 0, (size_t)extent * sizeof *data);
  watched(0, argv[1], me);
  DEMAND(reblock_array_data(array, &at, &extent, NULL, NULL));
  data = at;
  for (int64_t i = 0; i < extent; i++) wrong += data[i] != 7 * i + me;
  wrong += !saved + !refused;
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (!me) printf("watched: a second thread was %srefused because the array is being moved, %d wrong\n", saved && refused ? "" : "not ", wrong);
  DEMAND(reblock_array_free(&array));
  MPI_Finalize();
  return wrong != 0;
}
