// Scopes: HPF's directives as text, and the objects that they name.
#ifndef REBLOCK_SCOPE_HPP
#define REBLOCK_SCOPE_HPP

#include "array.hpp"

namespace reblock {

class Scope {
 public:
  // Makes an empty scope. Collective over `comm`.
  explicit Scope(MPI_Comm comm) { detail::must(reblock_scope_create(comm, held_.address())); }
  explicit Scope(reblock_scope *taken) noexcept : held_(taken) {}

  // Executes a line of HPF, for instance "!HPF$ DISTRIBUTE A(BLOCK,*) ONTO P". Collective over the scope's
  // communicator.
  void directive(const std::string &line) { detail::must(reblock_scope_directive(get(), line.c_str())); }

  Procs procs(const std::string &name) const {
    reblock_procs *procs = nullptr;
    detail::must(reblock_scope_procs(get(), name.c_str(), &procs));
    return Procs(procs);
  }
  Template tmpl(const std::string &name) const {
    reblock_template *tmpl = nullptr;
    detail::must(reblock_scope_template(get(), name.c_str(), &tmpl));
    return Template(tmpl);
  }
  Map map(const std::string &name) const {
    reblock_map *map = nullptr;
    detail::must(reblock_scope_map(get(), name.c_str(), &map));
    return Map(map);
  }
  // Returns the array of that name; the first call makes it. The result frees the array: ask once, and keep it.
  // Collective over the scope's communicator.
  Array array(const std::string &name, std::int64_t element) {
    reblock_array *array = nullptr;
    detail::must(reblock_scope_array(get(), name.c_str(), element, &array));
    return Array(array);
  }

  reblock_scope *get() const noexcept { return held_.get(); }
  reblock_scope *release() noexcept { return held_.release(); }

 private:
  detail::handle<reblock_scope, detail::alone<reblock_scope, reblock_scope_free>> held_;
};

} // namespace reblock

#endif
