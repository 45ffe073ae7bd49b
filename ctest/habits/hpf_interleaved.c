/* Tests moves whose source and target interleave in one storage: even rows become odd rows, red elements black
 * elements, real parts imaginary parts. A move must be refused if, and only if, some rank reads an element that it also
 * writes, unless the rank only keeps its own elements. The program determines this element by element, for every call
 * that moves arrays. Cases are two sections of an array with random distribution, order, shadow and strides of local
 * arrays; and batches in which the source of one array interleaves with the target of another.
 *
 *   mpirun -n RANKS hpf_interleaved CASES [SEED] */
#include "hpf.h"

enum { AXES = 2, MAX_EXTENT = 14, ROOM = 40000 };
typedef struct {
  reblock_map *map;
  int64_t n[AXES], lower[AXES], strides[AXES], before;
} array;

static double first_of[ROOM], now[ROOM];
static int written[ROOM], read_of[ROOM], moving;

/* Draws an array whose elements have random places in each rank's storage. */
static array drawn(reblock_procs *procs, const int64_t *shape) {
  array a = {0};
  reblock_template *with;
  int64_t upper[AXES], low[AXES] = {0}, high[AXES] = {0}, shape_of[AXES], extents[AXES];
  int swap = (int)draw(0, 1);
  for (int k = 0; k < AXES; k++) a.n[k] = draw(2, MAX_EXTENT), a.lower[k] = draw(-3, 3), upper[k] = a.lower[k] + a.n[k] - 1;
  MUST(reblock_template_create(procs, AXES, a.lower, upper, &with));
  for (int k = 0; k < AXES; k++) {
    int64_t onto = swap ? 1 - k : k, owners[MAX_EXTENT];
    shape_of[k] = shape[onto];
    switch (draw(0, 4)) {
      case 0: MUST(reblock_template_dist_block(with, k, onto, 0)); break;
      case 1: MUST(reblock_template_dist_cyclic(with, k, onto, draw(1, 4))); break;
      case 2:
        for (int i = 0; i < a.n[k]; i++) owners[i] = draw(0, shape_of[k] - 1);
        MUST(reblock_template_dist_indirect(with, k, onto, a.n[k], owners));
        break;
      default:
        if (shape_of[k] > 1) MUST(reblock_template_dist_cyclic(with, k, onto, 1));
    }
  }
  MUST(reblock_template_commit(with));
  reblock_map *map, *next;
  MUST(reblock_map_whole(with, &map));
  MUST(reblock_template_free(&with));
  if (draw(0, 1)) { MUST(reblock_map_row_major(map, &next)); MUST(reblock_map_free(&map)); map = next; }
  if (draw(0, 2) == 0) {
    for (int k = 0; k < AXES; k++) low[k] = draw(0, 2), high[k] = draw(0, 2);
    MUST(reblock_map_shadow(map, low, high, &next)); MUST(reblock_map_free(&map)); map = next;
  }
  int64_t step = draw(0, 2) ? 1 : 2, gap = draw(0, 3), which = draw(0, 1);
  MUST(reblock_map_local(map, extents, NULL, NULL, NULL, NULL, NULL));
  if (extents[0] * extents[1] > 0 && (step > 1 || gap)) {
    int64_t strides[AXES];
    strides[which] = step, strides[1 - which] = step * (extents[which] + low[which] + high[which] + gap);
    MUST(reblock_map_strides(map, strides, &next)); MUST(reblock_map_free(&map)); map = next;
  }
  MUST(reblock_map_local(map, NULL, NULL, NULL, NULL, a.strides, NULL));
  a.map = map;
  return a;
}

/* Returns the place of an element in this process's storage; -1 if the process does not have the element. */
static int64_t place(const array *a, const int64_t *index) {
  int64_t at[AXES], sum = 0;
  int32_t here;
  MUST(reblock_map_local_index(a->map, index, at, &here));
  for (int k = 0; k < AXES; k++) sum += here ? at[k] * a->strides[k] : 0;
  return here ? sum : -1;
}

