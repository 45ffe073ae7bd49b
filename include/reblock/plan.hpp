// Plans and requests, and the move in one call, for arrays whose storage the program owns.
#ifndef REBLOCK_PLAN_HPP
#define REBLOCK_PLAN_HPP

#include "map.hpp"
#include "update.hpp"

namespace reblock {

// The source or the target of a move: an array, or the section of it with one range per axis. A rank that has no part
// of an array may pass nullptr for its map. Like a list, it is read during the call.
class Side {
 public:
  Side(const Map &map) noexcept : map_(&map) {}
  Side(const Map &map, list<reblock_range> section) noexcept : map_(&map), section_(section), whole_(false) {}
  Side(std::nullptr_t) noexcept {}

  const reblock_map *map() const noexcept { return map_ ? map_->get() : nullptr; }
  const reblock_range *section() const noexcept { return section_.data(); }
  // Returns the reason if the section does not fit the map. The library reports an empty map to all ranks.
  std::string misfit(const char *name) const {
    std::int64_t axes = 0;
    bool known = map_ != nullptr && reblock_map_axes(map_->get(), &axes) == REBLOCK_OK;
    return known && !whole_ ? detail::misfit(name, section_.size(), axes) : "";
  }
  // Returns the number of elements of the calling process's storage; 0 without a map.
  std::size_t elements() const {
    std::int64_t elements = 0;
    bool known = map_ != nullptr && reblock_map_elements(map_->get(), &elements) == REBLOCK_OK;
    return known ? static_cast<std::size_t>(elements) : 0;
  }

 private:
  const Map *map_ = nullptr;
  list<reblock_range> section_;
  bool whole_ = true;
};

namespace detail {

// The element type of a vector, an array or a span.
template <class C> using element_of = std::remove_pointer_t<decltype(std::data(std::declval<C &>()))>;

// Valid only if both types are containers of elements.
template <class A, class B> using stored = std::void_t<element_of<const A>, element_of<std::remove_reference_t<B>>>;

// Returns the reason if storage does not fit.
template <class C> std::string unfit(const char *name, const C &storage, std::int64_t element, std::size_t elements) {
  std::size_t size = sizeof(element_of<const C>);
  if (size != static_cast<std::size_t>(element))
    return std::string(name) + " has elements of " + std::to_string(size) + " bytes, expected " + std::to_string(element);
  if (std::size(storage) < elements)
    return std::string(name) + " has " + std::to_string(std::size(storage)) + " elements, expected at least " + std::to_string(elements);
  return {};
}

template <class A, class B>
std::string unfit(const A &source, const B &target, std::int64_t element, const std::size_t (&elements)[2]) {
  std::string why = unfit("source", source, element, elements[0]);
  return why.empty() ? unfit("target", target, element, elements[1]) : why;
}

// Returns the reason if storage does not fit an update with factors of type T.
template <class T, class A, class B>
std::string unfit(const A &source, const B &target, const Update<T> &update, std::int64_t element,
                  const std::size_t (&elements)[2]) {
  using number = std::remove_cv_t<element_of<const B>>;
  static_assert(std::is_same<std::remove_cv_t<element_of<const A>>, T>::value && std::is_same<number, T>::value,
                "the factors of an update are of the type of the elements");
  return unfit(source, target, element, {update.reads_source() ? elements[0] : 0, elements[1]});
}

template <class C> const void *bytes(const C &storage) noexcept { return std::data(storage); }
template <class C> void *room(C &storage) noexcept { return std::data(storage); }

} // namespace detail

// A move that has been started. Data moves while the calling process is in any reblock call on the communicator.
class Request {
 public:
  explicit Request(reblock_request *taken) noexcept : held_(taken) {}
  // Whether the move is complete; if so, the request is empty afterwards. Throws if the move has failed.
  bool test() {
    std::int32_t done = 0;
    detail::must(reblock_request_test(held_.address(), &done));
    return done != 0;
  }
  // Waits until the move is complete; the request is empty afterwards. Throws if the move has failed.
  void wait() { detail::must(reblock_request_wait(held_.address())); }

