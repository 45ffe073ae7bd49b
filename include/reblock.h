// reblock: moves distributed arrays from one layout to another over MPI.
// Made from the Rust sources by `make headers`; do not edit.

#ifndef REBLOCK_H
#define REBLOCK_H

#include <stdint.h>
#include <mpi.h>

// The program's Fortran INTEGER. Define REBLOCK_ILP64 to use libreblock_ilp64.
#ifdef REBLOCK_ILP64
typedef int64_t reblock_int;
#else
typedef int32_t reblock_int;
#endif

// Success.
#define REBLOCK_OK 0

// A handle is NULL, freed, or that of another kind of object.
#define REBLOCK_ERR_HANDLE 1

// An argument has an invalid value.
#define REBLOCK_ERR_ARGUMENT 2

// The object is in a state in which the call is not allowed, or MPI is not running.
#define REBLOCK_ERR_STATE 3

// Ranks passed different arguments, or called different functions.
#define REBLOCK_ERR_DIFFERS 4

// There is not enough memory.
#define REBLOCK_ERR_MEMORY 5

// MPI failed on some rank, or other ranks have not come within REBLOCK_WAIT_SECONDS.
#define REBLOCK_ERR_MPI 6

// Source and target overlap in memory.
#define REBLOCK_ERR_OVERLAP 7

// A text has a syntax error.
#define REBLOCK_ERR_TEXT 8

// The environment or the options have an invalid value.
#define REBLOCK_ERR_SETTINGS 9

// An earlier failure of MPI, or of reblock itself, made the communicator unusable for reblock.
#define REBLOCK_ERR_BROKEN 10

// An error in reblock itself.
#define REBLOCK_ERR_INTERNAL 11

// A file cannot be read or written, or does not have the expected contents.
#define REBLOCK_ERR_FILE 12

// The axis is not distributed.
#define REBLOCK_FORMAT_COLLAPSED 0

// BLOCK or BLOCK(m).
#define REBLOCK_FORMAT_BLOCK 1

// CYCLIC(k).
#define REBLOCK_FORMAT_CYCLIC 2

// GEN_BLOCK.
#define REBLOCK_FORMAT_GEN_BLOCK 3

// INDIRECT.
#define REBLOCK_FORMAT_INDIRECT 4

// In place of an axis of the template: the array's axis is not aligned with any.
#define REBLOCK_COLLAPSED -1

// In an entry of `rest`, in place of an index: the array has a copy at every index of that axis of the template.
#define REBLOCK_REPLICATED INT64_MIN

// The version of reblock_plan_options that this header describes.
#define REBLOCK_PLAN_OPTIONS_VERSION 1

// The version of reblock_job_options that this header describes.
#define REBLOCK_JOB_OPTIONS_VERSION 1

// Result of a resize point: nothing has changed.
#define REBLOCK_JOB_SAME 0

// Result of a resize point: the number of ranks has changed, and everything that is registered has moved.
#define REBLOCK_JOB_RESIZED 1

// Result of a resize point: the calling process is no longer in the job. It calls reblock_job_leave and MPI_Finalize, and
// ends.
#define REBLOCK_JOB_LEAVE 2

// An array whose storage reblock owns.
typedef struct reblock_array reblock_array;

// A job that can change its number of ranks.
typedef struct reblock_job reblock_job;

// A map: which element of an array is where.
typedef struct reblock_map reblock_map;

// A plan: how an array is moved.
typedef struct reblock_plan reblock_plan;

// A processor arrangement.
typedef struct reblock_procs reblock_procs;

// A request: a non-blocking move that has been started.
typedef struct reblock_request reblock_request;

// A scope: names, and the objects for which they stand.
typedef struct reblock_scope reblock_scope;

// A template.
typedef struct reblock_template reblock_template;

// How an axis of an array is distributed.
typedef struct reblock_format {
  // One of REBLOCK_FORMAT_...
  int64_t kind;
  // The block size, also of BLOCK; 0 if blocks have different sizes or there are none.
  int64_t block;
  // The axis of the template, or -1.
  int64_t template_axis;
  // The axis of the arrangement, or -1.
  int64_t procs_axis;
  // Processes along that axis of the arrangement.
  int64_t procs;
  // Index i is aligned with index `stride` * i + `offset` of the template.
  int64_t stride;
  // See `stride`.
  int64_t offset;
  // The calling process's coordinate along `procs_axis`, or -1 if it is not in the arrangement.
  int64_t coordinate;
} reblock_format;

// The alignment of an axis of an array: index i is aligned with index `stride` * i + `offset` of axis `axis` of the template.
typedef struct reblock_align {
  // An axis of the template, from 0; or REBLOCK_COLLAPSED: each process has the whole axis of the array.
  int64_t axis;
  // Not 0; negative if the indices run in opposite directions.
  int64_t stride;
  // In indices of the template.
  int64_t offset;
} reblock_align;

// Options of a plan; reblock_plan_options_init fills in the defaults. All ranks must give the same options.
typedef struct reblock_plan_options {
  // sizeof(reblock_plan_options).
  int64_t size;
  // REBLOCK_PLAN_OPTIONS_VERSION.
  int64_t version;
  // The scheduler's name (see docs/schedulers.md); NULL: the cheapest.
  const char *scheduler;
  // "shm" or "mpi"; NULL: shared memory within a node.
  const char *transport;
  // Bytes that buffers may take on each rank; 0: the default.
  int64_t buffer;
  // MPI messages in flight at a time, in each direction; 0: the default.
  int64_t window;
  // Not 0: parts of the target may go to other ranks than its map says, so that less data moves; reblock_plan_target returns
  // the map that holds then.
  int64_t relabel;
} reblock_plan_options;

// Indices lower, lower + stride, ... up to upper, as in a Fortran triplet.
typedef struct reblock_range {
  // The first index.
  int64_t lower;
  // No index is larger than this.
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
  // The most bytes that buffers take.
  int64_t buffers;
} reblock_plan_info;

// Options of a job; reblock_job_options_init fills in the defaults. All ranks must give the same options.
typedef struct reblock_job_options {
  // sizeof(reblock_job_options).
  int64_t size;
  // REBLOCK_JOB_OPTIONS_VERSION.
  int64_t version;
  // The most ranks that one spawn call adds; 0: as many as are needed. Ranks of one call can only leave together.
  int64_t unit;
  // Not 0: ranks that cannot leave are parked: they wait inside reblock_job_step, without using a core, until they are
  // needed again. 0: sizes that would need this are refused.
  int64_t park;
  // The program that new processes run, without arguments; NULL: the calling program with its arguments.
  const char *command;
  // Allocates storage for arrays that move; the second argument is `context`. NULL: malloc.
  void *(*allocate)(int64_t bytes, void *context);
  // Frees storage that the program has registered or that `allocate` has returned; the second argument is `context`. NULL:
  // free.
  void (*release)(void *data, void *context);
  // Passed to `allocate` and `release`.
  void *context;
  // The process grid after a resize. 0: as nearly square as possible, with no more rows than columns. At least 1: of the
  // grids whose longer side is at most `skew` times the shorter one, the one to which the matrices move in the least time by
  // the machine's model (see reblock_grid_for).
  int64_t skew;
} reblock_job_options;

