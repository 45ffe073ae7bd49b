// Processor arrangements: grids of ranks of a communicator.
#ifndef REBLOCK_PROCS_HPP
#define REBLOCK_PROCS_HPP

#include "core.hpp"

#include <optional>

namespace reblock {

class Procs {
 public:
  // Makes an arrangement of ranks 0, 1, 2, ... of `comm`, or of `ranks`, in row-major order of the coordinates.
  // Collective over `comm`.
  Procs(MPI_Comm comm, list<std::int64_t> shape, list<std::int64_t> ranks = {}) {
    std::uint64_t places = 1;
    for (std::int64_t extent : shape) places *= static_cast<std::uint64_t>(extent);
    std::string why = ranks.empty() ? "" : detail::misfit("ranks", ranks.size(), static_cast<std::int64_t>(places));
    // With this list the call fails on all ranks: rank -1 does not exist.
    static constexpr std::int64_t nowhere[] = {-1};
    static constexpr std::int64_t one[] = {1};
    bool fits = why.empty();
    detail::agreed(why, [&] {
      return reblock_procs_create(comm, fits ? shape.length() : 1, fits ? shape.data() : one, fits ? ranks.data() : nowhere,
                                  held_.address());
    });
  }
  explicit Procs(reblock_procs *taken) noexcept : held_(taken) {}

  std::int64_t axes() const {
    std::int64_t axes = 0;
    detail::must(reblock_procs_axes(get(), &axes));
    return axes;
  }
  numbers shape() const {
    numbers shape = detail::zeros(axes());
    detail::must(reblock_procs_shape(get(), shape.data()));
    return shape;
  }
  std::int64_t rank_at(list<std::int64_t> coords) const {
    std::int64_t rank = 0;
    detail::must(reblock_procs_rank_at(get(), detail::entries("coords", coords, axes()), &rank));
    return rank;
  }
  // Returns the coordinates of a rank of the communicator, or of the calling process; nothing if it is not in the
  // arrangement.
  std::optional<numbers> coords(std::int64_t rank = -1) const {
    numbers coords = detail::zeros(axes());
    std::int32_t inside = 0;
    detail::must(reblock_procs_coords(get(), rank, coords.data(), &inside));
    return inside ? std::optional<numbers>(std::move(coords)) : std::nullopt;
  }

  reblock_procs *get() const noexcept { return held_.get(); }
  reblock_procs *release() noexcept { return held_.release(); }

 private:
  detail::handle<reblock_procs, detail::alone<reblock_procs, reblock_procs_free>> held_;
};

} // namespace reblock

#endif
