/* gmove between layouts: each array gets the whole matrix `rows`, then a section of it, and moves it back. Each element
 * is checked by its global indices. Runs on 4 nodes. */
#include <stdio.h>
#include <xmp.h>

#define N 30
#define M 22

#pragma xmp nodes p(4)
#pragma xmp nodes q(2,2)

int sizes[4] = {3, 9, 4, 6};
#pragma xmp template by_rows(0:M-1,0:N-1)
#pragma xmp template by_columns(0:M-1,0:N-1)
#pragma xmp template dealt(0:M-1,0:N-1)
#pragma xmp template in_tiles(0:M-1,0:N-1)
#pragma xmp template uneven(0:M-1,0:N-1)
#pragma xmp template larger(0:M+9,0:N+9)
#pragma xmp distribute by_rows(*,block) onto p
#pragma xmp distribute by_columns(block,*) onto p
#pragma xmp distribute dealt(*,cyclic(3)) onto p
#pragma xmp distribute in_tiles(block,cyclic(2)) onto q
#pragma xmp distribute uneven(gblock(sizes),*) onto p
#pragma xmp distribute larger(cyclic,block) onto q

double rows[N][M], columns[N][M], cyclic[N][M], tiles[N][M], gblock[N][M], moved[N][M], haloed[N][M], back[N][M];
double line[M], local[M][M];
#pragma xmp align rows[i][j] with by_rows(j,i)
#pragma xmp align back[i][j] with by_rows(j,i)
#pragma xmp align haloed[i][j] with by_rows(j,i)
#pragma xmp shadow haloed[2][0]
#pragma xmp align columns[i][j] with by_columns(j,i)
#pragma xmp align cyclic[i][j] with dealt(j,i)
#pragma xmp align tiles[i][j] with in_tiles(j,i)
#pragma xmp align gblock[i][j] with uneven(j,i)
#pragma xmp align moved[i][j] with larger(j+3,i+5)
#pragma xmp align line[j] with in_tiles(j,*)

static long wrong, seen;

/* Element (i,j) of `rows`. */
static double value(int i, int j) { return 1000 * i + j + 1; }

/* Element (i,j) of an array that has received all of `rows`, and then [2:9:3][1:8:2] = rows[1:9:2][3:8]. */
static double section(int i, int j) {
  if (i % 3 == 2 && i < 29 && j % 2 == 1 && j < 16) return value(1 + (i - 2) / 3 * 2, 3 + j / 2);
  return value(i, j);
}

static void check(double is, double should) {
  seen++;
  if (is != should) wrong++;
}

static void check_back(void) {
  int i, j;
#pragma xmp loop (i,j) on by_rows(j,i)
  for (i = 0; i < N; i++)
    for (j = 0; j < M; j++) {
      check(back[i][j], section(i, j));
      back[i][j] = 0;
    }
}

static void move_columns(void) {
  int i, j;
#pragma xmp gmove
  columns[:][:] = rows[:][:];
#pragma xmp loop (i,j) on by_columns(j,i)
  for (i = 0; i < N; i++)
    for (j = 0; j < M; j++) check(columns[i][j], value(i, j));
#pragma xmp gmove
  columns[2:9:3][1:8:2] = rows[1:9:2][3:8];
#pragma xmp gmove
  back[:][:] = columns[:][:];
  check_back();
}

static void move_cyclic(void) {
  int i, j;
#pragma xmp gmove
  cyclic[:][:] = rows[:][:];
#pragma xmp loop (i,j) on dealt(j,i)
  for (i = 0; i < N; i++)
    for (j = 0; j < M; j++) check(cyclic[i][j], value(i, j));
#pragma xmp gmove
  cyclic[2:9:3][1:8:2] = rows[1:9:2][3:8];
#pragma xmp gmove
  back[:][:] = cyclic[:][:];
  check_back();
}

static void move_tiles(void) {
  int i, j;
#pragma xmp gmove
  tiles[:][:] = rows[:][:];
#pragma xmp loop (i,j) on in_tiles(j,i)
  for (i = 0; i < N; i++)
    for (j = 0; j < M; j++) check(tiles[i][j], value(i, j));
#pragma xmp gmove
  tiles[2:9:3][1:8:2] = rows[1:9:2][3:8];
#pragma xmp gmove
  back[:][:] = tiles[:][:];
  check_back();
}

static void move_gblock(void) {
  int i, j;
#pragma xmp gmove
  gblock[:][:] = rows[:][:];
#pragma xmp loop (i,j) on uneven(j,i)
  for (i = 0; i < N; i++)
    for (j = 0; j < M; j++) check(gblock[i][j], value(i, j));
#pragma xmp gmove
  gblock[2:9:3][1:8:2] = rows[1:9:2][3:8];
#pragma xmp gmove
  back[:][:] = gblock[:][:];
  check_back();
}

/* Omni's loops in C take no offsets, so this array is checked by moving it back. */
static void move_aligned(void) {
#pragma xmp gmove
  moved[0:N][0:M] = rows[:][:];
#pragma xmp gmove
  moved[2:9:3][1:8:2] = rows[1:9:2][3:8];
#pragma xmp gmove
  back[0:N][0:M] = moved[0:N][0:M];
  check_back();
}

static void move_haloed(void) {
  int i, j;
#pragma xmp gmove
  haloed[:][:] = columns[:][:];
#pragma xmp loop (i,j) on by_rows(j,i)
  for (i = 0; i < N; i++)
    for (j = 0; j < M; j++) check(haloed[i][j], section(i, j));
#pragma xmp gmove
  back[:][:] = haloed[:][:];
  check_back();
}

/* A copy on every node of one column of nodes, and on every node. Omni needs a local array that is square. */
static void move_copies(void) {
  int i, j;
#pragma xmp gmove
  line[:] = rows[7][:];
#pragma xmp loop (j) on in_tiles(j,*)
  for (j = 0; j < M; j++) check(line[j], value(7, j));
#pragma xmp gmove
  line[1:8:2] = rows[9][3:8];
#pragma xmp loop (j) on in_tiles(j,*)
  for (j = 0; j < M; j++) check(line[j], j % 2 == 1 && j < 16 ? value(9, 3 + j / 2) : value(7, j));
#pragma xmp gmove
  local[:][:] = rows[4:M][:];
  for (i = 0; i < M; i++)
    for (j = 0; j < M; j++) check(local[i][j], value(4 + i, j));
}

int main(void) {
  int i, j;
#pragma xmp loop (i,j) on by_rows(j,i)
  for (i = 0; i < N; i++)
    for (j = 0; j < M; j++) rows[i][j] = value(i, j);
  move_columns();
  move_cyclic();
  move_tiles();
  move_gblock();
  move_aligned();
  move_haloed();
  move_copies();
#pragma xmp reduction(+:wrong,seen)
  if (xmp_node_num() == 1) printf("layouts: %ld of %ld elements are wrong\n", wrong, seen);
  return wrong != 0;
}
