#include "lists.h"
#include "draw.h"
#include "numbers.h"
#include <stdlib.h>
#include <string.h>

enum { MAX_JOBS = 3, MAX_NAMED = 3000 };

struct list { int64_t count, *indices; };

/* One plan, and this rank's local array for it. */
struct job {
  struct laid *array;
  int scatters, skips; /* direction, and whether some entries are skipped */
  int64_t axis;  /* axis of the listed indices, or REBLOCK_ALL_AXES */
  uint64_t salt; /* seed of lists and values */
  struct list list;
  int64_t count, extents[MAX_AXES], strides[MAX_AXES];
  struct guarded memory;
  char *want;
  struct drawn_update drawn;
  const reblock_update *update;
  reblock_plan *plan;
};

/* Returns whether a rank of the enclosing group can have the array's map. */
static int is_member(const struct one_case *c, const struct side *s, int rank) {
  for (int r = 0; r < s->group->count; r++)
    if (s->group->members[r] == c->enclosing->members[rank]) return 1;
  return 0;
}

/* Returns the elements of a local array for each index of a list. */
static int64_t each_index(const struct job *j) {
  int64_t n = 1;
  const struct side *s = j->array->side;
  for (int k = 0; j->axis != REBLOCK_ALL_AXES && k < s->axes; k++) n *= k == j->axis ? 1 : s->a[k].extent;
  return n;
}

/* Gives some entries an index below an axis's lower bound: near the bound, as 0 in a list of 1, 2, ..., or far from it.
 * For Fortran, whose lists may have 32-bit integers, values fit in 32 bits. */
static void skip_some(const struct job *j, struct list *l, int columns, uint64_t *state) {
  const struct side *s = j->array->side;
  int64_t often = within(state, 1, 6), narrow = !strcmp(binding->name, "fortran");
  int64_t least = narrow ? INT32_MIN : INT64_MIN, most = narrow ? INT32_MAX : INT64_MAX;
  for (int64_t e = 0; e < l->count; e++) {
    if (within(state, 0, often)) continue;
    int64_t k = within(state, 0, columns - 1), lower = s->a[j->axis == REBLOCK_ALL_AXES ? k : j->axis].lower;
    l->indices[e * columns + k] = within(state, 0, 2) ? lower - 1 - within(state, 0, 3) : least;
    /* The other indices of a skipped element may have any value. */
    if (k) l->indices[e * columns] = within(state, 0, 1) ? most : 0;
  }
}

/* Draws the list of a rank of the enclosing group: any indices, runs of neighbours, a few repeated indices, or
 * ascending indices. */
static struct list list_of(const struct one_case *c, const struct job *j, int rank) {
  const struct side *s = j->array->side;
  uint64_t state = stream(hash(j->salt, (uint64_t)rank));
  int all = j->axis == REBLOCK_ALL_AXES, columns = all ? s->axes : 1, kind = (int)within(&state, 0, 5);
  int64_t each = each_index(j), most = MAX_NAMED / (each + 1) + 1;
  struct list l = {within(&state, 0, within(&state, 0, 9) || most < 50 ? most < 50 ? most : 50 : most), NULL};
  if (kind == 0 || (all && !is_member(c, s, rank))) l.count = 0;
  for (int k = 0; k < columns; k++)
    if (!s->a[all ? k : j->axis].extent) l.count = 0;
  l.indices = malloc(sizeof *l.indices * (size_t)(l.count * columns + 1));
  for (int k = 0; k < columns; k++) {
    const struct array_axis *a = &s->a[all ? k : j->axis];
    int64_t first = within(&state, 0, 1 << 20);
    for (int64_t e = 0; e < l.count; e++) {
      int64_t i = within(&state, 0, a->extent - 1);
      if (kind == 1) i = (first + e / (k + 1)) % a->extent;
      if (kind == 2) i = (first + i % 3) % a->extent;
      if (kind == 3) i = e * a->extent / l.count;
      l.indices[e * columns + k] = a->lower + i;
    }
  }
  if (j->skips) skip_some(j, &l, columns, &state);
  return l;
}

