// Arrays whose storage the library owns, and arrays in files.
#ifndef REBLOCK_ARRAY_HPP
#define REBLOCK_ARRAY_HPP

#include "map.hpp"

#include <functional>

namespace reblock {

// Storage of an array in the calling process; see reblock_array_data.
struct Layout {
  numbers extents, lower, strides;
};

class Array {
 public:
  // Makes an array of zeros, with elements of `element` bytes. Collective over the communicator of the map's
  // arrangement.
  Array(const Map &map, std::int64_t element) { detail::must(reblock_array_create(map.get(), element, held_.address())); }
  explicit Array(reblock_array *taken) noexcept : held_(taken) {}
  // Makes an array of elements of type T: Array::of<double>(map).
  template <class T> static Array of(const Map &map) {
    static_assert(std::is_trivially_copyable_v<T>, "elements are moved as bytes");
    return Array(map, sizeof(T));
  }

  // Returns the calling process's storage, shadow and gaps included. It is valid until the array moves or is freed.
  template <class T> span<T> data() const {
    static_assert(std::is_trivially_copyable_v<T>, "elements are moved as bytes");
    if (sizeof(T) != static_cast<std::size_t>(element()))
      throw error(REBLOCK_ERR_ARGUMENT, "the array has elements of " + std::to_string(element()) + " bytes, not of " +
                                            std::to_string(sizeof(T)));
    void *data = nullptr;
    detail::must(reblock_array_data(get(), &data, nullptr, nullptr, nullptr));
    return {static_cast<T *>(data), map().elements()};
  }
  Layout layout() const {
    numbers none = detail::zeros(map().axes());
    Layout layout{none, none, none};
    detail::must(
        reblock_array_data(get(), nullptr, layout.extents.data(), layout.lower.data(), layout.strides.data()));
    return layout;
  }
  std::int64_t element() const {
    std::int64_t element = 0;
    detail::must(reblock_array_element(get(), &element));
    return element;
  }
  // Returns the present map.
  Map map() const {
    reblock_map *map = nullptr;
    detail::must(reblock_array_map(get(), &map));
    return Map(map);
  }

  // HPF's REALIGN; a dead array gets storage without values. Collective over the communicator of the arrangement, as
  // are save, load and free.
  void realign(const Map &map, bool dead = false) { detail::must(reblock_array_realign(get(), map.get(), dead)); }
  // Sets whether realign and Template::redistribute fill the shadows from now on; see reblock_array_fill_shadows.
  void fill_shadows(bool corners, list<std::int32_t> periodic = {}) {
    const std::int32_t *rings = periodic.empty() ? nullptr : detail::entries("periodic", periodic, map().axes());
    detail::must(reblock_array_fill_shadows(get(), 1, rings, corners));
  }
  void leave_shadows() { detail::must(reblock_array_fill_shadows(get(), 0, nullptr, 0)); }
  // Saves the array. `dtype` is the element type in NumPy's notation, for instance "<f8".
  void save(const std::string &path, const char *dtype = nullptr) const {
    detail::must(reblock_array_save(get(), path.c_str(), dtype));
  }
  void load(const std::string &path, const char *dtype = nullptr) {
    detail::must(reblock_array_load(get(), path.c_str(), dtype));
  }
  // Frees the array as the destructor does, but throws on failure, and also frees while an exception unwinds the stack.
  void free() { detail::must(reblock_array_free(held_.address())); }

  reblock_array *get() const noexcept { return held_.get(); }
  reblock_array *release() noexcept { return held_.release(); }

 private:
  detail::handle<reblock_array, detail::together<reblock_array, reblock_array_free>> held_;
};

inline void Template::redistribute(const Template &like, list<const Array *> dead) {
  std::vector<reblock_array *> handles;
  for (const Array *array : dead) handles.push_back(array ? array->get() : nullptr);
  detail::must(reblock_template_redistribute(get(), like.get(), dead.length(), handles.data()));
}

// Saves and loads arrays whose storage the program owns: see reblock_save and reblock_load. Collective over `comm`.
inline void save(MPI_Comm comm, const std::string &path, const Map &map, const void *data, std::int64_t element,
                 const char *dtype = nullptr) {
  detail::must(reblock_save(comm, path.c_str(), map.get(), data, element, dtype));
}
inline void load(MPI_Comm comm, const std::string &path, const Map &map, void *data, std::int64_t element,
                 const char *dtype = nullptr) {
  detail::must(reblock_load(comm, path.c_str(), map.get(), data, element, dtype));
}

// While it exists, saves and loads of its thread call `report` with the bytes done so far and those of the whole call:
// see reblock_file_progress. `report` must not throw. A thread has one such object at a time.
class FileProgress {
 public:
  explicit FileProgress(std::function<void(std::int64_t done, std::int64_t all)> report) : report_(std::move(report)) {
    detail::must(reblock_file_progress(call, &report_));
  }
  FileProgress(const FileProgress &) = delete;
  FileProgress &operator=(const FileProgress &) = delete;
  ~FileProgress() { reblock_file_progress(nullptr, nullptr); }

 private:
  static void call(void *report, std::int64_t done, std::int64_t all) noexcept {
    (*static_cast<std::function<void(std::int64_t, std::int64_t)> *>(report))(done, all);
  }

  std::function<void(std::int64_t, std::int64_t)> report_;
};

} // namespace reblock

#endif
