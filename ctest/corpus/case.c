/* Draws the case of a seed. */
#include "case.h"
#include "draw.h"
#include "numbers.h"
#include <stdio.h>
#include <string.h>

const char *const feature_names[FEATURES] = {"groups", "sections", "shadows", "orders", "strides", "alignments",
                                             "copies", "indirects", "texts", "options", "relabels",
                                             "many", "arrays", "scalars", "updates", "axes", "sums", "boxes", "spreads", "halos",
                                             "shifts", "lists"};
int left_out[FEATURES];

int feature(enum feature f, int n) {
  int chosen = once_in(n);
  return chosen && !left_out[f];
}

/* Draws extents of 1 to 5 axes, sometimes of no axis, sometimes of up to 7, HPF's limit; mostly of few elements,
 * sometimes of none. */
static int draw_extents(int64_t *extents) {
  int axes = (int)between(1, once_in(10) ? 7 : 5);
  if (feature(SCALARS, 25)) return 0;
  int64_t room = once_in(12) ? 4000 : once_in(3) ? 60 : 500;
  for (int k = 0; k < axes; k++) {
    int64_t most = room;
    for (int rest = k + 1; rest < axes && most > 6; rest++) most = most / 3 + 1;
    extents[k] = once_in(60) ? 0 : once_in(8) ? 1 : between(1, most);
    room /= extents[k] > 0 ? extents[k] : 1;
    if (room < 1) room = 1;
  }
  shuffle(extents, axes);
  return axes;
}

/* Removes or inserts axes of a single index, which does not change the order of elements. Keeps and inserts at most
 * `most` such axes, unless no axis would be left. */
static int with_single_axes(int64_t *made, const int64_t *extents, int axes, int most) {
  int count = 0, singles = 0;
  for (int k = 0; k < axes; k++) {
    if (singles < most && feature(SECTIONS, 8)) made[count++] = 1, singles++;
    int last = k == axes - 1 && count == 0;
    if (extents[k] == 1 && !last && (singles >= most || feature(SECTIONS, 2))) continue;
    singles += extents[k] == 1;
    made[count++] = extents[k];
  }
  return count;
}

static int is_listed(const int64_t *list, int count, int64_t entry) {
  for (int i = 0; i < count; i++)
    if (list[i] == entry) return 1;
  return 0;
}

/* Draws the axes, of `axes`, along which the source is repeated; returns their number. */
static int draw_spread(struct move *m, int axes) {
  int64_t all[2 * MAX_AXES];
  int spreads = (int)between(1, axes);
  for (int k = 0; k < axes; k++) all[k] = k;
  shuffle(all, axes);
  memcpy(m->spread, all, sizeof m->spread);
  return feature(SPREADS, 5) ? spreads : 0;
}

/* Draws the target's axis for each axis of a spread source, which determines the target's extents. */
static void name_axes(struct move *m, int64_t *extents, int axes) {
  int64_t sources[2 * MAX_AXES];
  int kept = 0;
  for (int k = 0; k < axes; k++)
    if (!is_listed(m->spread, m->spreads, k)) sources[kept] = extents[k], m->axes[kept++] = k;
  if (m->permuted) shuffle(m->axes, kept);
  for (int k = 0; k < kept; k++) extents[m->axes[k]] = sources[k];
}

/* Draws two arrays on ranks that are equal, nested, disjoint or overlapping. */
static void draw_move(struct move *m, const struct group *enclosing, int relabel, int64_t type) {
  static const int64_t elements[] = {1, 2, 4, 8, 16, 8, 4};
  int64_t extents[MAX_AXES], pool[MAX_RANKS];
  int axes = draw_extents(extents), count = enclosing->count, cut = count;
  for (int i = 0; i < count; i++) pool[i] = enclosing->members[i];
  shuffle(pool, count);
  int disjoint = count > 1 && once_in(4), common = count;
  if (disjoint) cut = (int)between(1, count - 1);
  else if (once_in(3)) common = (int)between(1, count);
  int64_t made[2 * MAX_AXES];
  int with = with_single_axes(made, extents, axes, 2 * MAX_AXES);
  int spreads = with ? draw_spread(m, with) : 0;
  m->spreads = relabel ? 0 : spreads;
  int64_t sources[2 * MAX_AXES];
  int kept = 0;
  for (int k = 0; k < with; k++)
    if (!is_listed(m->spread, m->spreads, k)) sources[kept++] = made[k];
  draw_side(&m->from, enclosing, sources, kept, pool, disjoint ? cut : common);
  int permuted = feature(AXES, 4);
  for (int k = 0; k < with; k++) m->axes[k] = k;
  shuffle(m->axes, with);
  m->permuted = permuted;
  int64_t goals[2 * MAX_AXES];
  for (int k = 0; k < with; k++) goals[m->axes[k]] = made[k];
  int shifted = feature(SHIFTS, 4) && !m->spreads && !relabel;
  if (m->spreads) name_axes(m, made, with);
  else if (permuted) memcpy(made, goals, sizeof made);
  /* A plan has at most 16 axes: those of the source, axes of a single index in the target only, and the parts of an
   * element. */
  else if (!shifted) with = with_single_axes(made, extents, axes, 15 - with);
  draw_side(&m->to, enclosing, made, with, pool + (disjoint ? cut : 0), disjoint ? count - cut : common);
  int boxes = (int)between(1, 3);
  if (feature(BOXES, 4) && !m->spreads) {
    if (boxes & 1) draw_boxes(&m->from);
    if (boxes & 2) draw_boxes(&m->to);
  }
  /* The part that relabelling assigns to a process may not fit the strides of the process's old part. */
  if (relabel) m->to.gaps = 0;
  m->element = once_in(2) ? elements[between(0, 6)] : between(1, 40);
  int sums = feature(SUMS, 2);
  m->type = type, m->salt = draw(), m->sums = type && sums;
  if (type) m->element = number_bytes(type);
  if (shifted) draw_shift(m);
}

