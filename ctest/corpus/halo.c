/* Checks that each place of a shadow gets its element, and that each element is combined with all places that show the
 * element. Computes the element of each place without the library, in the parts of all ranks. */
#include "halo.h"
#include "draw.h"
#include <stdlib.h>
#include <string.h>

/* The request for a shadow. */
struct asked {
  int64_t before[MAX_AXES], after[MAX_AXES];
  int32_t periodic[MAX_AXES];
  int corners;
  int refused;       /* an axis has several runs on a process */
  int may_be_refused; /* each process has one run, but the library need not detect it */
};

/* A rank's part, and the array index at each of its positions along each axis, counted from 0. */
struct view { struct part part; int64_t *own[MAX_AXES]; };

static void view_make(struct view *v, const struct side *s, int rank) {
  part_make(&v->part, s, rank);
  for (int k = 0; k < s->axes; k++) {
    v->own[k] = malloc(sizeof(int64_t) * (size_t)(v->part.len[k] + 1));
    for (int64_t i = 0; i < s->a[k].extent; i++)
      if (v->part.position[k][i] >= 0) v->own[k][v->part.position[k][i]] = i;
  }
}

static void view_free(struct view *v, const struct side *s) {
  for (int k = 0; k < s->axes; k++) free(v->own[k]);
  part_free(&v->part, s);
}

/* Checks that each owner of an axis has contiguous indices. */
static int is_one_run_each(const int64_t *owner, int64_t extent) {
  for (int64_t i = 1; owner && i < extent; i++)
    for (int64_t before = 0; owner[i] != owner[i - 1] && before < i; before++)
      if (owner[before] == owner[i]) return 0;
  return 1;
}

static void draw_asked(struct asked *asked, const struct laid *l) {
  const struct side *s = l->side;
  memset(asked, 0, sizeof *asked);
  asked->corners = once_in(2);
  for (int k = 0; k < s->axes; k++) {
    const struct array_axis *a = &s->a[k];
    int64_t *widths[] = {&asked->before[k], &asked->after[k]}, most[] = {a->before, a->after};
    int runs = is_one_run_each(l->part.owner[k], a->extent), leave = !runs && !once_in(8);
    asked->periodic[k] = once_in(2);
    for (int end = 0; end < 2; end++) {
      int64_t width = once_in(2) ? most[end] : between(0, most[end]);
      if (asked->periodic[k] && width > a->extent) width = a->extent;
      *widths[end] = leave ? 0 : width;
    }
    if (!asked->before[k] && !asked->after[k]) continue;
    if (!runs) asked->refused = 1;
    enum kind kind = l->part.owner[k] ? s->t[a->align.axis].kind : COLLAPSED;
    /* The library also counts blocks in which a strided array has no index. If each rank has only its own entries of an
     * INDIRECT distribution, the library cannot decide whether the indices of an owner form one run. */
    if (kind == INDIRECT || (kind != COLLAPSED && (a->align.stride > 1 || a->align.stride < -1))) asked->may_be_refused = 1;
  }
}

/* Finds the element shown at a place of a part. Returns 0 for the part's own place, 1 for a place in the filled
 * shadow, -1 for no element. */
static int shown(const struct asked *asked, const struct side *s, const struct view *v, const int64_t *place, int64_t *index) {
  int outside = 0;
  for (int k = 0; k < s->axes; k++) {
    const struct array_axis *a = &s->a[k];
    int64_t n = a->extent, len = v->part.len[k], x = place[k] - a->before;
    if (!len) return -1;
    if (x < -asked->before[k] || x >= len + asked->after[k]) return -1;
    if (x < 0 || x >= len) {
      outside++, x += v->own[k][0];
      if (asked->periodic[k]) x = (x + n) % n;
      if (x < 0 || x >= n) return -1;
    } else x = v->own[k][x];
    index[k] = a->lower + x;
  }
  return outside > 1 && !asked->corners ? -1 : outside > 0;
}

/* Advances to the next place of a part, the first axis fastest; returns false after the last. */
static int on(const struct side *s, const struct part *p, int64_t *place) {
  for (int k = 0; k < s->axes; k++) {
    if (++place[k] < p->extents[k]) return 1;
    place[k] = 0;
  }
  return 0;
}

static int64_t offset_of(const struct side *s, const struct part *p, const int64_t *place) {
  int64_t offset = 0;
  for (int k = 0; k < s->axes; k++) offset += place[k] * p->strides[k];
  return offset;
}

/* Computes the initial value of a place in a rank's shadow, before elements are combined with it. */
static void in_shadow(char *at, int64_t bytes, int rank, int64_t offset) {
  uint64_t value = hash((uint64_t)(rank + 1), (uint64_t)offset);
  memcpy(at, &value, (size_t)bytes);
}

static void combine(char *to, const char *from, const reblock_update *u) {
  int64_t a = 0, b = 0;
  int32_t low, high;
  if (u->type == REBLOCK_INT64) memcpy(&a, to, 8), memcpy(&b, from, 8);
  else memcpy(&low, to, 4), memcpy(&high, from, 4), a = low, b = high;
  if (u->combine == REBLOCK_ADD) a = (int64_t)((uint64_t)a + (uint64_t)b);
  else if (u->combine == REBLOCK_MINIMUM ? b < a : b > a) a = b;
  low = (int32_t)a;
  memcpy(to, u->type == REBLOCK_INT64 ? (void *)&a : &low, u->type == REBLOCK_INT64 ? 8 : 4);
}

