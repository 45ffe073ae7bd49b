/* Builds the tables of a job. Naive loops find the runs, which are then joined into families that repeat with a
 * period. */
#include "plan.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int owner(const struct axis *axis, int index) { return axis->owners ? axis->owners[index] : index / axis->block % axis->procs; }
int local_extent(const struct axis *axis, int proc) {
  if (!axis->owners) {
    int cycle = axis->block * axis->procs, rest = axis->extent % cycle - proc * axis->block;
    return axis->extent / cycle * axis->block + (rest < 0 ? 0 : rest < axis->block ? rest : axis->block);
  }
  int count = 0;
  for (int i = 0; i < axis->extent; i++) count += axis->owners[i] == proc;
  return count;
}
int local_index(const struct axis *axis, int index) {
  if (!axis->owners) return index / (axis->block * axis->procs) * axis->block + index % axis->block;
  int count = 0;
  for (int i = 0; i < index; i++) count += axis->owners[i] == axis->owners[index];
  return count;
}

int ranks_of(const struct matrix *m) { return m->axes[ROWS].procs * m->axes[COLUMNS].procs; }
struct matrix matrix_of(struct axis rows, struct axis columns, int element, int gap) {
  struct matrix m = {.axes = {rows, columns}, .element = element};
  for (int r = 0; r < ranks_of(&m); r++) {
    m.ld[r] = local_extent(&rows, r % rows.procs) + gap;
    m.at[r] = m.bytes;
    m.bytes += ((size_t)m.ld[r] * (size_t)local_extent(&columns, r / rows.procs) * (size_t)element + 15) / 16 * 16;
  }
  return m;
}
size_t element_at(const struct matrix *m, int i, int j) {
  const struct axis *rows = &m->axes[ROWS], *columns = &m->axes[COLUMNS];
  int r = owner(rows, i) + owner(columns, j) * rows->procs;
  return m->at[r] + ((size_t)local_index(columns, j) * (size_t)m->ld[r] + (size_t)local_index(rows, i)) * (size_t)m->element;
}

static void *grown(void *old, unsigned count, size_t bytes) {
  void *memory = (count & (count - 1)) && count ? old : realloc(old, (count ? 2 * (size_t)count : 1) * bytes);
  if (!memory) fprintf(stderr, "plan: no memory\n"), exit(2);
  return memory;
}
static struct family *new_family(struct plan *plan) {
  plan->families = grown(plan->families, plan->family_count, sizeof *plan->families);
  return &plan->families[plan->family_count++];
}

/* Appends a run to the families from `begin` on: part of the last run, one more run of the last family, or a new
 * family. */
static void add_run(struct plan *plan, unsigned begin, long long source, long long target, unsigned len) {
  if (plan->family_count > begin) {
    struct family *last = &plan->families[plan->family_count - 1];
    long long ends[SIDES], steps[SIDES] = {source - last->start[SOURCE], target - last->start[TARGET]};
    for (int side = 0; side < SIDES; side++) ends[side] = last->start[side] + (last->count - 1) * last->stride[side] + last->len;
    if (last->count == 1 && ends[SOURCE] == source && ends[TARGET] == target) {
      last->len += len;
      return;
    }
    if (last->count == 1 && last->len == len) {
      last->stride[SOURCE] = steps[SOURCE], last->stride[TARGET] = steps[TARGET], last->count = 2;
      return;
    }
    if (last->len == len && last->count * last->stride[SOURCE] == steps[SOURCE] && last->count * last->stride[TARGET] == steps[TARGET]) {
      last->count++;
      return;
    }
  }
  struct family family = {.start = {source, target}, .len = len, .count = 1};
  *new_family(plan) = family;
}

/* Appends the runs of section indices from `begin` to `end` that process p of `a` has and process q of `b` gets;
 * returns their length. */
