/* Mistakes in updates: types, combinations and factors. */
#include "mistakes.h"

enum how { ALONE, STARTED, SECOND, SECOND_STARTED, MOVED };

/* Updates the array of the plan: blocking, by a request, as one of two, or without a plan. */
static int32_t updated(enum how how) {
  static int64_t more[ROOM], three = 3, four = 4;
  int64_t *from_at = source, *to_at = target;
  reblock_update update = {0}, none = {0}, *used = &update;
  if (reblock_update_init(&update) || reblock_update_init(&none)) report("has no update", 1);
  update.type = REBLOCK_INT64;
  update.alpha = &three, update.beta = &four;
  if (mistake("an update of no type", ARGUMENT, ANYBODY)) update.type = 0;
  if (mistake("an update of an unknown type", ARGUMENT, ANYBODY)) update.type = 7;
  if (mistake("an update of smaller numbers", ARGUMENT, ANYBODY)) update.type = REBLOCK_INT32;
  if (mistake("an update of larger numbers", ARGUMENT, ANYBODY)) update.type = REBLOCK_DOUBLE_COMPLEX;
  if (mistake("an update of other numbers", DIFFERS, ONE)) update.type = REBLOCK_DOUBLE;
  if (mistake("an unknown combination", ARGUMENT, ANYBODY)) update.combine = 5;
  if (mistake("a combination of -1", ARGUMENT, ANYBODY)) update.combine = -1;
  if (mistake("another combination", DIFFERS, ONE)) update.combine = REBLOCK_MAXIMUM;
  if (mistake("a logical or of doubles", ARGUMENT, ANYBODY)) update.type = REBLOCK_DOUBLE, update.combine = REBLOCK_OR;
  if (mistake("a minimum of complex numbers", ARGUMENT, ANYBODY)) update.type = REBLOCK_COMPLEX, update.combine = REBLOCK_MINIMUM;
  if (mistake("another alpha", DIFFERS, ONE)) update.alpha = &four;
  if (mistake("another beta", DIFFERS, ONE)) update.beta = &three;
  if (mistake("no alpha", DIFFERS, ONE)) update.alpha = NULL;
  if (mistake("no beta", DIFFERS, ONE)) update.beta = NULL;
  if (mistake("no update", DIFFERS, ONE)) used = NULL;
  if (mistake("an update of no size", ARGUMENT, ANYBODY)) update.size = 0;
  if (mistake("an update of version 2", ARGUMENT, ANYBODY)) update.version = 2;
  if (mistake("an update without reblock_update_init", ARGUMENT, ANYBODY)) update = (reblock_update){.type = REBLOCK_INT64};
  if (mistake("no source array", ARGUMENT, ANYBODY)) from_at = NULL;
  if (mistake("no target array", ARGUMENT, ANYBODY)) to_at = NULL;
  if (mistake("a target that overlaps the source", OVERLAP, ANYBODY)) from_at = target + 1;
  if (how == MOVED) return reblock_move_update(MPI_COMM_WORLD, from, NULL, to, NULL, 8, from_at, to_at, used);
  if (how == ALONE) return reblock_plan_update(plan, from_at, to_at, used);
  reblock_plan *two[2] = {plan, plan};
  const void *sources[2] = {source, from_at};
  void *targets[2] = {more, to_at};
  const reblock_update *updates[2] = {NULL, used};
  reblock_request *request = NULL;
  int32_t code = 0;
  if (how == SECOND) {
    if (mistake("updates the other way round", DIFFERS, ONE)) updates[0] = used, updates[1] = NULL;
    if (mistake("no list of updates", DIFFERS, ONE)) return reblock_plan_update_many(2, two, sources, targets, NULL);
    if (mistake("no list of plans", ARGUMENT, ONE)) return reblock_plan_update_many(2, NULL, sources, targets, updates);
    return reblock_plan_update_many(2, two, sources, targets, updates);
  }
  if (how == STARTED) code = reblock_plan_start_update(plan, from_at, to_at, used, &request);
  else code = reblock_plan_start_update_many(2, two, sources, targets, updates, &request);
  return code ? code : reblock_request_wait(&request);
}
int32_t updates(void) { return updated(ALONE); }
int32_t started_updates(void) { return updated(STARTED); }
int32_t updates_of_many(void) { return updated(SECOND); }
int32_t started_updates_of_many(void) { return updated(SECOND_STARTED); }
int32_t moved_updates(void) { return updated(MOVED); }
