#include "more.h"
#include "array.h"

enum { N = 60 };

/* Returns the map of a vector of N elements from 1, with the distribution of a text. */
static reblock_map *vector(MPI_Comm comm, const char *format) {
  int64_t extent = N;
  reblock_map *map;
  MUST(reblock_map_from_text(comm, 1, &extent, format, &map));
  return map;
}

static reblock_map *blocks, *cyclic;
static int64_t source[N], target[N + 1];

/* Makes a plan that must fail; `mine`: this rank makes the mistake. */
static int32_t wrong_plan(int kind, int mine) {
  reblock_plan_options options;
  reblock_plan *plan = NULL;
  reblock_range section = {0, N - 1, 1}, half = {0, N / 2 - 1, 1};
  int64_t axes[2] = {0, 0}, shifts[2] = {3, 0}, bound[2] = {5, 6}, count = 1, element = 8;
  MUST(reblock_plan_options_init(&options));
  const void *boundary = bound, *values = NULL;
  const reblock_range *from = &section;
  switch (mine ? kind : -1) {
  case 0: section.stride = 0; break;
  case 1: section.lower = N, section.upper = 0, section.stride = -1; break;
  case 2: options.spread = axes, options.spread_count = 1; break;          /* the target has no further axis */
  case 3: options.spread = (axes[0] = 1, axes), options.spread_count = 1; break;
  case 4: options.spread = (axes[0] = -1, axes), options.spread_count = 1; break;
  case 5: options.spread = axes, options.spread_count = 2; break;
  case 6: options.spread = axes, options.spread_count = 99; break;
  case 7: options.overlap = 1; break;                                      /* differs on one rank */
  case 8: from = &half; break;
  case 9: count = 2; break;
  case 10: count = 99; break;
  case 11: shifts[0] = 4; break;                                           /* differs on one rank */
  case 12: bound[0] = 7; break;                                            /* differs on one rank */
  case 13: options.relabel = 1; break;
  case 14: boundary = NULL; break;                                         /* differs on one rank */
  case 15: element = -1; break;
  case 16: count = N; break;
  case 17: shifts[1] = 1; break;
  case 18: options.copies = 1; break;
  case 19: shifts[1] = 2; break;                                           /* differs on one rank */
  case 20: shifts[1] = 2, values = bound; break;                           /* a circular shift has no boundary */
  default: break;
  }
  int32_t code;
  if (kind < 9) code = reblock_plan_create(MPI_COMM_WORLD, blocks, from, cyclic, NULL, element, &options, &plan);
  else if (kind >= 16) {
    /* One line on each rank; the axis is shifts[1] & 1, and the shift is circular if shifts[1] & 2. */
    code = reblock_plan_shift_lines(MPI_COMM_WORLD, blocks, from, cyclic, NULL, element, shifts[1] & 1, shifts[1] & 2, count, target,
                                    values, &options, &plan);
  } else code = reblock_plan_eoshift(MPI_COMM_WORLD, blocks, from, cyclic, NULL, element, count, shifts, boundary, &options, &plan);
  if (plan) MUST(reblock_plan_free(&plan));
  return code;
}

static void wrong_plans(void) {
  for (int kind = 0; kind < 21; kind++) {
    int differs = kind == 7 || kind == 11 || kind == 12 || kind == 14 || kind == 19;
    for (int maker = differs ? 0 : -1; maker < ranks && !(differs && ranks == 1); maker++) {
      int32_t code = wrong_plan(kind, maker < 0 || maker == me), ends[2] = {code, -code};
      MPI_Allreduce(MPI_IN_PLACE, ends, 2, MPI_INT32_T, MPI_MAX, MPI_COMM_WORLD);
      int fine = ends[0] == -ends[1] && code;
      if (maker < 0) fine = fine && code == REBLOCK_ERR_ARGUMENT;
      if (differs) fine = fine && code == REBLOCK_ERR_DIFFERS;
      if (fine) continue;
      fprintf(stderr, "rank %d: mistake %d by %d: %s, %s\n", me, kind, maker, reblock_code_name(code), reblock_message());
      wrong++;
    }
  }
}

