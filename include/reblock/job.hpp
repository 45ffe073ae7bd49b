// Jobs that change their number of ranks.
#ifndef REBLOCK_JOB_HPP
#define REBLOCK_JOB_HPP

#include "map.hpp"

#include <functional>
#include <map>
#include <memory>

namespace reblock {

class Job {
 public:
  // Results of a resize point.
  enum class State { same = REBLOCK_JOB_SAME, resized = REBLOCK_JOB_RESIZED, leave = REBLOCK_JOB_LEAVE, moving = REBLOCK_JOB_MOVING };
  // Returns the number of ranks that the job should have, or 0 for no change; called on rank 0. An exception counts as
  // no change.
  using Policy = std::function<std::int64_t(std::int64_t ranks, double seconds)>;
  // Distributes the axes of an array's template over `shape` processes, without committing it. It must not communicate.
  // If it throws, the resize fails on all ranks, and the resize point throws that exception on this one.
  using Formats = std::function<void(list<std::int64_t> shape, Template &tmpl)>;

  // Begins a job with the ranks of `first`, or joins one. In a process that a job has started, REBLOCK_ERR_CANCELLED
  // means that the job does not need the process, which must then call MPI_Finalize, not MPI_Abort, and end.
  // Collective over `first`.
  explicit Job(MPI_Comm first, const reblock_job_options *options = nullptr) {
    detail::must(reblock_job_init(first, options, held_.address()));
  }
  // Returns the default options, for the program to change.
  static reblock_job_options options() {
    reblock_job_options options{};
    detail::must(reblock_job_options_init(&options));
    return options;
  }
  // Registers a matrix or an array that moves with the job; returns its number. `data` is the address of its storage;
  // each resize writes it. `desc` (9 integers) and `data` live as long as the job. See reblock_job_add_matrix and
  // reblock_job_add_array.
  template <class T> std::int64_t add_matrix(reblock_int *desc, T *&data) {
    static_assert(std::is_trivially_copyable_v<T>, "elements are moved as bytes");
    detail::must(reblock_job_add_matrix(get(), desc, sizeof(T), reinterpret_cast<void **>(&data)));
    return own_->registered++;
  }
  // Registers an array. A process that has joined passes nullptr for the map.
  template <class T> std::int64_t add_array(const Map *map, T *&data) {
    static_assert(std::is_trivially_copyable_v<T>, "elements are moved as bytes");
    detail::must(reblock_job_add_array(get(), map ? map->get() : nullptr, sizeof(T), reinterpret_cast<void **>(&data)));
    return own_->registered++;
  }
  // Registers a value that is the same on all ranks.
  template <class T> std::int64_t add_value(T &value) {
    static_assert(std::is_trivially_copyable_v<T>, "values are moved as bytes");
    detail::must(reblock_job_add_value(get(), &value, sizeof(T)));
    return own_->registered++;
  }

  void set_policy(Policy policy) {
    auto kept = std::make_unique<Policy>(std::move(policy));
    detail::must(reblock_job_set_policy(get(), &Job::asked, kept.get()));
    own_->policy = std::move(kept);
  }
  // Sets one of the library's policies: "4,8,4", "file:PATH" or "sweet:1,2,4", each with or without "slurm:" before it;
  // "slurm"; or "", no policy. See reblock_job_set_policy_text.
  void set_policy(const std::string &text) { detail::must(reblock_job_set_policy_text(get(), text.c_str())); }
  void set_policy(const char *text) { set_policy(std::string(text)); }
  // Sets the info that MPI receives when it starts processes; the info of rank 0 is used.
  void set_spawn_info(MPI_Info info) { detail::must(reblock_job_set_spawn_info(get(), info)); }
  // Set the ranks that leave at the next resize point: some by their numbers, and all on the hosts of a list,
  // "node3,node4". The lists of rank 0 are used.
  void set_leaving(list<std::int64_t> ranks) {
    detail::must(reblock_job_set_leaving(get(), static_cast<std::int64_t>(ranks.size()), ranks.data()));
  }
  void set_leaving_hosts(const std::string &hosts) { detail::must(reblock_job_set_leaving_hosts(get(), hosts.c_str())); }
  // Returns the hosts of the active ranks, in their order: "node1,node1,node2".
  std::string hosts() const {
    std::int64_t length = 0;
    detail::must(reblock_job_get_hosts(get(), nullptr, 0, &length));
    std::string hosts(static_cast<std::size_t>(length) + 1, '\0');
    detail::must(reblock_job_get_hosts(get(), &hosts[0], length + 1, &length));
    hosts.resize(static_cast<std::size_t>(length));
    return hosts;
  }
  // Returns the next host that became free: no process of the job is on it. Rank 0 gets each host once, and an empty
  // text if there is none. Other ranks always get an empty text.
  std::string next_freed() {
    char host[65] = "";
    detail::must(reblock_job_next_freed(get(), host, sizeof host, nullptr));
    return host;
  }
  void set_formats(std::int64_t number, Formats formats) {
    auto kept = std::make_unique<Own::Function>(Own::Function{std::move(formats), own_.get()});
    detail::must(reblock_job_set_formats(get(), number, &Job::distributed, kept.get()));
    own_->formats[number] = std::move(kept);
  }
  // Declares whether the program only reads an array while a resize is under way. A constant array moves while the
  // program computes.
  void set_constant(std::int64_t number, bool constant = true) {
    detail::must(reblock_job_set_constant(get(), number, constant));
  }
  // Reports the seconds that an iteration has taken on the calling process.
  void set_seconds(double seconds) { detail::must(reblock_job_set_seconds(get(), seconds)); }

