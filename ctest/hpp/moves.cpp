// Moves random arrays between random layouts in all ways, and compares them with naive dealing.
#include "naive.hpp"
#include <array>
#include <tuple>

namespace {

struct Case {
  Verdict &verdict;
  uint64_t *random;
  Layout from, to;
  reblock::Map source, target;
};

template <class T> std::vector<T> whole_of(uint64_t seed, const numbers &extents) {
  std::vector<T> whole(product(extents));
  for (size_t k = 0; k < whole.size(); k++) whole[k] = static_cast<T>(hash(seed, k) >> 12);
  return whole;
}

template <class T> void whole_arrays(Case &c) {
  uint64_t seed = next(c.random);
  std::vector<T> whole = whole_of<T>(seed, c.from.of(&Dealing::extent));
  const std::vector<T> before = deal(whole, c.from, c.verdict.rank), wanted = deal(whole, c.to, c.verdict.rank);
  std::vector<T> after(wanted.size(), T(3)), back(before.size(), T(3));
  int64_t way = within(c.random, 0, 4);
  std::string what = "way " + std::to_string(way) + ": " + c.source.text() + " to " + c.target.text();
  c.verdict.holds(c.source.elements() == before.size() && c.target.elements() == wanted.size(), what + ": elements");

  reblock::Plan plan(MPI_COMM_WORLD, c.source, c.target, sizeof(T));
  if (way == 0) plan.execute(before, after);
  if (way == 1) plan.execute(before.data(), after.data());
  if (way == 2) plan.start(before, after).wait();
  if (way == 3) {
    reblock::Request request = plan.start(before.data(), after.data());
    while (!request.test()) {}
    c.verdict.holds(request.get() == nullptr, what + ": a request that is complete is not empty");
  }
  if (way == 4) reblock::move(MPI_COMM_WORLD, c.source, c.target, before, after);
  c.verdict.holds(after == wanted, what);
  plan.reverse().execute(reblock::span<const T>(after.data(), after.size()), reblock::span<T>(back.data(), back.size()));
  c.verdict.holds(back == before, what + ": the way back");
}

// Moves a section of an array to a section of another array with other extents. Other elements must stay unchanged.
void sections(Verdict &verdict, uint64_t *random) {
  size_t axes = static_cast<size_t>(within(random, 1, 3));
  std::vector<reblock_range> sections[2];
  numbers extents[2];
  for (size_t k = 0; k < axes; k++) {
    int64_t indices = within(random, 1, 6);
    for (int side = 0; side < 2; side++) {
      int64_t lower = within(random, 0, 3), stride = within(random, 1, 3), upper = lower + (indices - 1) * stride;
      sections[side].push_back({lower, upper, stride});
      extents[side].push_back(upper + 1 + within(random, 0, 3));
    }
  }
  Layout from = any_layout(random, extents[0], verdict.ranks), to = any_layout(random, extents[1], verdict.ranks);
  std::vector<double> whole = whole_of<double>(next(random), extents[0]), other = whole_of<double>(next(random), extents[1]);
  std::vector<double> changed = other;
  auto position = [&](const numbers &index, int side) {
    size_t at = 0;
    for (size_t k = index.size(); k-- > 0;) {
      const reblock_range &range = sections[side][k];
      at = at * static_cast<size_t>(extents[side][k]) + static_cast<size_t>(range.lower + index[k] * range.stride);
    }
    return at;
  };
  numbers shape;
  for (const reblock_range &range : sections[0]) shape.push_back((range.upper - range.lower) / range.stride + 1);
  each(shape, [&](const numbers &index, size_t) {
    changed[position(index, 1)] = whole[position(index, 0)];
  });
  reblock::Map source = map_of(random, MPI_COMM_WORLD, from), target = map_of(random, MPI_COMM_WORLD, to);
  std::vector<double> before = deal(whole, from, verdict.rank), after = deal(other, to, verdict.rank);
  if (within(random, 0, 1)) {
    reblock::Plan plan(MPI_COMM_WORLD, {source, sections[0]}, {target, sections[1]}, sizeof(double));
    plan.execute(before, after);
  } else {
    reblock::move(MPI_COMM_WORLD, {source, sections[0]}, {target, sections[1]}, before, after);
  }
  verdict.holds(after == deal(changed, to, verdict.rank), "a section of " + source.text() + " to one of " + target.text());
}

// Tests an array of the library that moves with its template.
void arrays(Verdict &verdict, uint64_t *random) {
  Layout from{{{15, verdict.ranks, 0}, {7, 1, 0}}, true}, to{{{15, 1, 0}, {7, verdict.ranks, 2}}, true};
  std::vector<float> whole = whole_of<float>(next(random), {15, 7}), wanted = deal(whole, to, verdict.rank);
  reblock::Procs procs(MPI_COMM_WORLD, {verdict.ranks});
  reblock::Template rows(procs, {0, 0}, {14, 6}), columns(procs, {0, 0}, {14, 6});
  rows.dist_block(0, 0).commit();
  columns.dist_text("(*,CYCLIC(2))").commit();
  reblock::Array array = reblock::Array::of<float>(reblock::Map(rows).row_major());
  reblock::Array dead(reblock::Map(rows), 3);
  std::vector<float> before = deal(whole, from, verdict.rank);
  reblock::span<float> data = array.data<float>();
  verdict.holds(data.size() == before.size(), "the size of an array");
  std::copy(before.begin(), before.end(), data.begin());
  rows.redistribute(columns, {&dead});
  data = array.data<float>();
  verdict.holds(std::vector<float>(data.begin(), data.end()) == wanted, "REDISTRIBUTE");
  reblock::Layout layout = array.layout();
  verdict.holds(layout.extents[0] == 15 && layout.strides[1] == 1 && layout.lower.size() == 2, "the layout of an array");
  array.realign(reblock::Map::block_cyclic(MPI_COMM_WORLD, {15, 7}, {verdict.ranks, 1}).row_major());
  data = array.data<float>();
  verdict.holds(std::vector<float>(data.begin(), data.end()) == before, "REALIGN");
  verdict.throws(REBLOCK_ERR_ARGUMENT, "elements of 4 bytes, not of 8", "data of another type", [&] { array.data<double>(); });
  // Blocks of rows on a ring, with a shadow in which every place shows an element.
  reblock::Map shadowed = reblock::Map::block_cyclic(MPI_COMM_WORLD, {15, 7}, {verdict.ranks, 1}).row_major().shadow({1, 0}, {1, 0});
  array.fill_shadows(false, {1, 0});
  array.realign(shadowed);
  layout = array.layout(), data = array.data<float>();
  bool shown = true;
  for (int64_t i = 0; i < layout.extents[0] && layout.extents[0] > 2; i++)
    for (int64_t j = 0; j < 7; j++)
      shown = shown && data[static_cast<size_t>(7 * i + j)] == whole[static_cast<size_t>((layout.lower[0] + i + 15) % 15 + 15 * j)];
  verdict.holds(shown, "shadows after REALIGN");
  verdict.throws(REBLOCK_ERR_ARGUMENT, "periodic has 1 entries, expected 2", "periodic axes", [&] { array.fill_shadows(true, {1}); });
  array.leave_shadows();
}

// Tests relabelling: parts of the target may move to ranks that already have their elements.
void relabelled(Verdict &verdict) {
  int64_t last = 4 * verdict.ranks - 3;
  numbers backwards;
  for (int64_t rank = verdict.ranks; rank-- > 0;) backwards.push_back(rank);
  reblock::Template from(reblock::Procs(MPI_COMM_WORLD, {verdict.ranks}), {0}, {last});
  reblock::Template to(reblock::Procs(MPI_COMM_WORLD, {verdict.ranks}, backwards), {0}, {last});
  reblock::Map source(from.dist_block(0, 0).commit()), target(to.dist_block(0, 0).commit());
  reblock_plan_options options = reblock::Plan::options();
  options.relabel = 1;
  reblock::Plan plan(MPI_COMM_WORLD, source, target, sizeof(int64_t), &options);
  verdict.holds(plan.target().has_value() == (verdict.ranks > 1) && plan.inquire().sent == 0, "relabelling");
  numbers before(source.elements(), verdict.rank), after(before.size());
  plan.execute(before, after);
  verdict.holds(after == before, "a move to places that are relabelled");
}

// Moves two arrays in one set of messages.
void batches(Verdict &verdict, uint64_t *random) {
  Layout from = any_layout(random, {9, 11}, verdict.ranks), to = any_layout(random, {9, 11}, verdict.ranks);
  reblock::Map source = map_of(random, MPI_COMM_WORLD, from), target = map_of(random, MPI_COMM_WORLD, to);
  reblock::Plan one(MPI_COMM_WORLD, source, target, sizeof(double)), other(MPI_COMM_WORLD, target, source, sizeof(double));
  std::vector<double> whole = whole_of<double>(next(random), {9, 11});
  std::vector<double> here = deal(whole, from, verdict.rank), there = deal(whole, to, verdict.rank);
  std::vector<double> a(there.size()), b(here.size());
  reblock::execute_many({&one, &other}, {here.data(), there.data()}, {a.data(), b.data()});
  verdict.holds(a == there && b == here, "execute_many");
  std::fill(a.begin(), a.end(), 0.0);
  reblock::start_many({&one}, {here.data()}, {a.data()}).wait();
  verdict.holds(a == there, "start_many");
}

// Tests lists of indices: each rank lists rows, and one element twice.
void lists(Verdict &verdict) {
  reblock::Map map = reblock::Map::block_cyclic(MPI_COMM_WORLD, {10, 3}, {verdict.ranks, 1});
  std::vector<double> own(map.elements(), verdict.rank), rows(6), sums(2, 1.0);
  numbers last = {9, 0}, twice = {9, 2, 9, 2};
  reblock::Plan::gather(MPI_COMM_WORLD, map, 0, last, sizeof(double)).execute(own, rows);
  double highest = static_cast<double>(9 / ((10 + verdict.ranks - 1) / verdict.ranks));
  verdict.holds(rows == std::vector<double>{highest, 0, highest, 0, highest, 0}, "gather");
  reblock::Plan add = reblock::Plan::scatter(MPI_COMM_WORLD, map, REBLOCK_ALL_AXES, twice, sizeof(double));
  add.update(sums, own, reblock::Update<double>(1.0, 1.0));
  std::vector<double> one(1);
  reblock::Plan::gather(MPI_COMM_WORLD, map, REBLOCK_ALL_AXES, numbers{9, 2}, sizeof(double)).execute(own, one);
  verdict.holds(one[0] == highest + 2.0 * static_cast<double>(verdict.ranks), "scatter");
  verdict.throws(REBLOCK_ERR_ARGUMENT, "3 indices of 2 axes", "an index too many",
                 [&] { reblock::Plan::gather(MPI_COMM_WORLD, map, REBLOCK_ALL_AXES, numbers{1, 2, 3}, 8); });
}

// Tests circular and end-off shifts, and equal maps.
void shifted(Verdict &verdict, uint64_t *random) {
  Layout from = any_layout(random, {7, 5}, verdict.ranks), to = any_layout(random, {7, 5}, verdict.ranks);
  reblock::Map source = map_of(random, MPI_COMM_WORLD, from), target = map_of(random, MPI_COMM_WORLD, to);
  std::vector<double> whole = whole_of<double>(next(random), {7, 5}), around = whole, off(whole.size(), -1.5);
  int64_t rows = within(random, -9, 9), columns = within(random, -9, 9);
  for (int64_t j = 0; j < 5; j++)
    for (int64_t i = 0; i < 7; i++) {
      int64_t x = i + rows, y = j + columns;
      size_t here = static_cast<size_t>(7 * j + i), there = static_cast<size_t>((y + 50) % 5 * 7 + (x + 70) % 7);
      around[here] = whole[there];
      if (x >= 0 && x < 7 && y >= 0 && y < 5) off[here] = whole[there];
    }
  std::vector<double> before = deal(whole, from, verdict.rank), wanted = deal(around, to, verdict.rank), after(wanted.size());
  reblock::Plan::cshift(MPI_COMM_WORLD, source, target, sizeof(double), {rows, columns}).execute(before, after);
  verdict.holds(after == wanted, "cshift");
  double boundary = -1.5;
  reblock::Plan plan = reblock::Plan::eoshift(MPI_COMM_WORLD, source, target, sizeof(double), {rows, columns}, &boundary);
  plan.start(before, after).wait();
  verdict.holds(after == deal(off, to, verdict.rank), "eoshift");
  // Shifts each of this process's rows by a distance of its own.
  reblock::Map strips = reblock::Map::from_text(MPI_COMM_WORLD, {7, 5}, "(BLOCK,*)");
  Layout by_rows{{{7, verdict.ranks, 0}, {5, 1, 0}}, false};
  numbers distances;
  for (int64_t i = 0; i < static_cast<int64_t>(strips.elements() / 5); i++) distances.push_back(strips.global_index({i, 0}).value()[0] - 2);
  for (int64_t j = 0; j < 5; j++)
    for (int64_t i = 0; i < 7; i++) around[static_cast<size_t>(7 * j + i)] = whole[static_cast<size_t>((j + i + 3) % 5 * 7 + i)];
  std::vector<double> lines(strips.elements());
  reblock::Plan::shift_lines(MPI_COMM_WORLD, source, strips, sizeof(double), 1, true, distances).execute(before, lines);
  verdict.holds(lines == deal(around, by_rows, verdict.rank), "lines that are shifted");
  // End-off, with a boundary value for each row.
  numbers by(distances.size(), 2);
  std::vector<double> comes_in(distances.begin(), distances.end());
  for (int64_t j = 0; j < 5; j++)
    for (int64_t i = 0; i < 7; i++)
      around[static_cast<size_t>(7 * j + i)] = j < 3 ? whole[static_cast<size_t>((j + 2) * 7 + i)] : static_cast<double>(i - 2);
  reblock::Plan::shift_lines(MPI_COMM_WORLD, source, strips, sizeof(double), 1, false, by, comes_in.data()).execute(before, lines);
  verdict.holds(lines == deal(around, by_rows, verdict.rank), "lines that are shifted end off");
  reblock::Map same = source.row_major().order({0, 1}), other = source.shadow({1, 0}, {0, 0});
  verdict.holds(source.equal(source) && source.key() == source.key(), "a map is not equal to itself");
  verdict.holds(!source.equal(other) && source.key() != other.key(), "a map with a shadow is equal");
  verdict.holds(same.equal(source) == (same.key() == source.key()), "maps are equal, but their keys are not");
}

// Tests updates by all calls: alpha A + beta B; a transposition; the sum over copies; and a target whose source is not read.
void updates(Verdict &verdict, uint64_t *random) {
  Layout from = any_layout(random, {9, 11}, verdict.ranks), to = any_layout(random, {9, 11}, verdict.ranks);
  reblock::Map source = map_of(random, MPI_COMM_WORLD, from), target = map_of(random, MPI_COMM_WORLD, to);
  reblock::Plan plan(MPI_COMM_WORLD, source, target, sizeof(double));
  std::vector<double> whole = whole_of<double>(next(random), {9, 11}), other = whole_of<double>(next(random), {9, 11});
  std::vector<double> before = deal(whole, from, verdict.rank), sum = other;
  for (size_t k = 0; k < sum.size(); k++) sum[k] = 2.0 * whole[k] + 0.5 * other[k];
  const std::vector<double> wanted = deal(sum, to, verdict.rank);
  reblock::Update<double> update(2.0, 0.5);
  reblock_update given = update.get();
  for (int way = 0; way < 7; way++) {
    std::vector<double> after = deal(other, to, verdict.rank);
    if (way == 0) plan.update(before, after, update);
    if (way == 1) plan.update(before.data(), after.data(), &given);
    if (way == 2) plan.start_update(before, after, update).wait();
    if (way == 3) reblock::update_many({&plan}, {before.data()}, {after.data()}, {&given});
    if (way == 4) reblock::start_update_many({&plan}, {before.data()}, {after.data()}, {&given}).wait();
    if (way == 5) reblock::move_update(MPI_COMM_WORLD, source, target, before, after, update);
    if (way == 6) reblock::move_update(MPI_COMM_WORLD, source, target, sizeof(double), before.data(), after.data(), &given);
    verdict.holds(after == wanted, "an update, way " + std::to_string(way));
  }
  std::vector<double> after = deal(other, to, verdict.rank), twice = after;
  for (double &element : twice) element *= 2;
  plan.update(std::vector<double>(), after, reblock::Update<double>(0.0, 2.0));
  verdict.holds(after == twice, "an update without a source");
}

void transposed(Verdict &verdict, uint64_t *random) {
  Layout from = any_layout(random, {6, 10}, verdict.ranks), to = any_layout(random, {10, 6}, verdict.ranks);
  std::vector<std::complex<float>> whole(60), mirrored(60);
  for (size_t i = 0; i < 6; i++)
    for (size_t j = 0; j < 10; j++) {
      whole[i + 6 * j] = {static_cast<float>(i), static_cast<float>(j)};
      mirrored[j + 10 * i] = std::conj(whole[i + 6 * j]);
    }
  reblock::Map source = map_of(random, MPI_COMM_WORLD, from), target = map_of(random, MPI_COMM_WORLD, to);
  std::vector<std::complex<float>> before = deal(whole, from, verdict.rank), wanted = deal(mirrored, to, verdict.rank);
  std::vector<std::complex<float>> after(wanted.size()), back(before.size());
  const int64_t axes[] = {1, 0};
  reblock_plan_options options = reblock::Plan::options();
  options.axes = axes, options.axes_count = 2;
  reblock::Plan plan(MPI_COMM_WORLD, source, target, sizeof(whole[0]), &options);
  reblock::Update<std::complex<float>> conjugated = reblock::Update<std::complex<float>>(1.0F).conjugated();
  plan.update(before, after, conjugated);
  verdict.holds(after == wanted, "a conjugate transpose");
  plan.reverse().update(after, back, conjugated);
  verdict.holds(back == before, "the way back of a conjugate transpose");
}

void summed(Verdict &verdict) {
  reblock::Procs procs(MPI_COMM_WORLD, {verdict.ranks});
  reblock::Template everywhere(procs, {0}, {9}), blocks(procs, {0}, {9});
  reblock::Map copies(everywhere.commit()), parts(blocks.dist_block(0, 0).commit());
  reblock_plan_options options = reblock::Plan::options();
  options.copies = 1;
  reblock::Plan plan(MPI_COMM_WORLD, copies, parts, sizeof(int64_t), &options);
  numbers own(10, verdict.rank + 1), sum(parts.elements(), 100), most(sum);
  plan.update(own, sum, reblock::Update<int64_t>(1, 1));
  plan.update(own, most, reblock::Update<int64_t>(1, 0, REBLOCK_MAXIMUM));
  verdict.holds(sum == numbers(sum.size(), 100 + verdict.ranks * (verdict.ranks + 1) / 2), "a sum over copies");
  verdict.holds(most == numbers(sum.size(), verdict.ranks), "the greatest of all copies");
  verdict.throws(REBLOCK_ERR_ARGUMENT, "combines the copies", "copies without an update", [&] { plan.execute(own, sum); });
}

// Tests a ring of 4 elements on each rank, with a shadow of one element before and two after.
void shadowed(Verdict &verdict) {
  int64_t ranks = verdict.ranks, first = 4 * verdict.rank, n = 4 * ranks;
  reblock::Map map = reblock::Map::block_cyclic(MPI_COMM_WORLD, {n}, {ranks}).shadow({1}, {2});
  reblock::Plan plan = reblock::Plan::shadow(MPI_COMM_WORLD, &map, sizeof(int64_t), false, {1}, {2}, {1});
  numbers ring{-1, first, first + 1, first + 2, first + 3, -1, -1};
  const numbers wanted{(first + n - 1) % n, first, first + 1, first + 2, first + 3, (first + 4) % n, (first + 5) % n};
  numbers started = ring;
  plan.execute(ring, ring);
  plan.start(started, started).wait();
  verdict.holds(ring == wanted && started == wanted, "a shadow");
  numbers ones(7, 1);
  plan.reverse().update(ones, ones, reblock::Update<int64_t>(1, 1));
  verdict.holds(ones == numbers{1, 2, 2, 1, 2, 1, 1}, "what is added to a shadow's elements");
  verdict.throws(REBLOCK_ERR_ARGUMENT, "periodic has 2 entries, expected 1", "another number of axes",
                 [&] { reblock::Plan::shadow(MPI_COMM_WORLD, &map, sizeof(int64_t), false, {}, {}, {1, 1}); });
}

} // namespace

