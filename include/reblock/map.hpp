// Maps: the position of each element of an array. A map never changes, and is worth keeping.
#ifndef REBLOCK_MAP_HPP
#define REBLOCK_MAP_HPP

#include "template.hpp"

namespace reblock {

// Layout of the calling process's local array; see reblock_map_local.
struct Local {
  numbers extents, lower, before, after, strides;
  bool has_part = false;
};

// The part of another rank; see reblock_map_part.
struct Part {
  numbers extents, lower, first, last;
};

// Ranks and positions of elements; see reblock_map_dereference.
struct Places {
  numbers ranks, places;
};

// The template of an array; see reblock_map_template.
struct Aligned {
  Bounds bounds;
  numbers aligned, rest;
};

class Map {
 public:
  // Makes the map of an array that is aligned with a template. No `aligns`: axis k with axis k; no `rest`: all
  // replicated. Not collective.
  Map(const Template &tmpl, list<std::int64_t> lower, list<std::int64_t> upper, list<reblock_align> aligns = {},
      list<std::int64_t> rest = {}) {
    const std::int64_t *last = detail::entries("upper", upper, lower.length());
    if (!aligns.empty()) detail::entries("aligns", aligns, lower.length());
    if (!rest.empty()) detail::entries("rest", rest, tmpl.axes());
    detail::must(reblock_map_create(tmpl.get(), lower.length(), lower.data(), last, aligns.data(), rest.data(),
                                    held_.address()));
  }
  // Makes the map of an array whose axes are aligned with all axes of the template, index by index.
  explicit Map(const Template &tmpl) { detail::must(reblock_map_whole(tmpl.get(), held_.address())); }
  explicit Map(reblock_map *taken) noexcept : held_(taken) {}

  // Makes a block-cyclic map with indices from 0. Axis k is CYCLIC(blocks[k]) over shape[k] processes. If blocks[k] is
  // 0 or there are no `blocks`, it is BLOCK, or not distributed if shape[k] is 1. Collective over `comm`.
  static Map block_cyclic(MPI_Comm comm, list<std::int64_t> extents, list<std::int64_t> shape, list<std::int64_t> blocks = {}) {
    std::string why = detail::misfit("shape", shape.size(), extents.length());
    if (!blocks.empty()) why = first_of(why, detail::misfit("blocks", blocks.size(), extents.length()));
    Map made;
    detail::agreed(why, [&] {
      return reblock_map_block_cyclic(comm, axes_of(extents.length(), why), extents.data(), shape.data(), blocks.data(),
                                      made.held_.address());
    });
    return made;
  }
  // Makes the map that the arguments of MPI_Type_create_darray describe. Collective over `comm`.
  static Map from_darray(MPI_Comm comm, list<int> gsizes, list<int> distribs, list<int> dargs, list<int> psizes,
                         int order = MPI_ORDER_C) {
    std::string why = first_of(detail::misfit("distribs", distribs.size(), gsizes.length()),
                               first_of(detail::misfit("dargs", dargs.size(), gsizes.length()),
                                        detail::misfit("psizes", psizes.size(), gsizes.length())));
    Map made;
    detail::agreed(why, [&] {
      return reblock_map_from_darray(comm, static_cast<int>(axes_of(gsizes.length(), why)), gsizes.data(), distribs.data(),
                                     dargs.data(), psizes.data(), order, made.held_.address());
    });
    return made;
  }
  // Makes a map with indices from 0 from a text: "(BLOCK,CYCLIC(8)) ONTO P(2,3)". Without ONTO: all ranks, along the
  // one axis that is distributed. Collective over `comm`.
  static Map from_text(MPI_Comm comm, list<std::int64_t> extents, const std::string &text) {
    Map made;
    detail::must(reblock_map_from_text(comm, extents.length(), extents.data(), text.c_str(), made.held_.address()));
    return made;
  }
  // Makes the map of an array with indices from 0 in boxes. Each rank passes its own: `starts` and `sizes` have an
  // entry for each axis of one box after the other. No `offsets`: boxes lie one after the other; no `strides`: boxes
  // have no gaps, and are column-major unless `row_major` is set. Collective over `comm`.
  static Map from_boxes(MPI_Comm comm, list<std::int64_t> extents, list<std::int64_t> starts, list<std::int64_t> sizes,
                        bool row_major = false, list<std::int64_t> offsets = {}, list<std::int64_t> strides = {}) {
    std::int64_t axes = extents.length(), boxes = axes ? starts.length() / axes : 0;
    std::string why = first_of(detail::misfit("starts", starts.size(), boxes * axes),
                               detail::misfit("sizes", sizes.size(), boxes * axes));
    if (!offsets.empty()) why = first_of(why, detail::misfit("offsets", offsets.size(), boxes));
    if (!strides.empty()) why = first_of(why, detail::misfit("strides", strides.size(), boxes * axes));
    Map made;
    detail::agreed(why, [&] {
      return reblock_map_from_boxes(comm, axes_of(axes, why), extents.data(), boxes, starts.data(), sizes.data(), row_major,
                                    offsets.empty() ? nullptr : offsets.data(), strides.empty() ? nullptr : strides.data(),
                                    made.held_.address());
    });
    return made;
  }
  // Makes the map of a ScaLAPACK descriptor, which has 9 integers, or 11 if the first one is 2.
  static Map from_blacs(list<reblock_int> desc) {
    Map made;
    detail::must(reblock_map_from_blacs(detail::entries("desc", desc, desc.size() > 0 && desc.data()[0] == 2 ? 11 : 9), made.held_.address()));
    return made;
  }

