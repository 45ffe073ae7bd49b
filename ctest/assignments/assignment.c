#include "assignment.h"
#include "../random.h"

static void shuffle(int64_t *list, int count) {
  for (int i = count - 1; i > 0; i--) {
    int64_t j = draw(0, i), t = list[i];
    list[i] = list[j], list[j] = t;
  }
}

/* Finds the axes of the target that come from the source, reduces `counts` to them, and returns their number. */
static int draw_axes(struct assignment *s, int axes, int64_t *counts) {
  int64_t all[AXES], goals[AXES];
  for (int k = 0; k < axes; k++) all[k] = k, goals[k] = counts[k];
  s->spreads = s->kind == COPY && axes && once_in(2) ? (int)draw(1, axes) : 0;
  shuffle(all, axes);
  memcpy(s->spread, all, sizeof s->spread);
  int kept = axes - s->spreads, sorted = 1;
  memcpy(s->axes, all + s->spreads, sizeof *all * (size_t)kept);
  if (once_in(2))
    for (int k = 0, at = 0; k < axes; k++) {
      int listed = 0;
      for (int i = 0; i < s->spreads; i++) listed |= s->spread[i] == k;
      if (!listed) s->axes[at++] = k;
    }
  for (int k = 0; k < kept; k++) {
    counts[k] = goals[s->axes[k]];
    sorted &= !k || s->axes[k] > s->axes[k - 1];
  }
  s->in_order = sorted && once_in(2);
  return kept;
}

void assignment_draw(struct assignment *s, struct array *from, struct array *to, int words, int within) {
  static const char *const transports[] = {NULL, NULL, "mpi", "shm"};
  int64_t counts[AXES], sources[AXES];
  int axes = (int)draw(once_in(20) ? 0 : 1, AXES);
  memset(s, 0, sizeof *s);
  s->from = from, s->to = to;
  s->kind = (enum kind)draw(COPY, axes ? LINES : END_OFF);
  for (int k = 0; k < axes; k++) counts[k] = once_in(25) ? 0 : draw(1, k ? 7 : 12);
  memcpy(sources, counts, sizeof sources);
  if (within) {
    for (int k = 0; k < axes; k++) s->axes[k] = k;
    s->in_order = 1;
    array_draw_around(to, axes, words, counts);
  } else {
    int source_axes = draw_axes(s, axes, sources);
    array_draw_around(to, axes, words, counts);
    array_draw_around(from, source_axes, words, sources);
  }
  section_draw(s->to, counts, s->to_section);
  section_draw(s->from, sources, s->from_section);
  for (int k = 0; within && k < axes && once_in(2); k++) s->from_section[k] = s->to_section[k];
  for (int k = 0; k < s->from->axes; k++) s->shifts[k] = once_in(3) ? 0 : once_in(9) ? (once_in(2) ? INT64_MIN : INT64_MAX) : draw(-15, 15);
  for (int w = 0; w < WORDS; w++) s->boundary[w] = draw(-1000, 1000);
  s->axis = s->kind == LINES ? (int)draw(0, axes - 1) : 0, s->circular = once_in(2), s->salt = draw(0, 1 << 20);
  s->bounded = (s->kind == END_OFF || (s->kind == LINES && !s->circular)) && once_in(2);
  s->relabel = s->kind == COPY && !within && !once_in(3) && !to->ordered;
  s->overlap = within || once_in(3), s->silent = once_in(2);
  s->transport = transports[draw(0, 3)];
}

/* Returns the seed of the line through position `at` of the target's section. */
static uint64_t line_at(const struct assignment *s, const int64_t *at) {
  uint64_t line = (uint64_t)s->salt;
  for (int k = 0; k < s->to->axes; k++)
    if (k != s->axes[s->axis]) line = hash(line, (uint64_t)at[k]);
  return line;
}

/* Returns the distance of a line, and its boundary value. */
static int64_t distance(uint64_t line) { return (int64_t)(line % 31) - 15; }
static int64_t boundary(uint64_t line, int w) { return (int64_t)(hash(line, (uint64_t)w) % 2001) - 1000; }