// A function of the program that distributes an array over another number of ranks. `tmpl` has the bounds of the array's
// template, on an arrangement of `axes` axes with `shape` processes along each. The function describes the axes of `tmpl`
// by the reblock_template_dist_... functions, and returns REBLOCK_OK; any other code makes the resize fail. Axes that it does
// not describe are not distributed. It must not communicate: it does not call reblock_template_dist_indirect_local,
// reblock_template_commit or functions of the job.
typedef int32_t (*reblock_job_formats_function)(void *context,
                                                int64_t axes,
                                                const int64_t *shape,
                                                struct reblock_template *tmpl);

// The predicted cost of a resize.
typedef struct reblock_job_price {
  // Bytes sent between ranks.
  int64_t bytes;
  // Messages, counted for each array separately.
  int64_t messages;
  // The most steps that a schedule of an array has.
  int64_t steps;
  // Seconds for moving the data, by the model of docs/schedulers.md.
  double seconds;
} reblock_job_price;

// What the last resize took on the calling process, in seconds.
typedef struct reblock_job_times {
  // Ranks before.
  int64_t before;
  // Ranks afterwards.
  int64_t after;
  // Agreeing on the size with the other ranks and the policy.
  double ask;
  // Starting processes, or waiting until others have left.
  double spawn;
  // Making communicators and the process grid.
  double grid;
  // Telling new ranks what is registered, and planning.
  double plan;
  // Moving all arrays, and freeing their old storage.
  double transfer;
  // The whole resize.
  double total;
} reblock_job_times;

// A policy of the program: returns the number of ranks that the job should have, or 0 for no change. The job has `ranks` ranks
// now, and an iteration takes `seconds` on the slowest. It is called on rank 0, and must not call functions of the job.
typedef int64_t (*reblock_job_policy_function)(void *context, int64_t ranks, double seconds);

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The version of the library, for instance "0.1.0".
const char *reblock_version(void);

// Bytes that reblock's buffers take in this process now. Buffers are kept from call to call, and freed with the BLACS
// context for which they were made, or when MPI is finalized.
int64_t reblock_buffer_bytes(void);

// The most bytes that reblock's buffers have taken in this process at any time.
int64_t reblock_buffer_bytes_most(void);

// The most bytes that reblock's buffers may take for one redistribution: an eighth of `local_bytes`, at least 8 MiB
// and at most 32 MiB, or the value of REBLOCK_BUFFER. `local_bytes` is the average size of the section's part on a
// process of the larger grid. Returns -1 if `local_bytes` is negative or REBLOCK_BUFFER is invalid.
int64_t reblock_buffer_limit(int64_t local_bytes);

// Allocates an array of `bytes` bytes, initially zero, in shared memory of the node; `*data` gets its address. A redistribution
// within `context` out of such an array copies each element once, directly into the receiver's array, instead of twice.
// Collective over the processes of the BLACS context `context`; each process gives its own size. The array lives until
// reblock_blacs_free, or until the context is exited. If there is not enough memory for the arrays of all processes of a node,
// the call fails on all of them with REBLOCK_ERR_MEMORY, and `*data` is NULL.
//
// # Safety
// `data` has room for an address.
int32_t reblock_blacs_alloc(reblock_int context,
                            int64_t bytes,
                            void **data);

// Frees an array from reblock_blacs_alloc with the same `context`; `*data` is its address, and NULL afterwards. Call it only
// when no process redistributes any more out of an array that was allocated together with it, in this context or another one
// of the same processes; the same holds for leaving the context. REBLOCK_ERR_ARGUMENT if there is no such array. Not
// collective.
//
// # Safety
// `data` is the address of a pointer.
int32_t reblock_blacs_free(reblock_int context,
                           void **data);

// The text of the last call that failed on this thread; empty if none has failed. It is valid until the next call
// fails.
const char *reblock_message(void);

// The name of a code, for instance "REBLOCK_ERR_ARGUMENT".
const char *reblock_code_name(int32_t code);

// Makes an array of zeros, with elements of `element` bytes. Large arrays are in shared memory of the node. Collective over
// the communicator of the map's arrangement.
//
// # Safety
// `array` has room for a handle.
int32_t reblock_array_create(const struct reblock_map *map,
                             int64_t element,
                             struct reblock_array **array);

// The calling process's storage: its address, its extents with the shadow, the index of its first element, and its strides
// in elements. The address is that of the element at position 0 of each axis, shadow included; it changes with
// reblock_template_redistribute and reblock_array_realign. An error while another thread moves, saves or loads the
// array.
//
// # Safety
// `data` is NULL or has room for a pointer; the others are NULL or have room for one number per axis.
int32_t reblock_array_data(const struct reblock_array *array,
                           void **data,
                           int64_t *extents,
                           int64_t *lower,
                           int64_t *strides);

// The bytes per element of an array.
//
// # Safety
// `element` is NULL or has room for a number.
int32_t reblock_array_element(const struct reblock_array *array, int64_t *element);

// The present map of an array.
//
// # Safety
// `map` has room for a handle.
int32_t reblock_array_map(const struct reblock_array *array, struct reblock_map **map);

// Frees an array with its storage. The handle is NULL afterwards. It is an error if the handle is NULL before, since other
// ranks may be waiting. Collective over the communicator of the array's arrangement.
//
// # Safety
// `array` is the address of a handle.
int32_t reblock_array_free(struct reblock_array **array);

// HPF's REDISTRIBUTE: distributes `tmpl` like `like` from now on. `like` has the same bounds, and an arrangement of
// ranks of the same communicator. All arrays that are aligned with `tmpl` move to new storage, in one set of messages;
// the `arrays` arrays in `dead` get new storage without values. On failure nothing has changed. Collective over the
// communicator of the template's arrangement.
//
// # Safety
// `dead` has `arrays` entries.
int32_t reblock_template_redistribute(struct reblock_template *tmpl,
                                      const struct reblock_template *like,
                                      int64_t arrays,
                                      struct reblock_array *const *dead);

// HPF's REALIGN: maps `array` like `map` from now on. `map` has the same bounds, and an arrangement of ranks of the same
// communicator. The array moves to new storage; if `dead` is not 0, it gets new storage without values. On failure nothing
// has changed. Collective over the communicator of the array's arrangement.
//
// # Safety
// None.
int32_t reblock_array_realign(struct reblock_array *array,
                              const struct reblock_map *map,
                              int32_t dead);

// The rank at these coordinates of an arrangement, in the arrangement's communicator.
//
// # Safety
// `coords` has one entry for each axis of the arrangement; `rank` is NULL or has room for a number.
int32_t reblock_procs_rank_at(const struct reblock_procs *procs, const int64_t *coords, int64_t *rank);

