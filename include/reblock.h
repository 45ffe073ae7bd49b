// reblock: moves distributed arrays from one layout to another over MPI.
// Made from the Rust sources by `make headers`; do not edit.

#ifndef REBLOCK_H
#define REBLOCK_H

#include <stdint.h>
#include <mpi.h>

// The host's Fortran INTEGER: define REBLOCK_ILP64 to use libreblock_ilp64.
#ifdef REBLOCK_ILP64
typedef int64_t reblock_int;
#else
typedef int32_t reblock_int;
#endif

// All went well.
#define REBLOCK_OK 0

// Not an object of the kind that is needed, or one that was freed.
#define REBLOCK_ERR_HANDLE 1

// An argument has a value that it cannot have.
#define REBLOCK_ERR_ARGUMENT 2

// The object is in a state in which the call makes no sense; or MPI is not running.
#define REBLOCK_ERR_STATE 3

// Ranks called with different arguments, or different functions.
#define REBLOCK_ERR_DIFFERS 4

// There is no memory.
#define REBLOCK_ERR_MEMORY 5

// MPI failed.
#define REBLOCK_ERR_MPI 6

// Source and target are the same memory.
#define REBLOCK_ERR_OVERLAP 7

// A text does not follow the grammar.
#define REBLOCK_ERR_TEXT 8

// The environment or the options cannot be used.
#define REBLOCK_ERR_SETTINGS 9

// An earlier failure of MPI left the communicator unusable for reblock.
#define REBLOCK_ERR_BROKEN 10

// A mistake in reblock itself.
#define REBLOCK_ERR_INTERNAL 11

// A file cannot be read or written, or is not what is expected.
#define REBLOCK_ERR_FILE 12

// Kinds of formats.
#define REBLOCK_FORMAT_COLLAPSED 0

// BLOCK or BLOCK(m).
#define REBLOCK_FORMAT_BLOCK 1

// CYCLIC(k).
#define REBLOCK_FORMAT_CYCLIC 2

// GEN_BLOCK.
#define REBLOCK_FORMAT_GEN_BLOCK 3

// INDIRECT.
#define REBLOCK_FORMAT_INDIRECT 4

// In place of an axis of a template: none.
#define REBLOCK_COLLAPSED -1

// In place of an index along an axis of a template that no axis of the array is aligned with: a copy at every index.
#define REBLOCK_REPLICATED INT64_MIN

// The version of reblock_options that this header describes.
#define REBLOCK_OPTIONS_VERSION 1

// The version of reblock_job_options that this header describes.
#define REBLOCK_JOB_OPTIONS_VERSION 1

// What a resize point has come to: nothing has changed.
#define REBLOCK_JOB_SAME 0

// There are other ranks now, and everything that is registered has moved.
#define REBLOCK_JOB_RESIZED 1

// The calling process is no longer in the job: it calls reblock_job_leave and MPI_Finalize, and ends.
#define REBLOCK_JOB_LEAVE 2

// An array whose storage is reblock's.
typedef struct reblock_array reblock_array;

// A job that can change its number of ranks.
typedef struct reblock_job reblock_job;

// A map: which element of an array is where.
typedef struct reblock_map reblock_map;

// A plan: what it takes to move an array.
typedef struct reblock_plan reblock_plan;

// A processor arrangement.
typedef struct reblock_procs reblock_procs;

// Arrays on their way.
typedef struct reblock_request reblock_request;

// Names and what they stand for.
typedef struct reblock_scope reblock_scope;

// A template.
typedef struct reblock_template reblock_template;

// How an axis of an array is dealt out.
typedef struct reblock_format {
  // REBLOCK_FORMAT_...
  int64_t kind;
  // Indices of a block, also of BLOCK; 0 where blocks differ or there are none.
  int64_t block;
  // The axis of the template, or -1.
  int64_t template_axis;
  // The axis of the arrangement, or -1.
  int64_t procs_axis;
  // Processes along that.
  int64_t procs;
  // Index i is aligned with index `stride` * i + `offset` of the template.
  int64_t stride;
  // See `stride`.
  int64_t offset;
  // The calling process's coordinate along `procs_axis`, or -1 if it is not in the arrangement.
  int64_t coordinate;
} reblock_format;

// What an axis of an array is aligned with: index i with index `stride` * i + `offset` of axis `axis` of the template.
typedef struct reblock_align {
  // An axis of the template, from 0; or REBLOCK_COLLAPSED: every process has all of the array's axis.
  int64_t axis;
  // Not 0; negative where the axes run against each other.
  int64_t stride;
  // In the indices of both.
  int64_t offset;
} reblock_align;

// Options of a plan; reblock_options_init fills it in. All ranks give the same.
typedef struct reblock_options {
  // sizeof(reblock_options).
  int64_t size;
  // REBLOCK_OPTIONS_VERSION.
  int64_t version;
  // The scheduler's name (see docs/schedulers.md); NULL: the cheapest.
  const char *scheduler;
  // "shm" or "mpi"; NULL: shared memory within a node.
  const char *transport;
  // Bytes that buffers may take on each rank; 0: as many as are usual.
  int64_t buffer;
  // Messages of MPI under way at a time, in each direction; 0: as many as are usual.
  int64_t window;
  // Not 0: the target's places may be on other ranks, so that less data moves; reblock_plan_target tells on which.
  int64_t relabel;
} reblock_options;

// Indices lower, lower + stride, ... up to upper, as a Fortran triplet; stride is at least 1.
typedef struct reblock_range {
  // The first index.
  int64_t lower;
  // The last index, or one before the next that would be.
  int64_t upper;
  // At least 1.
  int64_t stride;
} reblock_range;

// What a plan moves on the calling process.
typedef struct reblock_plan_info {
  // Bytes sent to other ranks.
  int64_t sent;
  // Bytes received from other ranks.
  int64_t received;
  // Bytes copied within the process.
  int64_t kept;
  // Messages sent.
  int64_t messages_sent;
  // Messages received.
  int64_t messages_received;
  // Bytes that buffers take at the most.
  int64_t buffers;
} reblock_plan_info;

// Options of a job; reblock_job_options_init fills them in. All ranks give the same.
typedef struct reblock_job_options {
  // sizeof(reblock_job_options).
  int64_t size;
  // REBLOCK_JOB_OPTIONS_VERSION.
  int64_t version;
  // The most ranks that one spawn call adds; 0: as many as are needed. They leave together.
  int64_t unit;
  // Not 0: ranks that cannot leave wait inside reblock_job_step, without using a core, until they are needed again. 0: sizes
  // that would take this are refused.
  int64_t park;
  // The program that new processes run, without arguments; NULL: the calling program with its own.
  const char *command;
  // How storage is allocated for arrays that move: bytes, `context`. NULL: malloc.
  void *(*allocate)(int64_t bytes, void *context);
  // How storage is given back that a program has registered or that was allocated: its address, `context`. NULL: free.
  void (*release)(void *data, void *context);
  // Passed on to `allocate` and `release`.
  void *context;
  // The process grid after a resize: 0: as nearly square as it can be, with no more rows than columns. At least 1: of the grids
  // whose longer side is at most `skew` times the shorter one, the one to which the matrices come in the least time by the
  // machine's model, as reblock_grid_for says it.
  int64_t skew;
} reblock_job_options;

