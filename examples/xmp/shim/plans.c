/* Cache of plans, attached to the communicator of the executing nodes, which frees it. A plan is found by the numbers
 * of both sides, so either all nodes find it or none does. */
#include <stdio.h>
#include <string.h>

#include "shim.h"

/* Maximum number of plans of a communicator; those used last are kept. */
enum { KEPT = 64 };

static bool same_side(const struct side *a, const struct side *b) {
  return a->count == b->count && memcmp(&a->layout, &b->layout, sizeof a->layout) == 0 &&
         (a->count == 0 || memcmp(a->lists, b->lists, sizeof *a->lists * (size_t)a->count) == 0);
}

static void keep_side(struct side *kept, const struct side *side) {
  *kept = (struct side){.layout = side->layout, .count = side->count, .room = side->count};
  if (side->count == 0) return;
  kept->lists = malloc(sizeof *kept->lists * (size_t)side->count);
  if (kept->lists == NULL) _XMP_fatal("no memory for a plan");
  memcpy(kept->lists, side->lists, sizeof *kept->lists * (size_t)side->count);
}

static void free_plan(struct plan *plan) {
  if (plan->plan != NULL) reblock_plan_free(&plan->plan);
  free(plan->from.lists);
  free(plan->to.lists);
  free(plan);
}

/* The communicator of the last call, and its plans. The next call usually has the same communicator. */
static struct {
  MPI_Comm comm;
  struct plan **first;
} last;

static int free_plans(MPI_Comm comm, int key, void *value, void *extra) {
  (void)comm, (void)key, (void)extra;
  struct plan **first = value;
  last.first = NULL;
  while (*first != NULL) {
    struct plan *next = (*first)->next;
    free_plan(*first);
    *first = next;
  }
  free(first);
  return MPI_SUCCESS;
}

static struct plan **plans_of(MPI_Comm comm) {
  static int key = MPI_KEYVAL_INVALID;
  int found;
  if (last.first != NULL && last.comm == comm) return last.first;
  if (key == MPI_KEYVAL_INVALID) MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_plans, &key, NULL);
  last.comm = comm;
  MPI_Comm_get_attr(comm, key, &last.first, &found);
  if (!found) {
    last.first = calloc(1, sizeof *last.first);
    if (last.first == NULL) _XMP_fatal("no memory for plans");
    MPI_Comm_set_attr(comm, key, last.first);
  }
  return last.first;
}

/* Returns the reason with the largest number on any node. Collective. */
static enum reason agreed(MPI_Comm comm, enum reason why) {
  int mine = why, last;
  MPI_Allreduce(&mine, &last, 1, MPI_INT, MPI_MAX, comm);
  return last;
}

static ptrdiff_t distance(const void *from, const void *to) {
  return from == NULL || to == NULL ? 0 : (const char *)to - (const char *)from;
}

/* Replaces the map of an array by the two maps between which a call for its shadows moves elements. */
static enum reason shadow_maps(MPI_Comm comm, const struct side *side, reblock_map **source, reblock_map **target, struct side *from,
                               struct side *to, struct plan *made) {
  reblock_map *map = *source;
  enum reason why = MOVED;
  *source = NULL;
  if (made->wish.purpose == COMPLETE) {
    *from = shadow_side(side, map, &made->wish, false);
    why = map_of(from, comm, source);
  }
  *to = shadow_side(side, map, &made->wish, true);
  if (why == MOVED) why = map_of(to, comm, target);
  reblock_map_free(&map);
  made->source = distance(side->address, made->wish.purpose == COMPLETE ? from->address : to->address);
  made->target = distance(side->address, to->address);
  return why;
}

/* Reasons and storage may differ between nodes, so the nodes exchange their reasons before they continue. */
static enum reason make_plan(MPI_Comm comm, const struct side *from, const struct side *to, struct plan *made) {
  reblock_map *source = NULL, *target = NULL;
  struct side parts = {0}, shown = {0}; /* the two sides of a call for shadows */
  bool both = made->wish.purpose == ASSIGN;
  enum reason why = agreed(comm, both && from->nodes == MOVED ? to->nodes : from->nodes);
  if (why != MOVED) return why;
  why = map_of(from, comm, &source);
  if (why == MOVED && both) why = map_of(to, comm, &target);
  if (why == MOVED) why = storage_fits(from, source);
  if (why == MOVED && both) why = storage_fits(to, target);
  if (why == MOVED && !both) why = shadow_maps(comm, from, &source, &target, &parts, &shown, made);
  why = agreed(comm, why);
  if (!both) from = &parts, to = &shown;
  if (why == MOVED && create_plan(comm, &made->wish, from, source, to, target, &made->plan) != REBLOCK_OK) {
    if (shim_explains()) fprintf(stderr, "xmp: no plan: %s\n", reblock_message());
    made->plan = NULL;
    why = REFUSED;
  }
  if (source != NULL) reblock_map_free(&source);
  if (target != NULL) reblock_map_free(&target);
  free(parts.lists);
  free(shown.lists);
  return why;
}

/* Frees the plans after this one in the list. */
static void drop_after(struct plan *plan) {
  while (plan->next != NULL) {
    struct plan *old = plan->next;
    plan->next = old->next;
    free_plan(old);
  }
}

enum reason plan_for(MPI_Comm comm, const struct wish *wish, const struct side *from, const struct side *to, const struct plan **plan) {
  struct plan **first = plans_of(comm), **link = first, *found;
  for (int passed = 1; (found = *link) != NULL; link = &found->next, passed++) {
    if (memcmp(&found->wish, wish, sizeof *wish) == 0 && same_side(&found->from, from) && (to == NULL || same_side(&found->to, to))) break;
    if (passed == KEPT) drop_after(found);
  }
  if (found != NULL) {
    *link = found->next;
  } else {
    found = calloc(1, sizeof *found);
    if (found == NULL) _XMP_fatal("no memory for a plan");
    found->wish = *wish;
    keep_side(&found->from, from);
    if (to != NULL) keep_side(&found->to, to);
    found->why = make_plan(comm, from, to, found);
  }
  found->next = *first;
  *first = found;
  *plan = found;
  return found->why;
}