// The number of axes of a template.
//
// # Safety
// `axes` is NULL or has room for a number.
int32_t reblock_template_axes(const struct reblock_template *tmpl, int64_t *axes);

// The bounds of a template.
//
// # Safety
// Both are NULL or have room for one number per axis.
int32_t reblock_template_bounds(const struct reblock_template *tmpl, int64_t *lower, int64_t *upper);

// How axis `axis` of a committed template is distributed now: as reblock_map_format, with stride 1 and offset 0.
//
// # Safety
// `format` is NULL or has room for one.
int32_t reblock_template_format(const struct reblock_template *tmpl,
                                int64_t axis,
                                struct reblock_format *format);

// The arrangement onto which a template is distributed now.
//
// # Safety
// `procs` has room for a handle.
int32_t reblock_template_procs(const struct reblock_template *tmpl, struct reblock_procs **procs);

// The arrangement onto which an array is distributed.
//
// # Safety
// `procs` has room for a handle.
int32_t reblock_map_procs(const struct reblock_map *map, struct reblock_procs **procs);

// The template of an array: its number of axes, at most 15, and their bounds. For each axis of the template, `aligned` gets
// the axis of the array that is aligned with it, or -1. If it is -1, `rest` gets the index at which the array lies, or
// REBLOCK_REPLICATED if there is a copy at every index; otherwise 0.
//
// # Safety
// `axes` is NULL or has room for a number, the others are NULL or have room for one number per axis of the template.
int32_t reblock_map_template(const struct reblock_map *map,
                             int64_t *axes,
                             int64_t *lower,
                             int64_t *upper,
                             int64_t *aligned,
                             int64_t *rest);

// The part of an array on rank `rank` of the arrangement's communicator: `extents` and `lower` as in reblock_map_local, and
// the least and the greatest index along each axis, 1 and 0 if the rank has none. If the rank has no part of the array,
// `has_part` is 0 and nothing else is written. If each process knows only its own indices of an INDIRECT axis, it is an
// error to ask for another rank.
//
// # Safety
// Each is NULL or has room for one number per axis, `has_part` for one.
int32_t reblock_map_part(const struct reblock_map *map,
                         int64_t rank,
                         int64_t *extents,
                         int64_t *lower,
                         int64_t *first,
                         int64_t *last,
                         int32_t *has_part);

// Finds the ranks and positions of `elements` elements, which may be 0. For each element, `indices` has one index per axis,
// one element after the other. `ranks` gets the lowest rank that has the element, and `places` its position in that rank's
// storage: along each axis, from 0, shadow included. Collective over the communicator of the map's arrangement.
//
// # Safety
// `indices` has an entry for each axis of each element; `ranks` is NULL or has room for one number per element, `places` for as
// many as `indices`.
int32_t reblock_map_dereference(const struct reblock_map *map,
                                int64_t elements,
                                const int64_t *indices,
                                int64_t *ranks,
                                int64_t *places);

// Moves an array. `source` and `target` are the addresses of the calling process's storage: of the element at position 0 of
// each axis, shadow included; NULL where it has no part. They must not overlap in memory, unless nothing moves or the
// sections have no element in common. If the call fails, nothing is written; only REBLOCK_ERR_MPI may leave the target half
// written. Collective over the plan's communicator.
//
// # Safety
// Source and target storage are as large as the maps say, and nothing else uses them until the call returns.
int32_t reblock_plan_execute(struct reblock_plan *plan,
                             const void *source,
                             void *target);

// Moves `arrays` arrays in one set of messages. Collective over the communicator of the plans, which is the same for all of
// them. With 0 arrays, on all ranks alike, nothing is done and no rank is waited for.
//
// # Safety
// `plans`, `sources` and `targets` have `arrays` entries, each as for reblock_plan_execute.
int32_t reblock_plan_execute_many(int64_t arrays,
                                  struct reblock_plan *const *plans,
                                  const void *const *sources,
                                  void *const *targets);

// Starts a non-blocking reblock_plan_execute. Data moves while the calling process is in any reblock call on the same
// communicator. reblock_request_wait or reblock_request_test return the code. Collective over the plan's communicator.
//
// # Safety
// As reblock_plan_execute, until the request is over; `request` has room for a handle.
int32_t reblock_plan_start(struct reblock_plan *plan,
                           const void *source,
                           void *target,
                           struct reblock_request **request);

// Starts a non-blocking reblock_plan_execute_many. Collective over the communicator of the plans, which is the same for all of
// them.
//
// # Safety
// As reblock_plan_execute_many, until the request is over; `request` has room for a handle.
int32_t reblock_plan_start_many(int64_t arrays,
                                struct reblock_plan *const *plans,
                                const void *const *sources,
                                void *const *targets,
                                struct reblock_request **request);

// Advances a request. If it is complete, `done` is 1, the code is that of the request, and the handle is NULL. Otherwise
// `done` is 0.
//
// # Safety
// `request` is the address of a handle; `done` is NULL or has room for a number.
int32_t reblock_request_test(struct reblock_request **request,
                             int32_t *done);

// Waits until a request is complete on this rank, and returns its code, the same on all ranks. The handle is NULL
// afterwards.
//
// # Safety
// `request` is the address of a handle.
int32_t reblock_request_wait(struct reblock_request **request);

// Waits until a request is complete, and frees it without returning its code. The handle is NULL afterwards.
//
// # Safety
// `request` is the address of a handle.
int32_t reblock_request_free(struct reblock_request **request);

// Saves an array with elements of `element` bytes in the file `path`, in NumPy's format .npy: extents and elements in Fortran
// order, without shadows, followed by a checksum. `data` is the address of the calling process's storage: of the element at
// position 0 of each axis, shadow included; NULL where it has no part. A rank that has no part of the array may pass NULL for
// its map. `dtype` is the element type in NumPy's notation, "<f8" or "[('x', '<f4'), ('n', '<i4')]"; NULL: "|Vn", n bytes. The
// data is written to another file in the same directory, which replaces `path` when all of it is on the disk. On failure the
// old file, if any, is unchanged. Collective over `comm`, which has all ranks of the map's arrangement.
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

// Loads an array from a file of reblock_save or of NumPy, in Fortran or C order. Arguments are as for reblock_save. The file
// must have the extents of the map, elements of `element` bytes, and the type `dtype` unless that is NULL. Ranks and layout
// may differ from those with which it was saved. If the file has a checksum, the whole file is first read and checked. On
// failure nothing is written, unless the file changes or becomes unreadable during the call. Collective over `comm`.
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

// Saves an array like reblock_save. Collective over the communicator of the array's arrangement.
//
// # Safety
// `path` is a C string, `dtype` NULL or one.
int32_t reblock_array_save(const struct reblock_array *array, const char *path, const char *dtype);

// Loads an array like reblock_load. Collective over the communicator of the array's arrangement.
//
// # Safety
// As reblock_array_save.
int32_t reblock_array_load(struct reblock_array *array, const char *path, const char *dtype);