  reblock_request *get() const noexcept { return held_.get(); }
  reblock_request *release() noexcept { return held_.release(); }

 private:
  detail::handle<reblock_request, detail::alone<reblock_request, reblock_request_free>> held_;
};

namespace detail {

// Starts moves. If there is a reason `why`, the arguments make the call fail, and the other ranks get the reason when
// they wait for their requests.
inline Request started(std::int64_t arrays, reblock_plan *const *plans, const void *const *sources, void *const *targets,
                       const reblock_update *const *updates, const std::string &why) {
  reblock_request *request = nullptr;
  agreed(why, [&] {
    std::int32_t code = updates ? reblock_plan_start_update_many(arrays, plans, sources, targets, updates, &request)
                                : reblock_plan_start_many(arrays, plans, sources, targets, &request);
    return why.empty() || request == nullptr ? code : reblock_request_wait(&request);
  });
  return Request(request);
}

} // namespace detail

// A plan. Storage for execute and start is passed by address, as in C, or as vectors, arrays or spans, whose lengths
// and element types are checked.
class Plan {
 public:
  // Makes a plan that moves a section; `element` in bytes. Collective over `comm`.
  Plan(MPI_Comm comm, const Side &from, const Side &to, std::int64_t element, const reblock_plan_options *options = nullptr)
      : Plan(from, to, element, [&](auto... ends) { return reblock_plan_create(comm, ends..., options, held_.address()); }) {
    if (std::optional<Map> relabelled = target()) elements_[1] = relabelled->elements();
  }
  // Makes the plan that fills the shadows of an array with the elements that they show, `element` in bytes. A rank
  // without a part of the array may pass nullptr. Empty lists: the map's widths, and no periodic axis. Source and
  // target are the same storage. The plan that reverse() makes combines elements with the shadows that show them, by an
  // update whose beta is 1. Collective over `comm`.
  static Plan shadow(MPI_Comm comm, const Map *map, std::int64_t element, bool corners = false, list<std::int64_t> before = {},
                     list<std::int64_t> after = {}, list<std::int32_t> periodic = {},
                     const reblock_plan_options *options = nullptr);
  // Make plans to gather or scatter the elements that the calling process names: by their indices along one axis, with
  // all other axes whole, or, with REBLOCK_ALL_AXES, by one index per axis, element after element. A scatter goes from
  // local arrays to the array. Collective over `comm`.
  static Plan gather(MPI_Comm comm, const Side &array, std::int64_t axis, list<std::int64_t> indices, std::int64_t element,
                     const reblock_plan_options *options = nullptr) {
    return listed(reblock_plan_gather, comm, array, axis, indices, element, options, true);
  }
  static Plan scatter(MPI_Comm comm, const Side &array, std::int64_t axis, list<std::int64_t> indices, std::int64_t element,
                      const reblock_plan_options *options = nullptr) {
    return listed(reblock_plan_scatter, comm, array, axis, indices, element, options, false);
  }
  // Makes a plan of a circular shift, as Fortran's CSHIFT, by one distance for each axis of the source. Collective over
  // `comm`.
  static Plan cshift(MPI_Comm comm, const Side &from, const Side &to, std::int64_t element, list<std::int64_t> shifts,
                     const reblock_plan_options *options = nullptr) {
    reblock_plan *made = nullptr;
    Plan plan(from, to, element, [&](auto... ends) {
      return reblock_plan_cshift(comm, ends..., shifts.length(), shifts.data(), options, &made);
    });
    *plan.held_.address() = made;
    return plan;
  }
  // Makes a plan of an end-off shift, as Fortran's EOSHIFT. `boundary` is the address of an element; nullptr: elements
  // without a source stay unchanged.
  static Plan eoshift(MPI_Comm comm, const Side &from, const Side &to, std::int64_t element, list<std::int64_t> shifts,
                      const void *boundary, const reblock_plan_options *options = nullptr) {
    reblock_plan *made = nullptr;
    Plan plan(from, to, element, [&](auto... ends) {
      return reblock_plan_eoshift(comm, ends..., shifts.length(), shifts.data(), boundary, options, &made);
    });
    *plan.held_.address() = made;
    return plan;
  }
  // Makes a plan of a shift along an axis of the source with its own distance for each line of the target on this
  // process, circular or end-off. `boundaries` is null, or (end-off) has an element for each line. See
  // reblock_plan_shift_lines. Collective over `comm`.
  static Plan shift_lines(MPI_Comm comm, const Side &from, const Side &to, std::int64_t element, std::int64_t axis,
                          bool circular, list<std::int64_t> distances, const void *boundaries = nullptr,
                          const reblock_plan_options *options = nullptr) {
    reblock_plan *made = nullptr;
    Plan plan(from, to, element, [&](auto... ends) {
      return reblock_plan_shift_lines(comm, ends..., axis, circular, distances.length(), distances.data(), boundaries, options, &made);
    });
    *plan.held_.address() = made;
    return plan;
  }
  // Returns the default options, for the program to change.
  static reblock_plan_options options() {
    reblock_plan_options options{};
    detail::must(reblock_plan_options_init(&options));
    return options;
  }

