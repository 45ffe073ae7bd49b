#include "shift.h"
#include "draw.h"
#include "numbers.h"
#include <stdio.h>
#include <stdlib.h>

enum { MAX_CIRCULAR = 6 };

/* Draws a distance: mostly short, sometimes longer than any section. */
static int64_t distance(uint64_t chance) {
  return chance % 16 ? (int64_t)(chance / 16 % 31) - 15 : (int64_t)(chance / 16 % 2000000000001) - 1000000000000;
}

void draw_shift(struct move *m) {
  struct shift *s = &m->shift;
  int boxes = m->from.box || m->to.box, axes = m->from.axes;
  s->salt = draw();
  s->kind = once_in(2) ? CIRCULAR : END_OFF;
  /* Arrays in boxes have no lines and no boundary. */
  s->bounded = once_in(2) && s->kind == END_OFF && !m->to.box;
  s->by_lines = once_in(3) && axes && !boxes && !m->sums;
  s->axis = axes ? (int)between(0, axes - 1) : 0;
  for (int k = 0, shifted = 0; k < axes; k++) {
    int64_t by = distance(draw());
    if (once_in(3) || (s->kind == CIRCULAR && shifted == MAX_CIRCULAR)) by = 0;
    shifted += by != 0, s->by[k] = by;
    if (!m->permuted) m->axes[k] = k;
  }
}

void shift_print(const struct move *m) {
  const struct shift *s = &m->shift;
  fprintf(stderr, "  shifted %s%s", s->kind == CIRCULAR ? "circularly" : "end off", s->bounded ? ", with a boundary" : "");
  if (s->by_lines) fprintf(stderr, ", lines along axis %d", s->axis);
  for (int k = 0; !s->by_lines && k < m->from.axes; k++) fprintf(stderr, "%s %lld", k ? "," : ", by", (long long)s->by[k]);
  fputc('\n', stderr);
}

/* Returns the seed of the line through these positions along the shifted axes. */
static uint64_t line_through(const struct shift *s, int axes, const int64_t *at) {
  uint64_t line = s->salt;
  for (int k = 0; s->by_lines && k < axes; k++) line = hash(line, k == s->axis ? 0 : (uint64_t)at[k]);
  return line;
}

int shift_source(const struct shift *s, const int64_t *axes, int count, const reblock_range *to_section, const int64_t *index,
                 const reblock_range *from_section, int64_t *source, uint64_t *line) {
  int64_t at[MAX_AXES], there[MAX_AXES];
  for (int k = 0; k < count; k++) {
    const reblock_range *to = &to_section[axes[k]];
    at[k] = (index[axes[k]] - to->lower) / to->stride;
    /* For the reverse move, the axes of the shift are those of the target. */
    there[axes[k]] = at[k];
  }
  int shifted = s && s->kind != UNSHIFTED;
  if (shifted) *line = line_through(s, count, s->backwards ? there : at);
  for (int k = 0; k < count; k++) {
    int64_t n = walk_count(&from_section[k]), axis = shifted && s->backwards ? axes[k] : k;
    int64_t by = !shifted ? 0 : !s->by_lines ? s->by[axis] : axis == s->axis ? distance(*line) : 0;
    at[k] += shifted && s->backwards ? -by : by;
    if (shifted && s->kind == CIRCULAR) at[k] = (at[k] % n + n) % n;
    if (at[k] < 0 || at[k] >= n) return 0;
    source[k] = from_section[k].lower + at[k] * from_section[k].stride;
  }
  return 1;
}

struct shift shift_back(const struct move *m) {
  struct shift back = m->shift;
  back.backwards = 1, back.bounded = 0;
  return back;
}

void shift_boundary(char *at, int64_t type, int64_t element, uint64_t line) {
  if (type) number_write(at, type, hash(line, 1));
  else for (int64_t b = 0; b < element; b++) at[b] = (char)hash(line, (uint64_t)b + 2);
}

/* Lists this rank's positions in the target's section along an axis, in local order; returns their number. */
static int64_t own_positions(const struct laid *to, int axis, const reblock_range *range, int64_t *own) {
  const struct array_axis *a = &to->side->a[axis];
  int64_t count = 0, most = walk_count(range);
  for (int64_t i = 0; i < a->extent; i++) {
    int64_t beyond = a->lower + i - range->lower;
    if (to->part.position[axis][i] < 0 || beyond % range->stride) continue;
    if (beyond / range->stride >= 0 && beyond / range->stride < most) own[count++] = beyond / range->stride;
  }
  return count;
}

/* Lists the distances and boundary values of the lines of this rank's elements, in local order; returns their
 * number. */
static int64_t own_lines(const struct move *m, const struct laid *to, int64_t **distances, char **boundaries) {
  const struct side *s = to->side;
  int64_t *own[MAX_AXES], counts[MAX_AXES], turn[MAX_AXES] = {0}, at[MAX_AXES], along = m->axes[m->shift.axis], lines = 1;
  reblock_range section[MAX_AXES];
  section_of(s, s->whole_section, section);
  for (int k = 0; k < s->axes; k++) {
    own[k] = malloc(sizeof **own * (size_t)(s->a[k].extent + 1));
    counts[k] = own_positions(to, k, &section[k], own[k]);
    if (k == along) counts[k] = counts[k] > 0;
    lines *= counts[k];
  }
  *distances = malloc(sizeof **distances * (size_t)(lines + 1)), *boundaries = malloc((size_t)((lines + 1) * to->element));
  for (int64_t n = 0; n < lines; n++) {
    for (int k = 0; k < s->axes; k++) at[k] = own[m->axes[k]][turn[m->axes[k]]];
    uint64_t line = line_through(&m->shift, s->axes, at);
    (*distances)[n] = distance(line);
    shift_boundary(*boundaries + n * to->element, to->type, to->element, line);
    for (int k = 0; k < s->axes && ++turn[s->order[k]] == counts[s->order[k]]; k++) turn[s->order[k]] = 0;
  }
  for (int k = 0; k < s->axes; k++) free(own[k]);
  return lines;
}

void shift_plan(MPI_Fint comm, const struct move *m, const reblock_map *from_map, const reblock_range *from_section,
                const struct laid *to, const reblock_map *to_map, const reblock_range *to_section,
                const reblock_plan_options *options, reblock_plan **plan) {
  const struct shift *s = &m->shift;
  int64_t axes = m->from.axes, *distances;
  char value[MAX_BYTES], *boundaries;
  shift_boundary(value, m->type, m->element, s->salt);
  if (s->by_lines) {
    int64_t count = own_lines(m, to, &distances, &boundaries);
    refused(binding->plan_shift_lines(comm, from_map, from_section, to_map, to_section, m->element, s->axis, s->kind == CIRCULAR, count,
                                   distances, s->bounded ? boundaries : NULL, options, plan), "plan_shift_lines");
    free(distances), free(boundaries);
  } else if (s->kind == CIRCULAR) {
    refused(binding->plan_cshift(comm, from_map, from_section, to_map, to_section, m->element, axes, s->by, options, plan), "plan_cshift");
  } else {
    refused(binding->plan_eoshift(comm, from_map, from_section, to_map, to_section, m->element, axes, s->by, s->bounded ? value : NULL,
                               options, plan), "plan_eoshift");
  }
}