/* Computes the indices of an element of the local array for a list; returns whether its entry is not skipped. */
static int named(const struct job *j, const struct list *l, int64_t at, int64_t *index) {
  const struct side *s = j->array->side;
  if (j->axis == REBLOCK_ALL_AXES) {
    memcpy(index, l->indices + at * s->axes, sizeof *index * (size_t)s->axes);
    for (int k = 0; k < s->axes; k++)
      if (index[k] < s->a[k].lower) return 0;
    return 1;
  }
  for (int n = 0; n < s->axes; n++) {
    int64_t k = s->order[n], extent = k == j->axis ? l->count : s->a[k].extent, i = at % extent;
    at /= extent;
    index[k] = k == j->axis ? l->indices[i] : s->a[k].lower + i;
  }
  return index[j->axis] >= s->a[j->axis].lower;
}

/* Computes an element of a rank's local array. */
static void local_value(const struct job *j, char *at, int rank, int64_t number, int round) {
  uint64_t value = hash(hash(j->salt + 1 + (uint64_t)round, (uint64_t)rank), (uint64_t)number);
  if (j->array->type) number_write(at, j->array->type, value);
  else for (int64_t b = 0; b < j->array->element; b++) at[b] = (char)hash(value, (uint64_t)b);
}

static void job_draw(const struct one_case *c, struct job *j, struct laid *array) {
  const struct side *s = array->side;
  memset(j, 0, sizeof *j);
  j->array = array;
  j->scatters = once_in(2), j->skips = once_in(2), j->axis = between(REBLOCK_ALL_AXES, s->axes - 1), j->salt = draw();
  int me;
  MPI_Comm_rank(c->enclosing->comm, &me);
  j->list = list_of(c, j, me);
  j->count = j->list.count * each_index(j);
  /* The local array has no gaps. */
  for (int64_t n = 0, stride = 1; n < s->axes; n++) {
    int64_t k = s->order[n];
    j->extents[n] = k == j->axis ? j->list.count : s->a[k].extent, j->strides[n] = stride, stride *= j->extents[n];
  }
  j->memory = guarded_make((size_t)(j->count * array->element), (int)(j->salt % 3));
  j->want = malloc(j->memory.opened + 1);
}

static struct local job_local(const struct job *j) {
  int list = j->axis == REBLOCK_ALL_AXES;
  return (struct local){.has = j->count > 0, .base = j->memory.data, .bytes = j->count * j->array->element, .element = j->array->element,
                        .axes = list ? 1 : j->array->side->axes, .extents = list ? &j->count : j->extents, .strides = j->strides};
}

static void job_plan(const struct one_case *c, struct job *j) {
  struct laid *l = j->array;
  reblock_plan_options options = c->options;
  options.relabel = 0, options.skip = j->skips;
  if (!c->with_options) reblock_plan_options_init(&options), options.skip = j->skips;
  /* Messages of lists have a fixed order. */
  if (options.scheduler) options.scheduler = "caterpillar";
  /* A rank without a part need not have the map. */
  int knows = l->map && (l->part.has || j->axis == REBLOCK_ALL_AXES || (j->salt + (uint64_t)l->rank) % 2);
  int32_t (*make)(MPI_Fint, const reblock_map *, int64_t, int64_t, const int64_t *, int64_t, const reblock_plan_options *,
                  reblock_plan **) = j->scatters ? binding->plan_scatter : binding->plan_gather;
  refused(make(MPI_Comm_c2f(c->enclosing->comm), knows ? l->map : NULL, j->axis, j->list.count, j->list.indices, l->element,
               c->with_options || j->skips ? &options : NULL, &j->plan), j->scatters ? "plan_scatter" : "plan_gather");
  reblock_plan *reverse = NULL;
  if (j->plan && (binding->plan_reverse(j->plan, &reverse) != REBLOCK_ERR_ARGUMENT || reverse)) complain("a list of indices has a way back");
}

/* Writes a value to an expected element, or updates the element with it. */
static void put(const struct job *j, char *to, const char *value, int again) {
  if (j->update) update_apply(j->update, to, value, again);
  else memcpy(to, value, (size_t)j->array->element);
}

