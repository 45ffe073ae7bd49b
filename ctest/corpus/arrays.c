/* Checks that every array of the library is exact after each REDISTRIBUTE and REALIGN, unless it is dead. */
#include "arrays.h"
#include "draw.h"
#include "laid.h"
#include <stdlib.h>
#include <string.h>

/* The current arrays. Templates have the numbers of the case. */
struct live {
  reblock_array *array[MAX_ARRAYS];
  struct laid laid[MAX_ARRAYS];
  struct laid template[MAX_STEPS + 1];
};

static int64_t bytes_of(const struct laid *l) { return l->part.elements * l->element; }

/* Reads the map, bounds and storage of array i after step n, for later comparisons. */
static void look(struct live *now, const struct arrays *a, int n, int i) {
  struct laid *l = &now->laid[i];
  int64_t extents[MAX_AXES], lower[MAX_AXES], strides[MAX_AXES];
  void *data = NULL;
  laid_begin(l, &a->side[n][i], a->element[i]);
  refused(binding->array_map(now->array[i], &l->map), "array_map");
  if (refused(binding->array_data(now->array[i], &data, extents, lower, strides), "array_data")) return;
  for (int k = 0; k < l->side->axes; k++) {
    const struct part *p = &l->part;
    if (extents[k] != p->extents[k] || (p->has && lower[k] != p->lower[k]) || (p->elements && strides[k] != p->strides[k]))
      complain("array %d, axis %d: %lld elements from %lld on, stride %lld, expected %lld from %lld on, stride %lld", i, k,
               (long long)extents[k], (long long)lower[k], (long long)strides[k], (long long)p->extents[k],
               (long long)p->lower[k], (long long)p->strides[k]);
  }
  size_t bytes = (size_t)bytes_of(l);
  l->memory = (struct guarded){.open = data, .opened = bytes, .data = data, .bytes = bytes};
  l->want = malloc(bytes + 1);
  laid_inquire(l);
}

static void look_away(struct laid *l) {
  part_free(&l->part, l->side);
  free(l->want);
  l->want = NULL;
  refused(binding->map_free(&l->map), "map_free");
}

/* Makes all arrays, filled with zeros. */
static void make(struct live *now, const struct arrays *a) {
  laid_begin(&now->template[0], &a->side[0][0], a->element[0]);
  laid_template(&now->template[0]);
  for (int i = 0; i < a->count && !bad; i++) {
    struct laid declared;
    laid_begin(&declared, &a->side[0][i], a->element[i]);
    declared.template = now->template[0].template;
    laid_map(&declared);
    refused(binding->array_create(declared.map, a->element[i], &now->array[i]), "array_create");
    declared.template = NULL;
    look_away(&declared);
    if (bad) return;
    look(now, a, 0, i);
    for (size_t at = 0; at < now->laid[i].memory.bytes && !bad; at++)
      if (now->laid[i].memory.data[at]) complain("array %d is not zero", i);
  }
}

/* Carries out step n of the case, from 0. */
static void direct(struct live *now, const struct arrays *a, int n) {
  const struct step *step = &a->step[n];
  int of = step->of, number = a->templates[n + 1][of], dead = 0;
  reblock_array *forgotten[MAX_ARRAYS];
  struct laid declared;
  laid_begin(&declared, &a->side[n + 1][of], a->element[of]);
  laid_template(&declared);
  if (step->realigned >= 0) {
    laid_map(&declared);
    refused(binding->array_realign(now->array[of], declared.map, step->dead[of]), "array_realign");
    refused(binding->map_free(&declared.map), "map_free");
    now->template[number] = declared;
    return;
  }
  for (int i = 0; i < a->count; i++)
    if (step->dead[i]) forgotten[dead++] = now->array[i];
  reblock_template *template = now->template[number].template;
  refused(binding->template_redistribute(template, declared.template, dead, forgotten), "template_redistribute");
  laid_free(&declared);
}

/* Checks a dead array: it gets other storage if it moves, and its values are not moved. */
static void check_dead(struct laid *l, const char *before, int i) {
  int64_t own = l->part.has;
  for (int k = 0; k < l->side->axes; k++) own *= l->part.len[k];
  if (own * l->element < 8 || l->memory.data == before) return;
  if (!memcmp(l->memory.open, l->want, l->memory.opened)) complain("array %d is dead, but was moved", i);
}

static void take_step(struct live *now, const struct arrays *a, int n) {
  const char *before[MAX_ARRAYS];
  for (int i = 0; i < a->count; i++) {
    laid_fill(&now->laid[i], n);
    before[i] = now->laid[i].memory.data;
  }
  direct(now, a, n);
  for (int i = 0; i < a->count && !bad; i++) {
    char name[32] = "array ";
    name[6] = (char)('0' + i);
    look_away(&now->laid[i]);
    look(now, a, n + 1, i);
    if (bad) return;
    laid_keep(&now->laid[i], n);
    if (a->step[n].dead[i]) check_dead(&now->laid[i], before[i], i);
    else laid_check(&now->laid[i], name, a->step[n].realigned < 0 ? "template_redistribute" : "array_realign");
  }
}

void arrays_move(const struct arrays *a) {
  struct live now;
  memset(&now, 0, sizeof now);
  MPI_Comm comm = a->side[0][0].group->comm;
  if (comm == MPI_COMM_NULL) return;
  int template_first = once_in(2);
  make(&now, a);
  for (int n = 0; n < a->steps && all_fine(comm); n++) take_step(&now, a, n);
  if (!all_fine(comm)) return;
  for (int n = 0; n <= MAX_STEPS && template_first; n++) laid_release(&now.template[n]);
  for (int i = 0; i < a->count; i++) {
    look_away(&now.laid[i]);
    refused(binding->array_free(&now.array[i]), "array_free");
  }
  for (int n = 0; n <= MAX_STEPS; n++)
    if (now.template[n].side) laid_free(&now.template[n]);
}
