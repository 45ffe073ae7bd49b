// The end of objects: moved, replaced, destroyed during an exception, and after MPI_Finalize (see main).
#include "naive.hpp"
#include <memory>

namespace {

struct Alone {};

// Unwinds the stack on one rank while the others continue. This rank must not wait for them.
void unwinding(Verdict &verdict, const reblock::Map &map) {
  bool me = verdict.rank == 0;
  try {
    reblock::Array array(map, 8);
    std::vector<reblock::Array> more;
    more.push_back(reblock::Array(map, 8));
    if (me) throw Alone();
    array.release();
    more[0].release();
  } catch (const Alone &) {
  }
  MPI_Barrier(MPI_COMM_WORLD);
  // An array that is made and destroyed during an exception is freed as usual, because all ranks make and destroy it.
  struct Frees {
    const reblock::Map &map;
    ~Frees() { reblock::Array array(map, 8); }
  };
  try {
    Frees frees{map};
    throw Alone();
  } catch (const Alone &) {
  }
  reblock::Array again(map, 8), &itself = again;
  reblock_array *handle = again.get();
  again = std::move(itself);
  verdict.holds(again.get() == handle, "an array that is moved to itself is gone");
  again.free();
  verdict.holds(again.get() == nullptr, "an array that is freed has a handle");
  verdict.throws(REBLOCK_ERR_HANDLE, "NULL", "an array that is freed already", [&] { again.free(); });
}

// Tests that the destructor of a request completes it.
void requests(Verdict &verdict) {
  numbers whole(1000);
  for (size_t k = 0; k < whole.size(); k++) whole[k] = static_cast<int64_t>(k);
  Layout from{{{1000, verdict.ranks, 7}}, false}, to{{{1000, verdict.ranks, 0}}, false};
  reblock::Map source = reblock::Map::block_cyclic(MPI_COMM_WORLD, {1000}, {verdict.ranks}, {7});
  reblock::Map target = reblock::Map::block_cyclic(MPI_COMM_WORLD, {1000}, {verdict.ranks});
  numbers before = deal(whole, from, verdict.rank), after(target.elements());
  {
    reblock::Plan plan(MPI_COMM_WORLD, source, target, sizeof(int64_t));
    reblock::Request request = plan.start(before, after);
    plan = plan.reverse(); // destroys the first plan while it is used
  }
  verdict.holds(after == deal(whole, to, verdict.rank), "a request that nobody has waited for");
}

void inquiries(Verdict &verdict) {
  reblock::Procs procs(MPI_COMM_WORLD, {1, verdict.ranks});
  verdict.holds(procs.axes() == 2 && procs.shape() == numbers({1, verdict.ranks}), "the shape of an arrangement");
  verdict.holds(procs.rank_at({0, verdict.ranks - 1}) == verdict.ranks - 1, "the rank at a place");
  verdict.holds(procs.coords() == numbers({0, verdict.rank}), "the coordinates of this rank");
  reblock::Template tmpl(procs, {1, 0}, {20, 9});
  tmpl.dist_gen_block(0, 0, {20}).dist_cyclic(1, 1).commit();
  verdict.holds(tmpl.text().find("CYCLIC") != std::string::npos, "the text of a template: " + tmpl.text());
  verdict.holds(tmpl.bounds().upper == numbers({20, 9}) && tmpl.format(1).kind == REBLOCK_FORMAT_CYCLIC, "a template's axes");
  reblock::Map map(tmpl, {0}, {3}, {{1, 2, 1}}, {5, 0}), wide = reblock::Map(tmpl).shadow({1, 0}, {2, 0});
  verdict.holds(map.format(0).stride == 2 && map.tmpl().rest[0] == 5 && map.bounds().upper == numbers{3}, "an alignment");
  verdict.holds(wide.local().before == numbers({1, 0}) && wide.local().after == numbers({2, 0}), "a shadow");
  verdict.holds(map.owners({1}) == numbers{3 % verdict.ranks}, "the owner of an element");
  bool here = verdict.rank == 3 % verdict.ranks;
  std::optional<numbers> at = map.local_index({1});
  verdict.holds(at.has_value() == here && (!here || map.global_index(*at) == numbers{1}), "an element's place");
  reblock::Places places = map.dereference({1, 0});
  verdict.holds(places.ranks == numbers({3 % verdict.ranks, 1 % verdict.ranks}) && places.places.size() == 2, "dereference");
  // Each rank has one row; the last rank has its row in two boxes.
  bool last = verdict.rank == verdict.ranks - 1;
  numbers starts{verdict.rank, 0}, sizes{1, last ? 3 : 8}, offsets{2};
  if (last) starts.insert(starts.end(), {verdict.rank, 3}), sizes.insert(sizes.end(), {1, 5}), offsets = {8, 1};
  reblock::Map rows = reblock::Map::from_boxes(MPI_COMM_WORLD, {verdict.ranks, 8}, starts, sizes, true, offsets);
  verdict.holds(rows.boxes() == (last ? 2 : 1) && !map.boxes() && rows.elements() == (last ? 11u : 10u), "boxes");
  verdict.holds(rows.offset({verdict.rank, 4}) == (last ? 2 : 6) && (verdict.ranks == 1 || !rows.offset({last ? 0 : verdict.rank + 1, 0})),
                "an element's place in boxes");
  std::vector<double> from(rows.elements(), verdict.rank), to(8, -1);
  reblock::move(MPI_COMM_WORLD, rows, reblock::Map::from_boxes(MPI_COMM_WORLD, {verdict.ranks, 8}, {verdict.rank, 0}, {1, 8}), from, to);
  verdict.holds(to == std::vector<double>(8, verdict.rank), "a row out of boxes");
  verdict.holds(map.part(verdict.rank).has_value() == map.local().has_part, "a part");
  verdict.holds(map.procs().axes() == 2, "the arrangement of a map");
  reblock::Plan plan(MPI_COMM_WORLD, wide, reblock::Map(tmpl), 8);
  verdict.holds(plan.inquire().sent == 0 && !plan.target() && plan.explain()[0] == '{', "what a plan says of itself");
  reblock::Scope scope(MPI_COMM_WORLD);
  scope.directive("PROCESSORS P(" + std::to_string(verdict.ranks) + ")");
  scope.directive("DIMENSION A(30)");
  scope.directive("DISTRIBUTE A(BLOCK) ONTO P");
  reblock::Array array = scope.array("A", sizeof(double));
  verdict.holds(scope.map("A").elements() == array.data<double>().size() && scope.procs("P").axes() == 1, "a scope");
  verdict.holds(reblock::grid_for(12).rows == 3 && reblock::version() == reblock_version(), "a grid");
}

} // namespace

void endings(Verdict &verdict) {
  reblock::Map map = reblock::Map::from_text(MPI_COMM_WORLD, {100}, "(BLOCK)");
  std::vector<reblock::Map> maps;
  for (int k = 0; k < 5; k++) maps.push_back(map.row_major());
  maps.erase(maps.begin());
  maps[0] = std::move(maps[3]);
  verdict.holds(maps[0].axes() == 1 && maps[3].get() == nullptr, "maps that are moved");
  reblock::Array array(map, 8);
  array = reblock::Array(map, 4);
  verdict.holds(array.element() == 4, "an array that replaces another");
  unwinding(verdict, map);
  requests(verdict);
  inquiries(verdict);
}