// A function of a program that deals an array out to another number of ranks. `template_` has the bounds of the array's
// template, on an arrangement of `axes` axes with `shape` processes along each. The function describes its axes by the
// reblock_dist_... functions, and returns REBLOCK_OK; any other code makes the resize fail. Axes of which it says nothing are not
// distributed. It asks no other rank: it does not call reblock_dist_indirect_local, reblock_template_commit or functions of the
// job.
typedef int32_t (*reblock_job_formats_function)(void *context,
                                                int64_t axes,
                                                const int64_t *shape,
                                                struct reblock_template *template_);

// What a resize would take.
typedef struct reblock_job_price {
  // Bytes that ranks send each other.
  int64_t bytes;
  // Messages, of each array by itself.
  int64_t messages;
  // Steps of the schedule that has the most.
  int64_t steps;
  // Seconds by the model of docs/schedulers.md, for moving alone.
  double seconds;
} reblock_job_price;

// What the last resize took on the calling process, in seconds.
typedef struct reblock_job_times {
  // Ranks before.
  int64_t before;
  // Ranks afterwards.
  int64_t after;
  // To agree on the size, with the other ranks and the policy.
  double ask;
  // Until new processes had come, or others had gone.
  double spawn;
  // To make communicators and the process grid.
  double grid;
  // To tell new ranks what there is, and to plan.
  double plan;
  // To move all arrays, and to give back the storage in which they were.
  double move_;
  // All of it.
  double total;
} reblock_job_times;

// A policy of a program: how many ranks there should be, of which there are `ranks` now, where an iteration takes `seconds` on
// the slowest; 0: as many as there are. It is asked on rank 0, and calls no function of the job.
typedef int64_t (*reblock_job_policy_function)(void *context, int64_t ranks, double seconds);

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The version of the library, for instance "0.1.0".
const char *reblock_version(void);

// Bytes that reblock's buffers take in this process now. They are kept from call to call, and given back with the BLACS
// context that they were made for, or when MPI is finalized.
int64_t reblock_buffer_bytes(void);

// The most bytes that reblock's buffers took in this process at any time.
int64_t reblock_buffer_bytes_most(void);

// The most bytes that reblock's buffers may take for a redistribution of a section of which each process of the larger
// grid has `local_bytes` on average: an eighth of that, at least 8 MiB and at most 32 MiB, or what REBLOCK_BUFFER says.
// -1 if `local_bytes` is negative or REBLOCK_BUFFER cannot be used.
int64_t reblock_buffer_limit(int64_t local_bytes);

// An array of `bytes` bytes, zero at first, in memory that processes of a node share: a redistribution within `context`
// out of such an array copies each element once, straight into the receiver's array, instead of twice. Collective over
// the processes of the BLACS context `context`; each has an array of its own size. It lives until `reblock_free`, or
// until the context is left. NULL, on all processes of a node, if there is no memory for all of them.
void *reblock_alloc(int64_t bytes,
                    reblock_int context);

// Frees an array of `reblock_alloc` with the same `context`, when no process uses any that was allocated with it. 0; or
// -1 if there is no such array.
int32_t reblock_free(void *array,
                     reblock_int context);

// The text of the last call that failed on this thread; empty if none did. It lasts until the next one fails.
const char *reblock_message(void);

// The name of a code, for instance "REBLOCK_ERR_ARGUMENT".
const char *reblock_code_name(int32_t code);

// Collective over the communicator of the map's arrangement: an array of zeros, of elements of `element` bytes, in memory of
// the node where that pays.
//
// # Safety
// `array` has room for a handle.
int32_t reblock_array_create(const struct reblock_map *map,
                             int64_t element,
                             struct reblock_array **array);

// The calling process's storage: where it begins (the element at place 0 of each axis, with the shadow; it has moved after
// reblock_redistribute and reblock_realign), its extents with the shadow, the index of its first element, strides in
// elements.
//
// # Safety
// `data` is NULL or has room for a pointer; the others are NULL or have room for a number an axis.
int32_t reblock_array_data(const struct reblock_array *array,
                           void **data,
                           int64_t *extents,
                           int64_t *lower,
                           int64_t *strides);

// Bytes of an element of an array.
//
// # Safety
// `element` is NULL or has room for a number.
int32_t reblock_array_element(const struct reblock_array *array, int64_t *element);

// The map of an array as it is now.
//
// # Safety
// `map` has room for a handle.
int32_t reblock_array_map(const struct reblock_array *array, struct reblock_map **map);

// Collective over the communicator of the array's arrangement: frees an array with its storage. The handle is NULL afterwards;
// one that is NULL before is an error here, since others may be waiting.
//
// # Safety
// `array` is the address of a handle.
int32_t reblock_array_free(struct reblock_array **array);

// HPF's REDISTRIBUTE. Collective over the communicator of the template's arrangement: `template_` is distributed like `like`
// from now on, which has the same bounds and an arrangement of ranks of that communicator. All arrays that are aligned with it
// move, in one set of messages, to new storage; the `arrays` arrays in `dead` do not keep their values. On failure nothing has
// changed.
//
// # Safety
// `dead` has `arrays` entries.
int32_t reblock_redistribute(struct reblock_template *template_,
                             const struct reblock_template *like,
                             int64_t arrays,
                             struct reblock_array *const *dead);

// HPF's REALIGN. Collective over the communicator of the array's arrangement: the array is mapped like `map` from now on, which
// has the same bounds and an arrangement of ranks of that communicator. It moves to new storage; its values do not if `dead` is
// not 0. On failure nothing has changed.
//
// # Safety
// None.
int32_t reblock_realign(struct reblock_array *array,
                        const struct reblock_map *map,
                        int32_t dead);

// Collective over the communicator of the map's arrangement: where the `elements` elements are that the calling process asks
// for, maybe none. Of each of them `indices` has an index an axis, one element after the other; `ranks` gets the lowest rank that
// has it, and `places` where that one keeps it: along each axis, from 0, the shadow counted.
//
// # Safety
// `indices` has an entry for each axis of each element; `ranks` is NULL or has room for a number an element, `places` for as
// many as `indices`.
int32_t reblock_map_dereference(const struct reblock_map *map,
                                int64_t elements,
                                const int64_t *indices,
                                int64_t *ranks,
                                int64_t *places);

// Collective over the plan's communicator: moves an array. `source` and `target` are where the calling process's storages
// begin: the element at place 0 of each axis, with the shadow; NULL where it has no part. They do not overlap, unless
// nothing moves or the sections have no place in common. Nothing is written unless all ranks can go on.
//
// # Safety
// The storages are as large as the maps say, and nobody else uses them until the call returns.
int32_t reblock_execute(struct reblock_plan *plan,
                        const void *source,
                        void *target);

// Collective over the plans' communicator, which is one: moves `arrays` arrays in one set of messages.
//
// # Safety
// `plans`, `sources` and `targets` have `arrays` entries, each as for reblock_execute.
int32_t reblock_execute_many(int64_t arrays,
                             struct reblock_plan *const *plans,
                             const void *const *sources,
                             void *const *targets);

// Collective over the plan's communicator: starts what reblock_execute does. The array travels while the calling process is in
// any reblock call on the same communicator. Whether all ranks can go on is told by reblock_wait or reblock_test.
//
// # Safety
// As reblock_execute, until the request is over; `request` has room for a handle.
int32_t reblock_start(struct reblock_plan *plan,
                      const void *source,
                      void *target,
                      struct reblock_request **request);

// Collective over the plans' communicator, which is one: starts what reblock_execute_many does.
//
// # Safety
// As reblock_execute_many, until the request is over; `request` has room for a handle.
int32_t reblock_start_many(int64_t arrays,
                           struct reblock_plan *const *plans,
                           const void *const *sources,
                           void *const *targets,
                           struct reblock_request **request);