struct line { int64_t offset; uint64_t drawn; };
static int by_offset(const void *a, const void *b) {
  int64_t x = ((const struct line *)a)->offset, y = ((const struct line *)b)->offset;
  return x < y ? -1 : x > y;
}

/* Lists the distances and boundary values of the lines of this rank's elements, in the order of the map's local
 * arrays. */
static int64_t distances(const struct assignment *s, int64_t **list, int64_t **values) {
  int64_t counts[AXES], at[AXES] = {0}, index[AXES], total = 1, found = 0, offset, along = s->axes[s->axis];
  int32_t here;
  for (int k = 0; k < s->to->axes; k++) total *= counts[k] = count_of(&s->to_section[k]);
  struct line *lines = malloc(sizeof *lines * (size_t)(total + 1));
  for (int64_t n = 0; n < (counts[along] ? total / counts[along] : 0); n++) {
    struct line line = {-1, 0};
    for (at[along] = 0; at[along] < counts[along]; at[along]++) {
      for (int k = 0; k < s->to->axes; k++) index[k] = s->to_section[k].lower + at[k] * s->to_section[k].stride;
      MUST(reblock_map_offset(s->to->ordered ? s->to->ordered : s->to->map, index, &offset, &here));
      if (here && (line.offset < 0 || offset < line.offset)) line.offset = offset;
    }
    line.drawn = line_at(s, at);
    if (line.offset >= 0) lines[found++] = line;
    at[along] = 0;
    for (int k = 0; k < s->to->axes; k++) {
      if (k == along) continue;
      if (++at[k] < counts[k]) break;
      at[k] = 0;
    }
  }
  qsort(lines, (size_t)found, sizeof *lines, by_offset);
  int words = s->to->words;
  *list = malloc(8 * (size_t)(found + 1)), *values = malloc(8 * (size_t)((found + 1) * words));
  for (int64_t n = 0; n < found; n++) (*list)[n] = distance(lines[n].drawn);
  for (int64_t n = 0; n < found * words; n++) (*values)[n] = boundary(lines[n / words].drawn, (int)(n % words));
  free(lines);
  return found;
}

static int32_t plan_of_lines(struct assignment *s, const reblock_map *from, const reblock_range *from_section, const reblock_map *to,
                             const reblock_range *to_section, int64_t element, const reblock_plan_options *options) {
  int64_t *list = NULL, *values = NULL, boxes, count = 0;
  MUST(reblock_map_boxes(s->to->map, &boxes));
  if (boxes < 0) count = distances(s, &list, &values); /* otherwise it is refused */
  int32_t code = reblock_plan_shift_lines(MPI_COMM_WORLD, from, from_section, to, to_section, element, s->axis, s->circular, count, list,
                                          s->bounded ? values : NULL, options, &s->plan);
  free(list), free(values);
  return code;
}

int32_t assignment_plan(struct assignment *s) {
  reblock_plan_options options;
  MUST(reblock_plan_options_init(&options));
  if (!s->in_order) options.axes = s->axes, options.axes_count = s->from->axes;
  if (s->spreads) options.spread = s->spread, options.spread_count = s->spreads;
  options.overlap = s->overlap, options.transport = s->transport, options.relabel = s->relabel;
  int64_t element = 8 * s->to->words;
  reblock_map *from = s->silent && !s->from->has ? NULL : s->from->map, *to = s->silent && !s->to->has ? NULL : s->to->map;
  const reblock_range *from_section = from ? s->from_section : NULL, *to_section = to ? s->to_section : NULL;
  if (s->kind == CIRCULAR)
    return reblock_plan_cshift(MPI_COMM_WORLD, from, from_section, to, to_section, element, s->from->axes, s->shifts, &options,
                               &s->plan);
  if (s->kind == END_OFF)
    return reblock_plan_eoshift(MPI_COMM_WORLD, from, from_section, to, to_section, element, s->from->axes, s->shifts,
                                s->bounded ? s->boundary : NULL, &options, &s->plan);
  if (s->kind == LINES) return plan_of_lines(s, from, from_section, to, to_section, element, &options);
  return reblock_plan_create(MPI_COMM_WORLD, from, from_section, to, to_section, element, &options, &s->plan);
}

