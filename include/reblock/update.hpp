// Updates: moves that combine the source with the present target.
#ifndef REBLOCK_UPDATE_HPP
#define REBLOCK_UPDATE_HPP

#include "core.hpp"

#include <complex>

namespace reblock {

namespace detail {

// Returns C's number for a type of elements.
template <class T> constexpr std::int64_t type_of() {
  constexpr bool is_integer = std::is_integral<T>::value && std::is_signed<T>::value;
  if (is_integer && sizeof(T) == 4) return REBLOCK_INT32;
  if (is_integer && sizeof(T) == 8) return REBLOCK_INT64;
  if (std::is_same<T, float>::value) return REBLOCK_FLOAT;
  if (std::is_same<T, double>::value) return REBLOCK_DOUBLE;
  if (std::is_same<T, std::complex<float>>::value) return REBLOCK_COMPLEX;
  if (std::is_same<T, std::complex<double>>::value) return REBLOCK_DOUBLE_COMPLEX;
  return 0;
}

} // namespace detail

// An update of elements of type T: target = combine(alpha * op(source), beta * target); op is the conjugate or the
// identity. A side whose factor is 0 is not read and drops out. Factors of 1 are not multiplied. All ranks must pass
// the same update.
template <class T> class Update {
  static_assert(detail::type_of<T>() != 0, "elements are int32_t, int64_t, float, double, or complex numbers of the last two");

 public:
  explicit Update(T alpha, T beta = T{}, std::int64_t combine = REBLOCK_ADD) : alpha_(alpha), beta_(beta), combine_(combine) {}
  // Returns this update with the conjugates of the source's elements.
  Update conjugated() const {
    Update made = *this;
    made.conjugate_ = 1;
    return made;
  }
  // Returns the C structure, valid as long as this object exists.
  reblock_update get() const {
    reblock_update update{};
    detail::must(reblock_update_init(&update));
    update.type = detail::type_of<T>();
    update.combine = combine_;
    update.conjugate = conjugate_;
    update.alpha = &alpha_;
    update.beta = &beta_;
    return update;
  }
  bool reads_source() const { return alpha_ != T{}; }

 private:
  T alpha_, beta_;
  std::int64_t combine_, conjugate_ = 0;
};

} // namespace reblock

#endif