// Lets a request go on: `done` is 1 if it is over, and then this is how it ended, and the handle is NULL.
//
// # Safety
// `request` is the address of a handle; `done` is NULL or has room for a number.
int32_t reblock_test(struct reblock_request **request, int32_t *done);

// Waits until a request is over on this rank: how it ended, the same on all ranks. The handle is NULL afterwards.
//
// # Safety
// `request` is the address of a handle.
int32_t reblock_wait(struct reblock_request **request);

// Frees a request, after it is over: it is waited for, but nobody is told how it ended. The handle is NULL afterwards.
//
// # Safety
// `request` is the address of a handle.
int32_t reblock_request_free(struct reblock_request **request);

// Collective over `comm`, which has all ranks of the map's arrangement: saves an array, of elements of `element` bytes, in the
// file `path`, in NumPy's format .npy: extents and elements in Fortran order, without shadows, and a checksum behind them.
// `data` is where the calling process's storage begins: the element at place 0 of each axis, with the shadow; NULL where it has
// no part. A rank that does not know the array passes NULL for its map. `dtype` is what an element is, as NumPy describes it,
// "<f8" or "[('x', '<f4'), ('n', '<i4')]"; NULL: "|Vn", n bytes. The file is written beside the one of that name, in the same
// directory, and takes its place when all of it is on the disk. On failure there is the old file or none.
//
// # Safety
// `path` is a C string, `dtype` NULL or one; the storage is as large as the map says.
int32_t reblock_save(MPI_Comm comm,
                     const char *path,
                     const struct reblock_map *map,
                     const void *data,
                     int64_t element,
                     const char *dtype);

// The same, with the communicator's handle in Fortran.
//
// # Safety
// As reblock_save.
int32_t reblock_save_fortran(int32_t comm,
                             const char *path,
                             const struct reblock_map *map,
                             const void *data,
                             int64_t element,
                             const char *dtype);

// Collective over `comm`: loads an array from a file of reblock_save's or of NumPy's, in either order; other arguments are as
// there. The file has the extents of the map, whose ranks and layout need not be those of the array that was saved, and
// elements of `element` bytes, which are `dtype` unless that is NULL. Where the file has a checksum, all of it is read and
// compared first. On failure nothing is written, unless the file is changed or cannot be read any more in the middle of the
// call.
//
// # Safety
// As reblock_save; nobody else uses the storage until the call returns.
int32_t reblock_load(MPI_Comm comm,
                     const char *path,
                     const struct reblock_map *map,
                     void *data,
                     int64_t element,
                     const char *dtype);

// The same, with the communicator's handle in Fortran.
//
// # Safety
// As reblock_load.
int32_t reblock_load_fortran(int32_t comm,
                             const char *path,
                             const struct reblock_map *map,
                             void *data,
                             int64_t element,
                             const char *dtype);

// Collective over the communicator of the array's arrangement: saves it, as reblock_save does.
//
// # Safety
// `path` is a C string, `dtype` NULL or one.
int32_t reblock_array_save(const struct reblock_array *array, const char *path, const char *dtype);

// Collective over the communicator of the array's arrangement: loads it, as reblock_load does.
//
// # Safety
// As reblock_array_save.
int32_t reblock_array_load(struct reblock_array *array, const char *path, const char *dtype);

// A process grid for `processes` processes: `grid` gets its rows and columns. It is nearly square, with no more rows than
// columns, unless `skew` is at least 1: then it is the one to which a matrix comes cheapest from the grid `present`, by the
// model of the network (REBLOCK_NETWORK), among those whose longer side is at most `skew` times the shorter one. The matrix has
// `extents` rows and columns, in blocks of `block`, of elements of `element` bytes; both grids have the same processes, row by
// row from the first on. `time` gets the seconds that the way takes by that model; 0 without `present`. Asks no other process.
//
// # Safety
// `grid` has room for two numbers; `extents`, `block` and `present` have two; `time` is NULL or has room for one. `present` may
// be NULL; then the grid is nearly square, and `extents` and `block` are not read.
int32_t reblock_grid_for(int64_t processes,
                         const int64_t *extents,
                         const int64_t *block,
                         int64_t element,
                         const int64_t *present,
                         int64_t skew,
                         int64_t *grid,
                         double *time);

// The number of axes of an array.
//
// # Safety
// `rank` is NULL or has room for a number.
int32_t reblock_map_rank(const struct reblock_map *map, int64_t *rank);

// The bounds of an array.
//
// # Safety
// Both are NULL or have room for a number an axis.
int32_t reblock_map_bounds(const struct reblock_map *map, int64_t *lower, int64_t *upper);

// The calling process's local array: its own elements along each axis; the index of the storage's first element, shadow
// included (where the process has one run of neighbours the program's own indices, else they count from 1); the shadow's
// widths; strides in elements; and whether the process has a part of the array at all.
//
// # Safety
// Each is NULL or has room for a number an axis, `has_part` for one.
int32_t reblock_map_local(const struct reblock_map *map,
                          int64_t *extents,
                          int64_t *lower,
                          int64_t *before,
                          int64_t *after,
                          int64_t *strides,
                          int32_t *has_part);

// Elements of the calling process's storage, from the first to behind the last, with shadows and gaps.
//
// # Safety
// `elements` is NULL or has room for a number.
int32_t reblock_map_elements(const struct reblock_map *map, int64_t *elements);

// The ranks that have a copy of an element, ascending, as ranks of the arrangement's communicator: the first `most` of them;
// `owners` is how many there are. Where each process knows its own indices of an INDIRECT axis only (reblock_dist_indirect_local),
// it is an error to ask for others; reblock_map_dereference can.
//
// # Safety
// `index` has an entry an axis; `ranks` is NULL or has room for `most` numbers, `owners` for one.
int32_t reblock_map_owners(const struct reblock_map *map,
                           const int64_t *index,
                           int64_t most,
                           int64_t *ranks,
                           int64_t *owners);

// Where an element is in the calling process's storage: along each axis, from 0, the shadow counted. `here` is 0 if the
// process does not own it, and nothing else is written then.
//
// # Safety
// `index` has an entry an axis; `local` is NULL or has room for as many; `here` is NULL or has room for a number.
int32_t reblock_map_local_index(const struct reblock_map *map,
                                const int64_t *index,
                                int64_t *local,
                                int32_t *here);

// The element at a place of the calling process's storage, which is given along each axis, from 0, the shadow counted. `own` is
// 0 where the shadow is, and nothing else is written then.
//
// # Safety
// `local` has an entry an axis; `index` is NULL or has room for as many; `own` is NULL or has room for a number.
int32_t reblock_map_global_index(const struct reblock_map *map,
                                 const int64_t *local,
                                 int64_t *index,
                                 int32_t *own);

// How axis `axis` of an array is dealt out.
//
// # Safety
// `format` is NULL or has room for one.
int32_t reblock_map_format(const struct reblock_map *map, int64_t axis, struct reblock_format *format);

// A map in HPF's notation, for instance "A(i,j) WITH T(2*i+1,j), T(BLOCK,*) ONTO P(4)": as much of it as there is room for,
// and its length without the zero byte at the end.
//
// # Safety
// `text` is NULL or has room for `size` bytes; `length` is NULL or has room for a number.
int32_t reblock_map_text(const struct reblock_map *map,
                         char *text,
                         int64_t size,
                         int64_t *length);

