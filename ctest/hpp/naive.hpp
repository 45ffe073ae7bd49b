// Layouts that are computed element by element: every rank has the whole array, and selects its own elements.
#ifndef NAIVE_HPP
#define NAIVE_HPP
#include "../random.h"
#include <algorithm>
#include <reblock.hpp>
#include <string>
#include <vector>

using reblock::numbers;

// Blocks of `block` indices, dealt out to `procs` processes; 0: blocks of extent / procs indices, rounded up.
struct Dealing {
  int64_t extent, procs, block;

  int64_t coordinate(int64_t i) const {
    int64_t size = block ? block : (extent + procs - 1) / procs;
    return i / size % procs;
  }
  bool is_whole() const { return procs == 1 && block == 0; }
};

// An array with indices from 0. Ranks are numbered row by row.
struct Layout {
  std::vector<Dealing> axes;
  bool row_major;

  numbers of(int64_t Dealing::*field) const {
    numbers all;
    for (const Dealing &axis : axes) all.push_back(axis.*field);
    return all;
  }
  int64_t procs() const {
    int64_t product = 1;
    for (const Dealing &axis : axes) product *= axis.procs;
    return product;
  }
};

inline size_t product(const numbers &extents) {
  size_t all = 1;
  for (int64_t extent : extents) all *= static_cast<size_t>(extent);
  return all;
}

// Calls `visit(index, position)` for each element of an array, the first axis fastest.
template <class Visit> void each(const numbers &extents, Visit visit) {
  numbers index(extents.size());
  for (size_t position = 0, all = product(extents); position < all; position++) {
    visit(index, position);
    for (size_t k = 0; k < index.size() && ++index[k] == extents[k]; k++) index[k] = 0;
  }
}

// Returns the position of an index among the indices of coordinate `mine`, counted one by one; -1 if another coordinate
// has it.
inline int64_t place(const Dealing &axis, int64_t mine, int64_t i) {
  if (axis.coordinate(i) != mine) return -1;
  int64_t before = 0;
  for (int64_t j = 0; j < i; j++) before += axis.coordinate(j) == mine;
  return before;
}

// Returns the local array of a rank. In the whole array the first axis varies fastest.
template <class T> std::vector<T> deal(const std::vector<T> &whole, const Layout &layout, int64_t rank) {
  if (rank >= layout.procs()) return {};
  size_t axes = layout.axes.size();
  numbers mine(axes), extents(axes), strides(axes);
  for (size_t k = axes; k-- > 0; rank /= layout.axes[k].procs) mine[k] = rank % layout.axes[k].procs;
  for (size_t k = 0; k < axes; k++)
    for (int64_t i = 0; i < layout.axes[k].extent; i++) extents[k] += place(layout.axes[k], mine[k], i) >= 0;
  int64_t stride = 1;
  for (size_t n = 0; n < axes; n++) {
    size_t k = layout.row_major ? axes - 1 - n : n;
    strides[k] = stride;
    stride *= extents[k];
  }
  std::vector<T> local(product(extents));
  each(layout.of(&Dealing::extent), [&](const numbers &index, size_t position) {
    int64_t at = 0;
    for (size_t k = 0; k < axes; k++) {
      int64_t along = place(layout.axes[k], mine[k], index[k]);
      if (along < 0) return;
      at += along * strides[k];
    }
    local[static_cast<size_t>(at)] = whole[position];
  });
  return local;
}

// Draws a layout of an array with these extents on at most `ranks` ranks.
inline Layout any_layout(uint64_t *random, const numbers &extents, int64_t ranks) {
  Layout layout{{}, within(random, 0, 1) == 1};
  for (int64_t extent : extents) {
    int64_t procs = within(random, 1, ranks);
    ranks /= procs;
    layout.axes.push_back({extent, procs, within(random, 0, 1) ? within(random, 1, extent) : 0});
  }
  return layout;
}