  // Executes the plan. Collective over the plan's communicator.
  void execute(const void *source, void *target) { detail::must(reblock_plan_execute(get(), source, target)); }
  template <class A, class B, class = detail::stored<A, B>> void execute(const A &source, B &&target) {
    std::string why = detail::unfit(source, target, element_, elements_);
    if (why.empty()) return execute(detail::bytes(source), detail::room(target));
    reblock_plan *plan = get();
    detail::agreed(why, [&] { return reblock_plan_execute_many(1, &plan, nullptr, nullptr); });
  }
  // Starts the move. Source and target must stay at their addresses, and must not be used, until the request is
  // complete.
  Request start(const void *source, void *target) {
    reblock_request *request = nullptr;
    detail::must(reblock_plan_start(get(), source, target, &request));
    return Request(request);
  }
  template <class A, class B, class = detail::stored<A, B>> Request start(const A &source, B &&target) {
    std::string why = detail::unfit(source, target, element_, elements_);
    if (why.empty()) return start(detail::bytes(source), detail::room(target));
    reblock_plan *plan = get();
    return detail::started(1, &plan, nullptr, nullptr, nullptr, why);
  }

  // Updates the elements of the target. If alpha is 0, the source is not read.
  void update(const void *source, void *target, const reblock_update *update) {
    detail::must(reblock_plan_update(get(), source, target, update));
  }
  template <class T, class A, class B, class = detail::stored<A, B>>
  void update(const A &source, B &&target, const Update<T> &update) {
    std::string why = detail::unfit(source, target, update, element_, elements_);
    reblock_update given = update.get();
    if (why.empty()) return this->update(detail::bytes(source), detail::room(target), &given);
    reblock_plan *plan = get();
    detail::agreed(why, [&] { return reblock_plan_execute_many(1, &plan, nullptr, nullptr); });
  }
  Request start_update(const void *source, void *target, const reblock_update *update) {
    reblock_request *request = nullptr;
    detail::must(reblock_plan_start_update(get(), source, target, update, &request));
    return Request(request);
  }
  template <class T, class A, class B, class = detail::stored<A, B>>
  Request start_update(const A &source, B &&target, const Update<T> &update) {
    std::string why = detail::unfit(source, target, update, element_, elements_);
    reblock_update given = update.get();
    if (why.empty()) return start_update(detail::bytes(source), detail::room(target), &given);
    reblock_plan *plan = get();
    return detail::started(1, &plan, nullptr, nullptr, nullptr, why);
  }