// A template's distribution in HPF's notation, for instance "(CYCLIC(4),*,BLOCK) ONTO P(2,3)": as reblock_map_text.
//
// # Safety
// As reblock_map_text.
int32_t reblock_template_text(const struct reblock_template *template_,
                              char *text,
                              int64_t size,
                              int64_t *length);

// The map of an array with `rank` axes, whose indices go from `lower` to `upper`, that is aligned with a committed template:
// `aligns` says with what each axis is aligned (NULL: axis k with axis k, index i with index i), `rest` for each axis of the
// template, if no axis of the array is aligned with it, at which index the array lies, or REBLOCK_REPLICATED (NULL: all
// replicated). Local arrays are column-major, without shadow. Maps never change; they are made without asking other ranks.
//
// # Safety
// `lower` and `upper` have `rank` entries, `aligns` too or is NULL; `rest` is NULL or has an entry for each axis of the
// template; `map` has room for a handle.
int32_t reblock_map_create(const struct reblock_template *template_,
                           int64_t rank,
                           const int64_t *lower,
                           const int64_t *upper,
                           const struct reblock_align *aligns,
                           const int64_t *rest,
                           struct reblock_map **map);

// The map of an array that is its own template.
//
// # Safety
// `map` has room for a handle.
int32_t reblock_map_whole(const struct reblock_template *template_, struct reblock_map **map);

// The map that a ScaLAPACK descriptor stands for, on the processes of its context: bounds from 1, columns LLD elements apart.
//
// # Safety
// `desc` has 9 integers; `map` has room for a handle.
int32_t reblock_map_from_blacs(const reblock_int *desc,
                               struct reblock_map **map);

// The same map with a shadow: so many elements before and after a process's own, along each axis, which are never read or
// written.
//
// # Safety
// `before` and `after` have an entry an axis; `made` has room for a handle.
int32_t reblock_map_shadow(const struct reblock_map *map,
                           const int64_t *before,
                           const int64_t *after,
                           struct reblock_map **made);

// The same map with row-major local arrays, as C has them.
//
// # Safety
// `made` has room for a handle.
int32_t reblock_map_row_major(const struct reblock_map *map, struct reblock_map **made);

// The same map with local arrays whose axes vary in this order, the fastest first.
//
// # Safety
// `order` has an entry an axis; `made` has room for a handle.
int32_t reblock_map_order(const struct reblock_map *map, const int64_t *order, struct reblock_map **made);

// The same map with these strides, in elements, of the calling process's local array. Other ranks need not do the same.
//
// # Safety
// `strides` has an entry an axis; `made` has room for a handle.
int32_t reblock_map_strides(const struct reblock_map *map,
                            const int64_t *strides,
                            struct reblock_map **made);

// Frees a map; what was made with it lives on. The handle is NULL afterwards.
//
// # Safety
// `map` is the address of a handle.
int32_t reblock_map_free(struct reblock_map **map);

// Options that ask for nothing.
//
// # Safety
// `options` is NULL or has room for them.
int32_t reblock_options_init(struct reblock_options *options);

// Collective over `comm`: a plan to move a section of one array to a section of another, of elements of `element` bytes. The
// arrangements of both may be any ranks of `comm`: equal, nested, overlapping or disjoint. A rank that does not know an array
// passes NULL for its map. A section is one range an axis, or NULL: the whole array; both have the same extents, but for axes
// with a single index, which one may have and the other not. `options` may be NULL.
//
// # Safety
// A section is NULL or has an entry for each axis of its map; `options` is NULL or points to options; `plan` has room for a
// handle.
int32_t reblock_plan_create(MPI_Comm comm,
                            const struct reblock_map *from,
                            const struct reblock_range *from_section,
                            const struct reblock_map *to,
                            const struct reblock_range *to_section,
                            int64_t element,
                            const struct reblock_options *options,
                            struct reblock_plan **plan);

// The same, with the communicator's handle in Fortran.
//
// # Safety
// As reblock_plan_create.
int32_t reblock_plan_create_fortran(int32_t comm,
                                    const struct reblock_map *from,
                                    const struct reblock_range *from_section,
                                    const struct reblock_map *to,
                                    const struct reblock_range *to_section,
                                    int64_t element,
                                    const struct reblock_options *options,
                                    struct reblock_plan **plan);

// What a plan moves on the calling process.
//
// # Safety
// `info` is NULL or has room for it.
int32_t reblock_plan_inquire(const struct reblock_plan *plan, struct reblock_plan_info *info);

// The target's map where its places were given to other ranks (the option relabel), with an arrangement of the plan's
// communicator; NULL where they stay where they were.
//
// # Safety
// `map` has room for a handle.
int32_t reblock_plan_target(const struct reblock_plan *plan,
                            struct reblock_map **map);

// What was planned, as JSON (docs/hpf.md says what is in it): as reblock_map_text.
//
// # Safety
// As reblock_map_text.
int32_t reblock_plan_explain(const struct reblock_plan *plan, char *json, int64_t size, int64_t *length);

// Frees a plan; requests that use it go on. The handle is NULL afterwards.
//
// # Safety
// `plan` is the address of a handle.
int32_t reblock_plan_free(struct reblock_plan **plan);

// Collective over `comm`: a processor arrangement with `rank` axes of `shape` processes, out of the ranks of `comm`: of
// `ranks` in row-major order of the coordinates (the last axis varies fastest), or, if that is NULL, of ranks 0, 1, 2, ...
// `comm` must live as long as the arrangement is used in collective calls.
//
// # Safety
// `shape` has `rank` entries; `ranks` is NULL or has one for each place; `procs` has room for a handle.
int32_t reblock_procs_create(MPI_Comm comm,
                             int64_t rank,
                             const int64_t *shape,
                             const int64_t *ranks,
                             struct reblock_procs **procs);

// The same, with the communicator's handle in Fortran.
//
// # Safety
// As reblock_procs_create.
int32_t reblock_procs_create_fortran(int32_t comm,
                                     int64_t rank,
                                     const int64_t *shape,
                                     const int64_t *ranks,
                                     struct reblock_procs **procs);

// The number of axes of an arrangement.
//
// # Safety
// `rank` is NULL or has room for a number.
int32_t reblock_procs_rank(const struct reblock_procs *procs, int64_t *rank);

// Processes along each axis of an arrangement.
//
// # Safety
// `shape` is NULL or has room for a number an axis.
int32_t reblock_procs_shape(const struct reblock_procs *procs, int64_t *shape);

// The coordinates of `rank` of the arrangement's communicator, or, if that is -1, of the calling process; `inside` is 0 if it
// is not in the arrangement, and nothing else is written then.
//
// # Safety
// `coords` is NULL or has room for a number an axis; `inside` is NULL or has room for a number.
int32_t reblock_procs_coords(const struct reblock_procs *procs,
                             int64_t rank,
                             int64_t *coords,
                             int32_t *inside);

// Frees an arrangement; what was made with it lives on. The handle is NULL afterwards.
//
// # Safety
// `procs` is the address of a handle.
int32_t reblock_procs_free(struct reblock_procs **procs);

// A template with `rank` axes, whose indices go from `lower` to `upper`. Its axes are distributed by the reblock_dist_...
// functions, which see axes from 0; then it is committed.
//
// # Safety
// `lower` and `upper` have `rank` entries; `template_` has room for a handle.
int32_t reblock_template_create(const struct reblock_procs *procs,
                                int64_t rank,
                                const int64_t *lower,
                                const int64_t *upper,
                                struct reblock_template **template_);

