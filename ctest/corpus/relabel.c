#include "relabel.h"
#include "shift.h"
#include <string.h>

enum { NOWHERE = -1 };
/* The places of the target, that is, the positions in its processor arrangement, and the number of elements that each
 * place shares with each rank of the enclosing group. */
struct places {
  int count, ranks;
  int has[MAX_RANKS];     /* whether a place has a part of the array */
  int now[MAX_RANKS];     /* the rank of the enclosing group that has the place in the program's own map */
  int64_t shared[MAX_RANKS][MAX_RANKS];
};

static int rank_in(const struct group *g, int member) {
  for (int r = 0; r < g->count; r++)
    if (g->members[r] == member) return r;
  return NOWHERE;
}

/* Returns the number of elements of the section that this rank has in the source and would have in the target at
 * `place`. */
static int64_t shared_here(const struct laid *from, const int64_t *axes, const struct side *to, const struct part *place) {
  int64_t index[MAX_AXES], source[MAX_AXES], offset, count = 0;
  reblock_range to_section[MAX_AXES], from_section[MAX_AXES];
  section_of(to, to->whole_section, to_section);
  section_of(from->side, from->side->whole_section, from_section);
  int more = walk_start(to_section, to->axes, index), other = walk_start(from_section, from->side->axes, source);
  if (axes) other = more;
  while (more && other) {
    if (axes) shift_source(NULL, axes, from->side->axes, to_section, index, from_section, source, NULL);
    count += part_offset(place, to, index, &offset) && part_offset(&from->part, from->side, source, &offset);
    more = walk_on(to_section, to->axes, index);
    other = axes ? more : walk_on(from_section, from->side->axes, source);
  }
  return count;
}

/* Returns whether rank `me` has the same least and greatest indices along each axis as place `p`. */
static int spans(const reblock_map *map, int me, const struct side *s, const struct part *p) {
  int64_t extents[MAX_AXES], lower[MAX_AXES], first[MAX_AXES], last[MAX_AXES];
  int32_t has = -1;
  if (reblock_map_part(map, me, extents, lower, first, last, &has) || !has) return 0;
  for (int k = 0; k < s->axes; k++) {
    int64_t least = 1, most = 0;
    for (int64_t i = 0; i < s->a[k].extent; i++) {
      if (p->position[k][i] == 0) least = s->a[k].lower + i;
      if (p->position[k][i] >= 0) most = s->a[k].lower + i;
    }
    if (first[k] != least || last[k] != most) return 0;
  }
  return 1;
}

/* Returns whether this rank's part of the relabelled array is that of place `p`: the same indices along each axis.
 * Places without elements are distinguished by their extents, their lower bounds and, in C, by their least and greatest
 * indices. */
static int is_place(const reblock_map *map, int me, const struct side *s, const struct part *p) {
  int64_t extents[MAX_AXES], lower[MAX_AXES], before[MAX_AXES], after[MAX_AXES], strides[MAX_AXES];
  int64_t local[MAX_AXES], index[MAX_AXES];
  int32_t has = -1, own = 0;
  int any = 1;
  if (refused(binding->map_local(map, extents, lower, before, after, strides, &has), "map_local of the target")) return 0;
  if (has != p->has) return 0;
  for (int k = 0; k < s->axes; k++) {
    if (extents[k] != p->len[k] || lower[k] != p->lower[k]) return 0;
    if (!extents[k]) any = 0;
    local[k] = s->a[k].before;
  }
  if (p->has && !any && binding == &c_binding) return spans(map, me, s, p);
  for (int k = 0; k < s->axes && any; k++) {
    for (int64_t i = 0; i < s->a[k].extent; i++) {
      if (p->position[k][i] < 0) continue;
      local[k] = s->a[k].before + p->position[k][i];
      if (refused(binding->map_global_index(map, local, index, &own), "map_global_index of the target")) return 0;
      if (!own || index[k] != s->a[k].lower + i) return 0;
    }
    local[k] = s->a[k].before;
  }
  return 1;
}

/* Returns the maximum number of elements that can stay, over all assignments of the arrangement's ranks to the places
 * with a part. best[taken] is the maximum if the ranks in the bit set `taken` get the first of these places, one
 * each. */
static int64_t most_kept(const struct places *p) {
  static int64_t best[1 << MAX_RANKS];
  int places[MAX_RANKS], count = 0;
  for (int i = 0; i < p->count; i++)
    if (p->has[i]) places[count++] = i;
  int64_t most = 0;
  best[0] = 0;
  for (int taken = 1; taken < 1 << p->count; taken++) {
    int number = __builtin_popcount((unsigned)taken);
    best[taken] = -1;
    if (number > count) continue;
    for (int r = 0; r < p->count; r++) {
      if (!(taken >> r & 1)) continue;
      int64_t with = best[taken & ~(1 << r)] + p->shared[places[number - 1]][p->now[r]];
      if (with > best[taken]) best[taken] = with;
    }
    if (number == count && best[taken] > most) most = best[taken];
  }
  return most;
}

