// Templates, and the distribution of their axes.
#ifndef REBLOCK_TEMPLATE_HPP
#define REBLOCK_TEMPLATE_HPP

#include "procs.hpp"

namespace reblock {

class Array;

// Bounds of a template or an array.
struct Bounds {
  numbers lower, upper;
};

class Template {
 public:
  // Makes a template with indices from `lower` to `upper`. The dist_... functions then distribute the axes, and commit
  // completes the template:
  //   Template t(procs, {1, 1}, {60, 60});
  //   t.dist_block(0, 0).dist_cyclic(1, 1, 8).commit();
  Template(const Procs &procs, list<std::int64_t> lower, list<std::int64_t> upper) {
    const std::int64_t *last = detail::entries("upper", upper, lower.length());
    detail::must(reblock_template_create(procs.get(), lower.length(), lower.data(), last, held_.address()));
  }
  explicit Template(reblock_template *taken) noexcept : held_(taken) {}

  Template &dist_collapsed(std::int64_t axis) { return done(reblock_template_dist_collapsed(get(), axis)); }
  // Distributes an axis in blocks of `block` indices; 0: the extent divided by the number of processes, rounded up.
  Template &dist_block(std::int64_t axis, std::int64_t procs_axis, std::int64_t block = 0) {
    return done(reblock_template_dist_block(get(), axis, procs_axis, block));
  }
  Template &dist_cyclic(std::int64_t axis, std::int64_t procs_axis, std::int64_t block = 1) {
    return done(reblock_template_dist_cyclic(get(), axis, procs_axis, block));
  }
  Template &dist_gen_block(std::int64_t axis, std::int64_t procs_axis, list<std::int64_t> sizes) {
    return done(reblock_template_dist_gen_block(get(), axis, procs_axis, sizes.length(), sizes.data()));
  }
  Template &dist_indirect(std::int64_t axis, std::int64_t procs_axis, list<std::int64_t> owners) {
    return done(reblock_template_dist_indirect(get(), axis, procs_axis, owners.length(), owners.data()));
  }
  Template &dist_indirect_runs(std::int64_t axis, std::int64_t procs_axis, list<std::int64_t> owners,
                               list<std::int64_t> lengths) {
    const std::int64_t *each = detail::entries("lengths", lengths, owners.length());
    return done(reblock_template_dist_indirect_runs(get(), axis, procs_axis, owners.length(), owners.data(), each));
  }
  Template &dist_indirect_local(std::int64_t axis, std::int64_t procs_axis, std::int64_t lower,
                                list<std::int64_t> owners) {
    return done(
        reblock_template_dist_indirect_local(get(), axis, procs_axis, lower, owners.length(), owners.data()));
  }
  // Distributes all axes by a text, for instance "(CYCLIC(4), BLOCK, *) ONTO P(2,3)".
  Template &dist_text(const std::string &text) { return done(reblock_template_dist_text(get(), text.c_str())); }
  // Completes the template. Collective over the arrangement's communicator.
  Template &commit() { return done(reblock_template_commit(get())); }

  // HPF's REDISTRIBUTE: all arrays that are aligned with the template move; arrays in `dead` get storage without
  // values. Collective over the arrangement's communicator.
  inline void redistribute(const Template &like, list<const Array *> dead = {});

  std::int64_t axes() const {
    std::int64_t axes = 0;
    detail::must(reblock_template_axes(get(), &axes));
    return axes;
  }
  Bounds bounds() const {
    Bounds bounds{detail::zeros(axes()), detail::zeros(axes())};
    detail::must(reblock_template_bounds(get(), bounds.lower.data(), bounds.upper.data()));
    return bounds;
  }
  reblock_format format(std::int64_t axis) const {
    reblock_format format{};
    detail::must(reblock_format_init(&format));
    detail::must(reblock_template_format(get(), axis, &format));
    return format;
  }
  Procs procs() const {
    reblock_procs *procs = nullptr;
    detail::must(reblock_template_procs(get(), &procs));
    return Procs(procs);
  }
  // Returns the distribution in HPF's notation.
  std::string text() const {
    return detail::text_of([this](char *text, std::int64_t size, std::int64_t *length) {
      return reblock_template_text(get(), text, size, length);
    });
  }

  reblock_template *get() const noexcept { return held_.get(); }
  reblock_template *release() noexcept { return held_.release(); }

 private:
  Template &done(std::int32_t code) {
    detail::must(code);
    return *this;
  }
  detail::handle<reblock_template, detail::alone<reblock_template, reblock_template_free>> held_;
};

} // namespace reblock

#endif