// Axis `axis` is not distributed, which is so unless something else is said.
//
// # Safety
// None.
int32_t reblock_dist_collapsed(struct reblock_template *template_, int64_t axis);

// Axis `axis` is BLOCK along axis `procs_axis` of the arrangement: BLOCK(block), or, if `block` is 0, in blocks as equal as can
// be.
//
// # Safety
// None.
int32_t reblock_dist_block(struct reblock_template *template_,
                           int64_t axis,
                           int64_t procs_axis,
                           int64_t block);

// Axis `axis` is CYCLIC(block) along axis `procs_axis` of the arrangement.
//
// # Safety
// None.
int32_t reblock_dist_cyclic(struct reblock_template *template_,
                            int64_t axis,
                            int64_t procs_axis,
                            int64_t block);

// Axis `axis` is GEN_BLOCK along axis `procs_axis` of the arrangement: `sizes` has the indices of each of its `processes`.
//
// # Safety
// `sizes` has `processes` entries.
int32_t reblock_dist_gen_block(struct reblock_template *template_,
                               int64_t axis,
                               int64_t procs_axis,
                               int64_t processes,
                               const int64_t *sizes);

// Axis `axis` is INDIRECT along axis `procs_axis` of the arrangement: `owners` has, for each of its `indices`, the coordinate
// of its owner along that axis. All ranks give all owners.
//
// # Safety
// `owners` has `indices` entries.
int32_t reblock_dist_indirect(struct reblock_template *template_,
                              int64_t axis,
                              int64_t procs_axis,
                              int64_t indices,
                              const int64_t *owners);

// The same, but each rank gives the owners of a stretch only: of the `indices` indices from `lower` on, maybe none. When the
// template is committed, the stretches of all ranks must name each index once. Where their owners change so often that a list
// of them takes more than REBLOCK_OWNERS bytes (4 MiB, unless the environment says otherwise), each process knows its own
// indices only from then on: then others' owners are asked for by reblock_map_dereference, and no array can lie at one index of
// the axis.
//
// # Safety
// `owners` has `indices` entries.
int32_t reblock_dist_indirect_local(struct reblock_template *template_,
                                    int64_t axis,
                                    int64_t procs_axis,
                                    int64_t lower,
                                    int64_t indices,
                                    const int64_t *owners);

// Collective over the arrangement's communicator: the template can be used from now on. All ranks have described the same.
//
// # Safety
// None.
int32_t reblock_template_commit(struct reblock_template *template_);

// Frees a template; what was made with it lives on. The handle is NULL afterwards.
//
// # Safety
// `template_` is the address of a handle.
int32_t reblock_template_free(struct reblock_template **template_);

// Distributes all axes of a template by a text in HPF's notation, for instance "(CYCLIC(4), BLOCK, *) ONTO P(2,3)"; formats
// other than * go onto the axes of the arrangement in order. ONTO may be left out; its shape must be that of the arrangement.
//
// # Safety
// `distribution` is a C string.
int32_t reblock_dist_text(struct reblock_template *template_,
                          const char *distribution);

// Collective over `comm`: a scope of names, in which directives are carried out.
//
// # Safety
// `scope` has room for a handle.
int32_t reblock_scope_create(MPI_Comm comm, struct reblock_scope **scope);

// The same, with the communicator's handle in Fortran.
//
// # Safety
// As reblock_scope_create.
int32_t reblock_scope_create_fortran(int32_t comm, struct reblock_scope **scope);

// Collective over the scope's communicator: carries out a line of HPF, with or without a sentinel such as !HPF$: PROCESSORS,
// TEMPLATE, DIMENSION (which declares an array), DISTRIBUTE, ALIGN, SHADOW, REDISTRIBUTE, REALIGN, DYNAMIC (which means
// nothing here). All ranks give the same line. A line about several names stops at the first that fails.
//
// # Safety
// `line` is a C string.
int32_t reblock_directive(struct reblock_scope *scope,
                          const char *line);

// The processor arrangement of a name.
//
// # Safety
// `name` is a C string; `procs` has room for a handle.
int32_t reblock_scope_procs(const struct reblock_scope *scope,
                            const char *name,
                            struct reblock_procs **procs);

// The template of a name, once it is distributed.
//
// # Safety
// `name` is a C string; `template_` has room for a handle.
int32_t reblock_scope_template(const struct reblock_scope *scope,
                               const char *name,
                               struct reblock_template **template_);

// The map of the array of a name, as it is now.
//
// # Safety
// `name` is a C string; `map` has room for a handle.
int32_t reblock_scope_map(const struct reblock_scope *scope, const char *name, struct reblock_map **map);

// Collective over the scope's communicator: the array of a name with its storage, of elements of `element` bytes; it is made
// by the first such call, moves with REDISTRIBUTE and REALIGN, and is freed by reblock_array_free.
//
// # Safety
// `name` is a C string; `array` has room for a handle.
int32_t reblock_scope_array(struct reblock_scope *scope,
                            const char *name,
                            int64_t element,
                            struct reblock_array **array);

// Frees a scope; what its names stand for lives on where there are handles of it. The handle is NULL afterwards.
//
// # Safety
// `scope` is the address of a handle.
int32_t reblock_scope_free(struct reblock_scope **scope);

// Options that ask for nothing.
//
// # Safety
// `options` is NULL or has room for them.
int32_t reblock_job_options_init(struct reblock_job_options *options);

// Collective over `first`, in most programs MPI_COMM_WORLD: a job of its ranks, whose number can change. In a process that the
// job has started itself, this is where it joins: what it registers afterwards, in the same order as the others, is there
// already. `options` may be NULL. The policy is that of the variable REBLOCK_RESIZE: see reblock_job_policy_text.
//
// # Safety
// `options` is NULL or points to options; `job` has room for a handle.
int32_t reblock_job_init(MPI_Comm first,
                         const struct reblock_job_options *options,
                         struct reblock_job **job);

// The same, with the communicator's handle in Fortran.
//
// # Safety
// As reblock_job_init.
int32_t reblock_job_init_fortran(int32_t first,
                                 const struct reblock_job_options *options,
                                 struct reblock_job **job);

// Whether the calling process came to a job that ran already: 1, or 0.
//
// # Safety
// `joined` is NULL or has room for a number.
int32_t reblock_job_joined(const struct reblock_job *job, int32_t *joined);

// The communicator of the ranks that work in the job now. It is the library's, and lives until they change: a program asks anew
// after each resize. Ranks that stay keep their numbers.
//
// # Safety
// `comm` is NULL or has room for a communicator.
int32_t reblock_job_comm(const struct reblock_job *job,
                         MPI_Comm *comm);

// The same, its handle in Fortran.
//
// # Safety
// `comm` is NULL or has room for a number.
int32_t reblock_job_comm_fortran(const struct reblock_job *job, int32_t *comm);

// The BLACS context of the process grid of all ranks that work: the one that there is, or else, collectively, a new one of
// `rows` x `cols` processes, in row-major order; 0 and 0: as nearly square as it can be. After a resize there is another one,
// nearly square or as the option `skew` says; the old one is left by the library.
//
// # Safety
// `context` is NULL or has room for a number.
int32_t reblock_job_blacs(struct reblock_job *job,
                          reblock_int rows,
                          reblock_int cols,
                          reblock_int *context);

// Collective over the ranks that work: the job ends, also for ranks that wait, whose reblock_job_step returns
// REBLOCK_JOB_LEAVE. Registered storage is the program's. Afterwards all processes call MPI_Finalize. The handle is NULL
// afterwards.
//
// # Safety
// `job` is the address of a handle.
int32_t reblock_job_finalize(struct reblock_job **job);