  // Makes the plan for the opposite direction. Collective over the plan's communicator.
  Plan reverse() const {
    Plan back(element_, elements_[1], elements_[0]);
    detail::must(reblock_plan_reverse(get(), back.held_.address()));
    return back;
  }
  // Returns the target's map after relabelling; nothing if no part of the target goes to another rank.
  std::optional<Map> target() const {
    reblock_map *map = nullptr;
    detail::must(reblock_plan_target(get(), &map));
    return map ? std::optional<Map>(Map(map)) : std::nullopt;
  }
  // Returns the traffic on the calling process.
  reblock_plan_info inquire() const {
    reblock_plan_info info{};
    detail::must(reblock_plan_info_init(&info));
    detail::must(reblock_plan_inquire(get(), &info));
    return info;
  }
  // Returns a description as JSON.
  std::string explain() const {
    return detail::text_of([this](char *json, std::int64_t size, std::int64_t *length) {
      return reblock_plan_explain(get(), json, size, length);
    });
  }

  reblock_plan *get() const noexcept { return held_.get(); }

 private:
  Plan(std::int64_t element, std::size_t source, std::size_t target) noexcept : element_(element), elements_{source, target} {}
  // Makes a plan by a call that gets both ends and the bytes of an element.
  template <class Make>
  Plan(const Side &from, const Side &to, std::int64_t element, Make make)
      : element_(element), elements_{from.elements(), to.elements()} {
    std::string why = from.misfit("the section of the source");
    if (why.empty()) why = to.misfit("the section of the target");
    bool fits = why.empty();
    detail::agreed(why, [&] {
      return make(from.map(), fits ? from.section() : nullptr, to.map(), fits ? to.section() : nullptr, fits ? element : -1);
    });
  }

  template <class Make>
  static Plan listed(Make make, MPI_Comm comm, const Side &array, std::int64_t axis, list<std::int64_t> indices,
                     std::int64_t element, const reblock_plan_options *options, bool gathers) {
    std::int64_t axes = 1;
    std::size_t others = 1;
    bool known = array.map() != nullptr && reblock_map_axes(array.map(), &axes) == REBLOCK_OK;
    if (known && axis != REBLOCK_ALL_AXES) {
      std::vector<std::int64_t> lower(static_cast<std::size_t>(axes)), upper(lower.size());
      reblock_map_bounds(array.map(), lower.data(), upper.data());
      for (std::size_t k = 0; k < lower.size(); k++)
        if (static_cast<std::int64_t>(k) != axis) others *= static_cast<std::size_t>(upper[k] - lower[k] + 1);
    }
    std::size_t each = axis == REBLOCK_ALL_AXES && axes > 0 ? static_cast<std::size_t>(axes) : 1, count = indices.size() / each;
    std::string why;
    if (array.section() != nullptr) why = "the array has a section, expected the whole array";
    else if (indices.size() % each != 0) why = std::to_string(indices.size()) + " indices of " + std::to_string(each) + " axes";
    std::size_t local = count * others;
    Plan made(element, gathers ? array.elements() : local, gathers ? local : array.elements());
    detail::agreed(why, [&] {
      return make(comm, array.map(), axis, why.empty() ? static_cast<std::int64_t>(count) : -1, indices.data(), element, options,
                  made.held_.address());
    });
    return made;
  }

  detail::handle<reblock_plan, detail::alone<reblock_plan, reblock_plan_free>> held_;
  std::int64_t element_;
  std::size_t elements_[2];
};

namespace detail {

// Lists of a batch for C. If they do not fit, `why` has the reason; then there are no sources, and the call fails.
struct Batch {
  std::vector<reblock_plan *> plans;
  const void *const *sources;
  std::string why;