static void want_gathered(struct job *j, int round) {
  int64_t index[MAX_AXES];
  char value[MAX_BYTES];
  for (int64_t at = 0; at < j->count; at++) {
    if (!named(j, &j->list, at, index)) continue;
    laid_value(j->array, value, index, round);
    put(j, j->want + (j->memory.data - j->memory.open) + at * j->array->element, value, 0);
  }
}

/* Computes a rank's contribution to each element of the array: the last value, or all values combined in list order. */
static void sum_up(const struct one_case *c, const struct job *j, int rank, int round, char *sums, char *any) {
  struct list l = list_of(c, j, rank);
  int64_t index[MAX_AXES], element = j->array->element, count = l.count * each_index(j);
  char value[MAX_BYTES];
  reblock_update plain = {.type = j->array->type, .combine = j->drawn.update.combine};
  for (int64_t at = 0; at < count; at++) {
    if (!named(j, &l, at, index)) continue;
    int64_t number = element_number(j->array->side, index);
    local_value(j, value, rank, at, round);
    if (j->update && any[number]) update_apply(&plain, sums + number * element, value, 1);
    else memcpy(sums + number * element, value, (size_t)element);
    any[number] = 1;
  }
  free(l.indices);
}

static void want_scattered(const struct one_case *c, struct job *j, int round) {
  struct laid *l = j->array;
  int64_t index[MAX_AXES], offset, elements = 1;
  reblock_range all[MAX_AXES];
  section_of(l->side, 1, all);
  for (int k = 0; k < l->side->axes; k++) elements *= l->side->a[k].extent;
  char *sums = malloc((size_t)(elements * l->element + 1)), *any = malloc((size_t)elements + 1), *again = calloc((size_t)elements + 1, 1);
  for (int rank = 0; rank < c->enclosing->count; rank++) {
    memset(any, 0, (size_t)elements + 1);
    sum_up(c, j, rank, round, sums, any);
    for (int more = walk_start(all, l->side->axes, index); more; more = walk_on(all, l->side->axes, index)) {
      int64_t number = element_number(l->side, index);
      if (!any[number]) continue;
      if (part_offset(&l->part, l->side, index, &offset)) put(j, laid_wanted(l, offset), sums + number * l->element, again[number]);
      again[number] = 1;
    }
  }
  free(sums), free(any), free(again);
}

/* Prepares the local array for a round, and the expected contents of it and of the array. */
static void prepare(const struct one_case *c, struct job *j, int round, int updates) {
  uint64_t salt = hash(j->salt, (uint64_t)round);
  int me;
  MPI_Comm_rank(c->enclosing->comm, &me);
  j->update = NULL;
  /* In a batch, only C may leave some plans without an update. Other interfaces pass an update for every plan, and
   * updates add up elements that are listed twice. */
  if (j->array->type && (binding == &c_binding ? salt % 4 > 0 : updates)) {
    update_make(&j->drawn, j->array->type, salt);
    j->update = &j->drawn.update;
  }
  guarded_fill(&j->memory, (uint64_t)round);
  for (int64_t at = 0; at < j->count; at++) local_value(j, j->memory.data + at * j->array->element, me, at, round);
  memcpy(j->want, j->memory.open, j->memory.opened);
  if (j->scatters) want_scattered(c, j, round);
  else want_gathered(j, round);
}

static void job_check(const struct job *j) {
  int before = bad;
  int64_t element = j->array->element;
  laid_check(j->array, "an array", j->scatters ? "scattered to" : "gathered from");
  for (int64_t at = 0; at < (int64_t)j->memory.opened; at++) {
    int64_t beyond = j->memory.open + at - j->memory.data, first = at - beyond % element;
    if (j->memory.open[at] == j->want[at]) continue;
    int inside = beyond >= 0 && beyond < (int64_t)j->memory.bytes;
    if (inside && j->array->type && number_same(j->memory.open + first, j->want + first, j->array->type)) continue;
    complain("%s: byte %lld of a local array's %lld is %02x, expected %02x", j->scatters ? "scattered from" : "gathered into",
             (long long)beyond, (long long)j->memory.bytes, j->memory.open[at] & 255, j->want[at] & 255);
    break;
  }
  if (bad > before && j->update) update_print(j->update);
}