static int64_t kept(const struct places *p, const int64_t *ranks) {
  int64_t sum = 0;
  for (int i = 0; i < p->count; i++)
    if (p->has[i]) sum += p->shared[i][ranks[i]];
  return sum;
}

/* Finds the rank of each place, from the possible places of each rank. Places with the same elements are equivalent. */
static void assign(const struct places *p, const int32_t (*could)[MAX_RANKS], int64_t *ranks) {
  int taken[MAX_RANKS] = {0};
  for (int i = 0; i < p->count; i++) ranks[i] = NOWHERE;
  for (int r = 0; r < p->ranks; r++) {
    for (int i = 0; i < p->count && !taken[r]; i++)
      if (p->has[i] && could[r][i] && ranks[i] == NOWHERE) ranks[i] = r, taken[r] = 1;
  }
  for (int i = 0; i < p->count; i++) {
    int was = 0;
    for (int other = 0; other < p->count; other++) was |= p->now[other] == ranks[i];
    if (p->has[i] && !was)
      complain("relabel: place %d of the target is on rank %lld: not a permutation", i, (long long)ranks[i]);
  }
  /* Places without a part are equivalent. */
  for (int i = 0, next = 0; i < p->count; i++) {
    if (p->has[i]) continue;
    while (next < p->count && taken[p->now[next]]) next++;
    ranks[i] = p->now[next++];
  }
}

void relabel(reblock_plan *plan, const struct group *enclosing, const struct laid *from, const int64_t *axes, struct laid *to,
             struct side *side) {
  struct places p = {.count = to->side->places, .ranks = enclosing->count};
  int32_t could[MAX_RANKS][MAX_RANKS] = {{0}};
  int64_t ranks[MAX_RANKS], present[MAX_RANKS];
  reblock_map *map = NULL;
  int me;
  MPI_Comm_rank(enclosing->comm, &me);
  if (refused(binding->plan_target(plan, &map), "plan_target")) return;
  if (from->side->box || to->side->box) {
    /* Arrays in boxes are not relabelled, since no rank can count the elements that other ranks share. */
    if (map) complain("relabel: places were given to other ranks, though an array lies in boxes");
    return;
  }
  for (int i = 0; i < p.count; i++) {
    struct part place;
    part_make(&place, to->side, (int)to->side->ranks[i]);
    p.has[i] = place.has;
    p.now[i] = rank_in(enclosing, to->side->group->members[to->side->ranks[i]]);
    present[i] = p.now[i];
    p.shared[i][me] = place.has ? shared_here(from, axes, to->side, &place) : 0;
    could[me][i] = map && is_place(map, me, to->side, &place);
    part_free(&place, to->side);
  }
  MPI_Allreduce(MPI_IN_PLACE, p.shared, MAX_RANKS * MAX_RANKS, MPI_INT64_T, MPI_SUM, enclosing->comm);
  MPI_Allreduce(MPI_IN_PLACE, could, MAX_RANKS * MAX_RANKS, MPI_INT32_T, MPI_SUM, enclosing->comm);
  int moved = map != NULL, any_moved = 0;
  MPI_Allreduce(&moved, &any_moved, 1, MPI_INT, MPI_MAX, enclosing->comm);
  if (moved != any_moved) complain("plan_target has a map on some ranks only");
  if (moved) assign(&p, (const int32_t(*)[MAX_RANKS])could, ranks);
  else memcpy(ranks, present, sizeof ranks);
  if (!all_fine(enclosing->comm)) return;
  if (kept(&p, ranks) != most_kept(&p) || (moved && kept(&p, ranks) <= kept(&p, present)))
    complain("relabel: %lld elements stay, without it %lld, expected %lld", (long long)kept(&p, ranks),
             (long long)kept(&p, present), (long long)most_kept(&p));
  reblock_plan_info info = {0};
  refused(reblock_plan_info_init(&info), "plan_info_init");
  refused(binding->plan_inquire(plan, &info), "plan_inquire");
  MPI_Allreduce(MPI_IN_PLACE, &info.kept, 1, MPI_INT64_T, MPI_SUM, enclosing->comm);
  if (info.kept < kept(&p, ranks) * to->element)
    complain("relabel: plan_inquire says that %lld bytes are kept, expected %lld", (long long)info.kept,
             (long long)(kept(&p, ranks) * to->element));
  if (!moved) return;
  *side = *to->side;
  side->group = enclosing, side->gaps = 0, side->listed = 1;
  memcpy(side->ranks, ranks, sizeof ranks);
  int64_t element = to->element, type = to->type;
  laid_free(to);
  laid_begin(to, side, element);
  to->type = type;
  laid_allocate(to);
  to->map = map;
}
