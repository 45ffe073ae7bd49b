// Tests calls that fail: every rank must get an exception with the text, whichever rank made the mistake, and nothing may be
// written.
#include "naive.hpp"
#include <algorithm>

namespace {

// Returns the number of a handle's slot. Slots are reused, the last freed slot first.
uint32_t place_of(const void *handle) { return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(handle)) >> 1; }

// Tests that constructors that fail leave no object behind.
void leaks(Verdict &verdict) {
  reblock::Procs procs(MPI_COMM_WORLD, {verdict.ranks});
  reblock::Template tmpl(procs, {0}, {99});
  tmpl.dist_block(0, 0).commit();
  reblock::Map map(tmpl);
  uint32_t before = place_of(reblock::Map(tmpl).get());
  for (int k = 0; k < 40; k++) {
    verdict.throws(REBLOCK_ERR_ARGUMENT, "", "Template", [&] { reblock::Template(procs, {0}, {99}).dist_block(1, 0); });
    verdict.throws(REBLOCK_ERR_TEXT, "", "dist_text", [&] { reblock::Template(procs, {0}, {99}).dist_text("(BLOCK"); });
    verdict.throws(REBLOCK_ERR_ARGUMENT, "", "Array", [&] { reblock::Array(map.row_major(), 0); });
    verdict.throws(REBLOCK_ERR_ARGUMENT, "", "Plan",
                   [&] { reblock::Plan(MPI_COMM_WORLD, map.row_major(), {map, {{0, 100, 1}}}, 8); });
    verdict.throws(REBLOCK_ERR_ARGUMENT, "upper has 2 entries, expected 1", "Map", [&] { reblock::Map(tmpl, {0}, {9, 9}); });
  }
  verdict.holds(place_of(reblock::Map(tmpl).get()) == before, "an object is left where a constructor has failed");
}

