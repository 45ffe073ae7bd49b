/* Test of the kernels' results and bounds without a GPU: on_cpu [CASES [SEED]]. */
#include "exact.h"
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  int cases = argc > 1 ? atoi(argv[1]) : 400, wrong = exact_run(&cpu, cases, argc > 2 ? strtoull(argv[2], NULL, 10) : 1);
  printf("%d random cases of GPU kernels on the CPU, %d wrong\n", cases, wrong);
  return wrong != 0;
}