// A process that is no longer in the job, as reblock_job_step has told it, lets go of it: then it calls MPI_Finalize and ends.
// The handle is NULL afterwards.
//
// # Safety
// `job` is the address of a handle.
int32_t reblock_job_leave(struct reblock_job **job);

// From now on `formats` is asked how the `number`-th thing that was registered (from 0), an array with a map, is dealt out to
// another number of ranks: for formats that fit one number of ranks only, as GEN_BLOCK, INDIRECT or BLOCK(m). Bounds and
// alignment stay as they are. It is called on the ranks that work, at each resize and by reblock_job_price_of, and says the same on
// all of them; so each process calls this after it has registered the array, those that have joined, too.
//
// # Safety
// `formats` may be called with `context` as long as the job is there.
int32_t reblock_job_formats(struct reblock_job *job,
                            int64_t number,
                            reblock_job_formats_function formats,
                            void *context);

// From now on a matrix of ScaLAPACK moves with the job: its descriptor `desc`, whose context is that of reblock_job_blacs, and
// the address of its storage, in `*data`, which came from the job's allocator; where that is NULL, storage is allocated, and
// zero. Elements have `element` bytes. When the job changes its size, both are rewritten: block sizes stay, RSRC_ and CSRC_ are
// taken modulo the new grid, LLD_ is the number of local rows; where a process has no part any more, `*data` is NULL. In a
// process that has joined, both are written at once, whatever they were. Every rank registers the same things in the same order;
// that is found out at the next resize point.
//
// # Safety
// `desc` has 9 integers; `data` is the address of a pointer to storage that `desc` describes. Both live as long as the job.
int32_t reblock_job_matrix(struct reblock_job *job,
                           reblock_int *desc,
                           int64_t element,
                           void **data);

// The same of an array with a map, on an arrangement of the job's ranks. The map serves for any number of ranks: formats and
// alignments stay, the arrangement is one of all ranks with as many axes, as nearly square as it can be; a format that does not
// fit another number of ranks, as GEN_BLOCK, makes a resize fail unless reblock_job_formats says what takes its place. In a process
// that has joined, `map` is not looked at. reblock_job_map has the map as it is now. `*data` is where the storage begins, as for
// reblock_execute.
//
// # Safety
// `data` is the address of a pointer to storage that the map describes, and lives as long as the job.
int32_t reblock_job_array(struct reblock_job *job,
                          const struct reblock_map *map,
                          int64_t element,
                          void **data);

// The same of a value of `bytes` bytes that all ranks have alike: ranks that come get that of rank 0.
//
// # Safety
// `value` has `bytes` bytes, and lives as long as the job.
int32_t reblock_job_value(struct reblock_job *job, void *value, int64_t bytes);

// The map that the `number`-th thing that was registered (from 0) has now, a matrix or an array, on ranks of the job's
// communicator.
//
// # Safety
// `map` has room for a handle.
int32_t reblock_job_map(const struct reblock_job *job,
                        int64_t number,
                        struct reblock_map **map);

// Collective over the ranks that work: a resize point. The policy of rank 0 is asked how many ranks there should be; if there
// are others, the job grows or shrinks and everything that is registered moves. `state` is one of REBLOCK_JOB_SAME,
// REBLOCK_JOB_RESIZED and REBLOCK_JOB_LEAVE; after an error the job goes on with the ranks that it had. A rank that is to wait
// does so in here.
//
// # Safety
// `state` is NULL or has room for a number.
int32_t reblock_job_step(struct reblock_job *job,
                         int32_t *state);

// The same with a number of ranks, larger than now, and without a policy.
//
// # Safety
// `state` is NULL or has room for a number.
int32_t reblock_job_expand(struct reblock_job *job, int64_t ranks, int32_t *state);

// The same with a number of ranks that is smaller than now.
//
// # Safety
// `state` is NULL or has room for a number.
int32_t reblock_job_shrink(struct reblock_job *job, int64_t ranks, int32_t *state);

// Whether the job can have `ranks` ranks: REBLOCK_OK; or REBLOCK_ERR_STATE, and reblock_message says why not and what can be
// reached. Whether processes can be started is not known before it is tried.
int32_t reblock_job_possible(const struct reblock_job *job,
                             int64_t ranks);

// What it would take to move everything that is registered to `ranks` ranks.
//
// # Safety
// `price` is NULL or has room for it.
int32_t reblock_job_price_of(const struct reblock_job *job, int64_t ranks, struct reblock_job_price *price);

// What the last resize took.
//
// # Safety
// `times` is NULL or has room for them.
int32_t reblock_job_times_of(const struct reblock_job *job, struct reblock_job_times *times);

// An iteration has taken `seconds` on the calling process: policies hear of the slowest. Where a program logs nothing, the time
// from one resize point to the next counts.
int32_t reblock_job_log(struct reblock_job *job,
                        double seconds);

// From now on `policy` is asked at resize points, in place of what REBLOCK_RESIZE says; that of rank 0 is.
//
// # Safety
// `policy` may be called with `context` as long as the job is there.
int32_t reblock_job_policy(struct reblock_job *job, reblock_job_policy_function policy, void *context);

// The same with one of the library's policies: "4,8,4", one number at each resize point; "file:PATH", a file with a number, which
// is read at each of them; "sweet:1,2,4", more ranks as long as that makes an iteration faster by more than 5 percent, or, as in
// "sweet:1,2,4:0.1", another part; "", none.
//
// # Safety
// `policy` is a C string.
int32_t reblock_job_policy_text(struct reblock_job *job,
                                const char *policy);

// ScaLAPACK's PIGEMR2D: copies an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the context ICTXT; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
void pigemr2d_(const reblock_int *m,
               const reblock_int *n,
               const reblock_int *a,
               const reblock_int *ia,
               const reblock_int *ja,
               const reblock_int *desca,
               reblock_int *b,
               const reblock_int *ib,
               const reblock_int *jb,
               const reblock_int *descb,
               const reblock_int *ictxt);

// ScaLAPACK's PIGEMR2D: copies an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the context ICTXT; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
void Cpigemr2d(reblock_int m,
               reblock_int n,
               const reblock_int *a,
               reblock_int ia,
               reblock_int ja,
               const reblock_int *desca,
               reblock_int *b,
               reblock_int ib,
               reblock_int jb,
               const reblock_int *descb,
               reblock_int ictxt);

// ScaLAPACK's PSGEMR2D: copies an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the context ICTXT; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
void psgemr2d_(const reblock_int *m,
               const reblock_int *n,
               const float *a,
               const reblock_int *ia,
               const reblock_int *ja,
               const reblock_int *desca,
               float *b,
               const reblock_int *ib,
               const reblock_int *jb,
               const reblock_int *descb,
               const reblock_int *ictxt);

// ScaLAPACK's PSGEMR2D: copies an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the context ICTXT; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
void Cpsgemr2d(reblock_int m,
               reblock_int n,
               const float *a,
               reblock_int ia,
               reblock_int ja,
               const reblock_int *desca,
               float *b,
               reblock_int ib,
               reblock_int jb,
               const reblock_int *descb,
               reblock_int ictxt);

// ScaLAPACK's PDGEMR2D: copies an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the context ICTXT; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
void pdgemr2d_(const reblock_int *m,
               const reblock_int *n,
               const double *a,
               const reblock_int *ia,
               const reblock_int *ja,
               const reblock_int *desca,
               double *b,
               const reblock_int *ib,
               const reblock_int *jb,
               const reblock_int *descb,
               const reblock_int *ictxt);

