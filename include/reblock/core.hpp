// Shared parts of all classes of reblock.hpp: errors, lists of numbers, and the handles.
#ifndef REBLOCK_CORE_HPP
#define REBLOCK_CORE_HPP

#include <reblock.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <initializer_list>
#include <iterator>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>
#if __cplusplus >= 202002L
#include <span>
#endif

// For bindings only: sets the text of this thread's next failure in a collective call, on all ranks. nullptr removes
// it.
extern "C" void reblock_set_reason(const char *text);

namespace reblock {

// A call that failed: one of the codes REBLOCK_ERR_..., and the library's text.
class error : public std::runtime_error {
 public:
  error(std::int32_t code, const std::string &text) : std::runtime_error(text), code_(code) {}
  std::int32_t code() const noexcept { return code_; }
  // Returns the name of the code, for instance "REBLOCK_ERR_ARGUMENT".
  const char *name() const noexcept { return reblock_code_name(code_); }

 private:
  std::int32_t code_;
};

// Sets the CUDA stream on which the program works on arrays in the memory of a GPU: see reblock_device_stream.
inline void device_stream(void *stream) {
  if (std::int32_t code = reblock_device_stream(stream)) throw error(code, reblock_message());
}

using numbers = std::vector<std::int64_t>;

#if __cplusplus >= 202002L
template <class T> using span = std::span<T>;
#else
// A pointer and a length: the part of std::span that these headers need before C++20.
template <class T> class span {
 public:
  constexpr span() noexcept = default;
  constexpr span(T *data, std::size_t size) noexcept : data_(data), size_(size) {}
  constexpr T *data() const noexcept { return data_; }
  constexpr std::size_t size() const noexcept { return size_; }
  constexpr bool empty() const noexcept { return size_ == 0; }
  constexpr T *begin() const noexcept { return data_; }
  constexpr T *end() const noexcept { return data_ + size_; }
  constexpr T &operator[](std::size_t k) const { return data_[k]; }

 private:
  T *data_ = nullptr;
  std::size_t size_ = 0;
};
#endif

// An argument that is a list: {2, 3}, a std::vector, an array, a span, or a pointer and a length. It is read during the
// call.
template <class T> class list {
 public:
  constexpr list() noexcept = default;
  constexpr list(const T *data, std::size_t size) noexcept : data_(data), size_(size) {}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winit-list-lifetime" // the list in braces lives until the call returns
#endif
  constexpr list(std::initializer_list<T> values) noexcept : data_(values.begin()), size_(values.size()) {}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
  template <class C, class = std::enable_if_t<std::is_convertible_v<decltype(std::data(std::declval<const C &>())), const T *>>>
  constexpr list(const C &values) noexcept : data_(std::data(values)), size_(std::size(values)) {}

  constexpr const T *data() const noexcept { return data_; }
  constexpr std::size_t size() const noexcept { return size_; }
  constexpr bool empty() const noexcept { return size_ == 0; }
  constexpr const T *begin() const noexcept { return data_; }
  constexpr const T *end() const noexcept { return data_ + size_; }
  // Returns the length in the library's type.
  constexpr std::int64_t length() const noexcept { return static_cast<std::int64_t>(size_); }

 private:
  const T *data_ = nullptr;
  std::size_t size_ = 0;
};

namespace detail {

inline void must(std::int32_t code) {
  if (code != REBLOCK_OK) throw error(code, reblock_message());
}

// Returns the reason if a list of `size` entries does not have `expected` ones; otherwise an empty text.
inline std::string misfit(const char *name, std::size_t size, std::int64_t expected) {
  if (expected >= 0 && size == static_cast<std::size_t>(expected)) return {};
  return std::string(name) + " has " + std::to_string(size) + " entries, expected " + std::to_string(expected);
}

// Returns the entries of a list; throws if their number is wrong. For calls that are not collective.
template <class T> const T *entries(const char *name, list<T> values, std::int64_t expected) {
  std::string why = misfit(name, values.size(), expected);
  if (!why.empty()) throw error(REBLOCK_ERR_ARGUMENT, why);
  return values.data();
}

// Makes a collective call, and throws if it fails. If this rank has found an invalid argument, `why` is the reason, and
// `call` has arguments that fail on all ranks; the other ranks get the reason, too.
template <class Call> void agreed(const std::string &why, Call call) {
  if (why.empty()) return must(call());
  reblock_set_reason(why.c_str());
  std::int32_t code = call();
  reblock_set_reason(nullptr);
  throw error(code != REBLOCK_OK ? code : REBLOCK_ERR_ARGUMENT, why);
}

inline numbers zeros(std::int64_t count) { return numbers(static_cast<std::size_t>(count)); }

// Returns a text, after asking for its length.
template <class Ask> std::string text_of(Ask ask) {
  std::int64_t length = 0;
  must(ask(nullptr, std::int64_t{0}, &length));
  std::string text(static_cast<std::size_t>(length) + 1, '\0');
  must(ask(&text[0], length + 1, &length));
  text.resize(static_cast<std::size_t>(length));
  return text;
}

inline bool mpi_runs() noexcept {
  int begun = 0, over = 0;
  return MPI_Initialized(&begun) == MPI_SUCCESS && begun && MPI_Finalized(&over) == MPI_SUCCESS && !over;
}

// The pointer that owns an object. `drop` frees the object and gets the address of its handle. `unwinding` is true if
// the stack unwinds because of an exception that was thrown after this pointer took the object.
template <class H, void (*drop)(H **, bool unwinding) noexcept> class handle {
 public:
  handle() noexcept = default;
  explicit handle(H *taken) noexcept : held_(taken) {}
  handle(handle &&other) noexcept : held_(other.release()) {}
  handle &operator=(handle &&other) noexcept {
    H *taken = other.release(); // a pointer that is moved to itself keeps its object
    handle old(std::move(*this));
    held_ = taken;
    exceptions_ = std::uncaught_exceptions();
    return *this;
  }
  ~handle() {
    if (held_ != nullptr) drop(&held_, std::uncaught_exceptions() > exceptions_);
  }
  H *get() const noexcept { return held_; }
  H *release() noexcept { return std::exchange(held_, nullptr); }
  // Returns the address of the handle; the library writes or clears the handle there.
  H **address() noexcept { return &held_; }

 private:
  H *held_ = nullptr;
  int exceptions_ = std::uncaught_exceptions();
};

template <class H, std::int32_t (*free)(H **)> void freed(H **held) noexcept {
  if (free(held) != REBLOCK_OK) std::fprintf(stderr, "reblock: %s\n", reblock_message());
}
// Frees an object of this rank alone.
template <class H, std::int32_t (*free)(H **)> void alone(H **held, bool) noexcept { freed<H, free>(held); }
// Frees an object that all ranks free together; does nothing while an exception unwinds the stack.
template <class H, std::int32_t (*free)(H **)> void together(H **held, bool unwinding) noexcept {
  if (!unwinding && mpi_runs()) freed<H, free>(held);
}

} // namespace detail

// Returns the version of the library, for instance "0.2.0".
inline std::string version() { return reblock_version(); }

} // namespace reblock

#endif
