// Tests reblock.hpp: hpp FOLDER ROUNDS [SEED]. FOLDER is for files. The seed is printed, and equal on all ranks.
#include "naive.hpp"
#include <cstdlib>
#include <ctime>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  Verdict verdict;
  MPI_Comm_rank(MPI_COMM_WORLD, &verdict.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &verdict.ranks);
  uint64_t seed = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : static_cast<uint64_t>(std::time(nullptr));
  MPI_Bcast(&seed, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  int rounds = argc > 2 ? std::atoi(argv[2]) : 1;
  // These objects are destroyed after MPI_Finalize.
  reblock::Map map = reblock::Map::from_text(MPI_COMM_WORLD, {100}, "(BLOCK)");
  reblock::Plan plan(MPI_COMM_WORLD, map, map, 8);
  reblock::Array array(map, 8);
  reblock::Scope scope(MPI_COMM_WORLD);
  try {
    for (int k = 0; k < rounds; k++) {
      uint64_t random = stream(seed + static_cast<uint64_t>(k));
      moves(verdict, &random);
    }
    files(verdict, std::string(argc > 1 ? argv[1] : ".") + "/hpp.npy");
    mistakes(verdict);
    endings(verdict);
    job(verdict);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "rank %d: seed %llu: %s\n", verdict.rank, static_cast<unsigned long long>(seed), error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  int64_t all[2] = {verdict.wrong, verdict.checks};
  MPI_Allreduce(MPI_IN_PLACE, all, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  if (verdict.rank == 0)
    std::printf("hpp: C++ %ld, %d ranks, seed %llu: %lld of %lld checks failed\n", __cplusplus / 100 % 100, verdict.ranks,
                static_cast<unsigned long long>(seed), static_cast<long long>(all[0]), static_cast<long long>(all[1]));
  MPI_Finalize();
  return all[0] != 0;
}