// ScaLAPACK's PDGEMR2D: copies an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the context ICTXT; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
void Cpdgemr2d(reblock_int m,
               reblock_int n,
               const double *a,
               reblock_int ia,
               reblock_int ja,
               const reblock_int *desca,
               double *b,
               reblock_int ib,
               reblock_int jb,
               const reblock_int *descb,
               reblock_int ictxt);

// ScaLAPACK's PCGEMR2D: copies an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the context ICTXT; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
void pcgemr2d_(const reblock_int *m,
               const reblock_int *n,
               const void *a,
               const reblock_int *ia,
               const reblock_int *ja,
               const reblock_int *desca,
               void *b,
               const reblock_int *ib,
               const reblock_int *jb,
               const reblock_int *descb,
               const reblock_int *ictxt);

// ScaLAPACK's PCGEMR2D: copies an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the context ICTXT; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
void Cpcgemr2d(reblock_int m,
               reblock_int n,
               const void *a,
               reblock_int ia,
               reblock_int ja,
               const reblock_int *desca,
               void *b,
               reblock_int ib,
               reblock_int jb,
               const reblock_int *descb,
               reblock_int ictxt);

// ScaLAPACK's PZGEMR2D: copies an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the context ICTXT; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
void pzgemr2d_(const reblock_int *m,
               const reblock_int *n,
               const void *a,
               const reblock_int *ia,
               const reblock_int *ja,
               const reblock_int *desca,
               void *b,
               const reblock_int *ib,
               const reblock_int *jb,
               const reblock_int *descb,
               const reblock_int *ictxt);

// ScaLAPACK's PZGEMR2D: copies an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the context ICTXT; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
void Cpzgemr2d(reblock_int m,
               reblock_int n,
               const void *a,
               reblock_int ia,
               reblock_int ja,
               const reblock_int *desca,
               void *b,
               reblock_int ib,
               reblock_int jb,
               const reblock_int *descb,
               reblock_int ictxt);

// ScaLAPACK's PITRMR2D: copies the trapezoid (UPLO, DIAG) of an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the context ICTXT; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
void pitrmr2d_(const char *uplo,
               const char *diag,
               const reblock_int *m,
               const reblock_int *n,
               const reblock_int *a,
               const reblock_int *ia,
               const reblock_int *ja,
               const reblock_int *desca,
               reblock_int *b,
               const reblock_int *ib,
               const reblock_int *jb,
               const reblock_int *descb,
               const reblock_int *ictxt);

// ScaLAPACK's PITRMR2D: copies the trapezoid (UPLO, DIAG) of an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the context ICTXT; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
void Cpitrmr2d(const char *uplo,
               const char *diag,
               reblock_int m,
               reblock_int n,
               const reblock_int *a,
               reblock_int ia,
               reblock_int ja,
               const reblock_int *desca,
               reblock_int *b,
               reblock_int ib,
               reblock_int jb,
               const reblock_int *descb,
               reblock_int ictxt);

// ScaLAPACK's PSTRMR2D: copies the trapezoid (UPLO, DIAG) of an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the context ICTXT; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
void pstrmr2d_(const char *uplo,
               const char *diag,
               const reblock_int *m,
               const reblock_int *n,
               const float *a,
               const reblock_int *ia,
               const reblock_int *ja,
               const reblock_int *desca,
               float *b,
               const reblock_int *ib,
               const reblock_int *jb,
               const reblock_int *descb,
               const reblock_int *ictxt);

// ScaLAPACK's PSTRMR2D: copies the trapezoid (UPLO, DIAG) of an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the context ICTXT; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
void Cpstrmr2d(const char *uplo,
               const char *diag,
               reblock_int m,
               reblock_int n,
               const float *a,
               reblock_int ia,
               reblock_int ja,
               const reblock_int *desca,
               float *b,
               reblock_int ib,
               reblock_int jb,
               const reblock_int *descb,
               reblock_int ictxt);

// ScaLAPACK's PDTRMR2D: copies the trapezoid (UPLO, DIAG) of an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the context ICTXT; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
void pdtrmr2d_(const char *uplo,
               const char *diag,
               const reblock_int *m,
               const reblock_int *n,
               const double *a,
               const reblock_int *ia,
               const reblock_int *ja,
               const reblock_int *desca,
               double *b,
               const reblock_int *ib,
               const reblock_int *jb,
               const reblock_int *descb,
               const reblock_int *ictxt);

// ScaLAPACK's PDTRMR2D: copies the trapezoid (UPLO, DIAG) of an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the context ICTXT; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
void Cpdtrmr2d(const char *uplo,
               const char *diag,
               reblock_int m,
               reblock_int n,
               const double *a,
               reblock_int ia,
               reblock_int ja,
               const reblock_int *desca,
               double *b,
               reblock_int ib,
               reblock_int jb,
               const reblock_int *descb,
               reblock_int ictxt);

// ScaLAPACK's PCTRMR2D: copies the trapezoid (UPLO, DIAG) of an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the context ICTXT; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
void pctrmr2d_(const char *uplo,
               const char *diag,
               const reblock_int *m,
               const reblock_int *n,
               const void *a,
               const reblock_int *ia,
               const reblock_int *ja,
               const reblock_int *desca,
               void *b,
               const reblock_int *ib,
               const reblock_int *jb,
               const reblock_int *descb,
               const reblock_int *ictxt);

// ScaLAPACK's PCTRMR2D: copies the trapezoid (UPLO, DIAG) of an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the context ICTXT; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
void Cpctrmr2d(const char *uplo,
               const char *diag,
               reblock_int m,
               reblock_int n,
               const void *a,
               reblock_int ia,
               reblock_int ja,
               const reblock_int *desca,
               void *b,
               reblock_int ib,
               reblock_int jb,
               const reblock_int *descb,
               reblock_int ictxt);

// ScaLAPACK's PZTRMR2D: copies the trapezoid (UPLO, DIAG) of an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the context ICTXT; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
void pztrmr2d_(const char *uplo,
               const char *diag,
               const reblock_int *m,
               const reblock_int *n,
               const void *a,
               const reblock_int *ia,
               const reblock_int *ja,
               const reblock_int *desca,
               void *b,
               const reblock_int *ib,
               const reblock_int *jb,
               const reblock_int *descb,
               const reblock_int *ictxt);

// ScaLAPACK's PZTRMR2D: copies the trapezoid (UPLO, DIAG) of an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the context ICTXT; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
void Cpztrmr2d(const char *uplo,
               const char *diag,
               reblock_int m,
               reblock_int n,
               const void *a,
               reblock_int ia,
               reblock_int ja,
               const reblock_int *desca,
               void *b,
               reblock_int ib,
               reblock_int jb,
               const reblock_int *descb,
               reblock_int ictxt);

// ScaLAPACK's PIGEMR2DO: copies an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the program; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
void pigemr2do_(const reblock_int *m,
                const reblock_int *n,
                const reblock_int *a,
                const reblock_int *ia,
                const reblock_int *ja,
                const reblock_int *desca,
                reblock_int *b,
                const reblock_int *ib,
                const reblock_int *jb,
                const reblock_int *descb);

// ScaLAPACK's PIGEMR2DO: copies an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the program; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
void Cpigemr2do(reblock_int m,
                reblock_int n,
                const reblock_int *a,
                reblock_int ia,
                reblock_int ja,
                const reblock_int *desca,
                reblock_int *b,
                reblock_int ib,
                reblock_int jb,
                const reblock_int *descb);

