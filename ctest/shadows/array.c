#define _GNU_SOURCE
#include "array.h"
#include <sys/mman.h>
#include <unistd.h>

/* Draws the block sizes of an axis: equal sizes except the last, or any sizes. */
static void draw_sizes(struct array *a, int k, reblock_template *t) {
  int64_t n = a->extents[k], procs = a->shape[k], left = n, *sizes = a->sizes[k];
  int format = (int)draw(0, 2);
  int64_t block = procs ? (n + procs - 1) / procs : 0;
  if (format == 1) block += draw(0, 2);
  if (!block) block = 1;
  for (int64_t c = 0; c < procs; c++) {
    sizes[c] = format == 2 ? draw(0, left) : left < block ? left : block;
    if (format == 2 && c + 1 == procs) sizes[c] = left;
    left -= sizes[c];
  }
  if (format == 0) MUST(reblock_template_dist_block(t, k, k, 0));
  if (format == 1) MUST(reblock_template_dist_block(t, k, k, block));
  if (format == 2) MUST(reblock_template_dist_gen_block(t, k, k, procs, sizes));
}

int coordinates(const struct array *a, int64_t rank, int64_t *at, int64_t *copy) {
  *copy = rank % a->copies, rank /= a->copies;
  for (int k = a->axes - 1; k >= 0; k--) at[k] = rank % a->shape[k], rank /= a->shape[k];
  return rank == 0;
}

int64_t extents_of(const struct array *a, const int64_t *at, int64_t *extents) {
  int64_t all = 1;
  for (int k = 0; k < a->axes; k++)
    all *= extents[k] = a->sizes[k][at[k]] + a->deep[k][0] + a->deep[k][1] + a->gaps[k];
  return all;
}

/* Replaces the map by a map with strides that leave gaps. */
static void put_gaps(struct array *a) {
  int64_t at[AXES], copy, extents[AXES], strides[AXES], stride = 1;
  reblock_map *dense = a->map;
  for (int k = 0; k < a->axes; k++) a->gaps[k] = k == (a->row_major ? 0 : a->axes - 1) ? 0 : draw(0, 2);
  if (coordinates(a, me, at, &copy)) extents_of(a, at, extents);
  else memset(extents, 0, sizeof extents);
  for (int j = 0; j < a->axes; j++) {
    int k = a->row_major ? a->axes - 1 - j : j;
    strides[k] = stride, stride *= extents[k] ? extents[k] : 1;
  }
  MUST(reblock_map_strides(dense, strides, &a->map));
  MUST(reblock_map_free(&dense));
}

void draw_like(struct array *a, const struct array *like, int64_t bytes) {
  static const int64_t most[] = {0, 60, 14, 8, 5};
  int64_t left = ranks, upper[AXES], shape[AXES + 1], widths[2][AXES];
  memset(a, 0, sizeof *a);
  a->axes = like ? like->axes : (int)draw(1, AXES), a->bytes = bytes, a->row_major = (int)draw(0, 1), a->corners = (int)draw(0, 1);
  for (int k = 0; k < a->axes; k++) {
    a->shape[k] = draw(1, left), left /= a->shape[k];
    a->extents[k] = draw(draw(0, 15) > 0, most[a->axes]), a->lower[k] = draw(-3, 3);
    if (like) a->extents[k] = like->extents[k], a->lower[k] = like->lower[k];
    upper[k] = a->lower[k] + a->extents[k] - 1, shape[k] = a->shape[k];
    a->periodic[k] = (int32_t)draw(0, 1);
    for (int side = 0; side < 2; side++) {
      int64_t deep = a->deep[k][side] = draw(0, 1) ? draw(0, 2) : draw(0, 6);
      int64_t width = draw(0, 1) ? deep : draw(0, deep);
      if (a->periodic[k] && width > a->extents[k]) width = a->extents[k];
      a->widths[k][side] = width, widths[side][k] = deep;
    }
  }
  a->copies = shape[a->axes] = draw(0, 1) ? 1 : draw(1, left);
  reblock_procs *procs;
  reblock_template *t;
  reblock_map *whole, *shadowed;
  MUST(reblock_procs_create(MPI_COMM_WORLD, a->axes + 1, shape, NULL, &procs));
  MUST(reblock_template_create(procs, a->axes, a->lower, upper, &t));
  for (int k = 0; k < a->axes; k++) draw_sizes(a, k, t);
  MUST(reblock_template_commit(t));
  MUST(reblock_map_whole(t, &whole));
  MUST(reblock_map_shadow(whole, widths[0], widths[1], &shadowed));
  a->map = shadowed;
  if (a->row_major) MUST(reblock_map_row_major(shadowed, &a->map)), MUST(reblock_map_free(&shadowed));
  MUST(reblock_map_free(&whole)), MUST(reblock_template_free(&t)), MUST(reblock_procs_free(&procs));
}

void draw_array(struct array *a, int64_t bytes) {
  draw_like(a, NULL, bytes);
  if (draw(0, 3) == 0) put_gaps(a);
}

void place_of(const struct array *a, const int64_t *extents, int64_t number, int64_t *place) {
  for (int j = 0; j < a->axes; j++) {
    int k = a->row_major ? a->axes - 1 - j : j;
    place[k] = number % extents[k], number /= extents[k];
  }
}

int64_t number_of(const struct array *a, const int64_t *extents, const int64_t *place) {
  int64_t number = 0;
  for (int j = a->axes - 1; j >= 0; j--) {
    int k = a->row_major ? a->axes - 1 - j : j;
    number = number * extents[k] + place[k];
  }
  return number;
}

static int64_t first_of(const struct array *a, int k, int64_t coord) {
  int64_t first = 0;
  for (int64_t c = 0; c < coord; c++) first += a->sizes[k][c];
  return first;
}

int shown(const struct array *a, const int64_t *at, const int64_t *place, int64_t *index) {
  int outside = 0;
  for (int k = 0; k < a->axes; k++) {
    int64_t n = a->extents[k], size = a->sizes[k][at[k]], x = place[k] - a->deep[k][0];
    if (!size) return -1;
    if (x < 0 || x >= size) outside++;
    if (x < -a->widths[k][0] || x >= size + a->widths[k][1]) return -1;
    x += first_of(a, k, at[k]);
    if (a->periodic[k]) x = (x + n) % n;
    if (x < 0 || x >= n) return -1;
    index[k] = x;
  }
  return outside > 1 && !a->corners ? -1 : outside > 0;
}

void owner_of(const struct array *a, const int64_t *index, int64_t *at, int64_t *place) {
  for (int k = 0; k < a->axes; k++) {
    int64_t x = index[k];
    for (at[k] = 0; x >= a->sizes[k][at[k]]; at[k]++) x -= a->sizes[k][at[k]];
    place[k] = x + a->deep[k][0];
  }
}

struct storage guarded(int64_t bytes, int behind) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE), opened = ((size_t)bytes + page) / page * page;
  struct storage s = {0};
  s.mapped = opened + page;
  s.mapping = mmap(NULL, s.mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (s.mapping == MAP_FAILED || mprotect(behind ? s.mapping + opened : s.mapping, page, PROT_NONE)) {
    perror("guarded");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  s.data = behind ? s.mapping + opened - bytes : s.mapping + page;
  return s;
}

void release(struct storage *s) { munmap(s->mapping, s->mapped); }
