/* Random layouts. */
#include "layout.h"

/* Cuts tiles in two until there are `tiles` tiles. */
static void cut(struct layout *l, int tiles) {
  for (int tries = 0; l->tiles < tiles && tries < 200; tries++) {
    struct tile *t = &l->tile[draw(0, l->tiles - 1)];
    int k = (int)draw(0, l->axes - 1);
    if (t->size[k] < 2) continue;
    int64_t first = draw(1, t->size[k] - 1);
    struct tile *other = &l->tile[l->tiles++];
    *other = *t;
    other->start[k] += first, other->size[k] -= first, t->size[k] = first;
  }
}

/* Makes tiles of equal size, except the last ones. */
static void grid(struct layout *l) {
  int64_t block[AXES], count[AXES], tiles = 1;
  for (int k = 0; k < l->axes; k++) {
    block[k] = draw(1, l->extents[k] > 0 ? l->extents[k] : 1);
    count[k] = (l->extents[k] + block[k] - 1) / block[k];
    if (tiles * count[k] > TILES) block[k] = l->extents[k], count[k] = 1;
    tiles *= count[k];
  }
  l->tiles = (int)tiles;
  for (int64_t n = 0; n < tiles; n++) {
    int64_t rest = n;
    for (int k = 0; k < l->axes; k++) {
      int64_t at = rest % count[k] * block[k];
      rest /= count[k];
      l->tile[n].start[k] = at;
      l->tile[n].size[k] = at + block[k] > l->extents[k] ? l->extents[k] - at : block[k];
    }
  }
}

/* Sets strides without gaps; returns the elements of the tile. */
static int64_t dense(const struct layout *l, struct tile *t) {
  int64_t stride = 1;
  for (int n = 0; n < l->axes; n++) {
    int k = l->row_major ? l->axes - 1 - n : n;
    t->stride[k] = stride;
    stride *= t->size[k];
  }
  return stride;
}

/* Places tiles one after the other, with gaps and individual strides, or in one array of the rank. */
static void place(struct layout *l) {
  int how = (int)draw(0, 2);
  l->defaults = how == 0;
  for (int n = 0; n < l->tiles; n++) {
    struct tile *t = &l->tile[n];
    int64_t elements = dense(l, t), *end = &l->storage[t->owner];
    t->offset = *end;
    if (how == 1) {
      /* In any order, with one or two elements between neighbours. */
      int64_t stride = draw(1, 2);
      int turned = (int)draw(0, 1);
      for (int m = 0; m < l->axes; m++) {
        int k = turned ? l->axes - 1 - m : m;
        t->stride[k] = stride;
        stride *= t->size[k] + draw(0, 1);
      }
      t->offset += draw(0, 3);
      elements = t->offset - *end + stride;
    } else if (how == 2) {
      /* Each rank has room for the whole array, in which its tiles interleave. */
      int64_t stride = 1;
      t->offset = 0;
      for (int k = 0; k < l->axes; k++) {
        t->stride[k] = stride;
        t->offset += stride * t->start[k];
        stride *= l->extents[k] + 1;
      }
      elements = 0;
      if (*end < stride) *end = stride;
    }
    *end += elements;
  }
}

static void draw_boxes(struct layout *l) {
  memset(l->tile, 0, sizeof l->tile);
  memset(l->storage, 0, sizeof l->storage);
  l->row_major = (int)draw(0, 1);
  int one_each = draw(0, 2) == 0;
  if (!one_each && draw(0, 1)) grid(l);
  else {
    l->tiles = 1;
    for (int k = 0; k < l->axes; k++) l->tile[0].start[k] = 0, l->tile[0].size[k] = l->extents[k];
    cut(l, one_each ? ranks : (int)draw(1, TILES));
  }
  for (int n = 0; n < l->tiles; n++) l->tile[n].owner = one_each ? n : (int)draw(0, ranks - 1);
  place(l);
}

static void draw_dealt(struct layout *l) {
  int64_t left = ranks;
  for (int k = 0; k <= l->axes; k++) l->shape[k] = draw(0, 2) && k < l->axes ? draw(1, left) : 1, left /= l->shape[k];
  if (draw(0, 3) == 0) l->shape[l->axes] = draw(1, left);
  l->copies = (int)l->shape[l->axes];
  for (int k = 0; k < l->axes; k++) {
    int64_t procs = l->shape[k], n = l->extents[k], block = draw(1, 9), owner = 0;
    l->kind[k] = (int)draw(0, 3);
    if (l->kind[k] == 0) block = (n + procs - 1) / procs > 0 ? (n + procs - 1) / procs : 1;
    for (int64_t i = 0; i < n; i++) {
      if (l->kind[k] < 2) owner = i / block % procs;
      /* INDIRECT or GEN_BLOCK. */
      if (l->kind[k] == 2 && draw(0, 2) == 0) owner = draw(0, procs - 1);
      if (l->kind[k] == 3 && draw(0, 4) == 0 && owner + 1 < procs) owner++;
      l->owner[k][i] = owner;
    }
    if (l->kind[k] == 1) l->tile[0].size[k] = block;
  }
}

