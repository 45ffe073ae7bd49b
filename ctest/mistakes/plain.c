/* Mistakes in calls that combine several steps: maps without a template, moves without a plan, reverse plans. */
#include "mistakes.h"

static int32_t ended(reblock_map **made, int32_t code) {
  if (code && *made) report("has a map after an error", code);
  reblock_map_free(made);
  return code;
}

int32_t plain_maps(void) {
  int64_t axes = 2, extents[2] = {N, 3}, shape[2] = {ranks, 1}, blocks[2] = {4, 0};
  int64_t *extents_at = extents, *shape_at = shape, *blocks_at = blocks;
  reblock_map *made = NULL, **out = &made;
  MPI_Comm comm = MPI_COMM_WORLD;
  if (mistake("-1 axes", ARGUMENT, ANYBODY)) axes = -1;
  if (mistake("16 axes", ARGUMENT, ANYBODY)) axes = 16;
  if (mistake("fewer axes", DIFFERS, ONE)) axes = 1;
  if (mistake("-1 elements", ARGUMENT, ANYBODY)) extents[1] = -1;
  if (mistake("more elements than 2^62", ARGUMENT, ANYBODY)) extents[0] = INT64_MAX;
  if (mistake("more processes than ranks", ARGUMENT, ANYBODY)) shape[0] = ranks + 1;
  if (mistake("more processes than 32 bits hold", ARGUMENT, ANYBODY)) shape[0] = INT64_C(1) << 40;
  if (mistake("no process", ARGUMENT, ANYBODY)) shape[1] = 0;
  if (mistake("-1 processes", ARGUMENT, ANYBODY)) shape[1] = -1;
  if (mistake("blocks of -1 elements", ARGUMENT, ANYBODY)) blocks[0] = -1;
  if (mistake("no extents", ARGUMENT, ANYBODY)) extents_at = NULL;
  if (mistake("no shape", ARGUMENT, ANYBODY)) shape_at = NULL;
  if (mistake("no block sizes, which is BLOCK", DIFFERS, ONE)) blocks_at = NULL;
  if (mistake("another extent", DIFFERS, ONE)) extents[1] = 4;
  if (mistake("another block size", DIFFERS, ONE)) blocks[0] = 5;
  if (ranks > 1 && mistake("another shape", DIFFERS, ONE)) shape[0] = 1, shape[1] = ranks;
  if (mistake("nowhere to put a map", ARGUMENT, ANYBODY)) out = NULL;
  if (mistake("no communicator", ARGUMENT, ANYBODY)) comm = MPI_COMM_NULL;
  return ended(&made, reblock_map_block_cyclic(comm, axes, extents_at, shape_at, blocks_at, out));
}

int32_t darrays(void) {
  int axes = 2, gsizes[2] = {N, 3}, distribs[2] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE}, order = MPI_ORDER_C;
  int dargs[2] = {4, MPI_DISTRIBUTE_DFLT_DARG}, psizes[2] = {ranks, 1};
  int *lists[4] = {gsizes, distribs, dargs, psizes};
  reblock_map *made = NULL, **out = &made;
  MPI_Comm comm = MPI_COMM_WORLD;
  if (mistake("-1 axes", ARGUMENT, ANYBODY)) axes = -1;
  if (mistake("-1 elements", ARGUMENT, ANYBODY)) gsizes[1] = -1;
  if (mistake("a distribution that there is not", ARGUMENT, ANYBODY)) distribs[0] = 77;
  if (mistake("blocks of no element", ARGUMENT, ANYBODY)) dargs[0] = 0;
  if (mistake("blocks too small", ARGUMENT, ANYBODY)) distribs[0] = MPI_DISTRIBUTE_BLOCK, dargs[0] = (N - 1) / ranks;
  if (mistake("more processes than ranks", ARGUMENT, ANYBODY)) psizes[0] = ranks + 1;
  if (mistake("two processes for what is not distributed", ARGUMENT, ANYBODY)) psizes[1] = 2, psizes[0] = 1;
  if (mistake("an order that there is not", ARGUMENT, ANYBODY)) order = 2;
  if (mistake("the other order", DIFFERS, ONE)) order = MPI_ORDER_FORTRAN;
  if (mistake("another block size", DIFFERS, ONE)) dargs[0] = 3;
  for (int k = 0; k < 4; k++)
    if (mistake("a list that is NULL", ARGUMENT, ANYBODY)) lists[k] = NULL;
  if (mistake("nowhere to put a map", ARGUMENT, ANYBODY)) out = NULL;
  if (mistake("no communicator", ARGUMENT, ANYBODY)) comm = MPI_COMM_NULL;
  return ended(&made, reblock_map_from_darray(comm, axes, lists[0], lists[1], lists[2], lists[3], order, out));
}

