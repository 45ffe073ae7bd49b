/* Times large gmoves, small reflects and a stencil, by Omni's own code and by reblock in turn, with the shim loaded.
 * Checks the results before timing. Argument: number of turns (20). */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <xmp.h>

#define N 4096
#define KINDS 5
#define REFLECTS 200
#define STEPS 10
#define MAX_TURNS 100

#pragma xmp nodes p(*)
#pragma xmp template rows(0:N-1,0:N-1)
#pragma xmp template columns(0:N-1,0:N-1)
#pragma xmp template dealt_rows(0:N-1,0:N-1)
#pragma xmp template dealt_columns(0:N-1,0:N-1)
#pragma xmp distribute rows(*,block) onto p
#pragma xmp distribute columns(block,*) onto p
#pragma xmp distribute dealt_rows(*,cyclic(4)) onto p
#pragma xmp distribute dealt_columns(cyclic(4),*) onto p
double a[N][N], b[N][N], c[N][N], d[N][N], e[N][N], f[N][N];
#pragma xmp align a[i][j] with rows(j,i)
#pragma xmp align b[i][j] with columns(j,i)
#pragma xmp align c[i][j] with dealt_rows(j,i)
#pragma xmp align d[i][j] with dealt_columns(j,i)
#pragma xmp align e[i][j] with rows(j,i)
#pragma xmp align f[i][j] with rows(j,i)
#pragma xmp shadow e[1][0]

static const char *const kinds[KINDS] = {"rows to columns", "rows to CYCLIC(4) rows", "rows to CYCLIC(4) columns", "200 reflects of a row",
                                         "10 steps of a stencil"};
static double times[KINDS][2][MAX_TURNS], work[KINDS][2][MAX_TURNS];

/* Returns the time until the last node is done; sets the processor time of all nodes. */
static double moved(int kind, double *busy) {
  int i, j, step;
  double begin, processor = clock();
  xmp_barrier();
  begin = xmp_wtime();
  if (kind == 0) {
#pragma xmp gmove
    b[:][:] = a[:][:];
  } else if (kind == 1) {
#pragma xmp gmove
    c[:][:] = a[:][:];
  } else if (kind == 2) {
#pragma xmp gmove
    d[:][:] = a[:][:];
  } else if (kind == 3) {
    for (i = 0; i < REFLECTS; i++) {
#pragma xmp reflect (e)
    }
  } else {
    for (step = 0; step < STEPS; step++) {
#pragma xmp reflect (e)
#pragma xmp loop (i,j) on rows(j,i)
      for (i = 1; i < N - 1; i++)
        for (j = 1; j < N - 1; j++) f[i][j] = 0.25 * (e[i - 1][j] + e[i + 1][j] + e[i][j - 1] + e[i][j + 1]);
    }
  }
  *busy = (clock() - processor) / (double)CLOCKS_PER_SEC;
  xmp_barrier();
  begin = xmp_wtime() - begin;
  return begin;
}

/* Switches the shim on or off. */
static void by_reblock(int on) {
  void (*change)(int) = (void (*)(int))dlsym(dlopen(NULL, RTLD_NOW), "xmp_reblock_switch");
  change(on);
}

static double value(int i, int j) { return i * (double)N + j; }

static long wrong_elements(void) {
  int i, j;
  long wrong = 0;
#pragma xmp loop (i,j) on columns(j,i)
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++) {
      wrong += b[i][j] != value(i, j);
      b[i][j] = -1;
    }
#pragma xmp loop (i,j) on dealt_rows(j,i)
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++) {
      wrong += c[i][j] != value(i, j);
      c[i][j] = -1;
    }
#pragma xmp loop (i,j) on dealt_columns(j,i)
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++) {
      wrong += d[i][j] != value(i, j);
      d[i][j] = -1;
    }
#pragma xmp loop (i,j) on rows(j,i)
  for (i = 0; i < N - 1; i++)
    for (j = 0; j < N; j++) wrong += e[i + 1][j] != value(i + 1, j);
#pragma xmp loop (i,j) on rows(j,i)
  for (i = 1; i < N - 1; i++)
    for (j = 1; j < N - 1; j++) {
      wrong += f[i][j] != value(i, j);
      f[i][j] = -1;
    }
#pragma xmp reduction(+:wrong)
  return wrong;
}

static int smaller(const void *left, const void *right) {
  double l = *(const double *)left, r = *(const double *)right;
  return (l > r) - (l < r);
}

/* Prints the minimum and median of each, and the quartiles of the ratio within turns. */
static void compare(const char *what, double (*of)[MAX_TURNS], int turns) {
  double ratios[MAX_TURNS];
  int turn, by;
  for (turn = 0; turn < turns; turn++) ratios[turn] = of[1][turn] / of[0][turn];
  qsort(ratios, turns, sizeof *ratios, smaller);
  for (by = 0; by < 2; by++) qsort(of[by], turns, sizeof *of[by], smaller);
  printf("  %-18s Omni %.4f %.4f, reblock %.4f %.4f, reblock/Omni %.2f (%.2f to %.2f)\n", what, of[0][0], of[0][turns / 2], of[1][0],
         of[1][turns / 2], ratios[turns / 2], ratios[turns / 4], ratios[turns - 1 - turns / 4]);
}

int main(int argc, char **argv) {
  double busy;
  int i, j, kind, by, turn, turns = argc > 1 ? atoi(argv[1]) : 20;
  if (turns > MAX_TURNS) turns = MAX_TURNS;
#pragma xmp loop (i,j) on rows(j,i)
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++) a[i][j] = e[i][j] = value(i, j);
  for (by = 0; by < 2; by++) {
    by_reblock(by);
    for (turn = 0; turn < 2; turn++)
      for (kind = 0; kind < KINDS; kind++) moved(kind, &busy);
    long wrong = wrong_elements();
    if (wrong != 0) {
      if (xmp_node_num() == 1) printf("%s: %ld elements are wrong\n", by ? "reblock" : "Omni", wrong);
      return 1;
    }
  }
  for (turn = 0; turn < turns; turn++)
    for (kind = 0; kind < KINDS; kind++)
      for (by = 0; by < 2; by++) {
        by_reblock(by);
        times[kind][by][turn] = moved(kind, &busy);
#pragma xmp reduction(+:busy)
        work[kind][by][turn] = busy;
      }
  if (xmp_node_num() == 1)
    for (kind = 0; kind < KINDS; kind++) {
      printf("%s\n", kinds[kind]);
      compare("seconds", times[kind], turns);
      compare("processor seconds", work[kind], turns);
    }
  return 0;
}