  // Copies of the map with a shadow, or with local arrays in another order. Maps are column-major unless one of these
  // sets the order.
  Map shadow(list<std::int64_t> before, list<std::int64_t> after) const {
    Map made;
    detail::must(reblock_map_shadow(get(), entries("before", before), entries("after", after), made.held_.address()));
    return made;
  }
  Map row_major() const {
    Map made;
    detail::must(reblock_map_row_major(get(), made.held_.address()));
    return made;
  }
  Map order(list<std::int64_t> fastest_first) const {
    Map made;
    detail::must(reblock_map_order(get(), entries("order", fastest_first), made.held_.address()));
    return made;
  }
  Map strides(list<std::int64_t> strides) const {
    Map made;
    detail::must(reblock_map_strides(get(), entries("strides", strides), made.held_.address()));
    return made;
  }

  // Whether the other map is equivalent, and a hash that all equal maps share, on all ranks.
  bool equal(const Map &other) const {
    std::int32_t equal = 0;
    detail::must(reblock_map_equal(get(), other.get(), &equal));
    return equal != 0;
  }
  std::int64_t key() const {
    std::int64_t key = 0;
    detail::must(reblock_map_key(get(), &key));
    return key;
  }

  inline std::int64_t axes() const;
  inline Bounds bounds() const;
  inline Local local() const;
  // Returns the number of elements of the calling process's storage, shadow and gaps included.
  inline std::size_t elements() const;
  // Returns the part of a rank; nothing if it has none.
  inline std::optional<Part> part(std::int64_t rank) const;
  // Returns all ranks that have the element.
  inline numbers owners(list<std::int64_t> index) const;
  // Returns the position of an element in the calling process's storage; nothing if the process does not own it.
  inline std::optional<numbers> local_index(list<std::int64_t> index) const;
  // Returns the distance, in elements, of an element from the start of the calling process's storage; nothing if the
  // process does not own it.
  inline std::optional<std::int64_t> offset(list<std::int64_t> index) const;
  // Returns the number of boxes with elements in the calling process; nothing if the array does not lie in boxes.
  inline std::optional<std::int64_t> boxes() const;
  // Returns the index of the element at a position; nothing in the shadow.
  inline std::optional<numbers> global_index(list<std::int64_t> local) const;
  // Finds the ranks and positions of elements. `indices` has the indices of one element after the other. Collective
  // over the communicator of the arrangement.
  inline Places dereference(list<std::int64_t> indices) const;
  inline reblock_format format(std::int64_t axis) const;
  inline Aligned tmpl() const;
  inline Procs procs() const;
  // Returns the map in HPF's notation.
  inline std::string text() const;

  reblock_map *get() const noexcept { return held_.get(); }
  reblock_map *release() noexcept { return held_.release(); }