// Passes lists that do not fit on one rank. This rank must report the reason, and the others the same text with its number.
void lists(Verdict &verdict) {
  bool me = verdict.rank == verdict.ranks - 1;
  auto throws = [&](std::int32_t code, const char *own, const char *what, auto call) {
    std::string other = "rank " + std::to_string(verdict.ranks - 1) + ": " + own;
    verdict.throws(code, me ? own : other, what, call);
  };
  MPI_Comm comm = MPI_COMM_WORLD;
  numbers one{verdict.ranks}, two{0, 0}, ranks(static_cast<size_t>(verdict.ranks));
  for (size_t k = 0; k < ranks.size(); k++) ranks[k] = static_cast<int64_t>(k);
  if (me) ranks.push_back(0);
  throws(REBLOCK_ERR_ARGUMENT, "ranks has", "Procs", [&] { reblock::Procs(comm, one, ranks); });
  throws(REBLOCK_ERR_ARGUMENT, "blocks has 2 entries, expected 1", "block_cyclic",
         [&] { reblock::Map::block_cyclic(comm, {9}, one, me ? two : numbers{2}); });
  std::vector<int> sizes{9}, formats{MPI_DISTRIBUTE_BLOCK}, blocks{MPI_DISTRIBUTE_DFLT_DARG}, places{verdict.ranks};
  if (me) places.push_back(1);
  throws(REBLOCK_ERR_ARGUMENT, "psizes has 2 entries, expected 1", "from_darray",
         [&] { reblock::Map::from_darray(comm, sizes, formats, blocks, places); });

  numbers start{0, verdict.rank}, size{2, 1};
  if (me) size.push_back(1);
  throws(REBLOCK_ERR_ARGUMENT, "sizes has 3 entries, expected 2", "from_boxes",
         [&] { reblock::Map::from_boxes(comm, {2, verdict.ranks}, start, size); });
  throws(REBLOCK_ERR_ARGUMENT, "offsets has 2 entries, expected 1", "from_boxes",
         [&] { reblock::Map::from_boxes(comm, {2, verdict.ranks}, start, {2, 1}, false, me ? two : numbers{0}); });

  reblock::Map map = reblock::Map::block_cyclic(comm, {40}, one, {3}), other = reblock::Map::from_text(comm, {40}, "(BLOCK)");
  std::vector<reblock_range> section(me ? 2 : 1, {0, 5, 1});
  throws(REBLOCK_ERR_ARGUMENT, "the section of the source has 2 entries, expected 1", "Plan",
         [&] { reblock::Plan(comm, {map, section}, {other, {{0, 5, 1}}}, 8); });
  std::vector<double> source(map.elements(), 1.0), target(other.elements(), 2.0);
  throws(REBLOCK_ERR_ARGUMENT, "the section of the source has 2 entries, expected 1", "move",
         [&] { reblock::move(comm, {map, section}, {other, {{0, 5, 1}}}, source, target); });

  reblock::Plan plan(comm, map, other, sizeof(double));
  std::vector<double> small(other.elements() - (me ? 1 : 0), 2.0);
  throws(REBLOCK_ERR_ARGUMENT, "target has", "execute", [&] { plan.execute(source, small); });
  throws(REBLOCK_ERR_ARGUMENT, "target has", "start", [&] { plan.start(source, small).wait(); });
  throws(REBLOCK_ERR_ARGUMENT, "target has", "move", [&] { reblock::move(comm, map, other, source, small); });
  throws(REBLOCK_ERR_ARGUMENT, "targets has 0 entries, expected 1", "start_many", [&] {
    std::vector<void *> targets(me ? 0 : 1, target.data());
    reblock::start_many({&plan}, {source.data()}, targets).wait();
  });
  throws(REBLOCK_ERR_ARGUMENT, "sources has 0 entries, expected 1", "execute_many", [&] {
    std::vector<const void *> sources(me ? 0 : 1, source.data());
    reblock::execute_many({&plan}, sources, {target.data()});
  });
  throws(REBLOCK_ERR_ARGUMENT, "target has", "update", [&] { plan.update(source, small, reblock::Update<double>(2)); });
  throws(REBLOCK_ERR_ARGUMENT, "target has", "start_update",
         [&] { plan.start_update(source, small, reblock::Update<double>(2)).wait(); });
  throws(REBLOCK_ERR_ARGUMENT, "target has", "move_update",
         [&] { reblock::move_update(comm, map, other, source, small, reblock::Update<double>(2)); });
  throws(REBLOCK_ERR_ARGUMENT, "updates has 2 entries, expected 1", "update_many", [&] {
    std::vector<const reblock_update *> updates(me ? 2 : 1, nullptr);
    reblock::update_many({&plan}, {source.data()}, {target.data()}, updates);
  });
  throws(REBLOCK_ERR_ARGUMENT, "updates has 0 entries, expected 1", "start_update_many", [&] {
    std::vector<const reblock_update *> updates(me ? 0 : 1, nullptr);
    reblock::start_update_many({&plan}, {source.data()}, {target.data()}, updates).wait();
  });
  std::vector<float> narrow(map.elements());
  verdict.throws(REBLOCK_ERR_ARGUMENT, "source has elements of 4 bytes, expected 8", "execute",
                 [&] { plan.execute(narrow, target); });
  reblock::Map moved = std::move(map);
  verdict.throws(REBLOCK_ERR_HANDLE, "NULL", "a map that is empty", [&] { map.elements(); });
  for (double element : small) verdict.holds(element == 2.0, "a call that failed has written something");
  for (double element : target) verdict.holds(element == 2.0, "a call that failed has written something");
  plan.execute(source, target);
  verdict.holds(std::count(target.begin(), target.end(), 1.0) == static_cast<std::ptrdiff_t>(target.size()),
                "a plan does not work after calls that failed");
}

// Tests errors that the library finds, not the C++ header.
void texts(Verdict &verdict) {
  MPI_Comm comm = MPI_COMM_WORLD;
  verdict.throws(REBLOCK_ERR_TEXT, "BLOK", "from_text", [&] { reblock::Map::from_text(comm, {8}, "(BLOK)"); });
  verdict.throws(REBLOCK_ERR_ARGUMENT, "the arrangement has", "Procs", [&] { reblock::Procs(comm, {verdict.ranks + 1}); });
  reblock::Map map = reblock::Map::from_text(comm, {8}, "(CYCLIC)");
  reblock::Array array = reblock::Array::of<double>(map);
  verdict.throws(REBLOCK_ERR_FILE, "/no/such", "save", [&] { array.save("/no/such/folder/a.npy", "<f8"); });
  reblock_plan_options options = reblock::Plan::options();
  options.scheduler = "no such";
  verdict.throws(REBLOCK_ERR_SETTINGS, "no such", "a scheduler", [&] { reblock::Plan(comm, map, map, 8, &options); });
  reblock::Scope scope(comm);
  verdict.throws(REBLOCK_ERR_TEXT, "", "a directive", [&] { scope.directive("!HPF$ PROCESORS P(2)"); });
}

} // namespace

void mistakes(Verdict &verdict) {
  leaks(verdict);
  lists(verdict);
  texts(verdict);
}
