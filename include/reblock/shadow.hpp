// Plans that fill the shadows of an array with the elements that they show.
#ifndef REBLOCK_SHADOW_HPP
#define REBLOCK_SHADOW_HPP

#include "plan.hpp"

namespace reblock {

inline Plan Plan::shadow(MPI_Comm comm, const Map *map, std::int64_t element, bool corners, list<std::int64_t> before,
                         list<std::int64_t> after, list<std::int32_t> periodic, const reblock_plan_options *options) {
  std::int64_t axes = 0, elements = 0;
  std::string why;
  if (map != nullptr && reblock_map_axes(map->get(), &axes) == REBLOCK_OK) {
    if (!before.empty()) why = detail::misfit("before", before.size(), axes);
    if (why.empty() && !after.empty()) why = detail::misfit("after", after.size(), axes);
    if (why.empty() && !periodic.empty()) why = detail::misfit("periodic", periodic.size(), axes);
    detail::must(reblock_map_elements(map->get(), &elements));
  }
  bool fits = why.empty();
  Plan made(element, static_cast<std::size_t>(elements), static_cast<std::size_t>(elements));
  detail::agreed(why, [&] {
    return reblock_plan_shadow(comm, map ? map->get() : nullptr, fits ? before.data() : nullptr, fits ? after.data() : nullptr,
                               fits ? periodic.data() : nullptr, corners, fits ? element : -1, options, made.held_.address());
  });
  return made;
}

} // namespace reblock

#endif