/* Combines the expected values of this rank's elements with the shadow of `rank`, as in_shadow filled it. */
static void want_combined(struct laid *l, const struct asked *asked, int rank, const reblock_update *u) {
  const struct side *s = l->side;
  struct view v;
  int64_t place[MAX_AXES] = {0}, index[MAX_AXES], copies[2], offset;
  char value[8];
  view_make(&v, s, rank);
  naive_copies(s, v.part.coords, &copies[0]), naive_copies(s, l->part.coords, &copies[1]);
  int any = l->part.has && v.part.has && v.part.elements && copies[0] == copies[1];
  for (; any; any = on(s, &v.part, place)) {
    if (shown(asked, s, &v, place, index) != 1) continue;
    in_shadow(value, l->element, rank, offset_of(s, &v.part, place));
    if (part_offset(&l->part, s, index, &offset)) combine(laid_wanted(l, offset), value, u);
  }
  view_free(&v, s);
}

/* Sets the expected contents of the filled shadow: the elements of the round or, if `combined`, the values of
 * in_shadow, which combining does not change. */
static void want_shadow(struct laid *l, const struct asked *asked, int round, int combined) {
  const struct side *s = l->side;
  struct view v;
  int64_t place[MAX_AXES] = {0}, index[MAX_AXES];
  view_make(&v, s, l->rank);
  for (int any = v.part.elements > 0; any; any = on(s, &v.part, place)) {
    if (shown(asked, s, &v, place, index) != 1) continue;
    int64_t offset = offset_of(s, &v.part, place);
    if (combined) in_shadow(laid_wanted(l, offset), l->element, l->rank, offset);
    else laid_value(l, laid_wanted(l, offset), index, round);
  }
  view_free(&v, s);
}

/* Executes a plan whose source and target are one array, which some interfaces take as one argument. */
static int32_t carry_out(reblock_plan *plan, const struct laid *l, const reblock_update *u, int started) {
  struct local both = laid_local(l);
  reblock_request *request = NULL;
  int32_t code, done = 0;
  if (!started) {
    if (!binding->has_aliases) return binding->plan_fill(plan, &both, u);
    return u ? binding->plan_update(plan, &both, &both, u) : binding->plan_execute(plan, &both, &both);
  }
  if (!binding->has_aliases) code = binding->plan_start_fill(plan, &both, u, &request);
  else code = u ? binding->plan_start_update(plan, &both, &both, u, &request) : binding->plan_start(plan, &both, &both, &request);
  while (!code && !done) code = binding->request_test(&request, &done);
  return code;
}

static void combined(const struct one_case *c, struct laid *l, const struct asked *asked, const reblock_plan *plan) {
  static const int64_t combinations[] = {REBLOCK_ADD, REBLOCK_MINIMUM, REBLOCK_MAXIMUM};
  static const int64_t one = 1;
  static const int32_t small_one = 1;
  reblock_plan *reverse = NULL;
  reblock_update u;
  refused(reblock_update_init(&u), "update_init");
  u.type = l->element == 8 ? REBLOCK_INT64 : REBLOCK_INT32, u.combine = combinations[between(0, 2)];
  u.beta = l->element == 8 ? (const void *)&one : &small_one;
  int started = once_in(2);
  refused(binding->plan_reverse(plan, &reverse), "plan_reverse of a shadow's");
  if (!all_fine(c->enclosing->comm)) return;
  laid_fill(l, 11);
  want_shadow(l, asked, 11, 1);
  memcpy(l->memory.open, l->want, l->memory.opened);
  for (int i = 0; i < l->side->places; i++) want_combined(l, asked, (int)l->side->ranks[i], &u);
  refused(carry_out(reverse, l, &u, started), "elements and their shadows");
  laid_check(l, "an array", "combined with its shadows");
  refused(binding->plan_free(&reverse), "plan_free");
}

void halo(const struct one_case *c, struct laid *l) {
  struct asked asked;
  reblock_plan *plan = NULL;
  reblock_plan_options options = c->options;
  if (l->side->box || !l->side->shadowed) return;
  draw_asked(&asked, l);
  options.relabel = 0;
  /* Messages of shadows have a fixed order. */
  if (options.scheduler) options.scheduler = "caterpillar";
  int whole = once_in(4), plain = 1;
  for (int k = 0; k < l->side->axes; k++)
    plain &= asked.before[k] == l->side->a[k].before && asked.after[k] == l->side->a[k].after;
  whole = whole && plain;
  int32_t code = binding->plan_shadow(MPI_Comm_c2f(c->enclosing->comm), l->map, whole ? NULL : asked.before, whole ? NULL : asked.after,
                                   asked.periodic, asked.corners, l->element, c->with_options ? &options : NULL, &plan);
  if (code == REBLOCK_ERR_ARGUMENT && (asked.refused || asked.may_be_refused)) return;
  if (asked.refused && !code) complain("a shadow of an axis that is not of one run on each process is filled");
  refused(code, "plan_shadow");
  if (!all_fine(c->enclosing->comm)) return;
  for (int round = 9; round < 11; round++) {
    laid_fill(l, round);
    want_shadow(l, &asked, round, 0);
    refused(carry_out(plan, l, NULL, round == 10), "a shadow");
    laid_check(l, "an array", "with its shadow");
  }
  if (l->element == 4 || l->element == 8) combined(c, l, &asked, plan);
  refused(binding->plan_free(&plan), "plan_free");
}
