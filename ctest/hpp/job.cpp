// Tests a job whose ranks are parked and come back, with callbacks of the program that throw.
#include "naive.hpp"
#include <algorithm>
#include <cstdlib>
#include <stdexcept>

namespace {

constexpr int64_t N = 50;

// Returns the numbers of elements of ranks 0 to `ranks` - 1. The first ranks have one element more than the others.
numbers shares(int64_t ranks) {
  numbers sizes(static_cast<size_t>(ranks), N / ranks);
  for (int64_t k = 0; k < N % ranks; k++) sizes[static_cast<size_t>(k)]++;
  return sizes;
}

struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

} // namespace

void job(Verdict &verdict) {
  reblock_job_options options = reblock::Job::options();
  options.park = 1;
  reblock::Job made(MPI_COMM_WORLD, &options), job = std::move(made);
  verdict.holds(!job.joined() && made.get() == nullptr, "a job that is moved");
  verdict.throws(REBLOCK_ERR_HANDLE, "NULL", "a job that is empty", [&] { made.joined(); });

  reblock::Procs procs(job.comm(), {verdict.ranks});
  reblock::Template tmpl(procs, {0}, {N - 1});
  tmpl.dist_gen_block(0, 0, shares(verdict.ranks)).commit();
  reblock::Map map(tmpl);
  // Storage that moves with a job must come from the job's allocator, malloc.
  double *data = static_cast<double *>(std::malloc(sizeof(double) * (map.elements() + 1)));
  int64_t step = 7, lower = map.local().lower[0];
  for (size_t k = 0; k < map.elements(); k++) data[k] = static_cast<double>(lower + static_cast<int64_t>(k));
  int64_t number = job.add_array(&map, data), value = job.add_value(step);
  verdict.holds(number == 0 && value == 1, "numbers of what is registered");
  bool refuse = true;
  job.set_formats(number, [&](reblock::list<std::int64_t> shape, reblock::Template &axes) {
    if (refuse) throw Refused("not now");
    axes.dist_gen_block(0, 0, shares(*shape.begin()));
  });
  int asked = 0;
  job.set_policy([&](std::int64_t ranks, double) { return asked++ == 0 ? throw Refused("no policy") : ranks; });
  verdict.holds(job.step() == reblock::Job::State::same && job.step() == reblock::Job::State::same, "steps without a change");
  verdict.holds(asked == (verdict.rank == 0 ? 2 : 0), "the policy is asked on rank 0");
  std::string hosts = job.hosts();
  verdict.holds(std::count(hosts.begin(), hosts.end(), ',') == verdict.ranks - 1, "hosts");
  job.set_leaving_hosts("nowhere");
  verdict.throws(REBLOCK_ERR_ARGUMENT, "nowhere", "a host that is none of the job's", [&] { job.step(); });
  job.set_leaving({verdict.ranks});
  verdict.throws(REBLOCK_ERR_ARGUMENT, "is to leave", "a rank that is none of the job's", [&] { job.step(); });
  verdict.throws(REBLOCK_ERR_ARGUMENT, "rank 0", "rank 0 leaves", [&] { job.set_leaving({0}); });
  verdict.holds(job.next_freed().empty(), "a host that is free");

  if (verdict.ranks > 1) {
    bool thrown = false;
    try {
      job.shrink(verdict.ranks - 1);
    } catch (const Refused &) {
      thrown = true;
    }
    verdict.holds(thrown, "what a function of the program's has thrown");
    refuse = false;
    verdict.holds(job.price(verdict.ranks - 1).bytes > 0, "a price");
    std::string why;
    verdict.holds(job.can_resize(verdict.ranks - 1) && !job.can_resize(-1, &why) && !why.empty(), "sizes");
    // The last rank is parked in this call; it returns when the others grow again.
    verdict.holds(job.shrink(verdict.ranks - 1) == reblock::Job::State::resized, "shrinking, or coming back");
    if (verdict.rank < verdict.ranks - 1) {
      verdict.holds(job.times().after == verdict.ranks - 1, "times");
      step = 8;
      job.set_constant(number);
      verdict.holds(job.expand(verdict.ranks) == reblock::Job::State::moving, "growing while the program goes on");
      reblock::Job::State state;
      while ((state = job.step()) == reblock::Job::State::moving) {}
      verdict.holds(state == reblock::Job::State::resized, "growing");
    }
    verdict.holds(step == 8, "a value");
    reblock::Map now = job.map(number);
    verdict.holds(now.elements() == map.elements(), "the map after growing again");
    int64_t wrong = 0;
    for (size_t k = 0; k < now.elements(); k++) wrong += data[k] != static_cast<double>(lower + static_cast<int64_t>(k));
    verdict.holds(wrong == 0, "the elements after growing again");
  }
  job.finalize();
  std::free(data);
  reblock::Job ends(MPI_COMM_WORLD); // its destructor ends the job
}