/* Computes the source's index for position `at` of the target's section; returns 0 if there is none. */
static int source_of(const struct assignment *s, const int64_t *at, int64_t *index) {
  for (int k = 0; k < s->from->axes; k++) {
    int64_t n = count_of(&s->from_section[k]);
    __int128 i = at[s->axes[k]]; /* distances may use all 64 bits */
    if (s->kind == LINES) i += k == s->axis ? distance(line_at(s, at)) : 0;
    else if (s->kind != COPY) i += s->shifts[k];
    if (s->kind == CIRCULAR || (s->kind == LINES && s->circular)) i = ((i % n) + n) % n;
    if (i < 0 || i >= n) return 0;
    index[k] = s->from_section[k].lower + (int64_t)i * s->from_section[k].stride;
  }
  return 1;
}

void assignment_naive(struct assignment *s, const int64_t *old, int64_t alpha, int64_t beta, int back) {
  int64_t at[AXES] = {0}, counts[AXES], total = 1, index[AXES], source[AXES];
  int words = s->to->words;
  for (int k = 0; k < s->to->axes; k++) total *= counts[k] = count_of(&s->to_section[k]);
  for (int64_t n = 0; n < total; n++) {
    for (int k = 0; k < s->to->axes; k++) index[k] = s->to_section[k].lower + at[k] * s->to_section[k].stride;
    int64_t to = number_of(s->to, index), any = source_of(s, at, source);
    const int64_t *value = s->boundary;
    int64_t values[WORDS];
    if (s->kind == LINES) {
      for (int w = 0; w < WORDS; w++) values[w] = boundary(line_at(s, at), w);
      value = values;
    }
    if (any) value = old + number_of(s->from, source) * words;
    if (back && any) memcpy(s->from->all + number_of(s->from, source) * words, old + to * words, 8 * (size_t)words);
    for (int w = 0; !back && (any || s->bounded) && w < words; w++)
      s->to->all[to * words + w] = alpha * value[w] + (beta ? beta * s->to->all[to * words + w] : 0);
    for (int k = 0; k < s->to->axes && ++at[k] == counts[k]; k++) at[k] = 0;
  }
}

static void print(const char *name, const struct array *a, const reblock_range *section) {
  char text[400] = "";
  reblock_map_text(a->map, text, sizeof text, NULL);
  fprintf(stderr, "  %s %s:", name, text);
  for (int k = 0; k < a->axes; k++)
    fprintf(stderr, " %lld:%lld:%lld", (long long)section[k].lower, (long long)section[k].upper, (long long)section[k].stride);
  fprintf(stderr, "\n");
}

void assignment_print(const struct assignment *s) {
  static const char *const names[] = {"copy", "circular", "end-off", "lines"};
  fprintf(stderr, "  %s, words %d, overlap %d, transport %s, bounded %d, relabel %d, axis %d, circular %d, axes%s", names[s->kind],
          s->to->words, s->overlap, s->transport ? s->transport : "any", s->bounded, s->relabel, s->axis, s->circular,
          s->in_order ? " (in order)" : "");
  for (int k = 0; k < s->from->axes; k++) fprintf(stderr, " %lld", (long long)s->axes[k]);
  for (int k = 0; k < s->spreads; k++) fprintf(stderr, "%s %lld", k ? "" : ", spread", (long long)s->spread[k]);
  for (int k = 0; s->kind != COPY && k < s->from->axes; k++) fprintf(stderr, "%s %lld", k ? "" : ", shifts", (long long)s->shifts[k]);
  fprintf(stderr, "\n");
  print("from", s->from, s->from_section), print("to", s->to, s->to_section);
}
