/* Calls reblock in a program without BLACS ("blacs"), without MPI_Init ("init"), or after MPI_Finalize ("over"). The
 * program must end with one clear error line. */
#include "scalapack.h"
#include <mpi.h>
#include <string.h>

gemr2d pdgemr2d_;

int main(int argc, char **argv) {
  int one = 1, zero = 0, desc[9] = {1, 0, 1, 1, 1, 1, 0, 0, 1};
  double a = 1, b = 0;
  int over = argc > 1 && !strcmp(argv[1], "over");
  if (over || (argc > 1 && !strcmp(argv[1], "blacs"))) MPI_Init(&argc, &argv);
  if (over) MPI_Finalize();
  pdgemr2d_(&one, &one, &a, &one, &one, desc, &b, &one, &one, desc, &zero);
  return 0;
}
