/* Writes the properties of plans, which tests/explained compares with the output of the command reblock explain. A
 * line of the file CASES is SHAPE ELEMENT SCHEDULER FROM ONTO TO ONTO, as "96,100 8 - (BLOCK,*) P(4) (*,CYCLIC) P(4)";
 * - is any scheduler. Rank r writes the properties of its plan for line k to DIRECTORY/k.r.
 *
 *   mpirun -n RANKS explained CASES DIRECTORY */
#include "reblock.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MUST(call) must(call, #call)
static void must(int32_t code, const char *call) {
  if (!code) return;
  fprintf(stderr, "explained: %s: %s: %s\n", call, reblock_code_name(code), reblock_message());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Makes the map of an array with this distribution. */
static reblock_map *mapped(const char *shape, const char *distribution, const char *onto) {
  char line[500];
  reblock_scope *scope;
  reblock_map *map;
  MUST(reblock_scope_create(MPI_COMM_WORLD, &scope));
  snprintf(line, sizeof line, "PROCESSORS %s", onto);
  MUST(reblock_scope_directive(scope, line));
  snprintf(line, sizeof line, "DIMENSION A(%s)", shape);
  MUST(reblock_scope_directive(scope, line));
  snprintf(line, sizeof line, "DISTRIBUTE A%s ONTO P", distribution);
  MUST(reblock_scope_directive(scope, line));
  MUST(reblock_scope_map(scope, "A", &map));
  MUST(reblock_scope_free(&scope));
  return map;
}

int main(int argc, char **argv) {
  char line[1000], shape[100], scheduler[50], from[300], onto[50], to[300], unto[50], path[600];
  long long element;
  int me;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  FILE *cases = argc == 3 ? fopen(argv[1], "r") : NULL;
  if (!cases) MPI_Abort(MPI_COMM_WORLD, 2);
  for (int k = 0; fgets(line, sizeof line, cases); k++) {
    if (sscanf(line, "%99s %lld %49s %299s %49s %299s %49s", shape, &element, scheduler, from, onto, to, unto) != 7)
      MPI_Abort(MPI_COMM_WORLD, 2);
    reblock_map *source = mapped(shape, from, onto), *target = mapped(shape, to, unto);
    reblock_plan *plan;
    reblock_plan_options options;
    reblock_plan_options_init(&options);
    if (strcmp(scheduler, "-")) options.scheduler = scheduler;
    MUST(reblock_plan_create(MPI_COMM_WORLD, source, NULL, target, NULL, element, &options, &plan));
    int64_t length;
    MUST(reblock_plan_explain(plan, NULL, 0, &length));
    char *json = malloc((size_t)length + 1);
    MUST(reblock_plan_explain(plan, json, length + 1, NULL));
    snprintf(path, sizeof path, "%s/%d.%d", argv[2], k, me);
    FILE *out = fopen(path, "w");
    if (!out || fputs(json, out) < 0 || fclose(out)) MPI_Abort(MPI_COMM_WORLD, 2);
    free(json);
    MUST(reblock_plan_free(&plan));
    MUST(reblock_map_free(&source));
    MUST(reblock_map_free(&target));
  }
  fclose(cases);
  MPI_Finalize();
  return 0;
}