/* Without the option overlap, source and target must not share memory. */
static void overlaps(void) {
  reblock_range low = {0, N - 2, 1}, high = {1, N - 1, 1};
  reblock_plan *plan, *shift;
  int64_t one = 1, two[2 * N];
  MUST(reblock_plan_create(MPI_COMM_WORLD, blocks, &low, blocks, &high, 8, NULL, &plan));
  MUST(reblock_plan_cshift(MPI_COMM_WORLD, blocks, NULL, blocks, NULL, 8, 1, &one, NULL, &shift));
  for (int k = 0; k < N; k++) source[k] = target[k] = k;
  for (int k = 0; k < 2 * N; k++) two[k] = k;
  wants(reblock_plan_execute(plan, source, source), REBLOCK_ERR_OVERLAP, "source and target overlap", "A(2:n) = A(1:n-1)");
  wants(reblock_plan_execute(shift, source, source), REBLOCK_ERR_OVERLAP, "source and target overlap", "A = CSHIFT(A)");
  reblock_plan *plans[2] = {shift, shift};
  const void *sources[2] = {source, two};
  void *targets[2] = {two, source};
  wants(reblock_plan_execute_many(2, plans, sources, targets), REBLOCK_ERR_OVERLAP, "overlaps the", "a batch over sources");
  if (memcmp(source, target, sizeof source)) complain("something is written in spite of an error");
  /* NULL arrays are an error on a rank that has elements. */
  wants(reblock_plan_execute(shift, NULL, NULL), REBLOCK_ERR_ARGUMENT, "is NULL", "a shift of nothing");
  MUST(reblock_plan_free(&plan)), MUST(reblock_plan_free(&shift));
}

void mistakes(void) {
  blocks = vector(MPI_COMM_WORLD, "(BLOCK)"), cyclic = vector(MPI_COMM_WORLD, "(CYCLIC(2))");
  wrong_plans(), overlaps();
  MUST(reblock_map_free(&blocks)), MUST(reblock_map_free(&cyclic));
}

static void compare(const reblock_map *a, const reblock_map *b, int equal, const char *what) {
  int32_t said = -1;
  int64_t keys[2] = {-1, -1}, ends[2];
  MUST(reblock_map_equal(a, b, &said));
  MUST(reblock_map_key(a, &keys[0])), MUST(reblock_map_key(b, &keys[1]));
  if (said != equal || (keys[0] == keys[1]) != equal || keys[0] < 0) complain(what);
  ends[0] = keys[0], ends[1] = -keys[0];
  MPI_Allreduce(MPI_IN_PLACE, ends, 2, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  if (ends[0] != -ends[1]) complain("ranks have other keys");
}

/* Tests maps with equal declarations on communicators with other processes, or with the same processes in another
 * order. */
static void same_ranks_elsewhere(const reblock_map *a) {
  MPI_Comm backwards, half;
  int64_t key, *keys = malloc(sizeof key * (size_t)ranks);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -me, &backwards);
  MPI_Comm_split(MPI_COMM_WORLD, me % 2, me, &half);
  reblock_map *b = vector(backwards, "(BLOCK)"), *c = vector(half, "(BLOCK)"), *own = vector(MPI_COMM_SELF, "(BLOCK)");
  compare(a, b, ranks == 1, "maps on the same processes in another order are equal");
  MUST(reblock_map_key(c, &key));
  MPI_Allgather(&key, 1, MPI_INT64_T, keys, 1, MPI_INT64_T, MPI_COMM_WORLD);
  for (int k = 0; k < ranks; k++)
    if ((keys[k] == key) != (k % 2 == me % 2)) complain("maps on the halves of a communicator have one key");
  MUST(reblock_map_key(own, &key));
  MPI_Allgather(&key, 1, MPI_INT64_T, keys, 1, MPI_INT64_T, MPI_COMM_WORLD);
  for (int k = 0; k < ranks; k++)
    if ((keys[k] == key) != (k == me)) complain("maps on single processes have one key");
  MUST(reblock_map_free(&b)), MUST(reblock_map_free(&c)), MUST(reblock_map_free(&own));
  MPI_Comm_free(&backwards), MPI_Comm_free(&half);
  free(keys);
}

