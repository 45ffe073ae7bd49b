/* Tests a job that continues with another number of ranks without starting processes: one job saves the registered
 * data, another job loads them. */
#include "data.h"
#include <stdio.h>

/* Returns a map of the value's bytes, with a copy on all ranks of the job. */
static reblock_map *of_value(MPI_Comm comm) {
  int64_t ranks = working(), lower = 0, upper = sizeof value - 1;
  reblock_procs *procs;
  reblock_template *template;
  reblock_map *map;
  must(reblock_procs_create(comm, 1, &ranks, NULL, &procs), "procs");
  must(reblock_template_create(procs, 1, &lower, &upper, &template), "template");
  must(reblock_template_commit(template), "commit");
  must(reblock_map_whole(template, &map), "map");
  reblock_template_free(&template), reblock_procs_free(&procs);
  return map;
}

void filed(const char *folder, int load) {
  void *data[] = {a, b, c, d, &value};
  const int64_t bytes[] = {sizeof *a, sizeof *b, sizeof *c, sizeof *d, 1};
  static const char *types[] = {"<f8", "<i4", "<i8", "<i8", "|u1"};
  MPI_Comm comm;
  must(reblock_job_get_comm(job, &comm), "comm");
  if (!load) value.seed = 71, value.round = 3, everything(0);
  for (int k = 0; k < 5; k++) {
    char path[300];
    reblock_map *map = NULL;
    snprintf(path, sizeof path, "%s/registered-%d.npy", folder, k);
    if (k < 4) must(reblock_job_get_map(job, k, &map), "map");
    else map = of_value(comm);
    if (load) must(reblock_load(comm, path, map, data[k], bytes[k], types[k]), "load");
    else must(reblock_save(comm, path, map, data[k], bytes[k], types[k]), "save");
    reblock_map_free(&map);
  }
  if (load && (value.seed != 71 || value.round != 3)) fail("the value is not what was saved", value.round);
  everything(1);
}
