/* gmove of one element to a section, within one array whose sections overlap, and with negative strides. Each element
 * is checked. Runs on 4 nodes. With an argument negative strides are left out, because Omni's own code ignores their
 * sign. */
#include <stdio.h>
#include <xmp.h>

#define N 40
#define M 24

#pragma xmp nodes p(4)
#pragma xmp nodes q(2,2)
#pragma xmp template line(0:N-1)
#pragma xmp template dealt(0:N-1)
#pragma xmp template tiles(0:M-1,0:N-1)
#pragma xmp distribute line(block) onto p
#pragma xmp distribute dealt(cyclic(3)) onto p
#pragma xmp distribute tiles(block,cyclic) onto q
double a[N], b[N], t[N][M], local[N];
#pragma xmp align a[i] with line(i)
#pragma xmp align b[i] with dealt(i)
#pragma xmp align t[i][j] with tiles(j,i)

static long wrong, seen;

static void check(double is, double should) {
  seen++;
  if (is != should) wrong++;
}

static double value(int i) { return 7 * i + 3; }
static double value2(int i, int j) { return 100 * i + j; }

static void fill(void) {
  int i, j;
#pragma xmp loop (i) on line(i)
  for (i = 0; i < N; i++) a[i] = value(i);
#pragma xmp loop (i) on dealt(i)
  for (i = 0; i < N; i++) b[i] = -value(i);
#pragma xmp loop (i,j) on tiles(j,i)
  for (i = 0; i < N; i++)
    for (j = 0; j < M; j++) t[i][j] = value2(i, j);
}

static void spread(void) {
  int i, j;
  fill();
#pragma xmp gmove
  b[2:9:4] = a[31];
#pragma xmp loop (i) on dealt(i)
  for (i = 0; i < N; i++) check(b[i], i % 4 == 2 && i <= 34 ? value(31) : -value(i));
  for (i = 0; i < N; i++) local[i] = 5 * i;
#pragma xmp gmove
  local[1:6] = a[17];
  for (i = 0; i < N; i++) check(local[i], i >= 1 && i < 7 ? value(17) : 5 * i);
#pragma xmp gmove
  t[3:20][5:4:3] = t[9][8];
#pragma xmp loop (i,j) on tiles(j,i)
  for (i = 0; i < N; i++)
    for (j = 0; j < M; j++) check(t[i][j], i >= 3 && i < 23 && j >= 5 && j <= 14 && j % 3 == 2 ? value2(9, 8) : value2(i, j));
}

static void shift(void) {
  int i, j;
  fill();
#pragma xmp gmove
  a[1:N-1] = a[0:N-1];
#pragma xmp loop (i) on line(i)
  for (i = 0; i < N; i++) check(a[i], value(i == 0 ? 0 : i - 1));
#pragma xmp gmove
  t[0:N-5][2:M-2] = t[5:N-5][0:M-2];
#pragma xmp loop (i,j) on tiles(j,i)
  for (i = 0; i < N; i++)
    for (j = 0; j < M; j++) check(t[i][j], i < N - 5 && j >= 2 ? value2(i + 5, j - 2) : value2(i, j));
}

static void backwards(void) {
  int i, j;
  fill();
#pragma xmp gmove
  b[0:N] = a[N-1:N:-1];
#pragma xmp loop (i) on dealt(i)
  for (i = 0; i < N; i++) check(b[i], value(N - 1 - i));
#pragma xmp gmove
  a[37:10:-3] = b[0:10];
#pragma xmp loop (i) on line(i)
  for (i = 0; i < N; i++) check(a[i], i % 3 == 1 && i >= 10 ? value(N - 1 - (37 - i) / 3) : value(i));
#pragma xmp gmove
  t[0:N][0:M] = t[N-1:N:-1][0:M];
#pragma xmp loop (i,j) on tiles(j,i)
  for (i = 0; i < N; i++)
    for (j = 0; j < M; j++) check(t[i][j], value2(N - 1 - i, j));
}

int main(int argc, char **argv) {
  spread();
  shift();
  if (argc == 1) backwards();
#pragma xmp reduction(+:wrong,seen)
  if (xmp_node_num() == 1) printf("sections: %ld of %ld elements are wrong\n", wrong, seen);
  return wrong != 0;
}