// Finds a process grid for `processes` processes; `grid` gets its rows and columns. If `skew` is 0 or `present` is NULL, the
// grid is as nearly square as possible, with no more rows than columns. Otherwise, of all grids whose longer side is at most
// `skew` times the shorter one, it is the one to which a matrix moves from the grid `present` in the least time, by the model
// of the network (REBLOCK_NETWORK). The matrix has `extents` rows and columns, in blocks of `block`, with elements of
// `element` bytes. Both grids have the same processes, row by row, beginning with the first. `time` gets the seconds that the
// move takes by that model, 0 without `present`. Not collective.
//
// # Safety
// `grid` has room for two numbers; `extents`, `block` and `present` have two; `time` is NULL or has room for one. If `present`
// is NULL, `extents` and `block` are not read.
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
// `axes` is NULL or has room for a number.
int32_t reblock_map_axes(const struct reblock_map *map, int64_t *axes);

// The bounds of an array.
//
// # Safety
// Both are NULL or have room for one number per axis.
int32_t reblock_map_bounds(const struct reblock_map *map, int64_t *lower, int64_t *upper);

// The calling process's local array: its own elements along each axis; the index of the storage's first element, shadow
// included; the widths of the shadow before and after; the strides in elements; and whether the process has a part of the
// array. `lower` is in the array's own indices if those of the process are contiguous; otherwise its own elements are numbered
// from 1.
//
// # Safety
// Each is NULL or has room for one number per axis, `has_part` for one.
int32_t reblock_map_local(const struct reblock_map *map,
                          int64_t *extents,
                          int64_t *lower,
                          int64_t *before,
                          int64_t *after,
                          int64_t *strides,
                          int32_t *has_part);

// The number of elements of the calling process's storage, including shadow and gaps.
//
// # Safety
// `elements` is NULL or has room for a number.
int32_t reblock_map_elements(const struct reblock_map *map, int64_t *elements);

// The ranks that have a copy of an element, as ranks of the arrangement's communicator, in ascending order. `ranks` gets the
// first `most` of them, and `owners` their number. If each process knows only its own indices of an INDIRECT axis
// (reblock_template_dist_indirect_local), it is an error to ask for elements of others; use reblock_map_dereference.
//
// # Safety
// `index` has one entry per axis; `ranks` is NULL or has room for `most` numbers, `owners` for one.
int32_t reblock_map_owners(const struct reblock_map *map,
                           const int64_t *index,
                           int64_t most,
                           int64_t *ranks,
                           int64_t *owners);

// The position of an element in the calling process's storage: along each axis, from 0, shadow included. `here` is 1 if the
// process owns the element; if not, `here` is 0 and nothing else is written.
//
// # Safety
// `index` has one entry per axis; `local` is NULL or has room for as many; `here` is NULL or has room for a number.
int32_t reblock_map_local_index(const struct reblock_map *map,
                                const int64_t *index,
                                int64_t *local,
                                int32_t *here);

// The index of the element at a position of the calling process's storage. The position is given along each axis, from 0,
// shadow included. `own` is 1 for the process's own elements; in the shadow, `own` is 0 and nothing else is written.
//
// # Safety
// `local` has one entry per axis; `index` is NULL or has room for as many; `own` is NULL or has room for a number.
int32_t reblock_map_global_index(const struct reblock_map *map,
                                 const int64_t *local,
                                 int64_t *index,
                                 int32_t *own);

// How axis `axis` of an array is distributed.
//
// # Safety
// `format` is NULL or has room for one.
int32_t reblock_map_format(const struct reblock_map *map, int64_t axis, struct reblock_format *format);

// A map in HPF's notation, for instance "A(i,j) WITH T(2*i+1,j), T(BLOCK,*) ONTO P(4)": `text` gets as much of it as fits into
// `size` bytes, with a zero byte at the end, and `length` the whole length without the zero byte.
//
// # Safety
// `text` is NULL or has room for `size` bytes; `length` is NULL or has room for a number.
int32_t reblock_map_text(const struct reblock_map *map,
                         char *text,
                         int64_t size,
                         int64_t *length);

// A template's distribution in HPF's notation, for instance "(CYCLIC(4),*,BLOCK) ONTO P(2,3)". Arguments as for
// reblock_map_text.
//
// # Safety
// As reblock_map_text.
int32_t reblock_template_text(const struct reblock_template *tmpl,
                              char *text,
                              int64_t size,
                              int64_t *length);

// Makes the map of an array with `axes` axes, with indices from `lower` to `upper`, that is aligned with a committed template.
// `aligns` has the alignment of each axis (NULL: axis k with axis k, index i with index i). For each axis of the template with
// which no axis of the array is aligned, `rest` has the index at which the array lies, or REBLOCK_REPLICATED; other entries
// are not used (NULL: all replicated). Local arrays are column-major, without shadow. Maps never change. Not collective.
//
// # Safety
// `lower` and `upper` have `axes` entries, `aligns` too or is NULL; `rest` is NULL or has an entry for each axis of the
// template; `map` has room for a handle.
int32_t reblock_map_create(const struct reblock_template *tmpl,
                           int64_t axes,
                           const int64_t *lower,
                           const int64_t *upper,
                           const struct reblock_align *aligns,
                           const int64_t *rest,
                           struct reblock_map **map);

// Makes the map of an array whose axes are aligned with all axes of the template, index by index.
//
// # Safety
// `map` has room for a handle.
int32_t reblock_map_whole(const struct reblock_template *tmpl, struct reblock_map **map);

// Makes the map of the matrix that a ScaLAPACK descriptor describes, on the processes of its context, with bounds from 1 and
// columns LLD elements apart.
//
// # Safety
// `desc` has 9 integers; `map` has room for a handle.
int32_t reblock_map_from_blacs(const reblock_int *desc,
                               struct reblock_map **map);

// Makes the same map with a shadow: `before` and `after` elements before and after a process's own elements along each axis,
// which moves neither read nor write.
//
// # Safety
// `before` and `after` have one entry per axis; `made` has room for a handle.
int32_t reblock_map_shadow(const struct reblock_map *map,
                           const int64_t *before,
                           const int64_t *after,
                           struct reblock_map **made);

// Makes the same map with row-major local arrays, as in C.
//
// # Safety
// `made` has room for a handle.
int32_t reblock_map_row_major(const struct reblock_map *map, struct reblock_map **made);

// Makes the same map with local arrays whose axes vary in the given order, the fastest first.
//
// # Safety
// `order` has one entry per axis; `made` has room for a handle.
int32_t reblock_map_order(const struct reblock_map *map, const int64_t *order, struct reblock_map **made);

// Makes the same map with the given strides, in elements, of the calling process's local array. Other ranks need not use the
// same strides.
//
// # Safety
// `strides` has one entry per axis; `made` has room for a handle.
int32_t reblock_map_strides(const struct reblock_map *map,
                            const int64_t *strides,
                            struct reblock_map **made);

