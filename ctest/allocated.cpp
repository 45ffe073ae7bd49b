// Tests that large blocks of C++, Fortran and MPI lie in memory that other ranks can read under REBLOCK_ARRAYS=node.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mpi.h>
#include <vector>

extern "C" void reblock_arrays_counts(std::uint64_t counts[2]);
extern "C" void fortran_allocates();

static std::uint64_t before;

// Checks that since the last check, large blocks were placed in such memory, and none elsewhere.
static void check(const char *what) {
  std::uint64_t counts[2];
  reblock_arrays_counts(counts);
  if (counts[0] == before || counts[1]) {
    std::fprintf(stderr, "allocated: %s: %llu there, %llu elsewhere\n", what, (unsigned long long)counts[0], (unsigned long long)counts[1]);
    std::exit(1);
  }
  before = counts[0];
}
extern "C" void allocated_by_fortran() { check("allocate"); }

struct alignas(256) Wide { double x[32]; };

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  std::uint64_t counts[2];
  reblock_arrays_counts(counts);
  before = counts[0];
  for (int round = 0; round < 3; round++) {
    double *plain = new double[1 << 20];
    check("new");
    plain[12345] = 1;
    Wide *wide = new Wide[5000];
    check("new of a type with an alignment");
    if (reinterpret_cast<std::uintptr_t>(wide) % alignof(Wide)) return 2;
    std::vector<double> vector(300000, 2.5);
    check("vector");
    for (int k = 0; k < 300000; k++) vector.push_back(k);
    check("a vector that grows");
    if (vector[299999] != 2.5 || vector[300001] != 1) return 2;
    delete[] plain;
    delete[] wide;
    void *of_mpi;
    if (MPI_Alloc_mem(3 << 20, MPI_INFO_NULL, &of_mpi)) return 2;
    check("MPI_Alloc_mem");
    MPI_Free_mem(of_mpi);
    fortran_allocates();
  }
  MPI_Finalize();
  return 0;
}