static unsigned add_part(struct plan *plan, const struct axis *a, int ia, int p, const struct axis *b, int ib, int q, int begin, int end) {
  unsigned first = plan->family_count, total = 0;
  for (int k = begin; k < end;) {
    if (owner(a, ia + k) != p || owner(b, ib + k) != q) {
      k++;
      continue;
    }
    int source = local_index(a, ia + k), target = local_index(b, ib + k), len = 1;
    while (k + len < end && owner(a, ia + k + len) == p && owner(b, ib + k + len) == q &&
           local_index(a, ia + k + len) == source + len && local_index(b, ib + k + len) == target + len)
      len++;
    add_run(plan, first, source, target, (unsigned)len);
    k += len;
  }
  for (unsigned f = first; f < plan->family_count; f++) {
    plan->families[f].first = total;
    total += plan->families[f].len * plan->families[f].count;
  }
  return total;
}

static int gcd(int a, int b) { return b ? gcd(b, a % b) : a; }

/* Adds the level of the indices that p and q share; returns its number, or -1 if there are none. */
static int add_set(struct plan *plan, const struct axis *a, int ia, int p, const struct axis *b, int ib, int q, int len) {
  struct level set = {.families = plan->family_count};
  int body = 0;
  if (!a->owners && !b->owners) {
    int one = a->block * a->procs, other = b->block * b->procs;
    long long period = (long long)one / gcd(one, other) * other;
    if (period <= len / 2) {
      set.per_period = add_part(plan, a, ia, p, b, ib, q, 0, (int)period);
      if (set.per_period) set.reps = (unsigned)(len / period), body = (int)(set.reps * period);
      set.period[SOURCE] = period / a->procs, set.period[TARGET] = period / b->procs;
    }
  }
  set.bodies = plan->family_count - set.families;
  unsigned rest = add_part(plan, a, ia, p, b, ib, q, body, len);
  set.tails = plan->family_count - set.families - set.bodies;
  set.total = set.reps * set.per_period + rest;
  if (!set.total) return -1;
  plan->levels = grown(plan->levels, plan->level_count, sizeof *plan->levels);
  plan->levels[plan->level_count] = set;
  return (int)plan->level_count++;
}

/* Replaces the places of one side of a set by positions in the message. */
static void make_dense(struct plan *plan, struct level *set, int side) {
  for (unsigned f = 0; f < set->bodies + set->tails; f++) {
    struct family *family = &plan->families[set->families + f];
    family->start[side] = family->first + (f < set->bodies ? 0 : set->reps * set->per_period);
    family->stride[side] = family->len;
  }
  set->period[side] = set->per_period;
}

static long long gcd_long(long long a, long long b) { return b ? gcd_long(b, a % b) : a < 0 ? -a : a; }

/* Returns the largest unit in bytes, at most 16, that divides all runs and distances of rows, distances of columns, and
 * addresses. */
static int common_unit(const struct plan *plan, int element, int most) {
  long long common = 16 / element;
  for (unsigned m = 0; m < plan->count; m++) {
    const struct message *message = &plan->messages[m];
    const struct level *set = &plan->levels[message->first_level];
    for (int side = 0; side < SIDES; side++) {
      if (set[ROWS].step[side] != 1) return element;
      common = gcd_long(common, set[COLUMNS].step[side]);
      common = gcd_long(common, set->period[side]);
      while ((uintptr_t)message->at[side] % (uintptr_t)(common * element)) common /= 2;
    }
    for (unsigned f = 0; f < set->bodies + set->tails; f++) {
      const struct family *family = &plan->families[set->families + f];
      common = gcd_long(common, family->len);
      for (int side = 0; side < SIDES; side++) {
        common = gcd_long(common, family->start[side]);
        if (family->count > 1) common = gcd_long(common, family->stride[side]);
      }
    }
  }
  while (common * element > most && common > 1) common /= 2;
  return (int)common * element;
}