/* Draws a section with these extents. */
static void section(const array *a, const int64_t *extents, reblock_range *range) {
  for (int k = 0; k < AXES; k++) {
    int64_t most = extents[k] > 1 ? (a->n[k] - 1) / (extents[k] - 1) : 4;
    int64_t stride = draw(1, most < 4 ? most : 4), span = (extents[k] - 1) * stride + 1;
    int64_t start = a->lower[k] + draw(0, a->n[k] - span);
    range[k] = (reblock_range){start, start + span - 1, stride};
  }
}

/* Moves element by element, from the old contents. The target's storage begins `by` elements after the source's. */
static void move(const array *a, const reblock_range *from, const array *b, const reblock_range *to, int64_t by, const int64_t *extents,
                 const double *values) {
  for (int64_t j = 0; j < extents[1]; j++)
    for (int64_t i = 0; i < extents[0]; i++) {
      int64_t at[AXES] = {from[0].lower + i * from[0].stride, from[1].lower + j * from[1].stride};
      int64_t there[AXES] = {to[0].lower + i * to[0].stride, to[1].lower + j * to[1].stride};
      int64_t source = place(a, at), target = place(b, there);
      double value = source < 0 ? 0 : values[source], all;
      MPI_Allreduce(&value, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      /* Elements that a process keeps in place may be in both lists. */
      moving |= by || (source < 0 ? target >= 0 : source != target);
      if (source >= 0) read_of[source]++;
      if (target >= 0) written[target + by]++, first_of[target + by] = all;
    }
}

static int carried_out(int how, reblock_plan *plan, double *source, double *target) {
  reblock_request *request = NULL;
  const void *sources[1] = {source};
  void *targets[1] = {target};
  if (how == 0) return reblock_plan_execute(plan, source, target);
  if (how == 1) return reblock_plan_execute_many(1, &plan, sources, targets);
  int code = how == 2 ? reblock_plan_start(plan, source, target, &request) : reblock_plan_start_many(1, &plan, sources, targets, &request);
  return code ? code : reblock_request_wait(&request);
}

static void one_case(int64_t number, int64_t seed) {
  static double values[ROOM];
  int64_t shape[AXES] = {ranks, 1}, extents[AXES];
  if (ranks == 4 && draw(0, 1)) shape[0] = shape[1] = 2;
  reblock_procs *procs;
  MUST(reblock_procs_create(MPI_COMM_WORLD, AXES, shape, NULL, &procs));
  array a = drawn(procs, shape);
  reblock_range from[AXES], to[AXES];
  for (int k = 0; k < AXES; k++) extents[k] = draw(1, a.n[k] < 7 ? a.n[k] : 7);
  section(&a, extents, from), section(&a, extents, to);
  int64_t by = draw(0, 2) ? 0 : draw(0, 3), how = draw(0, 3);
  snprintf(scene, sizeof scene, "case %d of seed %d: (%d:%d:%d,%d:%d:%d) to (%d:%d:%d,%d:%d:%d), %d behind, call %d", (int)number,
           (int)seed, (int)from[0].lower, (int)from[0].upper, (int)from[0].stride, (int)from[1].lower, (int)from[1].upper,
           (int)from[1].stride, (int)to[0].lower, (int)to[0].upper, (int)to[0].stride, (int)to[1].lower, (int)to[1].upper,
           (int)to[1].stride, (int)by, (int)how);
  for (int i = 0; i < ROOM; i++) values[i] = first_of[i] = now[i] = me * ROOM + i + 1, written[i] = read_of[i] = 0;
  moving = 0;
  move(&a, from, &a, to, by, extents, values);
  int shared = 0;
  for (int i = 0; i < ROOM; i++) shared |= moving && written[i] && read_of[i];
  MPI_Allreduce(MPI_IN_PLACE, &shared, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  reblock_plan *plan;
  MUST(reblock_plan_create(MPI_COMM_WORLD, a.map, from, a.map, to, sizeof(double), NULL, &plan));
  int code = carried_out((int)how, plan, now, now + by);
  expect(code == (shared ? REBLOCK_ERR_OVERLAP : REBLOCK_OK), shared ? "refused" : "carried out");
  expect(memcmp(now, code ? values : first_of, sizeof now) == 0, code ? "untouched" : "the right elements");
  MUST(reblock_plan_free(&plan));
  MUST(reblock_map_free(&a.map));
  MUST(reblock_procs_free(&procs));
}

/* Tests batches: red elements come from one array while black elements go to another, and all red elements become black
 * elements. */
static void batch(void) {
  snprintf(scene, sizeof scene, "a batch");
  enum { N = 3000 };
  reblock_procs *procs = line(MPI_COMM_WORLD, ranks);
  reblock_map *map = mapped(procs, N, "(CYCLIC(3))"), *half = mapped(procs, N / 2, "(BLOCK)");
  reblock_range odd[1] = {{1, N, 2}}, even[1] = {{2, N, 2}};
  static double a[N], in[N], out[N];
  reblock_plan *plans[2];
  int64_t count, index;
  MUST(reblock_plan_create(MPI_COMM_WORLD, map, odd, half, NULL, sizeof *a, NULL, &plans[0]));
  MUST(reblock_plan_create(MPI_COMM_WORLD, half, NULL, map, even, sizeof *a, NULL, &plans[1]));
  MUST(reblock_map_elements(map, &count));
  for (int64_t i = 0; i < count; i++) { MUST(reblock_map_global_index(map, &i, &index, NULL)); a[i] = (double)index; }
  MUST(reblock_map_elements(half, &count));
  for (int64_t i = 0; i < count; i++) { MUST(reblock_map_global_index(half, &i, &index, NULL)); in[i] = -(double)index; }
  const void *sources[2] = {a, in};
  void *targets[2] = {out, a};
  expect(reblock_plan_execute_many(2, plans, sources, targets) == REBLOCK_OK, "carried out");
  for (int64_t i = 0; i < count; i++) {
    MUST(reblock_map_global_index(half, &i, &index, NULL));
    expect(out[i] == (double)(2 * index - 1), "an odd element");
  }
  MUST(reblock_map_elements(map, &count));
  for (int64_t i = 0; i < count; i++) {
    MUST(reblock_map_global_index(map, &i, &index, NULL));
    expect(a[i] == (index % 2 ? (double)index : -(double)(index / 2)), "a black element");
  }
  /* Batches with elements that are written twice, or read and written. */
  reblock_plan *twice[2] = {plans[1], plans[1]};
  const void *both[2] = {in, in};
  void *one[2] = {a, a};
  expect(reblock_plan_execute_many(2, twice, both, one) == REBLOCK_ERR_OVERLAP, "refused, as it is written twice");
  MUST(reblock_plan_free(&plans[0]));
  MUST(reblock_plan_create(MPI_COMM_WORLD, map, even, half, NULL, sizeof *a, NULL, &plans[0]));
  expect(reblock_plan_execute_many(2, plans, sources, targets) == REBLOCK_ERR_OVERLAP, "refused, as it is read and written");
  for (int k = 0; k < 2; k++) MUST(reblock_plan_free(&plans[k]));
  MUST(reblock_map_free(&map));
  MUST(reblock_map_free(&half));
  MUST(reblock_procs_free(&procs));
}

int main(int argc, char **argv) {
  start(&argc, &argv, 240);
  int64_t cases = argc > 1 ? atoi(argv[1]) : 100, seed = argc > 2 ? atoi(argv[2]) : 1;
  for (int64_t k = 0; k < cases; k++) state = (uint64_t)(seed * 1000003 + k), draw(0, 1), one_case(k, seed);
  batch();
  return finish("interleaved sections");
}