// ScaLAPACK's PSGEMR2DO: copies an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the program; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
void psgemr2do_(const reblock_int *m,
                const reblock_int *n,
                const float *a,
                const reblock_int *ia,
                const reblock_int *ja,
                const reblock_int *desca,
                float *b,
                const reblock_int *ib,
                const reblock_int *jb,
                const reblock_int *descb);

// ScaLAPACK's PSGEMR2DO: copies an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the program; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
void Cpsgemr2do(reblock_int m,
                reblock_int n,
                const float *a,
                reblock_int ia,
                reblock_int ja,
                const reblock_int *desca,
                float *b,
                reblock_int ib,
                reblock_int jb,
                const reblock_int *descb);

// ScaLAPACK's PDGEMR2DO: copies an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the program; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
void pdgemr2do_(const reblock_int *m,
                const reblock_int *n,
                const double *a,
                const reblock_int *ia,
                const reblock_int *ja,
                const reblock_int *desca,
                double *b,
                const reblock_int *ib,
                const reblock_int *jb,
                const reblock_int *descb);

// ScaLAPACK's PDGEMR2DO: copies an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the program; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
void Cpdgemr2do(reblock_int m,
                reblock_int n,
                const double *a,
                reblock_int ia,
                reblock_int ja,
                const reblock_int *desca,
                double *b,
                reblock_int ib,
                reblock_int jb,
                const reblock_int *descb);

// ScaLAPACK's PCGEMR2DO: copies an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the program; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
void pcgemr2do_(const reblock_int *m,
                const reblock_int *n,
                const void *a,
                const reblock_int *ia,
                const reblock_int *ja,
                const reblock_int *desca,
                void *b,
                const reblock_int *ib,
                const reblock_int *jb,
                const reblock_int *descb);

// ScaLAPACK's PCGEMR2DO: copies an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the program; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
void Cpcgemr2do(reblock_int m,
                reblock_int n,
                const void *a,
                reblock_int ia,
                reblock_int ja,
                const reblock_int *desca,
                void *b,
                reblock_int ib,
                reblock_int jb,
                const reblock_int *descb);

// ScaLAPACK's PZGEMR2DO: copies an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the program; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
void pzgemr2do_(const reblock_int *m,
                const reblock_int *n,
                const void *a,
                const reblock_int *ia,
                const reblock_int *ja,
                const reblock_int *desca,
                void *b,
                const reblock_int *ib,
                const reblock_int *jb,
                const reblock_int *descb);

// ScaLAPACK's PZGEMR2DO: copies an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the program; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
void Cpzgemr2do(reblock_int m,
                reblock_int n,
                const void *a,
                reblock_int ia,
                reblock_int ja,
                const reblock_int *desca,
                void *b,
                reblock_int ib,
                reblock_int jb,
                const reblock_int *descb);

// ScaLAPACK's PITRMR2DO: copies the trapezoid (UPLO, DIAG) of an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the program; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
void pitrmr2do_(const char *uplo,
                const char *diag,
                const reblock_int *m,
                const reblock_int *n,
                const reblock_int *a,
                const reblock_int *ia,
                const reblock_int *ja,
                const reblock_int *desca,
                reblock_int *b,
                const reblock_int *ib,
                const reblock_int *jb,
                const reblock_int *descb);

// ScaLAPACK's PITRMR2DO: copies the trapezoid (UPLO, DIAG) of an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the program; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
void Cpitrmr2do(const char *uplo,
                const char *diag,
                reblock_int m,
                reblock_int n,
                const reblock_int *a,
                reblock_int ia,
                reblock_int ja,
                const reblock_int *desca,
                reblock_int *b,
                reblock_int ib,
                reblock_int jb,
                const reblock_int *descb);

// ScaLAPACK's PSTRMR2DO: copies the trapezoid (UPLO, DIAG) of an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the program; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
void pstrmr2do_(const char *uplo,
                const char *diag,
                const reblock_int *m,
                const reblock_int *n,
                const float *a,
                const reblock_int *ia,
                const reblock_int *ja,
                const reblock_int *desca,
                float *b,
                const reblock_int *ib,
                const reblock_int *jb,
                const reblock_int *descb);

// ScaLAPACK's PSTRMR2DO: copies the trapezoid (UPLO, DIAG) of an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the program; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
void Cpstrmr2do(const char *uplo,
                const char *diag,
                reblock_int m,
                reblock_int n,
                const float *a,
                reblock_int ia,
                reblock_int ja,
                const reblock_int *desca,
                float *b,
                reblock_int ib,
                reblock_int jb,
                const reblock_int *descb);

// ScaLAPACK's PDTRMR2DO: copies the trapezoid (UPLO, DIAG) of an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the program; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
void pdtrmr2do_(const char *uplo,
                const char *diag,
                const reblock_int *m,
                const reblock_int *n,
                const double *a,
                const reblock_int *ia,
                const reblock_int *ja,
                const reblock_int *desca,
                double *b,
                const reblock_int *ib,
                const reblock_int *jb,
                const reblock_int *descb);

// ScaLAPACK's PDTRMR2DO: copies the trapezoid (UPLO, DIAG) of an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the program; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
void Cpdtrmr2do(const char *uplo,
                const char *diag,
                reblock_int m,
                reblock_int n,
                const double *a,
                reblock_int ia,
                reblock_int ja,
                const reblock_int *desca,
                double *b,
                reblock_int ib,
                reblock_int jb,
                const reblock_int *descb);

// ScaLAPACK's PCTRMR2DO: copies the trapezoid (UPLO, DIAG) of an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the program; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
void pctrmr2do_(const char *uplo,
                const char *diag,
                const reblock_int *m,
                const reblock_int *n,
                const void *a,
                const reblock_int *ia,
                const reblock_int *ja,
                const reblock_int *desca,
                void *b,
                const reblock_int *ib,
                const reblock_int *jb,
                const reblock_int *descb);

// ScaLAPACK's PCTRMR2DO: copies the trapezoid (UPLO, DIAG) of an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the program; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
void Cpctrmr2do(const char *uplo,
                const char *diag,
                reblock_int m,
                reblock_int n,
                const void *a,
                reblock_int ia,
                reblock_int ja,
                const reblock_int *desca,
                void *b,
                reblock_int ib,
                reblock_int jb,
                const reblock_int *descb);

// ScaLAPACK's PZTRMR2DO: copies the trapezoid (UPLO, DIAG) of an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the program; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
void pztrmr2do_(const char *uplo,
                const char *diag,
                const reblock_int *m,
                const reblock_int *n,
                const void *a,
                const reblock_int *ia,
                const reblock_int *ja,
                const reblock_int *desca,
                void *b,
                const reblock_int *ib,
                const reblock_int *jb,
                const reblock_int *descb);

// ScaLAPACK's PZTRMR2DO: copies the trapezoid (UPLO, DIAG) of an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the program; one outside the grid of A (B) gives context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers; a local array has all elements that its descriptor gives this process,
// in columns LLD elements apart; nobody else uses the arrays meanwhile.
void Cpztrmr2do(const char *uplo,
                const char *diag,
                reblock_int m,
                reblock_int n,
                const void *a,
                reblock_int ia,
                reblock_int ja,
                const reblock_int *desca,
                void *b,
                reblock_int ib,
                reblock_int jb,
                const reblock_int *descb);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* REBLOCK_H */