/* Changes rows from elements to units of `unit` bytes, and steps from elements to bytes. */
static void scale(struct plan *plan, int element, int unit) {
  int by = unit / element;
  for (unsigned m = 0; m < plan->count; m++) {
    struct level *levels = &plan->levels[plan->messages[m].first_level], *set = &levels[ROWS];
    for (int d = 0; d < DIMENSIONS; d++)
      for (int side = 0; side < SIDES; side++) levels[d].step[side] *= d == ROWS ? unit : element;
    for (int side = 0; side < SIDES; side++) set->period[side] /= by;
    set->per_period /= (unsigned)by, set->total /= (unsigned)by;
    for (unsigned f = 0; f < set->bodies + set->tails; f++) {
      struct family *family = &plan->families[set->families + f];
      for (int side = 0; side < SIDES; side++) family->start[side] /= by, family->stride[side] /= by;
      family->len /= (unsigned)by, family->first /= (unsigned)by;
    }
  }
}

/* Appends the message from process (p, pc) of A to process (q, qc) of B. */
static void add_message(struct plan *plan, const struct problem *o, enum way way, int p, int pc, int q, int qc,
                        unsigned char *const *source, unsigned char *const *target, unsigned char *packed) {
  const struct axis *from[DIMENSIONS] = {&o->a->axes[o->turned ? COLUMNS : ROWS], &o->a->axes[o->turned ? ROWS : COLUMNS]};
  int first[DIMENSIONS] = {o->turned ? o->ja : o->ia, o->turned ? o->ia : o->ja};
  int owner_from[DIMENSIONS] = {o->turned ? pc : p, o->turned ? p : pc};
  int rows = add_set(plan, from[ROWS], first[ROWS], owner_from[ROWS], &o->b->axes[ROWS], o->ib, q, o->m);
  int columns = rows < 0 ? -1 : add_set(plan, from[COLUMNS], first[COLUMNS], owner_from[COLUMNS], &o->b->axes[COLUMNS], o->jb, qc, o->n);
  if (columns < 0) return;
  int sender = p + pc * o->a->axes[ROWS].procs, receiver = q + qc * o->b->axes[ROWS].procs;
  struct level *levels = &plan->levels[rows];
  struct message message = {.first_level = (unsigned)rows, .levels = DIMENSIONS, .columns = levels[COLUMNS].total};
  levels[ROWS].step[SOURCE] = o->turned ? o->a->ld[sender] : 1, levels[COLUMNS].step[SOURCE] = o->turned ? 1 : o->a->ld[sender];
  levels[ROWS].step[TARGET] = 1, levels[COLUMNS].step[TARGET] = o->b->ld[receiver];
  size_t elements = (size_t)levels[ROWS].total * levels[COLUMNS].total, bytes = elements * (size_t)o->b->element;
  if (way != UNPACK) message.at[SOURCE] = source[sender];
  if (way != PACK) message.at[TARGET] = target[receiver];
  if (way != DIRECT) {
    int side = way == PACK ? TARGET : SOURCE;
    make_dense(plan, &levels[ROWS], side), make_dense(plan, &levels[COLUMNS], side);
    levels[ROWS].step[side] = 1, levels[COLUMNS].step[side] = levels[ROWS].total;
    message.at[side] = packed + plan->packed;
  }
  plan->packed += (bytes + 15) / 16 * 16;
  plan->elements += elements;
  plan->messages = grown(plan->messages, plan->count, sizeof *plan->messages);
  plan->messages[plan->count++] = message;
}

struct plan plan_make(const struct problem *o, enum way way, int from, int to, unsigned char *const *source,
                      unsigned char *const *target, unsigned char *packed, int most_unit) {
  struct plan plan = {0};
  const struct axis *a = o->a->axes, *b = o->b->axes;
  for (int r = 0; r < ranks_of(o->b); r++)
    for (int s = 0; s < ranks_of(o->a); s++)
      if ((from < 0 || from == s) && (to < 0 || to == r))
        add_message(&plan, o, way, s % a[ROWS].procs, s / a[ROWS].procs, r % b[ROWS].procs, r / b[ROWS].procs, source, target, packed);
  plan.unit = common_unit(&plan, o->b->element, most_unit);
  scale(&plan, o->b->element, plan.unit);
  return plan;
}