int32_t text_maps(void) {
  int64_t axes = 2, extents[2] = {N, 3}, *extents_at = extents;
  const char *text = "(CYCLIC(4), *)";
  char too_large[64];
  reblock_map *made = NULL, **out = &made;
  MPI_Comm comm = MPI_COMM_WORLD;
  snprintf(too_large, sizeof too_large, "(BLOCK, *) ONTO P(%d)", ranks + 1);
  if (mistake("no text", ARGUMENT, ANYBODY)) text = NULL;
  if (mistake("a text that is none of HPF's", TEXT, ANYBODY)) text = "(CYCLIC(4), *";
  if (mistake("an empty text", TEXT, ANYBODY)) text = "";
  if (mistake("a text that is none", ARGUMENT, ANYBODY)) text = "\xff";
  if (mistake("one format for two axes", ARGUMENT, ANYBODY)) text = "(BLOCK)";
  if (mistake("two distributed axes without ONTO", ARGUMENT, ANYBODY)) text = "(BLOCK, BLOCK)";
  if (mistake("ONTO a name", ARGUMENT, ANYBODY)) text = "(BLOCK, *) ONTO P";
  if (mistake("more processes than ranks", ARGUMENT, ANYBODY)) text = too_large;
  if (mistake("another text", DIFFERS, ONE)) text = "(CYCLIC(5), *)";
  if (mistake("another extent", DIFFERS, ONE)) extents[1] = 4;
  if (mistake("-1 axes", ARGUMENT, ANYBODY)) axes = -1;
  if (mistake("no extents", ARGUMENT, ANYBODY)) extents_at = NULL;
  if (mistake("nowhere to put a map", ARGUMENT, ANYBODY)) out = NULL;
  if (mistake("no communicator", ARGUMENT, ANYBODY)) comm = MPI_COMM_NULL;
  if (mistake("another function", DIFFERS, ONE))
    return ended(&made, reblock_map_block_cyclic(comm, axes, extents, (int64_t[2]){ranks, 1}, (int64_t[2]){4, 0}, out));
  return ended(&made, reblock_map_from_text(comm, axes, extents_at, text, out));
}

/* Makes mistakes in moves whose plan the library already has, from the right call before. */
int32_t section_moves(void) {
  reblock_range whole = {1, N, 1}, a = whole, b = whole;
  int64_t element = 8, *from_at = source, *to_at = target;
  reblock_map *source_map = from, *target_map = to, *freed = NULL;
  MPI_Comm comm = MPI_COMM_WORLD;
  if (mistake("elements of 0 bytes", ARGUMENT, ANYBODY)) element = 0;
  if (mistake("elements of another size", DIFFERS, ONE)) element = 4;
  if (mistake("another section", DIFFERS, ONE)) a.lower = 2, b.upper = N - 1;
  if (mistake("another target", DIFFERS, ONE)) target_map = from;
  if (mistake("a section that ends too high", ARGUMENT, ANYBODY)) b = (reblock_range){2, N + 1, 1};
  if (mistake("sections that do not conform", ARGUMENT, ANYBODY)) b = (reblock_range){1, N, 2};
  if (mistake("neither source nor target", ARGUMENT, ALL)) source_map = target_map = NULL;
  if (mistake("an arrangement as the source", HANDLE, ANYBODY)) source_map = (reblock_map *)procs;
  if (mistake("a map that is freed", HANDLE, ANYBODY)) {
    reblock_map_row_major(to, &freed);
    target_map = freed;
    reblock_map_free(&freed);
  }
  if (mistake("no source array", ARGUMENT, ANYBODY)) from_at = NULL;
  if (mistake("no target array", ARGUMENT, ANYBODY)) to_at = NULL;
  if (ranks > 1 && mistake("the source as the target", OVERLAP, ANYBODY)) from_at = target;
  if (mistake("no communicator", ARGUMENT, ANYBODY)) comm = MPI_COMM_NULL;
  if (ranks > 1 && mistake("a communicator that lacks ranks of the maps", ARGUMENT, ALL)) comm = MPI_COMM_SELF;
  if (ranks > 1 && mistake("a plan's move", DIFFERS, ONE)) return reblock_plan_execute(plan, source, target);
  return reblock_move(comm, source_map, &a, target_map, &b, element, from_at, to_at);
}

int32_t reverses(void) {
  const reblock_plan *of = plan;
  reblock_plan *made = NULL, **out = &made, *freed = NULL, *other = NULL;
  int32_t code = reblock_plan_create(MPI_COMM_WORLD, to, NULL, from, NULL, 8, NULL, &other);
  if (!code) code = reblock_plan_create(MPI_COMM_WORLD, from, NULL, to, NULL, 8, NULL, &freed);
  if (code) report("cannot make plans", code);
  const reblock_plan *gone = freed;
  reblock_plan_free(&freed);
  if (mistake("no plan", HANDLE, ANYBODY)) of = NULL;
  if (mistake("a plan that is freed", HANDLE, ANYBODY)) of = gone;
  if (mistake("a map in place of the plan", HANDLE, ANYBODY)) of = (const reblock_plan *)from;
  if (mistake("another plan", DIFFERS, ONE)) of = other;
  if (mistake("nowhere to put a plan", ARGUMENT, ANYBODY)) out = NULL;
  code = reblock_plan_reverse(of, out);
  if (code && made) report("has a plan after an error", code);
  reblock_plan_free(&made), reblock_plan_free(&other);
  return code;
}
