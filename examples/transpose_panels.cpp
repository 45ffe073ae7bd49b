// The 2-D Fourier transform of a matrix in panels. Each rank transforms its whole rows; then the matrix moves so that each rank has
// whole columns, and these are transformed. Runs on any number of ranks.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <reblock.hpp>
#include <vector>

using number = std::complex<double>;

constexpr std::int64_t rows = 90, columns = 120;

// Returns the value at place `at` of a wave with `times` periods over `of` places.
static number wave(std::int64_t times, std::int64_t at, std::int64_t of) {
  return std::polar(1.0, 2 * std::acos(-1.0) * static_cast<double>(times * at % of) / static_cast<double>(of));
}

// Transforms a line of `n` numbers; a real program calls its FFT library here.
static void transform(number *line, std::int64_t n) {
  std::vector<number> result(static_cast<std::size_t>(n));
  for (std::int64_t k = 0; k < n; k++)
    for (std::int64_t i = 0; i < n; i++) result[static_cast<std::size_t>(k)] += line[i] * std::conj(wave(k, i, n));
  std::copy(result.begin(), result.end(), line);
}

// Returns the largest error on this rank.
static double run() {
  // Rows are contiguous on one side, columns on the other: the first map is row-major, the second column-major, the default.
  reblock::Map by_rows = reblock::Map::from_text(MPI_COMM_WORLD, {rows, columns}, "(BLOCK,*)").row_major();
  reblock::Map by_columns = reblock::Map::from_text(MPI_COMM_WORLD, {rows, columns}, "(*,BLOCK)");
  std::vector<number> a(by_rows.elements()), b(by_columns.elements());
  reblock::Plan plan(MPI_COMM_WORLD, by_rows, by_columns, sizeof(number));

  // The matrix is one wave, whose transform is a single number.
  reblock::Local mine = by_rows.local();
  for (std::int64_t i = 0; i < mine.extents[0]; i++) {
    number *row = &a[static_cast<std::size_t>(i * columns)];
    for (std::int64_t j = 0; j < columns; j++) row[j] = wave(3, mine.lower[0] + i, rows) * wave(5, j, columns);
    transform(row, columns);
  }
  plan.execute(a, b);

  mine = by_columns.local();
  double error = 0;
  for (std::int64_t j = 0; j < mine.extents[1]; j++) {
    number *column = &b[static_cast<std::size_t>(j * rows)];
    transform(column, rows);
    for (std::int64_t i = 0; i < rows; i++) {
      bool peak = i == 3 && mine.lower[1] + j == 5;
      error = std::max(error, std::abs(column[i] - (peak ? static_cast<double>(rows * columns) : 0.0)));
    }
  }
  return error;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  double error = 0;
  try {
    error = run();
  } catch (const reblock::error &failure) {
    std::fprintf(stderr, "%s: %s\n", failure.name(), failure.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  int me;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  bool good = error < 1e-6;
  if (me == 0) std::printf("transpose_panels: %s: the largest error is %.1e\n", good ? "correct" : "WRONG", error);
  MPI_Finalize();
  return !good;
}