static void draw_options(struct one_case *c) {
  static const char *const transports[] = {NULL, "shm", "mpi"};
  static const char *const schedulers[] = {NULL, "edge-colouring", "unscheduled"};
  c->with_options = feature(OPTIONS, 3);
  int transport = (int)between(0, 2), scheduler = (int)between(0, 2);
  int64_t buffer = once_in(2) ? 65536 : 0, window = once_in(2) ? between(1, 6) : 0;
  reblock_plan_options_init(&c->options);
  c->options.transport = transports[transport], c->options.scheduler = schedulers[scheduler];
  c->options.buffer = buffer, c->options.window = window;
  c->options.relabel = c->with_options && feature(RELABELS, 2);
}

void draw_case(struct one_case *c, uint64_t seed) {
  memset(c, 0, sizeof *c);
  restart(seed);
  c->enclosing = draw_enclosing();
  draw_options(c);
  if (feature(ARRAYS, 6)) {
    int64_t extents[MAX_AXES];
    int axes = draw_extents(extents);
    draw_arrays(&c->arrays, c->enclosing, extents, axes);
    return;
  }
  int several = feature(MANY, 8);
  c->moves = several ? (int)between(2, MAX_MOVES) : 1;
  int updates = feature(UPDATES, 3);
  int64_t type = between(REBLOCK_INT32, REBLOCK_DOUBLE_COMPLEX);
  for (int i = 0; i < c->moves; i++) draw_move(&c->move[i], c->enclosing, c->options.relabel != 0, updates ? type : 0);
  /* Messages between boxes, and those of lists and lines, have a fixed order. */
  for (int i = 0; i < c->moves; i++) {
    const struct move *m = &c->move[i];
    if ((m->from.box || m->to.box || m->shift.by_lines) && c->options.scheduler) c->options.scheduler = "caterpillar";
  }
}

void case_free(struct one_case *c) {
  for (int i = 0; i < c->moves; i++) side_free(&c->move[i].from), side_free(&c->move[i].to);
  arrays_free(&c->arrays);
}

void case_print(const struct one_case *c) {
  fprintf(stderr, "  in a communicator of ranks");
  for (int i = 0; i < c->enclosing->count; i++) fprintf(stderr, " %d", c->enclosing->members[i]);
  const reblock_plan_options *o = &c->options;
  if (c->with_options)
    fprintf(stderr, "; transport %s, scheduler %s, buffer %lld, window %lld%s", o->transport ? o->transport : "any",
            o->scheduler ? o->scheduler : "any", (long long)o->buffer, (long long)o->window, o->relabel ? ", relabel" : "");
  fprintf(stderr, "\n");
  for (int i = 0; i < c->moves; i++) {
    const struct move *m = &c->move[i];
    fprintf(stderr, "  elements of %lld bytes", (long long)m->element);
    if (m->type) fprintf(stderr, ", numbers of type %lld%s", (long long)m->type, m->sums ? ", sums over copies" : "");
    if (m->spreads) fprintf(stderr, ", spread along axes");
    for (int k = 0; k < m->spreads; k++) fprintf(stderr, " %lld", (long long)m->spread[k]);
    if (m->permuted) fprintf(stderr, ", axes");
    for (int k = 0; m->permuted && k < m->from.axes; k++) fprintf(stderr, " %lld", (long long)m->axes[k]);
    fprintf(stderr, "\n");
    if (m->shift.kind) shift_print(m);
    side_print("from", &c->move[i].from);
    side_print("to", &c->move[i].to);
  }
  arrays_print(&c->arrays);
}