  // Resize points; collective over the active ranks. After State::leave the process destroys the job, or calls leave,
  // and ends.
  State step() {
    return resized([this](std::int32_t *state) { return reblock_job_step(get(), state); });
  }
  State expand(std::int64_t ranks) {
    return resized([this, ranks](std::int32_t *state) { return reblock_job_expand(get(), ranks, state); });
  }
  State shrink(std::int64_t ranks) {
    return resized([this, ranks](std::int32_t *state) { return reblock_job_shrink(get(), ranks, state); });
  }
  // Whether the job can have `ranks` ranks; if not, `why` gets the reason.
  bool can_resize(std::int64_t ranks, std::string *why = nullptr) const {
    std::int32_t code = reblock_job_can_resize(get(), ranks);
    if (code != REBLOCK_OK && code != REBLOCK_ERR_STATE && code != REBLOCK_ERR_ARGUMENT) detail::must(code);
    if (code != REBLOCK_OK && why != nullptr) *why = reblock_message();
    return code == REBLOCK_OK;
  }

  bool joined() const {
    std::int32_t joined = 0;
    detail::must(reblock_job_joined(get(), &joined));
    return joined != 0;
  }
  // Returns the communicator of the active ranks; valid until the next resize.
  MPI_Comm comm() const {
    MPI_Comm comm = MPI_COMM_NULL;
    detail::must(reblock_job_get_comm(get(), &comm));
    return comm;
  }
  Map map(std::int64_t number) const {
    reblock_map *map = nullptr;
    detail::must(reblock_job_get_map(get(), number, &map));
    return Map(map);
  }
  // Returns the BLACS context of all active ranks; 0 and 0: a grid as nearly square as possible.
  reblock_int blacs(reblock_int rows = 0, reblock_int cols = 0) {
    reblock_int context = -1;
    detail::must(reblock_job_get_blacs(get(), rows, cols, &context));
    return context;
  }
  reblock_job_price price(std::int64_t ranks) const {
    reblock_job_price price{};
    detail::must(reblock_job_price_init(&price));
    told(reblock_job_get_price(get(), ranks, &price));
    return price;
  }
  reblock_job_times times() const {
    reblock_job_times times{};
    detail::must(reblock_job_times_init(&times));
    detail::must(reblock_job_get_times(get(), &times));
    return times;
  }

  // Ends the job, on all active ranks; leave is for a process that is no longer in it.
  void finalize() { detail::must(reblock_job_finalize(held_.address())); }
  void leave() { detail::must(reblock_job_leave(held_.address())); }

  reblock_job *get() const noexcept { return held_.get(); }

 private:
  // State for callbacks. Its address stays valid when the job is moved.
  struct Own {
    struct Function {
      Formats formats;
      Own *own;
    };
    std::unique_ptr<Policy> policy;
    std::map<std::int64_t, std::unique_ptr<Function>> formats;
    std::exception_ptr thrown;
    std::int64_t registered = 0;
  };

  static void ended(reblock_job **job, bool unwinding) noexcept {
    MPI_Comm comm;
    if (!detail::mpi_runs()) return;
    bool active = reblock_job_get_comm(*job, &comm) == REBLOCK_OK;
    if (active) detail::together<reblock_job, reblock_job_finalize>(job, unwinding);
    else detail::freed<reblock_job, reblock_job_leave>(job);
  }
  // Catches all exceptions, which must not be thrown through C.
  static std::int64_t asked(void *policy, std::int64_t ranks, double seconds) noexcept {
    try {
      return (*static_cast<Policy *>(policy))(ranks, seconds);
    } catch (const std::exception &thrown) {
      std::fprintf(stderr, "reblock: the policy: %s: the job keeps its ranks\n", thrown.what());
    } catch (...) {
      std::fprintf(stderr, "reblock: the policy has thrown something: the job keeps its ranks\n");
    }
    return 0;
  }
  static std::int32_t distributed(void *context, std::int64_t axes, const std::int64_t *shape,
                                  reblock_template *tmpl) noexcept {
    auto *function = static_cast<Own::Function *>(context);
    Template lent(tmpl);
    std::int32_t code = REBLOCK_OK;
    try {
      function->formats(list<std::int64_t>(shape, static_cast<std::size_t>(axes)), lent);
    } catch (...) {
      function->own->thrown = std::current_exception();
      code = REBLOCK_ERR_ARGUMENT;
    }
    lent.release();
    return code;
  }
  // Throws if a call has failed; if a callback of the program threw, its exception.
  void told(std::int32_t code) const {
    std::exception_ptr thrown = own_ ? std::exchange(own_->thrown, nullptr) : nullptr;
    if (code != REBLOCK_OK && thrown) std::rethrow_exception(thrown);
    detail::must(code);
  }
  template <class Call> State resized(Call call) {
    std::int32_t state = REBLOCK_JOB_SAME;
    told(call(&state));
    return static_cast<State>(state);
  }

  std::unique_ptr<Own> own_ = std::make_unique<Own>();
  detail::handle<reblock_job, ended> held_; // destroyed first: until then the job may call the functions in own_
};

// A process grid, and the predicted seconds of the move to it: see reblock_grid_for.
struct Grid {
  std::int64_t rows, cols;
  double seconds;
};
inline Grid grid_for(std::int64_t processes, list<std::int64_t> extents = {}, list<std::int64_t> block = {},
                     std::int64_t element = 1, list<std::int64_t> present = {}, std::int64_t skew = 0) {
  bool moves = !present.empty();
  if (moves) detail::entries("extents", extents, 2), detail::entries("block", block, 2), detail::entries("present", present, 2);
  std::int64_t grid[2] = {0, 0};
  double seconds = 0;
  detail::must(reblock_grid_for(processes, extents.data(), block.data(), element, moves ? present.data() : nullptr, skew, grid,
                                &seconds));
  return {grid[0], grid[1], seconds};
}

} // namespace reblock

#endif
