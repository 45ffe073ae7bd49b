/* Shadows as wide as an axis, shadows along one axis after the other, around the ends, added to the elements that they
 * show, and filled while the program continues. Runs on 4 nodes. With an argument, sums along one axis after the other
 * are left out. */
#include <stdio.h>
#include <xmp.h>

#define N 24
#define M 20

#pragma xmp nodes q[2][2]
#pragma xmp template t[N][M]
#pragma xmp template c[N][M]
#pragma xmp distribute t[block][block] onto q
#pragma xmp distribute c[cyclic][block] onto q
double whole[N][M], dealt[N][M], axes[N][M], ring[N][M], moved[N][M], sums[N][M];
int steps[N][M];
#pragma xmp align whole[i][j] with t[i][j]
#pragma xmp align dealt[i][j] with c[i][j]
#pragma xmp align axes[i][j] with t[i][j]
#pragma xmp align ring[i][j] with t[i][j]
#pragma xmp align moved[i][j] with c[i][j]
#pragma xmp align sums[i][j] with t[i][j]
#pragma xmp align steps[i][j] with t[i][j]
#pragma xmp shadow whole[*][*]
#pragma xmp shadow dealt[*][2]
#pragma xmp shadow axes[2][1]
#pragma xmp shadow ring[1][2]
#pragma xmp shadow sums[1][1]
#pragma xmp shadow steps[1][1]

static long wrong, seen;

static double value(int i, int j) { return 100 * ((i + N) % N) + (j + M) % M; }

static void check(double found, double expected) {
  seen++;
  if (found != expected) wrong++;
}

static void fill(void) {
  int i, j;
#pragma xmp loop (i,j) on t[i][j]
  for (i = 0; i < N; i++)
    for (j = 0; j < M; j++) {
      whole[i][j] = axes[i][j] = ring[i][j] = sums[i][j] = value(i, j);
      steps[i][j] = (int)value(i, j);
    }
#pragma xmp loop (i,j) on c[i][j]
  for (i = 0; i < N; i++)
    for (j = 0; j < M; j++) dealt[i][j] = value(i, j);
}

/* Each node gets a whole axis. */
static void full(void) {
  int i, j, near;
#pragma xmp reflect (whole)
  for (i = 0; i < N; i++)
    for (j = 0; j < M; j++) check(whole[i][j], value(i, j));
#pragma xmp reflect (dealt)
  for (i = 0; i < N; i++) {
#pragma xmp loop (j) on c[:][j]
    for (j = 2; j < M - 2; j++)
      for (near = -2; near <= 2; near++) check(dealt[i][j + near], value(i, j + near));
  }
}

/* Fills corners along one axis after the other, with smaller widths than the shadow has. */
static void one_by_one(void) {
  int i, j, down, right;
#pragma xmp reflect (axes) width(1, 0)
#pragma xmp reflect (axes) width(0, 1)
#pragma xmp loop (i,j) on t[i][j]
  for (i = 1; i < N - 1; i++)
    for (j = 1; j < M - 1; j++)
      for (down = -1; down <= 1; down++)
        for (right = -1; right <= 1; right++) check(axes[i + down][j + right], value(i + down, j + right));
}

/* Fills rings, during an assignment. */
static void meanwhile(void) {
  int i, j, down, right;
#pragma xmp reflect (ring) width(/periodic/1, /periodic/2) async(7)
#pragma xmp gmove async(8)
  moved[:][:] = axes[:][:];
#pragma xmp wait_async(8)
#pragma xmp wait_async(7)
#pragma xmp loop (i,j) on c[i][j]
  for (i = 0; i < N; i++)
    for (j = 0; j < M; j++) check(moved[i][j], value(i, j));
#pragma xmp loop (i,j) on t[i][j]
  for (i = 0; i < N; i++)
    for (j = 0; j < M; j++)
      for (down = -1; down <= 1; down++)
        for (right = -2; right <= 2; right++) check(ring[i + down][j + right], value(i + down, j + right));
}

static int at_an_end(int i, int of) { return i % of == 0 || i % of == of - 1; }

/* Adds to each element its copies in shadows, without corners. */
static void added(void) {
  int i, j;
#pragma xmp reflect (sums) width(/periodic/1, /periodic/1)
#pragma xmp reduce_shadow (sums) width(/periodic/1, /periodic/1)
#pragma xmp loop (i,j) on t[i][j]
  for (i = 0; i < N; i++)
    for (j = 0; j < M; j++) check(sums[i][j], value(i, j) * (1 + at_an_end(i, N / 2) + at_an_end(j, M / 2)));
}

/* Along one axis after the other, the values in corners are forwarded. */
static void added_one_by_one(void) {
  int i, j;
#pragma xmp reflect (steps) width(/periodic/1, /periodic/1)
#pragma xmp reduce_shadow (steps) width(/periodic/1, 0) async(9)
#pragma xmp wait_async(9)
#pragma xmp reduce_shadow (steps) width(0, /periodic/1)
#pragma xmp loop (i,j) on t[i][j]
  for (i = 0; i < N; i++)
    for (j = 0; j < M; j++) check(steps[i][j], value(i, j) * (1 + at_an_end(i, N / 2)) * (1 + at_an_end(j, M / 2)));
}

int main(int argc, char **argv) {
  (void)argv;
  fill();
  full();
  one_by_one();
  meanwhile();
  added();
  if (argc == 1) added_one_by_one();
#pragma xmp reduction(+:wrong,seen)
  if (xmp_node_num() == 1) printf("shadows: %ld of %ld elements are wrong\n", wrong, seen);
  return wrong != 0;
}