 private:
  Map() noexcept = default;
  template <class T> const T *entries(const char *name, list<T> values) const {
    return detail::entries(name, values, axes());
  }
  static std::string first_of(std::string one, std::string other) { return one.empty() ? other : one; }
  // Returns `axes`, or -1 if there is a reason `why`, so that the call fails on all ranks.
  static std::int64_t axes_of(std::int64_t axes, const std::string &why) { return why.empty() ? axes : -1; }
  detail::handle<reblock_map, detail::alone<reblock_map, reblock_map_free>> held_;
};

inline std::int64_t Map::axes() const {
  std::int64_t axes = 0;
  detail::must(reblock_map_axes(get(), &axes));
  return axes;
}

inline Bounds Map::bounds() const {
  Bounds bounds{detail::zeros(axes()), detail::zeros(axes())};
  detail::must(reblock_map_bounds(get(), bounds.lower.data(), bounds.upper.data()));
  return bounds;
}

inline Local Map::local() const {
  numbers none = detail::zeros(axes());
  Local local{none, none, none, none, none, false};
  std::int32_t has_part = 0;
  detail::must(reblock_map_local(get(), local.extents.data(), local.lower.data(), local.before.data(), local.after.data(),
                                 local.strides.data(), &has_part));
  local.has_part = has_part != 0;
  return local;
}

inline std::size_t Map::elements() const {
  std::int64_t elements = 0;
  detail::must(reblock_map_elements(get(), &elements));
  return static_cast<std::size_t>(elements);
}

inline std::optional<Part> Map::part(std::int64_t rank) const {
  numbers none = detail::zeros(axes());
  Part part{none, none, none, none};
  std::int32_t has_part = 0;
  detail::must(reblock_map_part(get(), rank, part.extents.data(), part.lower.data(), part.first.data(), part.last.data(),
                                &has_part));
  return has_part ? std::optional<Part>(std::move(part)) : std::nullopt;
}

inline numbers Map::owners(list<std::int64_t> index) const {
  const std::int64_t *at = entries("index", index);
  std::int64_t owners = 0;
  detail::must(reblock_map_owners(get(), at, 0, nullptr, &owners));
  numbers ranks = detail::zeros(owners);
  detail::must(reblock_map_owners(get(), at, owners, ranks.data(), &owners));
  return ranks;
}

inline std::optional<numbers> Map::local_index(list<std::int64_t> index) const {
  const std::int64_t *at = entries("index", index);
  numbers local(index.size());
  std::int32_t here = 0;
  detail::must(reblock_map_local_index(get(), at, local.data(), &here));
  return here ? std::optional<numbers>(std::move(local)) : std::nullopt;
}

inline std::optional<std::int64_t> Map::offset(list<std::int64_t> index) const {
  std::int64_t offset = 0;
  std::int32_t here = 0;
  detail::must(reblock_map_offset(get(), entries("index", index), &offset, &here));
  return here ? std::optional<std::int64_t>(offset) : std::nullopt;
}

inline std::optional<std::int64_t> Map::boxes() const {
  std::int64_t boxes = 0;
  detail::must(reblock_map_boxes(get(), &boxes));
  return boxes < 0 ? std::nullopt : std::optional<std::int64_t>(boxes);
}

inline std::optional<numbers> Map::global_index(list<std::int64_t> local) const {
  const std::int64_t *at = entries("local", local);
  numbers index(local.size());
  std::int32_t own = 0;
  detail::must(reblock_map_global_index(get(), at, index.data(), &own));
  return own ? std::optional<numbers>(std::move(index)) : std::nullopt;
}

inline Places Map::dereference(list<std::int64_t> indices) const {
  std::int64_t each = 0;
  if (reblock_map_axes(get(), &each) != REBLOCK_OK) each = 1; // the call says so to all ranks
  std::int64_t elements = each > 0 ? indices.length() / each : 0;
  std::string why = detail::misfit("indices", indices.size(), elements * each);
  if (!why.empty()) elements = -1;
  Places found{numbers(why.empty() ? static_cast<std::size_t>(elements) : 0), numbers(indices.size())};
  detail::agreed(why, [&] {
    return reblock_map_dereference(get(), elements, indices.data(), found.ranks.data(), found.places.data());
  });
  return found;
}

inline reblock_format Map::format(std::int64_t axis) const {
  reblock_format format{};
  detail::must(reblock_format_init(&format));
  detail::must(reblock_map_format(get(), axis, &format));
  return format;
}

inline Aligned Map::tmpl() const {
  std::int64_t most[4][15], axes = 0;
  detail::must(reblock_map_template(get(), &axes, most[0], most[1], most[2], most[3]));
  auto of = [axes](const std::int64_t *first) { return numbers(first, first + axes); };
  return Aligned{{of(most[0]), of(most[1])}, of(most[2]), of(most[3])};
}

inline Procs Map::procs() const {
  reblock_procs *procs = nullptr;
  detail::must(reblock_map_procs(get(), &procs));
  return Procs(procs);
}

inline std::string Map::text() const {
  return detail::text_of([this](char *text, std::int64_t size, std::int64_t *length) {
    return reblock_map_text(get(), text, size, length);
  });
}

} // namespace reblock

#endif