/* Tests maps with different declarations and the same meaning. */
static void same_in_other_words(void) {
  int64_t column[2] = {N, 1}, row[2] = {1, N}, none[2] = {0, 5};
  const int64_t *extents[] = {column, row, none};
  reblock_map *a, *b;
  for (int k = 0; k < 3; k++) {
    MUST(reblock_map_from_text(MPI_COMM_WORLD, 2, extents[k], "(*, BLOCK)", &a)), MUST(reblock_map_row_major(a, &b));
    compare(a, b, 1, "the order of axes matters, of which at most one has several elements");
    MUST(reblock_map_free(&a)), MUST(reblock_map_free(&b));
  }
  a = vector(MPI_COMM_WORLD, "(BLOCK) ONTO P(1)"), b = vector(MPI_COMM_WORLD, "(*) ONTO P(1)");
  compare(a, b, 1, "BLOCK on one process is not equal to *");
  MUST(reblock_map_free(&b));
  b = vector(MPI_COMM_WORLD, "(CYCLIC(3)) ONTO P(1,1)");
  compare(a, b, 1, "arrangements of one process are distinguished");
  MUST(reblock_map_free(&a)), MUST(reblock_map_free(&b));
}

void same_maps(void) {
  MPI_Comm twin;
  char format[40], other[40];
  int64_t each = N / ranks * ranks == N ? N / ranks : 0;
  snprintf(format, sizeof format, "(BLOCK)"), snprintf(other, sizeof other, "(CYCLIC(%d))", (int)each);
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  reblock_map *a = vector(MPI_COMM_WORLD, format), *b = vector(MPI_COMM_WORLD, format), *c = vector(twin, format), *made;
  compare(a, a, 1, "a map is not equal to itself"), compare(a, b, 1, "maps that are made alike are not equal");
  compare(a, c, 1, "maps on communicators with the same processes are not equal");
  if (each) {
    reblock_map *d = vector(MPI_COMM_WORLD, other);
    compare(a, d, 1, "one block a process, as BLOCK or CYCLIC, is not equal");
    MUST(reblock_map_free(&d));
  }
  reblock_map *e = vector(MPI_COMM_WORLD, "(CYCLIC(1))"), *f = vector(MPI_COMM_WORLD, "(CYCLIC(3))");
  compare(e, f, ranks == 1, "other blocks are equal");
  int64_t wide = 1, none = 0, two = 2;
  MUST(reblock_map_shadow(a, &wide, &none, &made));
  compare(a, made, 0, "maps with and without a shadow are equal");
  MUST(reblock_map_free(&made));
  /* Strides are local to a process, so they are not a part of the key. */
  int32_t said = -1;
  int64_t key[2], here;
  MUST(reblock_map_elements(a, &here));
  MUST(reblock_map_strides(a, &two, &made));
  MUST(reblock_map_equal(a, made, &said)), MUST(reblock_map_key(a, &key[0])), MUST(reblock_map_key(made, &key[1]));
  if (said || key[0] != key[1]) complain("strides: equal, or other keys");
  same_ranks_elsewhere(a), same_in_other_words();
  wants(reblock_map_equal(a, NULL, &said), REBLOCK_ERR_HANDLE, "", "a map and none");
  wants(reblock_map_key(NULL, key), REBLOCK_ERR_HANDLE, "", "the key of no map");
  MUST(reblock_map_free(&made)), MUST(reblock_map_free(&a)), MUST(reblock_map_free(&b)), MUST(reblock_map_free(&c));
  MUST(reblock_map_free(&e)), MUST(reblock_map_free(&f));
  MPI_Comm_free(&twin);
}

/* Returns the map, as a vector, of an array with its columns in blocks; writes the number of each element to
 * `storage`. */
static reblock_map *as_vector(int64_t rows, int64_t columns, int64_t *storage) {
  int64_t extents[2] = {rows, columns}, sizes[64], mine[2], at[2], index[2], lower = 0, upper = rows * columns - 1, procs = ranks;
  reblock_map *map, *vector;
  reblock_procs *all;
  reblock_template *t;
  MUST(reblock_map_from_text(MPI_COMM_WORLD, 2, extents, "(*,BLOCK)", &map));
  for (int p = 0; p < ranks; p++) {
    MUST(reblock_map_part(map, p, mine, NULL, NULL, NULL, NULL));
    sizes[p] = mine[0] * mine[1];
  }
  MUST(reblock_map_local(map, mine, NULL, NULL, NULL, NULL, NULL));
  for (at[1] = 0; at[1] < mine[1]; at[1]++)
    for (at[0] = 0; at[0] < mine[0]; at[0]++) {
      MUST(reblock_map_global_index(map, at, index, NULL));
      storage[at[1] * mine[0] + at[0]] = index[1] * rows + index[0];
    }
  MUST(reblock_procs_create(MPI_COMM_WORLD, 1, &procs, NULL, &all));
  MUST(reblock_template_create(all, 1, &lower, &upper, &t));
  MUST(reblock_template_dist_gen_block(t, 0, 0, procs, sizes));
  MUST(reblock_template_commit(t)), MUST(reblock_map_whole(t, &vector));
  MUST(reblock_template_free(&t)), MUST(reblock_procs_free(&all)), MUST(reblock_map_free(&map));
  return vector;
}

