/* reflect: 20 steps of a stencil with neighbours at two widths, in tiles; and the same on one node alone. Runs on 4
 * nodes. */
#include <stdio.h>
#include <xmp.h>

#define N 37
#define M 26
#define STEPS 20

#pragma xmp nodes q(2,2)
#pragma xmp template t(0:M-1,0:N-1)
#pragma xmp distribute t(block,block) onto q
double now[N][M], next[N][M];
#pragma xmp align now[i][j] with t(j,i)
#pragma xmp align next[i][j] with t(j,i)
#pragma xmp shadow now[1][2:1]

double alone[N][M], after[N][M];

static double start(int i, int j) { return (i * 31 + j * 17) % 101; }

int main(void) {
  int i, j, step;
  long wrong = 0, seen = 0;
#pragma xmp loop (i,j) on t(j,i)
  for (i = 0; i < N; i++)
    for (j = 0; j < M; j++) {
      now[i][j] = start(i, j);
      next[i][j] = start(i, j);
    }
  for (i = 0; i < N; i++)
    for (j = 0; j < M; j++) after[i][j] = alone[i][j] = start(i, j);

  for (step = 0; step < STEPS; step++) {
#pragma xmp reflect (now)
#pragma xmp loop (i,j) on t(j,i)
    for (i = 1; i < N - 1; i++)
      for (j = 2; j < M - 1; j++)
        next[i][j] = 0.25 * (now[i - 1][j] + now[i + 1][j] + now[i][j - 2] + now[i][j + 1]) + 0.125 * now[i - 1][j - 2];
#pragma xmp loop (i,j) on t(j,i)
    for (i = 0; i < N; i++)
      for (j = 0; j < M; j++) now[i][j] = next[i][j];

    for (i = 1; i < N - 1; i++)
      for (j = 2; j < M - 1; j++)
        after[i][j] = 0.25 * (alone[i - 1][j] + alone[i + 1][j] + alone[i][j - 2] + alone[i][j + 1]) + 0.125 * alone[i - 1][j - 2];
    for (i = 0; i < N; i++)
      for (j = 0; j < M; j++) alone[i][j] = after[i][j];
  }

#pragma xmp loop (i,j) on t(j,i)
  for (i = 0; i < N; i++)
    for (j = 0; j < M; j++) {
      seen++;
      if (now[i][j] != alone[i][j]) wrong++;
    }
#pragma xmp reduction(+:wrong,seen)
  if (xmp_node_num() == 1) printf("reflect: %ld of %ld elements are wrong\n", wrong, seen);
  return wrong != 0;
}