static unsigned tiles_of(const struct plan *plan, const struct message *message, unsigned lanes, unsigned columns) {
  return (plan->levels[message->first_level].total + lanes - 1) / lanes * ((message->columns + columns - 1) / columns);
}

void plan_tile(struct plan *plan, const struct machine *machine, unsigned lanes, unsigned columns, int interleaved) {
  struct job job = {.count = plan->count, .lanes = lanes, .columns = columns, .interleaved = (unsigned)interleaved};
  for (unsigned m = 0; m < plan->count; m++) {
    unsigned tiles = tiles_of(plan, &plan->messages[m], lanes, columns);
    plan->messages[m].first_tile = job.tiles, job.tiles += tiles;
    if (tiles > job.most_tiles) job.most_tiles = tiles;
  }
  size_t messages = sizeof(struct message) * plan->count, levels = sizeof(struct level) * plan->level_count,
         families = sizeof(struct family) * plan->family_count;
  char *all = malloc(messages + levels + families + 1);
  if (!plan->tables) plan->tables = machine->get(messages + levels + families + 1);
  if (!all) fprintf(stderr, "plan: no memory\n"), exit(2);
  if (messages) memcpy(all, plan->messages, messages), memcpy(all + messages, plan->levels, levels), memcpy(all + messages + levels, plan->families, families);
  machine->put(plan->tables, all, messages + levels + families);
  free(all);
  job.messages = plan->tables;
  job.levels = (const struct level *)((char *)plan->tables + messages);
  job.families = (const struct family *)((char *)plan->tables + messages + levels);
  plan->job = job;
}

void plan_free(struct plan *plan, const struct machine *machine) {
  free(plan->messages), free(plan->levels), free(plan->families);
  if (plan->tables) machine->drop(plan->tables);
}

/* Returns the argument of an update kernel. */
static struct update update_of(enum kernel kernel, const struct change *change) {
  const double *alpha = change->alpha, *beta = change->beta;
  struct update update = {.aligned = 1, .conjugates = (unsigned)change->conjugate};
  update.reads = alpha[0] != 0 || alpha[1] != 0, update.keeps = beta[0] != 0 || beta[1] != 0;
  update.scales = alpha[0] != 1 || alpha[1] != 0, update.scales_old = beta[0] != 1 || beta[1] != 0;
  int single = kernel == K_add_s || kernel == K_add_c || kernel == K_turn_add_s || kernel == K_turn_add_c;
  size_t bytes = single ? sizeof(float) : sizeof(double);
  for (size_t k = 0; k < 2; k++) {
    float parts[] = {(float)alpha[k], (float)beta[k]};
    memcpy(update.alpha + k * bytes, single ? (const void *)&parts[0] : &alpha[k], bytes);
    memcpy(update.beta + k * bytes, single ? (const void *)&parts[1] : &beta[k], bytes);
  }
  return update;
}

void plan_run(struct plan *plan, const struct machine *machine, enum kernel kernel, const struct change *change) {
  struct update update = {0};
  if (change) update = update_of(kernel, change);
  void *arguments[] = {&plan->job, &update};
  unsigned blocks = plan->job.interleaved ? plan->job.most_tiles * plan->job.count : plan->job.tiles;
  if (blocks) machine->launch(kernel, blocks, arguments);
}

enum kernel copy_kernel(int unit, int turned) {
  switch (unit) {
    case 1: return turned ? K_turn_1 : K_copy_1;
    case 2: return turned ? K_turn_2 : K_copy_2;
    case 4: return turned ? K_turn_4 : K_copy_4;
    case 8: return turned ? K_turn_8 : K_copy_8;
    default: return turned ? K_turn_16 : K_copy_16;
  }
}
