#include "must.h"

enum { N = 60 };

int main(int argc, char **argv) {
  start_on_four(&argc, &argv);
  int64_t one[2] = {1, 1}, n_n[2] = {N, N}, n_half[2] = {N, N / 2};

  /* PROCESSORS P(2,2), Q(4) */
  reblock_procs *p, *q;
  MUST(reblock_procs_create(MPI_COMM_WORLD, 2, (int64_t[]){2, 2}, NULL, &p));
  MUST(reblock_procs_create(MPI_COMM_WORLD, 1, (int64_t[]){4}, NULL, &q));

  /* TEMPLATE T(N,N); DISTRIBUTE T(BLOCK,BLOCK) ONTO P */
  reblock_template *t, *u, *like;
  MUST(reblock_template_create(p, 2, one, n_n, &t));
  MUST(reblock_template_dist_block(t, 0, 0, 0));
  MUST(reblock_template_dist_block(t, 1, 1, 0));
  MUST(reblock_template_commit(t));

  /* ALIGN A(I,J) WITH T(I,J); ALIGN S(I) WITH T(I,*) */
  reblock_map *map;
  reblock_array *a, *s, *b;
  MUST(reblock_map_whole(t, &map));
  MUST(reblock_array_create(map, sizeof(double), &a));
  MUST(reblock_map_free(&map));
  int64_t replicated[2] = {0, REBLOCK_REPLICATED}; /* the first is not used: S is aligned with that axis */
  MUST(reblock_map_create(t, 1, one, n_n, (reblock_align[]){{0, 1, 0}}, replicated, &map));
  MUST(reblock_array_create(map, sizeof(double), &s));
  MUST(reblock_map_free(&map));

  /* DISTRIBUTE B(*,CYCLIC) ONTO Q: a template of its own */
  MUST(reblock_template_create(q, 2, one, n_half, &u));
  MUST(reblock_template_dist_cyclic(u, 1, 0, 1));
  MUST(reblock_template_commit(u));
  MUST(reblock_map_whole(u, &map));
  MUST(reblock_array_create(map, sizeof(double), &b));
  MUST(reblock_map_free(&map));

  /* FORALL (I = 1:N, J = 1:N) A(I,J) = 100 * I + J: in BLOCK, a process has contiguous indices */
  void *data;
  int64_t extents[2], lower[2], strides[2];
  MUST(reblock_array_data(a, &data, extents, lower, strides));
  for (int64_t j = 0; j < extents[1]; j++)
    for (int64_t i = 0; i < extents[0]; i++)
      ((double *)data)[i * strides[0] + j * strides[1]] = (double)(100 * (lower[0] + i) + lower[1] + j);

  /* REDISTRIBUTE T(CYCLIC(4),*) ONTO Q: A moves, S moves but has no values yet */
  MUST(reblock_template_create(q, 2, one, n_n, &like));
  MUST(reblock_template_dist_cyclic(like, 0, 0, 4));
  MUST(reblock_template_commit(like));
  reblock_array *dead[1] = {s};
  MUST(reblock_template_redistribute(t, like, 1, dead));
  MUST(reblock_template_free(&like));

  /* S = SUM(A, DIM=2): a process has whole rows, and S for each of them */
  void *sums;
  MUST(reblock_array_data(a, &data, extents, NULL, strides));
  MUST(reblock_array_data(s, &sums, NULL, NULL, NULL));
  for (int64_t i = 0; i < extents[0]; i++) {
    double sum = 0;
    for (int64_t j = 0; j < extents[1]; j++) sum += ((double *)data)[i * strides[0] + j * strides[1]];
    ((double *)sums)[i] = sum;
  }

  /* B = A(:, 2:N:2) */
  void *half;
  reblock_map *map_a, *map_b, *map_s;
  reblock_plan *plan;
  MUST(reblock_array_map(a, &map_a));
  MUST(reblock_array_map(b, &map_b));
  MUST(reblock_array_map(s, &map_s));
  MUST(reblock_array_data(b, &half, NULL, NULL, NULL));
  reblock_range section[2] = {{1, N, 1}, {2, N, 2}};
  MUST(reblock_plan_create(MPI_COMM_WORLD, map_a, section, map_b, NULL, sizeof(double), NULL, &plan));
  MUST(reblock_plan_execute(plan, data, half));
  MUST(reblock_plan_free(&plan));

  /* Checks all elements. The map converts positions in storage to indices of the array. */
  int64_t wrong = 0, count = 0, index[2], at[2];
  MUST(reblock_map_local(map_b, extents, NULL, NULL, NULL, strides, NULL));
  for (at[1] = 0; at[1] < extents[1]; at[1]++)
    for (at[0] = 0; at[0] < extents[0]; at[0]++, count++) {
      MUST(reblock_map_global_index(map_b, at, index, NULL));
      wrong += ((double *)half)[at[0] * strides[0] + at[1] * strides[1]] != (double)(100 * index[0] + 2 * index[1]);
    }
  MUST(reblock_map_local(map_s, extents, NULL, NULL, NULL, NULL, NULL));
  for (at[0] = 0; at[0] < extents[0]; at[0]++, count++) {
    MUST(reblock_map_global_index(map_s, at, index, NULL));
    wrong += ((double *)sums)[at[0]] != (double)(100 * N * index[0] + N * (N + 1) / 2);
  }
  int64_t all[2] = {wrong, count};
  int me;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Allreduce(MPI_IN_PLACE, all, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  int good = all[0] == 0 && all[1] == N * (N / 2) + N;
  if (me == 0) printf("lowered: %s: %d of %d elements differ\n", good ? "correct" : "WRONG", (int)all[0], (int)all[1]);

  MUST(reblock_map_free(&map_a));
  MUST(reblock_map_free(&map_b));
  MUST(reblock_map_free(&map_s));
  MUST(reblock_array_free(&a));
  MUST(reblock_array_free(&b));
  MUST(reblock_array_free(&s));
  MUST(reblock_template_free(&t));
  MUST(reblock_template_free(&u));
  MUST(reblock_procs_free(&p));
  MUST(reblock_procs_free(&q));
  MPI_Finalize();
  return !good;
}
