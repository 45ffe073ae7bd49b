/* WHERE are plans kept? With the communicator of the executing nodes, which frees them. A plan is found by the numbers of both sides,
 * so all nodes find it or none does. */
#include <stdio.h>
#include <string.h>

#include "shim.h"

/* The plans of a communicator that were used last. */
enum { KEPT = 64 };

struct plan {
  struct plan *next;
  struct wish wish;
  struct side from, to; /* without arrays and addresses */
  enum reason why;      /* MOVED: there is a plan */
  reblock_plan *plan;
};

static bool same_side(const struct side *a, const struct side *b) {
  return a->count == b->count && memcmp(&a->layout, &b->layout, sizeof a->layout) == 0 &&
         (a->count == 0 || memcmp(a->lists, b->lists, sizeof *a->lists * (size_t)a->count) == 0);
}

static void keep_side(struct side *kept, const struct side *side) {
  *kept = (struct side){.layout = side->layout, .count = side->count};
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

static int free_plans(MPI_Comm comm, int key, void *value, void *extra) {
  (void)comm, (void)key, (void)extra;
  struct plan **first = value;
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
  struct plan **first;
  int found;
  if (key == MPI_KEYVAL_INVALID) MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_plans, &key, NULL);
  MPI_Comm_get_attr(comm, key, &first, &found);
  if (!found) {
    first = calloc(1, sizeof *first);
    if (first == NULL) _XMP_fatal("no memory for plans");
    MPI_Comm_set_attr(comm, key, first);
  }
  return first;
}

/* The last reason of any node. */
static enum reason agreed(MPI_Comm comm, enum reason why) {
  int mine = why, last;
  MPI_Allreduce(&mine, &last, 1, MPI_INT, MPI_MAX, comm);
  return last;
}

/* Nodes may see each other differently, and storage differs from node to node, so they ask each other before they go on. */
static enum reason make_plan(MPI_Comm comm, const struct side *from, const struct side *to, struct plan *made) {
  reblock_map *source = NULL, *target = NULL;
  enum reason why = agreed(comm, from->nodes == MOVED ? to->nodes : from->nodes);
  if (why != MOVED) return why;
  bool both = made->wish.purpose == ASSIGN;
  why = map_of(from, comm, &source);
  if (why == MOVED && both) why = map_of(to, comm, &target);
  if (why == MOVED) why = storage_fits(from, source);
  if (why == MOVED && both) why = storage_fits(to, target);
  why = agreed(comm, why);
  if (why == MOVED && create_plan(comm, &made->wish, from, source, to, target, &made->plan) != REBLOCK_OK) {
    if (shim_explains()) fprintf(stderr, "xmp: no plan: %s\n", reblock_message());
    made->plan = NULL;
    why = REFUSED;
  }
  if (source != NULL) reblock_map_free(&source);
  if (target != NULL) reblock_map_free(&target);
  return why;
}

/* Frees the plans behind this one. */
static void drop_after(struct plan *plan) {
  while (plan->next != NULL) {
    struct plan *old = plan->next;
    plan->next = old->next;
    free_plan(old);
  }
}

enum reason plan_for(MPI_Comm comm, const struct wish *wish, const struct side *from, const struct side *to, reblock_plan **plan) {
  struct plan **first = plans_of(comm), **link = first, *found;
  for (int passed = 1; (found = *link) != NULL; link = &found->next, passed++) {
    if (memcmp(&found->wish, wish, sizeof *wish) == 0 && same_side(&found->from, from) && same_side(&found->to, to)) break;
    if (passed == KEPT) drop_after(found);
  }
  if (found != NULL) {
    *link = found->next;
  } else {
    found = calloc(1, sizeof *found);
    if (found == NULL) _XMP_fatal("no memory for a plan");
    found->wish = *wish;
    keep_side(&found->from, from);
    keep_side(&found->to, to);
    found->why = make_plan(comm, from, to, found);
  }
  found->next = *first;
  *first = found;
  *plan = found->plan;
  return found->why;
}