void draw_layout(struct layout *l, int axes, const int64_t *extents, int in_boxes) {
  l->axes = axes, l->in_boxes = in_boxes, l->copies = 1;
  memcpy(l->extents, extents, sizeof *extents * (size_t)axes);
  if (in_boxes) draw_boxes(l);
  else draw_dealt(l);
}

/* This rank's tiles, in the order in which they were drawn. */
static reblock_map *map_of_boxes(const struct layout *l) {
  int64_t starts[TILES * AXES], sizes[TILES * AXES], strides[TILES * AXES], offsets[TILES], count = 0;
  for (int n = 0; n < l->tiles; n++) {
    const struct tile *t = &l->tile[n];
    if (t->owner != me) continue;
    memcpy(starts + count * l->axes, t->start, sizeof *starts * (size_t)l->axes);
    memcpy(sizes + count * l->axes, t->size, sizeof *starts * (size_t)l->axes);
    memcpy(strides + count * l->axes, t->stride, sizeof *starts * (size_t)l->axes);
    offsets[count++] = t->offset;
  }
  reblock_map *map;
  MUST(reblock_map_from_boxes(MPI_COMM_WORLD, l->axes, l->extents, count, starts, sizes, l->row_major,
                              l->defaults ? NULL : offsets, l->defaults ? NULL : strides, &map));
  return map;
}

static reblock_map *map_of_dealt(const struct layout *l) {
  int64_t lower[AXES] = {0}, upper[AXES];
  for (int k = 0; k < l->axes; k++) upper[k] = l->extents[k] - 1;
  reblock_procs *procs;
  reblock_template *template;
  reblock_map *map;
  MUST(reblock_procs_create(MPI_COMM_WORLD, l->axes + 1, l->shape, NULL, &procs));
  MUST(reblock_template_create(procs, l->axes, lower, upper, &template));
  for (int k = 0; k < l->axes; k++) {
    int64_t n = l->extents[k], sizes[RANKS] = {0}, first = n * me / ranks, end = n * (me + 1) / ranks;
    for (int64_t i = 0; i < n; i++) sizes[l->owner[k][i]]++;
    if (l->kind[k] == 0) MUST(reblock_template_dist_block(template, k, k, 0));
    if (l->kind[k] == 1) MUST(reblock_template_dist_cyclic(template, k, k, l->tile[0].size[k]));
    if (l->kind[k] == 2) MUST(reblock_template_dist_indirect_local(template, k, k, first, end - first, l->owner[k] + first));
    if (l->kind[k] == 3) MUST(reblock_template_dist_gen_block(template, k, k, l->shape[k], sizes));
  }
  MUST(reblock_template_commit(template));
  MUST(reblock_map_whole(template, &map));
  MUST(reblock_template_free(&template));
  MUST(reblock_procs_free(&procs));
  return map;
}

reblock_map *mapped(const struct layout *l) { return l->in_boxes ? map_of_boxes(l) : map_of_dealt(l); }

int where(const struct layout *l, const int64_t *index, int copy, int64_t *place) {
  *place = 0;
  for (int n = 0; l->in_boxes && n < l->tiles; n++) {
    const struct tile *t = &l->tile[n];
    int64_t at = t->offset;
    int inside = 1;
    for (int k = 0; k < l->axes; k++) {
      int64_t x = index[k] - t->start[k];
      inside &= x >= 0 && x < t->size[k];
      at += x * t->stride[k];
    }
    if (inside) return *place = at, t->owner;
  }
  if (l->in_boxes) return -1;
  int64_t rank = 0, stride = 1;
  for (int k = 0; k < l->axes; k++) {
    int64_t before = 0, all = 0, coord = l->owner[k][index[k]];
    for (int64_t i = 0; i < l->extents[k]; i++) all += l->owner[k][i] == coord, before += i < index[k] && l->owner[k][i] == coord;
    rank = rank * l->shape[k] + coord;
    *place += before * stride;
    stride *= all;
  }
  return (int)(rank * l->shape[l->axes] + copy);
}