inline std::string text_of(const Layout &layout) {
  std::string formats, procs;
  for (const Dealing &axis : layout.axes) {
    formats += formats.empty() ? "(" : ",";
    if (axis.is_whole()) formats += "*";
    else {
      formats += axis.block ? "CYCLIC(" + std::to_string(axis.block) + ")" : "BLOCK";
      procs += (procs.empty() ? "(" : ",") + std::to_string(axis.procs);
    }
  }
  return formats + ") ONTO P" + procs + ")";
}

// Makes the layout's map, by a constructor chosen at random.
inline reblock::Map map_of(uint64_t *random, MPI_Comm comm, const Layout &layout) {
  numbers extents = layout.of(&Dealing::extent), shape = layout.of(&Dealing::procs);
  auto ordered = [&](reblock::Map made) { return layout.row_major ? made.row_major() : std::move(made); };
  int ranks;
  MPI_Comm_size(comm, &ranks);
  int64_t way = within(random, 0, 3);
  if (way == 0) return ordered(reblock::Map::block_cyclic(comm, extents, shape, layout.of(&Dealing::block)));
  // Without a distributed axis, HPF's notation would put a copy on each rank.
  bool one_process = std::all_of(layout.axes.begin(), layout.axes.end(), [](const Dealing &axis) { return axis.is_whole(); });
  if (way == 1 && !one_process) return ordered(reblock::Map::from_text(comm, extents, text_of(layout)));
  if (way == 2 && layout.procs() == ranks) {
    std::vector<int> sizes(extents.begin(), extents.end()), places(shape.begin(), shape.end()), formats, blocks;
    for (const Dealing &axis : layout.axes) {
      formats.push_back(axis.is_whole() ? MPI_DISTRIBUTE_NONE : axis.block ? MPI_DISTRIBUTE_CYCLIC : MPI_DISTRIBUTE_BLOCK);
      blocks.push_back(axis.block ? static_cast<int>(axis.block) : MPI_DISTRIBUTE_DFLT_DARG);
    }
    return reblock::Map::from_darray(comm, sizes, formats, blocks, places, layout.row_major ? MPI_ORDER_C : MPI_ORDER_FORTRAN);
  }
  reblock::Procs procs(comm, shape);
  numbers first(extents.size()), last;
  for (int64_t extent : extents) last.push_back(extent - 1);
  reblock::Template tmpl(procs, first, last);
  for (size_t k = 0; k < extents.size(); k++) {
    int64_t axis = static_cast<int64_t>(k);
    if (layout.axes[k].block) tmpl.dist_cyclic(axis, axis, layout.axes[k].block);
    else tmpl.dist_block(axis, axis);
  }
  return ordered(reblock::Map(tmpl.commit()));
}

// Counts the errors on this rank, and prints them.
struct Verdict {
  int rank = 0, ranks = 0;
  int64_t checks = 0, wrong = 0;

  void holds(bool good, const std::string &what) {
    checks++;
    if (good) return;
    wrong++;
    std::fprintf(stderr, "rank %d: %s\n", rank, what.c_str());
  }
  // Checks that a call throws an error with this code and text.
  template <class Call> void throws(std::int32_t code, const std::string &text, const char *what, Call call) {
    try {
      call();
      holds(false, std::string(what) + ": nothing is thrown");
    } catch (const reblock::error &error) {
      bool good = error.code() == code && std::string(error.what()).find(text) != std::string::npos;
      holds(good, std::string(what) + ": " + error.name() + ", \"" + error.what() + "\", expected code " + std::to_string(code) +
                      " with \"" + text + "\"");
    }
  }
};

void moves(Verdict &verdict, uint64_t *random);    // ctest/hpp/moves.cpp
void files(Verdict &verdict, const std::string &path);
void mistakes(Verdict &verdict);                   // ctest/hpp/mistakes.cpp
void endings(Verdict &verdict);                    // ctest/hpp/endings.cpp
void job(Verdict &verdict);                        // ctest/hpp/job.cpp
#endif