void reshaped(void) {
  static int64_t a[240], b[240], wanted[240];
  reblock_map *from = as_vector(12, 20, a), *to = as_vector(30, 8, wanted);
  reblock_plan *plan;
  int64_t elements;
  MUST(reblock_plan_create(MPI_COMM_WORLD, from, NULL, to, NULL, 8, NULL, &plan));
  MUST(reblock_plan_execute(plan, a, b));
  MUST(reblock_map_elements(to, &elements));
  if (memcmp(b, wanted, 8 * (size_t)elements)) complain("RESHAPE");
  MUST(reblock_plan_free(&plan)), MUST(reblock_map_free(&from)), MUST(reblock_map_free(&to));
}

/* Sets the index of a rank's n-th element, for an array with `rows` rows. */
static void indices(const reblock_map *map, int64_t rows, int64_t n, int64_t *index) {
  MUST(reblock_map_global_index(map, (int64_t[]){n % rows, n / rows}, index, NULL));
}

void relabelled_spread(void) {
  enum { ROWS = 3 };
  static int64_t b[ROWS * N], v[N];
  int64_t lower[2] = {0, 0}, upper[2] = {ROWS - 1, N - 1}, along[1] = {0}, size = ranks, backwards[64], here[2], index[2], sent = 1;
  reblock_procs *procs;
  reblock_template *t;
  reblock_map *to, *now = NULL, *of_v = vector(MPI_COMM_WORLD, "(BLOCK)");
  reblock_plan *plan;
  reblock_plan_info info;
  reblock_plan_options options;
  MUST(reblock_plan_options_init(&options));
  options.spread = along, options.spread_count = 1, options.relabel = 1;
  for (int p = 0; p < ranks; p++) backwards[p] = ranks - 1 - p;
  MUST(reblock_procs_create(MPI_COMM_WORLD, 1, &size, backwards, &procs));
  MUST(reblock_template_create(procs, 2, lower, upper, &t));
  MUST(reblock_template_dist_block(t, 1, 0, 0)), MUST(reblock_template_commit(t)), MUST(reblock_map_whole(t, &to));
  MUST(reblock_plan_create(MPI_COMM_WORLD, of_v, NULL, to, NULL, 8, &options, &plan));
  MUST(reblock_plan_target(plan, &now));
  if (!now != (ranks == 1)) complain("a spread that is relabelled has no other target");
  MUST(reblock_plan_info_init(&info)), MUST(reblock_plan_inquire(plan, &info));
  MPI_Allreduce(&info.sent, &sent, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  if (sent) complain("a spread that is relabelled sends what is there");
  MUST(reblock_map_local(of_v, here, NULL, NULL, NULL, NULL, NULL));
  for (int64_t n = 0; n < here[0]; n++) MUST(reblock_map_global_index(of_v, &n, index, NULL)), v[n] = 7 * index[0];
  MUST(reblock_plan_execute(plan, v, b));
  MUST(reblock_map_local(now ? now : to, here, NULL, NULL, NULL, NULL, NULL));
  for (int64_t n = 0, bad = 0; n < here[0] * here[1] && !bad; n++) {
    indices(now ? now : to, ROWS, n, index);
    if (b[n] != 7 * index[1]) complain("a spread that is relabelled"), bad = 1;
  }
  MUST(reblock_plan_free(&plan)), MUST(reblock_map_free(&now)), MUST(reblock_map_free(&to)), MUST(reblock_map_free(&of_v));
  MUST(reblock_template_free(&t)), MUST(reblock_procs_free(&procs));
}

void lent(void) {
  int64_t extent = 30000 * (int64_t)ranks, shift = 7, local, strides, lower, index, old;
  reblock_map *map;
  reblock_array *array;
  reblock_plan *plan;
  reblock_plan_options options;
  reblock_request *request;
  static char json[1 << 16];
  void *data;
  MUST(reblock_plan_options_init(&options));
  options.overlap = 1;
  MUST(reblock_map_from_text(MPI_COMM_WORLD, 1, &extent, "(CYCLIC(5))", &map));
  MUST(reblock_array_create(map, 8, &array));
  MUST(reblock_array_data(array, &data, &local, &lower, &strides));
  int64_t *own = data;
  for (int64_t k = 0; k < local; k++) MUST(reblock_map_global_index(map, &k, &index, NULL)), own[k] = index;
  MUST(reblock_plan_cshift(MPI_COMM_WORLD, map, NULL, map, NULL, 8, 1, &shift, &options, &plan));
  MUST(reblock_plan_explain(plan, json, sizeof json, NULL));
  if (strncmp(json, "{\"version\":1,\"parts\":[{", 23)) complain("a shift has no parts");
  for (int round = 1; round < 5; round++) {
    if (round % 2) MUST(reblock_plan_execute(plan, own, own));
    else MUST(reblock_plan_start(plan, own, own, &request)), MUST(reblock_request_wait(&request));
    for (int64_t k = 0, bad = 0; k < local && !bad; k++) {
      MUST(reblock_map_global_index(map, &k, &index, NULL));
      old = (index + shift * round) % extent;
      if (own[k] != old) complain("a lent array that is shifted in place"), bad = 1;
    }
  }
  MUST(reblock_plan_free(&plan)), MUST(reblock_array_free(&array)), MUST(reblock_map_free(&map));
}

void shadows(void) {
  enum { PX = 2, PY = 2, W = 2, M = 16, B = M / PX, C = M / PY, LD = C + 2 * W };
  static double all[(B + 2 * W) * LD];
  double *own = all + W * LD + W;
  int px = me / PY, py = me % PY, n = 0;
  reblock_procs *procs;
  reblock_template *t;
  reblock_map *map, *inner, *halo[2];
  reblock_plan *plans[4 * W];
  const void *from[4 * W];
  void *to[4 * W];
  int64_t lower[2] = {0, 0}, strides[2] = {LD, 1};
  MUST(reblock_procs_create(MPI_COMM_WORLD, 2, (int64_t[]){PX, PY}, NULL, &procs));
  for (int axis = -1; axis < 2; axis++) {
    int64_t upper[2] = {M - 1, M - 1}, blocks_[2] = {B, C};
    if (axis >= 0) upper[axis] = (axis ? PY : PX) - 1, blocks_[axis] = 1;
    MUST(reblock_template_create(procs, 2, lower, upper, &t));
    for (int k = 0; k < 2; k++) MUST(reblock_template_dist_block(t, k, k, blocks_[k]));
    MUST(reblock_template_commit(t)), MUST(reblock_map_whole(t, &map));
    MUST(reblock_map_strides(map, strides, axis < 0 ? &inner : &halo[axis]));
    MUST(reblock_map_free(&map)), MUST(reblock_template_free(&t));
  }
  for (int axis = 0; axis < 2; axis++)
    for (int w = 0; w < W; w++)
      for (int side = 0; side < 2; side++, n++) {
        int64_t block = axis ? C : B, count = axis ? PY : PX, first = side ? block + w : block - 1 - w;
        reblock_range f[2] = {{0, M - 1, 1}, {0, M - 1, 1}}, r[2] = {{0, M - 1, 1}, {0, M - 1, 1}};
        f[axis] = (reblock_range){first, first + (count - 2) * block, block};
        r[axis] = side ? (reblock_range){0, count - 2, 1} : (reblock_range){1, count - 1, 1};
        MUST(reblock_plan_create(MPI_COMM_WORLD, inner, f, halo[axis], r, 8, NULL, &plans[n]));
        from[n] = own, to[n] = own + (side ? block + w : -1 - w) * (axis ? 1 : LD);
      }
  for (int i = 0; i < B; i++)
    for (int j = 0; j < C; j++) own[i * LD + j] = (px * B + i) * 1000 + py * C + j;
  MUST(reblock_plan_execute_many(n, plans, from, to));
  for (int i = -W; i < B + W; i++)
    for (int j = -W; j < C + W; j++) {
      int row = px * B + i, col = py * C + j, corner = (i < 0 || i >= B) && (j < 0 || j >= C);
      int outside = row < 0 || row >= M || col < 0 || col >= M || corner;
      if (own[i * LD + j] != (outside ? 0 : row * 1000 + col)) complain("a shadow that eight plans fill"), i = j = M;
    }
  for (int k = 0; k < n; k++) MUST(reblock_plan_free(&plans[k]));
  MUST(reblock_map_free(&inner)), MUST(reblock_map_free(&halo[0])), MUST(reblock_map_free(&halo[1]));
  MUST(reblock_procs_free(&procs));
}