static int32_t one_by_one(struct job *jobs, int count, const struct local *sources, const struct local *targets, int started) {
  reblock_request *requests[MAX_JOBS] = {NULL};
  int32_t code = 0;
  for (int i = 0; i < count && !code; i++) {
    struct job *j = &jobs[i];
    if (!started && j->update) code = binding->plan_update(j->plan, &sources[i], &targets[i], j->update);
    else if (!started) code = binding->plan_execute(j->plan, &sources[i], &targets[i]);
    else if (j->update) code = binding->plan_start_update(j->plan, &sources[i], &targets[i], j->update, &requests[i]);
    else code = binding->plan_start(j->plan, &sources[i], &targets[i], &requests[i]);
  }
  for (int i = count - 1; started && i >= 0 && !code; i--) code = binding->request_wait(&requests[i]);
  return code;
}

static int32_t together(struct job *jobs, int count, const struct local *sources, const struct local *targets, int started) {
  reblock_plan *plans[MAX_JOBS];
  const reblock_update *updates[MAX_JOBS];
  reblock_request *request = NULL;
  int32_t code, done = 0, any = 0;
  for (int i = 0; i < count; i++) plans[i] = jobs[i].plan, updates[i] = jobs[i].update, any |= updates[i] != NULL;
  if (!started && any) return binding->plan_update_many(count, plans, sources, targets, updates);
  if (!started) return binding->plan_execute_many(count, plans, sources, targets);
  if (any) code = binding->plan_start_update_many(count, plans, sources, targets, updates, &request);
  else code = binding->plan_start_many(count, plans, sources, targets, &request);
  while (!code && !done) code = binding->request_test(&request, &done);
  return code;
}

static void carry_out(struct job *jobs, int count) {
  struct local sources[MAX_JOBS], targets[MAX_JOBS];
  int batch = once_in(2), started = once_in(2);
  for (int i = 0; i < count; i++) {
    struct local array = laid_local(jobs[i].array), local = job_local(&jobs[i]);
    sources[i] = jobs[i].scatters ? local : array, targets[i] = jobs[i].scatters ? array : local;
  }
  refused((batch ? together : one_by_one)(jobs, count, sources, targets, started), "lists of indices");
}

/* Returns a type of numbers of this size; 0 if there is none. */
static int64_t type_of(int64_t element) {
  static const int64_t types[] = {REBLOCK_INT32, REBLOCK_INT64, REBLOCK_FLOAT, REBLOCK_DOUBLE, REBLOCK_COMPLEX, REBLOCK_DOUBLE_COMPLEX};
  int first = (int)between(0, 5);
  for (int i = 0; i < 6; i++)
    if (number_bytes(types[(first + i) % 6]) == element) return types[(first + i) % 6];
  return 0;
}

void lists(const struct one_case *c, struct laid *from, struct laid *to) {
  struct laid *arrays[] = {from, to};
  struct job jobs[MAX_JOBS];
  int count = 0;
  int64_t type = from->type, copy = from->copy, other = type_of(from->element);
  if (!type && feature(UPDATES, 2)) from->type = to->type = other;
  from->copy = 0;
  for (int i = 0; i < MAX_JOBS; i++) {
    struct laid *l = arrays[i % 2];
    int skip = !once_in(3) && i, taken = i == 2 && count && jobs[0].array == l;
    if (skip || l->side->box || !l->side->axes) continue;
    job_draw(c, &jobs[count++], l);
    /* Several plans of a batch may read one array, if no plan writes it. */
    if (taken) jobs[0].scatters = jobs[count - 1].scatters = 0;
  }
  for (int i = 0; i < count; i++) job_plan(c, &jobs[i]);
  for (int round = 12; count && round < 14 && all_fine(c->enclosing->comm); round++) {
    laid_fill(from, round), laid_fill(to, round);
    int updates = !once_in(4);
    for (int i = 0; i < count; i++) prepare(c, &jobs[i], round, updates);
    carry_out(jobs, count);
    for (int i = 0; i < count; i++) job_check(&jobs[i]);
  }
  from->copy = copy, from->type = to->type = type;
  for (int i = 0; i < count; i++) {
    refused(binding->plan_free(&jobs[i].plan), "plan_free");
    free(jobs[i].list.indices), free(jobs[i].want), guarded_free(&jobs[i].memory);
  }
}