// Frees a map; objects that were made with it stay valid. The handle is NULL afterwards.
//
// # Safety
// `map` is the address of a handle.
int32_t reblock_map_free(struct reblock_map **map);

// Fills in the default options.
//
// # Safety
// `options` is NULL or has room for them.
int32_t reblock_plan_options_init(struct reblock_plan_options *options);

// Makes a plan to move a section of one array to a section of another, with elements of `element` bytes. The arrangements of
// both may be any ranks of `comm`: equal, nested, overlapping or disjoint. A rank that has no part of an array may pass NULL
// for its map. A section has one range per axis; NULL is the whole array. Both sections must have the same extents, except
// that axes with a single index may be missing on one side. `options` may be NULL. Collective over `comm`.
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
                            const struct reblock_plan_options *options,
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
                                    const struct reblock_plan_options *options,
                                    struct reblock_plan **plan);

// What a plan moves on the calling process.
//
// # Safety
// `info` is NULL or has room for it.
int32_t reblock_plan_inquire(const struct reblock_plan *plan, struct reblock_plan_info *info);

// The target's map after relabelling (the option relabel), with an arrangement of the plan's communicator; NULL if no part of
// the target goes to another rank.
//
// # Safety
// `map` has room for a handle.
int32_t reblock_plan_target(const struct reblock_plan *plan,
                            struct reblock_map **map);

// A description of the plan as JSON (see docs/hpf.md). Arguments as for reblock_map_text.
//
// # Safety
// As reblock_map_text.
int32_t reblock_plan_explain(const struct reblock_plan *plan, char *json, int64_t size, int64_t *length);

// Frees a plan; requests that use it continue. The handle is NULL afterwards.
//
// # Safety
// `plan` is the address of a handle.
int32_t reblock_plan_free(struct reblock_plan **plan);

// Makes a processor arrangement with `axes` axes of `shape` processes. Its ranks are `ranks`, in row-major order of the
// coordinates (the last axis varies fastest), or, if that is NULL, ranks 0, 1, 2, ... of `comm`. `comm` must live as long as
// the arrangement is used in collective calls. Collective over `comm`.
//
// # Safety
// `shape` has `axes` entries; `ranks` is NULL or has one for each place; `procs` has room for a handle.
int32_t reblock_procs_create(MPI_Comm comm,
                             int64_t axes,
                             const int64_t *shape,
                             const int64_t *ranks,
                             struct reblock_procs **procs);

// The same, with the communicator's handle in Fortran.
//
// # Safety
// As reblock_procs_create.
int32_t reblock_procs_create_fortran(int32_t comm,
                                     int64_t axes,
                                     const int64_t *shape,
                                     const int64_t *ranks,
                                     struct reblock_procs **procs);

// The number of axes of an arrangement.
//
// # Safety
// `axes` is NULL or has room for a number.
int32_t reblock_procs_axes(const struct reblock_procs *procs, int64_t *axes);

// Processes along each axis of an arrangement.
//
// # Safety
// `shape` is NULL or has room for one number per axis.
int32_t reblock_procs_shape(const struct reblock_procs *procs, int64_t *shape);

// The coordinates of rank `rank` of the arrangement's communicator, or, if that is -1, of the calling process. `inside` is 1
// if it is in the arrangement; if not, `inside` is 0 and nothing else is written.
//
// # Safety
// `coords` is NULL or has room for one number per axis; `inside` is NULL or has room for a number.
int32_t reblock_procs_coords(const struct reblock_procs *procs,
                             int64_t rank,
                             int64_t *coords,
                             int32_t *inside);

// Frees an arrangement; objects that were made with it stay valid. The handle is NULL afterwards.
//
// # Safety
// `procs` is the address of a handle.
int32_t reblock_procs_free(struct reblock_procs **procs);

// Makes a template with `axes` axes, with indices from `lower` to `upper`. The reblock_template_dist_... functions then
// distribute its axes, which they count from 0, and reblock_template_commit completes it.
//
// # Safety
// `lower` and `upper` have `axes` entries; `tmpl` has room for a handle.
int32_t reblock_template_create(const struct reblock_procs *procs,
                                int64_t axes,
                                const int64_t *lower,
                                const int64_t *upper,
                                struct reblock_template **tmpl);

// Makes axis `axis` not distributed, which is the default.
//
// # Safety
// None.
int32_t reblock_template_dist_collapsed(struct reblock_template *tmpl, int64_t axis);

// Makes axis `axis` BLOCK(block) along axis `procs_axis` of the arrangement. If `block` is 0, it is BLOCK: blocks of the
// extent divided by the processes, rounded up.
//
// # Safety
// None.
int32_t reblock_template_dist_block(struct reblock_template *tmpl,
                                    int64_t axis,
                                    int64_t procs_axis,
                                    int64_t block);

// Makes axis `axis` CYCLIC(block) along axis `procs_axis` of the arrangement.
//
// # Safety
// None.
int32_t reblock_template_dist_cyclic(struct reblock_template *tmpl,
                                     int64_t axis,
                                     int64_t procs_axis,
                                     int64_t block);

// Makes axis `axis` GEN_BLOCK along axis `procs_axis` of the arrangement; `sizes` has the number of indices of each of the
// `processes` processes along that axis.
//
// # Safety
// `sizes` has `processes` entries.
int32_t reblock_template_dist_gen_block(struct reblock_template *tmpl,
                                        int64_t axis,
                                        int64_t procs_axis,
                                        int64_t processes,
                                        const int64_t *sizes);

// Makes axis `axis` INDIRECT along axis `procs_axis` of the arrangement. For each of the `indices` indices of the axis,
// `owners` has the coordinate of the owner along `procs_axis`. All ranks give all owners.
//
// # Safety
// `owners` has `indices` entries.
int32_t reblock_template_dist_indirect(struct reblock_template *tmpl,
                                       int64_t axis,
                                       int64_t procs_axis,
                                       int64_t indices,
                                       const int64_t *owners);

// As reblock_template_dist_indirect, by runs of neighbouring indices with the same owner. For each of `runs` runs, `owners` has the
// coordinate of its owner, and `lengths` its number of indices.
//
// # Safety
// Both lists have `runs` entries.
int32_t reblock_template_dist_indirect_runs(struct reblock_template *tmpl,
                                            int64_t axis,
                                            int64_t procs_axis,
                                            int64_t runs,
                                            const int64_t *owners,
                                            const int64_t *lengths);

// As reblock_template_dist_indirect, but each rank gives only the owners of a range of indices: of the `indices` indices from
// `lower` on, which may be none. When the template is committed, the ranges of all ranks must contain each index exactly once.
// If a list of the owners of the whole axis takes more than REBLOCK_OWNERS bytes (default 4 MiB), each process afterwards
// knows only its own indices. Then reblock_map_dereference finds the owners of other indices, and no array can be aligned with
// a single index of the axis.
//
// # Safety
// `owners` has `indices` entries.
int32_t reblock_template_dist_indirect_local(struct reblock_template *tmpl,
                                             int64_t axis,
                                             int64_t procs_axis,
                                             int64_t lower,
                                             int64_t indices,
                                             const int64_t *owners);