// Saves an array with one map and loads it with another.
void files(Verdict &verdict, const std::string &path) {
  Layout from{{{10, verdict.ranks, 1}, {6, 1, 0}}, true}, to{{{10, 1, 0}, {6, verdict.ranks, 0}}, false};
  std::vector<double> whole = whole_of<double>(5, {10, 6});
  std::vector<double> before = deal(whole, from, verdict.rank), wanted = deal(whole, to, verdict.rank);
  reblock::Map source = reblock::Map::block_cyclic(MPI_COMM_WORLD, {10, 6}, {verdict.ranks, 1}, {1, 0}).order({1, 0});
  reblock::Map target = reblock::Map::block_cyclic(MPI_COMM_WORLD, {10, 6}, {1, verdict.ranks});
  std::int64_t done = 0, all = 0;
  {
    reblock::device_stream(nullptr);
    reblock::FileProgress progress([&](std::int64_t bytes, std::int64_t of) { done = bytes, all = of; });
    reblock::save(MPI_COMM_WORLD, path, source, before.data(), sizeof(double), "<f8");
  }
  verdict.holds(done == 480 && all == 480, "the progress of a save");
  reblock::Array array = reblock::Array::of<double>(target);
  array.load(path, "<f8");
  reblock::span<double> data = array.data<double>();
  verdict.holds(std::vector<double>(data.begin(), data.end()) == wanted, "an array that is loaded");
  done = 0;
  array.save(path);
  verdict.holds(done == 0, "no progress is reported any more");
  // Every other element of wider storage.
  std::vector<double> wide(2 * before.size() + 1);
  reblock::Map strided = source.strides({12, 2});
  verdict.holds(strided.local().strides == numbers({12, 2}), "strides of the program's");
  reblock::load(MPI_COMM_WORLD, path, strided, wide.data(), sizeof(double));
  bool same = true;
  for (size_t k = 0; k < before.size(); k++) same = same && wide[2 * k] == before[k] && wide[2 * k + 1] == 0;
  verdict.holds(same, "storage with gaps that is loaded");
  MPI_Barrier(MPI_COMM_WORLD);
  if (verdict.rank == 0) std::remove(path.c_str());
}

void moves(Verdict &verdict, uint64_t *random) {
  int64_t axes = within(random, 1, 3);
  numbers extents;
  for (int64_t k = 0; k < axes; k++) extents.push_back(within(random, 1, axes == 1 ? 60 : 12));
  Layout from = any_layout(random, extents, verdict.ranks), to = any_layout(random, extents, verdict.ranks);
  Case c{verdict, random, from, to, map_of(random, MPI_COMM_WORLD, from), map_of(random, MPI_COMM_WORLD, to)};
  switch (within(random, 0, 2)) {
    case 0: whole_arrays<double>(c); break;
    case 1: whole_arrays<std::int16_t>(c); break;
    case 2: whole_arrays<char>(c); break;
  }
  sections(verdict, random);
  arrays(verdict, random);
  batches(verdict, random);
  shifted(verdict, random);
  updates(verdict, random);
  lists(verdict);
  transposed(verdict, random);
  summed(verdict);
  shadowed(verdict);
  relabelled(verdict);
}