  Batch(list<const Plan *> given, list<const void *> from, list<void *> to)
      : sources(from.data()), why(misfit("sources", from.size(), given.length())) {
    if (why.empty()) why = misfit("targets", to.size(), given.length());
    for (const Plan *plan : given) plans.push_back(plan ? plan->get() : nullptr);
    if (why.empty()) return;
    sources = nullptr;
    if (plans.empty()) plans.push_back(nullptr);
  }
  Batch(list<const Plan *> given, list<const void *> from, list<void *> to, list<const reblock_update *> updates)
      : Batch(given, from, to) {
    if (why.empty()) why = misfit("updates", updates.size(), given.length());
    if (!why.empty()) sources = nullptr;
    if (plans.empty() && !why.empty()) plans.push_back(nullptr);
  }
  std::int64_t arrays() const { return static_cast<std::int64_t>(plans.size()); }
};

} // namespace detail

// Moves several arrays in one set of messages: execute_many({&p, &q}, {a, b}, {c, d}). Collective over the communicator
// of the plans.
inline void execute_many(list<const Plan *> plans, list<const void *> sources, list<void *> targets) {
  detail::Batch batch(plans, sources, targets);
  detail::agreed(batch.why, [&] {
    return reblock_plan_execute_many(batch.arrays(), batch.plans.data(), batch.sources, targets.data());
  });
}
inline Request start_many(list<const Plan *> plans, list<const void *> sources, list<void *> targets) {
  detail::Batch batch(plans, sources, targets);
  return detail::started(batch.arrays(), batch.plans.data(), batch.sources, targets.data(), nullptr, batch.why);
}
// Updates several arrays, each with its update; nullptr is a copy.
inline void update_many(list<const Plan *> plans, list<const void *> sources, list<void *> targets,
                        list<const reblock_update *> updates) {
  detail::Batch batch(plans, sources, targets, updates);
  detail::agreed(batch.why, [&] {
    return reblock_plan_update_many(batch.arrays(), batch.plans.data(), batch.sources, targets.data(), updates.data());
  });
}
inline Request start_update_many(list<const Plan *> plans, list<const void *> sources, list<void *> targets,
                                 list<const reblock_update *> updates) {
  detail::Batch batch(plans, sources, targets, updates);
  return detail::started(batch.arrays(), batch.plans.data(), batch.sources, targets.data(), updates.data(), batch.why);
}

// Moves an array by a plan that the library caches for later calls with equal arguments. Collective over `comm`.
inline void move(MPI_Comm comm, const Side &from, const Side &to, std::int64_t element, const void *source, void *target) {
  std::string why = from.misfit("the section of the source");
  if (why.empty()) why = to.misfit("the section of the target");
  bool fits = why.empty();
  detail::agreed(why, [&] {
    return reblock_move(comm, from.map(), fits ? from.section() : nullptr, to.map(), fits ? to.section() : nullptr,
                        fits ? element : -1, source, target);
  });
}
// Moves an array between vectors, arrays or spans.
template <class A, class B, class = detail::stored<A, B>>
void move(MPI_Comm comm, const Side &from, const Side &to, const A &source, B &&target) {
  std::int64_t element = sizeof(detail::element_of<const A>);
  std::string why = detail::unfit(source, target, element, {from.elements(), to.elements()});
  if (why.empty()) return move(comm, from, to, element, detail::bytes(source), detail::room(target));
  detail::agreed(why, [&] { return reblock_move(comm, from.map(), nullptr, to.map(), nullptr, -1, nullptr, nullptr); });
}

// Updates the elements of the target by a cached plan. Collective over `comm`.
inline void move_update(MPI_Comm comm, const Side &from, const Side &to, std::int64_t element, const void *source, void *target,
                        const reblock_update *update) {
  std::string why = from.misfit("the section of the source");
  if (why.empty()) why = to.misfit("the section of the target");
  bool fits = why.empty();
  detail::agreed(why, [&] {
    return reblock_move_update(comm, from.map(), fits ? from.section() : nullptr, to.map(), fits ? to.section() : nullptr,
                               fits ? element : -1, source, target, update);
  });
}
template <class T, class A, class B, class = detail::stored<A, B>>
void move_update(MPI_Comm comm, const Side &from, const Side &to, const A &source, B &&target, const Update<T> &update) {
  std::int64_t element = sizeof(T);
  std::string why = detail::unfit(source, target, update, element, {from.elements(), to.elements()});
  reblock_update given = update.get();
  if (why.empty()) return move_update(comm, from, to, element, detail::bytes(source), detail::room(target), &given);
  detail::agreed(why, [&] { return reblock_move(comm, from.map(), nullptr, to.map(), nullptr, -1, nullptr, nullptr); });
}

} // namespace reblock

#endif