// Completes a template, which can then be used. All ranks must have described the same distribution. Collective over the
// arrangement's communicator.
//
// # Safety
// None.
int32_t reblock_template_commit(struct reblock_template *tmpl);

// Frees a template; objects that were made with it stay valid. The handle is NULL afterwards.
//
// # Safety
// `tmpl` is the address of a handle.
int32_t reblock_template_free(struct reblock_template **tmpl);

// Distributes all axes of a template as a text in HPF's notation says, for instance "(CYCLIC(4), BLOCK, *) ONTO P(2,3)". Axes
// with formats other than * are distributed over the axes of the arrangement, in order; along further axes of the arrangement
// there are copies. ONTO may be left out; if present, its shape must be that of the arrangement.
//
// # Safety
// `distribution` is a C string.
int32_t reblock_template_dist_text(struct reblock_template *tmpl,
                                   const char *distribution);

// Makes a scope of names, in which directives are carried out. Collective over `comm`.
//
// # Safety
// `scope` has room for a handle.
int32_t reblock_scope_create(MPI_Comm comm, struct reblock_scope **scope);

// The same, with the communicator's handle in Fortran.
//
// # Safety
// As reblock_scope_create.
int32_t reblock_scope_create_fortran(int32_t comm, struct reblock_scope **scope);

// Carries out a line of HPF, with or without a sentinel such as !HPF$: PROCESSORS, TEMPLATE, DIMENSION (which declares an
// array), DISTRIBUTE, ALIGN, SHADOW, REDISTRIBUTE, REALIGN or DYNAMIC (which has no effect). All ranks must give the same
// line. A line with several names stops at the first name that fails. Collective over the scope's communicator.
//
// # Safety
// `line` is a C string.
int32_t reblock_scope_directive(struct reblock_scope *scope,
                                const char *line);

// The processor arrangement with the given name.
//
// # Safety
// `name` is a C string; `procs` has room for a handle.
int32_t reblock_scope_procs(const struct reblock_scope *scope,
                            const char *name,
                            struct reblock_procs **procs);

// The template with the given name; it must be distributed.
//
// # Safety
// `name` is a C string; `tmpl` has room for a handle.
int32_t reblock_scope_template(const struct reblock_scope *scope,
                               const char *name,
                               struct reblock_template **tmpl);

// The present map of the array with the given name.
//
// # Safety
// `name` is a C string; `map` has room for a handle.
int32_t reblock_scope_map(const struct reblock_scope *scope, const char *name, struct reblock_map **map);

// The array with the given name, with storage for elements of `element` bytes. The first call for a name makes the array. It
// moves with REDISTRIBUTE and REALIGN, and is freed by reblock_array_free. Collective over the scope's communicator.
//
// # Safety
// `name` is a C string; `array` has room for a handle.
int32_t reblock_scope_array(struct reblock_scope *scope,
                            const char *name,
                            int64_t element,
                            struct reblock_array **array);

// Frees a scope; objects of which the program has handles stay valid. The handle is NULL afterwards.
//
// # Safety
// `scope` is the address of a handle.
int32_t reblock_scope_free(struct reblock_scope **scope);

// Fills in the default options.
//
// # Safety
// `options` is NULL or has room for them.
int32_t reblock_job_options_init(struct reblock_job_options *options);

// Begins a job with the ranks of `first`, usually MPI_COMM_WORLD. In a process that a job has started, this call joins the
// job: arrays and values that it registers afterwards, in the same order as the others, already have their contents. `options`
// may be NULL. The environment variable REBLOCK_RESIZE chooses the policy (see reblock_job_set_policy_text). Collective over
// `first`. In a process that a job has started, REBLOCK_ERR_STATE means that the resize has failed and that the job continues
// without this process: it calls MPI_Finalize and ends with status 0. It must not call MPI_Abort, which ends the whole job.
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

// `joined` is 1 if the calling process has joined a running job, and 0 if not.
//
// # Safety
// `joined` is NULL or has room for a number.
int32_t reblock_job_joined(const struct reblock_job *job, int32_t *joined);

// The communicator of the job's active ranks. It belongs to the library and is valid until the next resize; ask again after
// each resize. Ranks that stay keep their numbers.
//
// # Safety
// `comm` is NULL or has room for a communicator.
int32_t reblock_job_get_comm(const struct reblock_job *job,
                             MPI_Comm *comm);

// The same, with the communicator's handle in Fortran.
//
// # Safety
// `comm` is NULL or has room for a number.
int32_t reblock_job_get_comm_fortran(const struct reblock_job *job, int32_t *comm);

// The BLACS context of the process grid of all active ranks. If there is none yet, a grid of `rows` x `cols` processes is
// made, in row-major order; 0 and 0: as nearly square as possible. Making a grid is collective over the active ranks. A resize
// makes a new grid, nearly square or as the option `skew` says, and the library exits the old one.
//
// # Safety
// `context` is NULL or has room for a number.
int32_t reblock_job_get_blacs(struct reblock_job *job,
                              reblock_int rows,
                              reblock_int cols,
                              reblock_int *context);

// Ends the job, also for parked ranks, whose reblock_job_step returns REBLOCK_JOB_LEAVE. Registered storage stays the
// program's. REBLOCK_ERR_STATE if a request is under way, as in reblock_job_step. Afterwards all processes call MPI_Finalize. The
// handle is NULL afterwards. Collective over the active ranks.
//
// # Safety
// `job` is the address of a handle.
int32_t reblock_job_finalize(struct reblock_job **job);

// Frees the job in a process that is no longer in it (reblock_job_step has returned REBLOCK_JOB_LEAVE). The process then calls
// MPI_Finalize and ends. The handle is NULL afterwards.
//
// # Safety
// `job` is the address of a handle.
int32_t reblock_job_leave(struct reblock_job **job);

// Sets the function `formats` that distributes a registered array after a resize. It is needed for formats that fit one number
// of ranks only: GEN_BLOCK, INDIRECT or BLOCK(m). `number` counts what was registered, from 0, and must be an array with a
// map. Bounds and alignment stay as they are. `formats` is called on the active ranks, at each resize and by
// reblock_job_get_price, and must give the same formats on all of them. So each process calls this function after it has
// registered the array, including processes that have joined.
//
// # Safety
// `formats` may be called with `context` as long as the job exists.
int32_t reblock_job_set_formats(struct reblock_job *job,
                                int64_t number,
                                reblock_job_formats_function formats,
                                void *context);

// Registers a ScaLAPACK matrix, which then moves with the job: its descriptor `desc`, whose context is that of
// reblock_job_get_blacs, and the address of its storage, in `*data`. The storage must come from the job's allocator; if `*data` is
// NULL, storage is allocated and set to zero. Storage has LLD_ x LOCc elements of `element` bytes, at least one byte. A resize
// rewrites both: block sizes stay, RSRC_ and CSRC_ are taken modulo the new grid, LLD_ is the number of local rows, at least 1.
// Each process of the grid has storage, also where its part has no elements; in a process that is no longer active, `*data` is
// NULL. In a process that has joined, both are written at once, whatever they were, if the other ranks had registered the
// matrix before. Every rank must register the same things in the same order; this is checked at the next resize point.
//
// No two things that are registered may overlap in memory, nor may a value have a pointer or a descriptor in it that is
// registered: REBLOCK_ERR_ARGUMENT. Several matrices may have one descriptor. A registration that fails leaves nothing
// registered, and can be made again; resizes fail with REBLOCK_ERR_DIFFERS as long as only some ranks have succeeded.
//
// # Safety
// `desc` has 9 integers; `data` is the address of a pointer to storage that `desc` describes. Both live as long as the job.
int32_t reblock_job_add_matrix(struct reblock_job *job,
                               reblock_int *desc,
                               int64_t element,
                               void **data);

// Registers an array with a map, on an arrangement of the job's ranks. After a resize the array keeps its formats and
// alignments, on an arrangement of all ranks with the same number of axes, as nearly square as possible. A format that does
// not fit another number of ranks, such as GEN_BLOCK, makes a resize fail unless reblock_job_set_formats replaces it. `*data` is
// the address of the storage, as for reblock_plan_execute, and the rest as for reblock_job_add_matrix: in a process that has
// joined, `map` is not read, and `*data` is written whatever it was. Storage has reblock_map_elements elements, at least one byte;
// `*data` is NULL only in processes outside of the arrangement. Strides of the program's must not be negative.
// reblock_job_get_map returns the present map.
//
// # Safety
// `data` is the address of a pointer to storage that the map describes, and lives as long as the job.
int32_t reblock_job_add_array(struct reblock_job *job,
                              const struct reblock_map *map,
                              int64_t element,
                              void **data);

// Registers a value of `bytes` bytes that is the same on all ranks: ranks that join get that of rank 0, and so do ranks that
// were parked. Pointers and descriptors that are registered must not be part of it.
//
// # Safety
// `value` has `bytes` bytes, and lives as long as the job.
int32_t reblock_job_add_value(struct reblock_job *job,
                              void *value,
                              int64_t bytes);

// The present map of a registered matrix or array, on ranks of the job's communicator. `number` counts what was registered,
// from 0.
//
// # Safety
// `map` has room for a handle.
int32_t reblock_job_get_map(const struct reblock_job *job,
                            int64_t number,
                            struct reblock_map **map);

// A resize point. The policy of rank 0 decides how many ranks there should be. If that is another number, the job grows or
// shrinks, and everything that is registered moves. `state` is one of REBLOCK_JOB_SAME, REBLOCK_JOB_RESIZED and
// REBLOCK_JOB_LEAVE. After an error the job continues with the ranks that it had. A rank that is parked waits inside this
// call. A size that cannot be reached is tried once, as long as the policy asks for no other one. A resize is refused with
// REBLOCK_ERR_STATE, on all ranks, if a request of reblock_plan_start has not been waited for that is on the job's communicator or
// moves a registered array. Collective over the active ranks.
//
// # Safety
// `state` is NULL or has room for a number.
int32_t reblock_job_step(struct reblock_job *job,
                         int32_t *state);

// As reblock_job_step, but to `ranks` ranks, more than now, without a policy.
//
// # Safety
// `state` is NULL or has room for a number.
int32_t reblock_job_expand(struct reblock_job *job, int64_t ranks, int32_t *state);

// As reblock_job_step, but to `ranks` ranks, fewer than now, without a policy.
//
// # Safety
// `state` is NULL or has room for a number.
int32_t reblock_job_shrink(struct reblock_job *job, int64_t ranks, int32_t *state);

// Returns REBLOCK_OK if the job can have `ranks` ranks. If not, it returns REBLOCK_ERR_STATE, or REBLOCK_ERR_ARGUMENT for
// what is no number of ranks, and reblock_message says why not
// and which sizes can be reached. Whether processes can be started is known only when it is tried.
int32_t reblock_job_can_resize(const struct reblock_job *job,
                               int64_t ranks);

// Predicts the cost of moving everything that is registered to `ranks` ranks.
//
// # Safety
// `price` is NULL or has room for it.
int32_t reblock_job_get_price(const struct reblock_job *job, int64_t ranks, struct reblock_job_price *price);

// Returns the times of the last resize.
//
// # Safety
// `times` is NULL or has room for them.
int32_t reblock_job_get_times(const struct reblock_job *job, struct reblock_job_times *times);

// Reports that an iteration has taken `seconds` on the calling process. Policies get the time of the slowest process. If the
// program reports nothing, the time from one resize point to the next counts.
int32_t reblock_job_set_seconds(struct reblock_job *job,
                                double seconds);

// Sets the policy of resize points, in place of the one in REBLOCK_RESIZE. The policy of rank 0 counts.
//
// # Safety
// `policy` may be called with `context` as long as the job exists.
int32_t reblock_job_set_policy(struct reblock_job *job, reblock_job_policy_function policy, void *context);

// Sets one of the library's policies. "4,8,4": one number at each resize point. "file:PATH": a file with a number, read at
// each resize point. "sweet:1,2,4": the next of these sizes, which ascend, as long as each saves more than 5 percent of an
// iteration's time;
// "sweet:1,2,4:0.1" asks for 10 percent. "": none.
//
// # Safety
// `policy` is a C string.
int32_t reblock_job_set_policy_text(struct reblock_job *job,
                                    const char *policy);

// ScaLAPACK's PIGEMR2D: copies an M x N section of A, from (IA, JA) on, to B, from (IB, JB) on.
// Called by every process of the context ICTXT. A process outside the grid of A (B) passes context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers. A local array has all elements that its descriptor gives this process,
// in columns LLD elements apart. Nothing else uses the arrays during the call.
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
// Called by every process of the context ICTXT. A process outside the grid of A (B) passes context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers. A local array has all elements that its descriptor gives this process,
// in columns LLD elements apart. Nothing else uses the arrays during the call.
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
// Called by every process of the context ICTXT. A process outside the grid of A (B) passes context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers. A local array has all elements that its descriptor gives this process,
// in columns LLD elements apart. Nothing else uses the arrays during the call.
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
// Called by every process of the context ICTXT. A process outside the grid of A (B) passes context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers. A local array has all elements that its descriptor gives this process,
// in columns LLD elements apart. Nothing else uses the arrays during the call.
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
// Called by every process of the context ICTXT. A process outside the grid of A (B) passes context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers. A local array has all elements that its descriptor gives this process,
// in columns LLD elements apart. Nothing else uses the arrays during the call.
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
// Called by every process of the context ICTXT. A process outside the grid of A (B) passes context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers. A local array has all elements that its descriptor gives this process,
// in columns LLD elements apart. Nothing else uses the arrays during the call.
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
// Called by every process of the context ICTXT. A process outside the grid of A (B) passes context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers. A local array has all elements that its descriptor gives this process,
// in columns LLD elements apart. Nothing else uses the arrays during the call.
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
// Called by every process of the context ICTXT. A process outside the grid of A (B) passes context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers. A local array has all elements that its descriptor gives this process,
// in columns LLD elements apart. Nothing else uses the arrays during the call.
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
// Called by every process of the context ICTXT. A process outside the grid of A (B) passes context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers. A local array has all elements that its descriptor gives this process,
// in columns LLD elements apart. Nothing else uses the arrays during the call.
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
// Called by every process of the context ICTXT. A process outside the grid of A (B) passes context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers. A local array has all elements that its descriptor gives this process,
// in columns LLD elements apart. Nothing else uses the arrays during the call.
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
// Called by every process of the context ICTXT. A process outside the grid of A (B) passes context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers. A local array has all elements that its descriptor gives this process,
// in columns LLD elements apart. Nothing else uses the arrays during the call.
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
// Called by every process of the context ICTXT. A process outside the grid of A (B) passes context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers. A local array has all elements that its descriptor gives this process,
// in columns LLD elements apart. Nothing else uses the arrays during the call.
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
// Called by every process of the context ICTXT. A process outside the grid of A (B) passes context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers. A local array has all elements that its descriptor gives this process,
// in columns LLD elements apart. Nothing else uses the arrays during the call.
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
// Called by every process of the context ICTXT. A process outside the grid of A (B) passes context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers. A local array has all elements that its descriptor gives this process,
// in columns LLD elements apart. Nothing else uses the arrays during the call.
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
// Called by every process of the context ICTXT. A process outside the grid of A (B) passes context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers. A local array has all elements that its descriptor gives this process,
// in columns LLD elements apart. Nothing else uses the arrays during the call.
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
// Called by every process of the context ICTXT. A process outside the grid of A (B) passes context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers. A local array has all elements that its descriptor gives this process,
// in columns LLD elements apart. Nothing else uses the arrays during the call.
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
// Called by every process of the context ICTXT. A process outside the grid of A (B) passes context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers. A local array has all elements that its descriptor gives this process,
// in columns LLD elements apart. Nothing else uses the arrays during the call.
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
// Called by every process of the context ICTXT. A process outside the grid of A (B) passes context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers. A local array has all elements that its descriptor gives this process,
// in columns LLD elements apart. Nothing else uses the arrays during the call.
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
// Called by every process of the context ICTXT. A process outside the grid of A (B) passes context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers. A local array has all elements that its descriptor gives this process,
// in columns LLD elements apart. Nothing else uses the arrays during the call.
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
// Called by every process of the context ICTXT. A process outside the grid of A (B) passes context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers. A local array has all elements that its descriptor gives this process,
// in columns LLD elements apart. Nothing else uses the arrays during the call.
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
// Called by every process of the program. A process outside the grid of A (B) passes context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers. A local array has all elements that its descriptor gives this process,
// in columns LLD elements apart. Nothing else uses the arrays during the call.
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
// Called by every process of the program. A process outside the grid of A (B) passes context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers. A local array has all elements that its descriptor gives this process,
// in columns LLD elements apart. Nothing else uses the arrays during the call.
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
// Called by every process of the program. A process outside the grid of A (B) passes context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers. A local array has all elements that its descriptor gives this process,
// in columns LLD elements apart. Nothing else uses the arrays during the call.
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
// Called by every process of the program. A process outside the grid of A (B) passes context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers. A local array has all elements that its descriptor gives this process,
// in columns LLD elements apart. Nothing else uses the arrays during the call.
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
// Called by every process of the program. A process outside the grid of A (B) passes context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers. A local array has all elements that its descriptor gives this process,
// in columns LLD elements apart. Nothing else uses the arrays during the call.
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
// Called by every process of the program. A process outside the grid of A (B) passes context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers. A local array has all elements that its descriptor gives this process,
// in columns LLD elements apart. Nothing else uses the arrays during the call.
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
// Called by every process of the program. A process outside the grid of A (B) passes context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers. A local array has all elements that its descriptor gives this process,
// in columns LLD elements apart. Nothing else uses the arrays during the call.
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
// Called by every process of the program. A process outside the grid of A (B) passes context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers. A local array has all elements that its descriptor gives this process,
// in columns LLD elements apart. Nothing else uses the arrays during the call.
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
// Called by every process of the program. A process outside the grid of A (B) passes context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers. A local array has all elements that its descriptor gives this process,
// in columns LLD elements apart. Nothing else uses the arrays during the call.
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
// Called by every process of the program. A process outside the grid of A (B) passes context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers. A local array has all elements that its descriptor gives this process,
// in columns LLD elements apart. Nothing else uses the arrays during the call.
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
// Called by every process of the program. A process outside the grid of A (B) passes context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers. A local array has all elements that its descriptor gives this process,
// in columns LLD elements apart. Nothing else uses the arrays during the call.
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
// Called by every process of the program. A process outside the grid of A (B) passes context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers. A local array has all elements that its descriptor gives this process,
// in columns LLD elements apart. Nothing else uses the arrays during the call.
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
// Called by every process of the program. A process outside the grid of A (B) passes context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers. A local array has all elements that its descriptor gives this process,
// in columns LLD elements apart. Nothing else uses the arrays during the call.
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
// Called by every process of the program. A process outside the grid of A (B) passes context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers. A local array has all elements that its descriptor gives this process,
// in columns LLD elements apart. Nothing else uses the arrays during the call.
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
// Called by every process of the program. A process outside the grid of A (B) passes context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers. A local array has all elements that its descriptor gives this process,
// in columns LLD elements apart. Nothing else uses the arrays during the call.
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
// Called by every process of the program. A process outside the grid of A (B) passes context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers. A local array has all elements that its descriptor gives this process,
// in columns LLD elements apart. Nothing else uses the arrays during the call.
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
// Called by every process of the program. A process outside the grid of A (B) passes context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers. A local array has all elements that its descriptor gives this process,
// in columns LLD elements apart. Nothing else uses the arrays during the call.
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
// Called by every process of the program. A process outside the grid of A (B) passes context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers. A local array has all elements that its descriptor gives this process,
// in columns LLD elements apart. Nothing else uses the arrays during the call.
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
// Called by every process of the program. A process outside the grid of A (B) passes context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers. A local array has all elements that its descriptor gives this process,
// in columns LLD elements apart. Nothing else uses the arrays during the call.
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
// Called by every process of the program. A process outside the grid of A (B) passes context -1 in DESCA (DESCB).
// An invalid argument ends the job with one line on standard error.
//
// # Safety
// A descriptor has 9 integers. A local array has all elements that its descriptor gives this process,
// in columns LLD elements apart. Nothing else uses the arrays during the call.
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
