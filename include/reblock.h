// reblock 0.2.0: moves distributed arrays from one layout to another over MPI.
// Made from the Rust sources by `make headers`; do not edit.
//
// An array of 1000 x 500 doubles goes from blocks of rows to blocks of columns, on all ranks of `comm`:
//
//     int64_t extents[2] = {1000, 500};
//     reblock_map_from_text(comm, 2, extents, "(BLOCK, *)", &maps[0]);
//     reblock_map_from_text(comm, 2, extents, "(*, BLOCK)", &maps[1]);
//     // With a plan that the library makes once and keeps; `rows` and `columns` are the addresses of the local arrays:
//     reblock_move(comm, maps[0], NULL, maps[1], NULL, sizeof(double), rows, columns);
//     // With a plan of the program's own, executed as often as needed, and the way back:
//     reblock_plan_create(comm, maps[0], NULL, maps[1], NULL, sizeof(double), NULL, &plan);
//     reblock_plan_execute(plan, rows, columns);
//     reblock_plan_reverse(plan, &back);
//     reblock_plan_execute(back, columns, rows);
//
// Functions return REBLOCK_OK or the code of a failure; reblock_message returns its text. All ranks of the
// communicator that a collective function names must call it. It returns the same code on all of them. If it fails,
// nothing has been written, unless MPI or a copy in the memory of a GPU has failed. Axes, coordinates and local
// positions count from 0; indices have the program's own bounds; strides and widths are in elements. If the address
// of a result is NULL, the result is not written. The address of a new handle must not be NULL. Programs link
// reblock_core, or reblock to replace ScaLAPACK's routines, too: `pkg-config --cflags --libs reblock_core`.

#ifndef REBLOCK_H
#define REBLOCK_H

#include <mpi.h>
#include <stdint.h>

#define REBLOCK_VERSION "0.2.0"
#define REBLOCK_VERSION_MAJOR 0
#define REBLOCK_VERSION_MINOR 2
#define REBLOCK_VERSION_PATCH 0

// The program's Fortran INTEGER. Define REBLOCK_ILP64 to use the libraries with _ilp64 in their names.
#ifndef REBLOCK_INT
#define REBLOCK_INT
#ifdef REBLOCK_ILP64
typedef int64_t reblock_int;
#else
typedef int32_t reblock_int;
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

// ---- Objects -------------------------------------------------------------------------------------------------------
//
// A program refers to objects by handles. A function named ..._free frees a handle and sets it to NULL. The object
// lives as long as other objects need it.
// Threads: Any thread may use a handle. A freed handle is refused with REBLOCK_ERR_HANDLE, and never dereferenced.

// An array whose storage reblock owns.
typedef struct reblock_array reblock_array;

// A job that can change its number of ranks.
typedef struct reblock_job reblock_job;

// A map: the position of each element of an array.
typedef struct reblock_map reblock_map;

// A plan: the description of a move.
typedef struct reblock_plan reblock_plan;

// A processor arrangement: a grid of ranks of a communicator.
typedef struct reblock_procs reblock_procs;

// A request: a non-blocking move that has been started.
typedef struct reblock_request reblock_request;

// A scope: a table of the objects that HPF's directives have named.
typedef struct reblock_scope reblock_scope;

// A template: an index space that is distributed over an arrangement.
typedef struct reblock_template reblock_template;

// ---- Processor arrangements (procs) --------------------------------------------------------------------------------
//
// Ranks of a communicator as a grid of any number of axes: HPF's PROCESSORS.
// Threads: Several threads may use the same handles. Collective calls on one communicator are made in the same order
// on all ranks.

// Makes a processor arrangement with `axes` axes and `shape[k]` processes along axis k. `ranks` has the rank of `comm`
// at each place, in row-major order of the coordinates (the last axis varies fastest). If `ranks` is NULL, these are
// ranks 0, 1, 2, ... of `comm`. `comm` must not be freed while the arrangement is used in collective calls. Collective
// over `comm`.
// `shape` has `axes` entries; `ranks` is NULL or has one entry for each place; `procs` has room for a handle.
int32_t reblock_procs_create(MPI_Comm comm,
                             int64_t axes,
                             const int64_t *shape,
                             const int64_t *ranks,
                             reblock_procs **procs);

// Gets the number of axes of an arrangement.
// `axes` is NULL or has room for a number.
int32_t reblock_procs_axes(const reblock_procs *procs, int64_t *axes);

// Gets the number of processes along each axis of an arrangement.
// `shape` is NULL or has room for one number per axis.
int32_t reblock_procs_shape(const reblock_procs *procs, int64_t *shape);

// Gets the coordinates of rank `rank` of the arrangement's communicator, or of the calling process if `rank` is -1.
// `inside` is set to 1 if the rank is in the arrangement; if not, `inside` is set to 0 and nothing else is written.
// `coords` is NULL or has room for one number per axis; `inside` is NULL or has room for a number.
int32_t reblock_procs_coords(const reblock_procs *procs,
                             int64_t rank,
                             int64_t *coords,
                             int32_t *inside);

// Gets the rank at the given coordinates of an arrangement, in the arrangement's communicator.
// `coords` has one entry for each axis of the arrangement; `rank` is NULL or has room for a number.
int32_t reblock_procs_rank_at(const reblock_procs *procs, const int64_t *coords, int64_t *rank);

// Frees an arrangement; objects that were made with it stay valid. Sets the handle to NULL.
// `procs` is the address of a handle.
int32_t reblock_procs_free(reblock_procs **procs);

// ---- Templates -----------------------------------------------------------------------------------------------------
//
// An index space; each axis is distributed over an axis of an arrangement: HPF's TEMPLATE and DISTRIBUTE.
// Threads: Several threads may use the same handles. Collective calls on one communicator are made in the same order
// on all ranks.

// Format: the axis is not distributed.
#define REBLOCK_FORMAT_COLLAPSED 0

// Format BLOCK or BLOCK(m).
#define REBLOCK_FORMAT_BLOCK 1

// Format CYCLIC(k).
#define REBLOCK_FORMAT_CYCLIC 2

// Format GEN_BLOCK.
#define REBLOCK_FORMAT_GEN_BLOCK 3

// Format INDIRECT.
#define REBLOCK_FORMAT_INDIRECT 4

// The version of reblock_format that this header describes.
#define REBLOCK_FORMAT_VERSION 1

// The distribution of an axis of an array. Call reblock_format_init first.
typedef struct reblock_format {
  // Size of the structure in bytes, set by reblock_format_init.
  int64_t size;
  // Version of the structure, set by reblock_format_init.
  int64_t version;
  // The kind, one of the constants REBLOCK_FORMAT_...
  int64_t kind;
  // The block size, also of BLOCK without a given size; 0 if blocks have different sizes or the axis is not
  // distributed.
  int64_t block;
  // The axis of the template; -1 if the axis of the array is collapsed.
  int64_t template_axis;
  // The axis of the arrangement; -1 if the axis of the array is not distributed.
  int64_t procs_axis;
  // The number of processes along `procs_axis`; 1 if the axis is not distributed.
  int64_t procs;
  // The stride of the alignment: index i is aligned with index `stride` * i + `offset` of the template.
  int64_t stride;
  // The offset of the alignment; see `stride`.
  int64_t offset;
  // The calling process's coordinate along `procs_axis`; 0 if the axis is not distributed, -1 if the process is not
  // in the arrangement.
  int64_t coordinate;
} reblock_format;

// Makes a template with `axes` axes, for distribution onto the arrangement `procs`. Axis k has the indices from
// `lower[k]` to `upper[k]`. The reblock_template_dist_... functions then distribute its axes, counted from 0, and
// reblock_template_commit completes it. Not collective.
// `lower` and `upper` have `axes` entries; `tmpl` has room for a handle.
int32_t reblock_template_create(const reblock_procs *procs,
                                int64_t axes,
                                const int64_t *lower,
                                const int64_t *upper,
                                reblock_template **tmpl);

// Completes a template. Before this call, no map can be made with it. All ranks must have described the same
// distribution. Collective over the arrangement's communicator.
int32_t reblock_template_commit(reblock_template *tmpl);

// Gets the number of axes of a template.
// `axes` is NULL or has room for a number.
int32_t reblock_template_axes(const reblock_template *tmpl, int64_t *axes);

// Gets the bounds of a template.
// `lower` and `upper` are each NULL or have room for one number per axis.
int32_t reblock_template_bounds(const reblock_template *tmpl, int64_t *lower, int64_t *upper);

// Gets the present distribution of axis `axis` of a committed template: as reblock_map_format, with stride 1 and
// offset 0.
// `format` is NULL or was initialised by reblock_format_init.
int32_t reblock_template_format(const reblock_template *tmpl,
                                int64_t axis,
                                reblock_format *format);

// Gets the arrangement onto which a template is distributed now.
// `procs` has room for a handle.
int32_t reblock_template_procs(const reblock_template *tmpl, reblock_procs **procs);

// Writes a template's distribution in HPF's notation, for instance "(CYCLIC(4),*,BLOCK) ONTO P(2,3)". Arguments as for
// reblock_map_text.
// `text` is NULL or has room for `size` bytes; `length` is NULL or has room for a number.
int32_t reblock_template_text(const reblock_template *tmpl,
                              char *text,
                              int64_t size,
                              int64_t *length);

// Frees a template; objects that were made with it stay valid. Sets the handle to NULL.
// `tmpl` is the address of a handle.
int32_t reblock_template_free(reblock_template **tmpl);

// Makes axis `axis` collapsed (not distributed), which is the default.
int32_t reblock_template_dist_collapsed(reblock_template *tmpl, int64_t axis);

// Makes axis `axis` BLOCK(block) along axis `procs_axis` of the arrangement. If `block` is 0, the axis is BLOCK: the
// block size is the extent divided by the number of processes, rounded up.
int32_t reblock_template_dist_block(reblock_template *tmpl,
                                    int64_t axis,
                                    int64_t procs_axis,
                                    int64_t block);

// Makes axis `axis` CYCLIC(block) along axis `procs_axis` of the arrangement.
int32_t reblock_template_dist_cyclic(reblock_template *tmpl, int64_t axis, int64_t procs_axis, int64_t block);

// Makes axis `axis` GEN_BLOCK along axis `procs_axis` of the arrangement; `sizes` has the number of indices of each of
// the `processes` processes along that axis.
// `sizes` has `processes` entries.
int32_t reblock_template_dist_gen_block(reblock_template *tmpl,
                                        int64_t axis,
                                        int64_t procs_axis,
                                        int64_t processes,
                                        const int64_t *sizes);

// Makes axis `axis` INDIRECT along axis `procs_axis` of the arrangement. For each of the `indices` indices of the
// axis, `owners` has the coordinate of the owner along `procs_axis`. Every rank passes all owners.
// `owners` has `indices` entries.
int32_t reblock_template_dist_indirect(reblock_template *tmpl,
                                       int64_t axis,
                                       int64_t procs_axis,
                                       int64_t indices,
                                       const int64_t *owners);

// As reblock_template_dist_indirect, but by runs: neighbouring indices with one owner. For each of the `runs` runs,
// `owners` has the coordinate of the owner, and `lengths` the number of indices.
// Both lists have `runs` entries.
int32_t reblock_template_dist_indirect_runs(reblock_template *tmpl,
                                            int64_t axis,
                                            int64_t procs_axis,
                                            int64_t runs,
                                            const int64_t *owners,
                                            const int64_t *lengths);

// As reblock_template_dist_indirect, but each rank passes only the owners of the `indices` indices from `lower` on;
// `indices` may be 0. When the template is committed, the ranges of all ranks must contain each index exactly once. If
// the runs of owners of the whole axis would take more than REBLOCK_OWNERS bytes (default 4 MiB), each process
// afterwards has only the positions of its own indices. Then reblock_map_dereference finds the owners of other
// indices, and no array can be aligned with a single index of the axis.
// `owners` has `indices` entries.
int32_t reblock_template_dist_indirect_local(reblock_template *tmpl,
                                             int64_t axis,
                                             int64_t procs_axis,
                                             int64_t lower,
                                             int64_t indices,
                                             const int64_t *owners);

// Distributes all axes of a template by a text in HPF's notation, for instance "(CYCLIC(4), BLOCK, *) ONTO P(2,3)".
// Axes with formats other than * are distributed over the axes of the arrangement, in order; along further axes of the
// arrangement there are copies. ONTO may be left out; if present, it must have the arrangement's shape.
// `distribution` is a C string.
int32_t reblock_template_dist_text(reblock_template *tmpl,
                                   const char *distribution);

// Initialises a structure. A program must call this before it passes the structure to a call that fills it in.
// `format` has room for a structure.
int32_t reblock_format_init(reblock_format *format);

// HPF's REDISTRIBUTE: changes the distribution of `tmpl` to the distribution of `like`. `like` must have the same
// bounds, and an arrangement of ranks of the same communicator. All arrays that are aligned with `tmpl` and whose
// layout changes move to new storage, in one set of messages. The values of the `arrays` arrays in `dead` are not
// moved. On failure nothing has changed. Collective over the communicator of the template's arrangement.
// `dead` has `arrays` entries.
int32_t reblock_template_redistribute(reblock_template *tmpl,
                                      const reblock_template *like,
                                      int64_t arrays,
                                      reblock_array *const *dead);

// ---- Maps ----------------------------------------------------------------------------------------------------------
//
// The place of each element of an array: its alignment with a template, and the order of local storage. A map never
// changes.
// Threads: Several threads may use the same handles. Collective calls on one communicator are made in the same order
// on all ranks.

// Value of reblock_align.axis: the array's axis is aligned with no axis of the template.
#define REBLOCK_COLLAPSED -1

// Value of an entry of `rest`: the array has a copy at every index of that axis of the template.
#define REBLOCK_REPLICATED INT64_MIN

// The alignment of an axis of an array: index i is aligned with index `stride` * i + `offset` of axis `axis` of the
// template.
typedef struct reblock_align {
  // An axis of the template, from 0; or REBLOCK_COLLAPSED: each process has the whole axis of the array.
  int64_t axis;
  // Not 0; negative if the indices run in opposite directions.
  int64_t stride;
  // The offset, in indices of the template.
  int64_t offset;
} reblock_align;

// Makes the map of an array that is aligned with a committed template. The array has `axes` axes, with indices from
// `lower` to `upper`. `aligns` has the alignment of each axis; NULL aligns index i of axis k with index i of axis k of
// the template. `rest` has one entry per axis of the template. An entry is read if no axis of the array is aligned
// with that axis. It is the array's index along that axis, or REBLOCK_REPLICATED for a copy at every index. NULL
// stands for REBLOCK_REPLICATED in all entries. Local arrays are column-major, without shadow. Maps never change. Not
// collective.
// `lower` and `upper` have `axes` entries; `aligns` is NULL or has `axes` entries; `rest` is NULL or has an entry for
// each axis of the template; `map` has room for a handle.
int32_t reblock_map_create(const reblock_template *tmpl,
                           int64_t axes,
                           const int64_t *lower,
                           const int64_t *upper,
                           const reblock_align *aligns,
                           const int64_t *rest,
                           reblock_map **map);

// Makes the map of an array whose axes are aligned with all axes of the template, index by index. Not collective.
// `map` has room for a handle.
int32_t reblock_map_whole(const reblock_template *tmpl,
                          reblock_map **map);

// Makes the map of the matrix that a ScaLAPACK descriptor describes, on the process grid of its context, which must
// contain the calling process. Indices begin at 1, and columns are LLD elements apart. A descriptor with DTYPE 2 has
// 11 integers: it gives the sizes of the first block separately (IMB and INB), as in PBLAS. Not collective.
// `desc` has 9 integers, or 11 if the first integer is 2; `map` has room for a handle.
int32_t reblock_map_from_blacs(const reblock_int *desc,
                               reblock_map **map);

// Makes a copy of `map` with a shadow: along axis k, `before[k]` elements before and `after[k]` elements behind a
// process's own elements. Moves neither read nor write the shadow; a plan of reblock_plan_shadow fills it.
// `before` and `after` have one entry per axis; `made` has room for a handle.
int32_t reblock_map_shadow(const reblock_map *map,
                           const int64_t *before,
                           const int64_t *after,
                           reblock_map **made);

// Makes a copy of `map` with row-major local arrays, as in C. Fails for an array in boxes, whose order is set by the
// argument `row_major` of reblock_map_from_boxes.
// `made` has room for a handle.
int32_t reblock_map_row_major(const reblock_map *map,
                              reblock_map **made);

// Makes a copy of `map` whose local arrays have their axes in the order `order`: the axis that varies fastest is the
// first entry.
// `order` has one entry per axis; `made` has room for a handle.
int32_t reblock_map_order(const reblock_map *map,
                          const int64_t *order,
                          reblock_map **made);

// Makes a copy of `map` with the given strides, in elements, of the calling process's local array. Strides may differ
// between ranks.
// `strides` has one entry per axis; `made` has room for a handle.
int32_t reblock_map_strides(const reblock_map *map,
                            const int64_t *strides,
                            reblock_map **made);

// Frees a map; objects that were made with it stay valid. Sets the handle to NULL.
// `map` is the address of a handle.
int32_t reblock_map_free(reblock_map **map);

// Makes the map of an array with `axes` axes, with indices from 0 to `extents[k]` - 1. The array is on the first ranks
// of `comm`: as many as the product of `shape`, in row-major order of the coordinates (the last axis varies fastest).
// Axis k is CYCLIC(`blocks[k]`) over `shape[k]` processes. If `blocks[k]` is 0, it is BLOCK, or not distributed if
// `shape[k]` is 1. `blocks` NULL means all 0. Local arrays are column-major, without shadow. All ranks must pass the
// same arguments. Collective over `comm`.
// `extents` and `shape` have `axes` entries; `blocks` is NULL or has as many; `map` has room for a handle.
int32_t reblock_map_block_cyclic(MPI_Comm comm,
                                 int64_t axes,
                                 const int64_t *extents,
                                 const int64_t *shape,
                                 const int64_t *blocks,
                                 reblock_map **map);

// Makes the map that the arguments of MPI_Type_create_darray describe, for an array with `axes` axes and indices from
// 0 to `gsizes[k]` - 1. For each axis, `distribs` has MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC or
// MPI_DISTRIBUTE_NONE, `dargs` the block size or MPI_DISTRIBUTE_DFLT_DARG, and `psizes` the number of processes. The
// array is on the first ranks of `comm`: as many as the product of `psizes`, in row-major order of the coordinates.
// `order`, MPI_ORDER_C or MPI_ORDER_FORTRAN, is the order of local arrays. All ranks must pass the same arguments.
// Collective over `comm`.
// `gsizes`, `distribs`, `dargs` and `psizes` have `axes` entries; `map` has room for a handle.
int32_t reblock_map_from_darray(MPI_Comm comm,
                                int axes,
                                const int *gsizes,
                                const int *distribs,
                                const int *dargs,
                                const int *psizes,
                                int order,
                                reblock_map **map);

// Makes the map of an array with `axes` axes, with indices from 0 to `extents[k]` - 1, from a distribution in HPF's
// notation, for instance "(BLOCK, CYCLIC(8)) ONTO P(2,3)". P has the first ranks of `comm`, as many as it has places,
// in row-major order of the coordinates. Without ONTO, P has one axis with all ranks of `comm`. Axes with formats
// other than * are distributed over the axes of P, in order; along further axes of P there are copies. Local arrays
// are column-major, without shadow. All ranks must pass the same arguments. Collective over `comm`.
// `extents` has `axes` entries; `distribution` is a C string; `map` has room for a handle.
int32_t reblock_map_from_text(MPI_Comm comm,
                              int64_t axes,
                              const int64_t *extents,
                              const char *distribution,
                              reblock_map **map);

// Makes the map of an array in boxes: tiles with one owner each; a rank may own several. The array has `axes` axes,
// with indices from 0 to `extents[k]` - 1. Each rank passes its own boxes, `boxes` of them, which may be 0. Along axis
// k, box b has the `sizes[b * axes + k]` indices from `starts[b * axes + k]` on; a box may be empty. No element may be
// in two boxes. An element may be in no box as long as no call reads or writes it. In the rank's storage, the first
// element of box b is `offsets[b]` elements from the start, and neighbours along axis k are `strides[b * axes + k]`
// elements apart. If `strides` is NULL, boxes have no gaps and are column-major, or row-major if `row_major` is not 0.
// If `offsets` is NULL, boxes lie one after the other. `row_major` and `extents` must be the same on all ranks.
// Collective over `comm`.
// `extents` has `axes` entries; `starts` and `sizes` have `boxes` times `axes` entries; `strides` is NULL or has as
// many; `offsets` is NULL or has `boxes` entries; `map` has room for a handle.
int32_t reblock_map_from_boxes(MPI_Comm comm,
                               int64_t axes,
                               const int64_t *extents,
                               int64_t boxes,
                               const int64_t *starts,
                               const int64_t *sizes,
                               int32_t row_major,
                               const int64_t *offsets,
                               const int64_t *strides,
                               reblock_map **map);

// Gets the offset of an element in the calling process's storage, in elements: from the element at position 0 of each
// axis, or, for an array in boxes, from the origin of the boxes' offsets. `here` is set to 1 if the process owns the
// element; if not, `here` is set to 0 and nothing else is written.
// `index` has one entry per axis; `offset` and `here` are NULL or have room for a number.
int32_t reblock_map_offset(const reblock_map *map,
                           const int64_t *index,
                           int64_t *offset,
                           int32_t *here);

// Gets the number of boxes of the calling process that have elements, or -1 if the array does not lie in boxes. If the
// process has a single box, at offset 0, reblock_map_local describes this box; if it has other boxes,
// reblock_map_local fails.
// `boxes` is NULL or has room for a number.
int32_t reblock_map_boxes(const reblock_map *map,
                          int64_t *boxes);

// Gets the number of axes of an array.
// `axes` is NULL or has room for a number.
int32_t reblock_map_axes(const reblock_map *map, int64_t *axes);

// Gets the bounds of an array.
// `lower` and `upper` are NULL or have room for one number per axis.
int32_t reblock_map_bounds(const reblock_map *map, int64_t *lower, int64_t *upper);

// Gets the layout of the calling process's local array. For each axis: the number of the process's own elements
// (`extents`), the index of the first element of the storage (`lower`), the widths of the shadow before and after the
// own elements, and the stride in elements. `has_part` is set to 1 if the process has a part of the array, otherwise
// to 0.
//
// The storage begins with the shadow, so `lower` is the index of the first own element less `before`. If the process's
// indices of the axis are contiguous, its own elements have the array's indices; otherwise they count from 1. If the
// process has no element along the axis, its own elements are assumed to begin after those of the preceding processes.
// In these cases they are assumed to begin at the array's lower bound: the axis is INDIRECT, a process has several
// blocks, owners do not ascend along the axis, the array lies in boxes, or the process has no part of the array.
// Each result is NULL or has room for one number per axis, `has_part` for one.
int32_t reblock_map_local(const reblock_map *map,
                          int64_t *extents,
                          int64_t *lower,
                          int64_t *before,
                          int64_t *after,
                          int64_t *strides,
                          int32_t *has_part);

// Gets the number of elements of the calling process's storage, including shadow and gaps.
// `elements` is NULL or has room for a number.
int32_t reblock_map_elements(const reblock_map *map, int64_t *elements);

// Gets the ranks that have a copy of an element, as ranks of the arrangement's communicator, in ascending order.
// `ranks` gets at most the first `most` of them, and `owners` their total number. If the array lies in boxes, or if
// each process has only its own indices of an INDIRECT axis (reblock_template_dist_indirect_local), the call fails for
// elements of other processes; use reblock_map_dereference for these.
// `index` has one entry per axis; `ranks` is NULL or has room for `most` numbers, `owners` for one.
int32_t reblock_map_owners(const reblock_map *map,
                           const int64_t *index,
                           int64_t most,
                           int64_t *ranks,
                           int64_t *owners);

// Gets the position of an element in the calling process's storage: along each axis, from 0, shadow included. For an
// array in boxes, the position is counted from the start of the element's box. `here` is set to 1 if the process owns
// the element; if not, `here` is set to 0 and nothing else is written.
// `index` has one entry per axis; `local` is NULL or has room for as many; `here` is NULL or has room for a number.
int32_t reblock_map_local_index(const reblock_map *map,
                                const int64_t *index,
                                int64_t *local,
                                int32_t *here);

// Gets the index of the element at a position of the calling process's storage. The position is given along each axis,
// from 0, shadow included. `own` is set to 1 for the process's own elements; in the shadow, `own` is set to 0 and
// nothing else is written.
// `local` has one entry per axis; `index` is NULL or has room for as many; `own` is NULL or has room for a number.
int32_t reblock_map_global_index(const reblock_map *map,
                                 const int64_t *local,
                                 int64_t *index,
                                 int32_t *own);

// Gets the distribution of axis `axis` of an array. Fails for an array in boxes.
// `format` is NULL or was initialised by reblock_format_init.
int32_t reblock_map_format(const reblock_map *map, int64_t axis, reblock_format *format);

// Writes a map in HPF's notation, for instance "A(i,j) WITH T(2*i+1,j), T(BLOCK,*) ONTO P(4)". `text` gets as much of
// the notation as fits into `size` bytes, with a zero byte at the end. `length` gets the whole length without the zero
// byte.
// `text` is NULL or has room for `size` bytes; `length` is NULL or has room for a number.
int32_t reblock_map_text(const reblock_map *map,
                         char *text,
                         int64_t size,
                         int64_t *length);

// Gets the arrangement onto which an array is distributed.
// `procs` has room for a handle.
int32_t reblock_map_procs(const reblock_map *map, reblock_procs **procs);

// Gets the template of an array: its number of axes, at most 15, and their bounds. For each axis of the template,
// `aligned` gets the axis of the array that is aligned with it, or -1. If it is -1, `rest` gets the array's index
// along the template's axis, or REBLOCK_REPLICATED if there is a copy at every index; otherwise `rest` gets 0.
// `axes` is NULL or has room for a number; the others are NULL or have room for one number per axis of the template.
int32_t reblock_map_template(const reblock_map *map,
                             int64_t *axes,
                             int64_t *lower,
                             int64_t *upper,
                             int64_t *aligned,
                             int64_t *rest);

// Gets the part of an array that rank `rank` of the arrangement's communicator has. For each axis: `extents` and
// `lower` as in reblock_map_local, and the least and the greatest index that the rank has (`first` and `last`; 1 and 0
// if it has none). If the rank has no part of the array, `has_part` is set to 0 and nothing else is written. If each
// process has only its own indices of an INDIRECT axis, the call fails for ranks that have other indices of this axis.
// It also fails for an array in boxes.
// Each result is NULL or has room for one number per axis, `has_part` for one.
int32_t reblock_map_part(const reblock_map *map,
                         int64_t rank,
                         int64_t *extents,
                         int64_t *lower,
                         int64_t *first,
                         int64_t *last,
                         int32_t *has_part);

// Sets `equal` to 1 if two maps are equivalent, otherwise to 0. Equivalent maps give elements the same indices, and
// put each element into the same place of the storage of the same processes. Not collective: each process answers
// without communication. The answers of processes can differ only if a process passed strides of its own
// (reblock_map_strides). The answer 1 is always right. Equivalent maps get the answer 0 in two cases: if their
// communicators do not have the same processes in the same order, or if the formats of an axis are of different kinds
// but distribute its indices alike (BLOCK and CYCLIC are one kind; GEN_BLOCK, INDIRECT and boxes are others).
// `equal` is NULL or has room for a number.
int32_t reblock_map_equal(const reblock_map *map,
                          const reblock_map *other,
                          int32_t *equal);

// Gets a hash of a map, for caches of objects made from maps: not negative, identical on all processes, and identical
// for all equal maps (reblock_map_equal). Different maps, also maps on other processes, have different hashes, except
// with a probability of 2^-63 and in two cases: maps that differ only by strides that a process passed have equal
// hashes, and a communicator with processes of several MPI_COMM_WORLDs (MPI_Comm_spawn, MPI_Comm_connect) contributes
// only its number of processes. So compare maps with equal hashes by reblock_map_equal. The hash may change with the
// version of the library.
// `key` is NULL or has room for a number.
int32_t reblock_map_key(const reblock_map *map,
                        int64_t *key);

// Finds the ranks and positions of `elements` elements, which may be 0. For each element in turn, `indices` has one
// index per axis. `ranks` gets the lowest rank that has the element, and `places` its position in that rank's storage:
// along each axis, from 0, shadow included. For an array in boxes, the position is counted from the start of the
// element's box. Collective over the communicator of the map's arrangement.
// `indices` has an entry for each axis of each element; `ranks` is NULL or has room for one number per element;
// `places` is NULL or has room for as many numbers as `indices`.
int32_t reblock_map_dereference(const reblock_map *map,
                                int64_t elements,
                                const int64_t *indices,
                                int64_t *ranks,
                                int64_t *places);

// ---- Plans and requests --------------------------------------------------------------------------------------------
//
// A plan moves a section of one array to a section of another. It is made once and executed any number of times.
// Threads: Several threads may use the same plans. Collective calls on one communicator are made in the same order on
// all ranks. Only one thread may wait for a request.

// The version of reblock_plan_options that this header describes.
#define REBLOCK_PLAN_OPTIONS_VERSION 3

// The version of reblock_plan_info that this header describes.
#define REBLOCK_PLAN_INFO_VERSION 1

// Value of `axis`: `indices` has one index per axis for each element.
#define REBLOCK_ALL_AXES -1

// The version of reblock_update that this header describes.
#define REBLOCK_UPDATE_VERSION 1

// Value of reblock_update.type: int32_t.
#define REBLOCK_INT32 1

// Value of reblock_update.type: int64_t.
#define REBLOCK_INT64 2

// Value of reblock_update.type: float.
#define REBLOCK_FLOAT 3

// Value of reblock_update.type: double.
#define REBLOCK_DOUBLE 4

// Value of reblock_update.type: float complex (the real part, then the imaginary part).
#define REBLOCK_COMPLEX 5

// Value of reblock_update.type: double complex (the real part, then the imaginary part).
#define REBLOCK_DOUBLE_COMPLEX 6

// Value of reblock_update.combine: the sum; integers wrap around.
#define REBLOCK_ADD 0

// Value of reblock_update.combine: the lesser of both, or a NaN if one is a NaN; not for complex types.
#define REBLOCK_MINIMUM 1

// Value of reblock_update.combine: the greater of both, or a NaN if one is a NaN; not for complex types.
#define REBLOCK_MAXIMUM 2

// Value of reblock_update.combine: 1 if neither is 0, otherwise 0; for integers only.
#define REBLOCK_AND 3

// Value of reblock_update.combine: 0 if both are 0, otherwise 1; for integers only.
#define REBLOCK_OR 4

// Options of a plan; reblock_plan_options_init fills in the defaults. All ranks must pass the same options.
typedef struct reblock_plan_options {
  // Size of the structure in bytes, set by reblock_plan_options_init.
  int64_t size;
  // Version of the structure, set by reblock_plan_options_init.
  int64_t version;
  // The scheduler's name (see docs/schedulers.md); NULL: the scheduler with the lowest predicted cost.
  const char *scheduler;
  // "shm" or "mpi"; NULL: shared memory within a node.
  const char *transport;
  // Maximum size of the buffers on each rank, in bytes; 0: the default.
  int64_t buffer;
  // Maximum number of MPI messages in flight in each direction; 0: the default.
  int64_t window;
  // Not 0: parts of the target may go to other ranks than its map says, so that less data moves. reblock_plan_target
  // then returns the target's new map.
  int64_t relabel;
  // A permutation: axis k of the source goes to axis `axes[k]` of the target, from 0. The sections must have equal
  // extents along both axes. NULL: axes go in order.
  const int64_t *axes;
  // Number of entries of `axes`.
  int64_t axes_count;
  // Not 0: the update of each execution combines the values of all copies of a replicated source; an execution
  // without update is an error. 0: each process reads the nearest copy.
  int64_t copies;
  // Axes of the target, from 0, along which the source is repeated. The source's axes correspond to the other axes
  // of the target, in order or as `axes` says; a scalar source has no axes. NULL: the source is not repeated.
  const int64_t *spread;
  // Number of entries of `spread`.
  int64_t spread_count;
  // Not 0: source and target may share memory. The result is as if the whole source were read first. In each
  // execution, a process whose source and target overlap first copies the source's elements that it reads.
  int64_t overlap;
  // Not 0: entries of the list with an index below the lower bound of its axis are skipped. For instance, 0 is
  // skipped if indices begin at 1, and any negative index if they begin at 0. 0: such an entry is an error. For
  // reblock_plan_gather and reblock_plan_scatter only.
  int64_t skip;
} reblock_plan_options;

// Traffic of a plan on the calling process. Call reblock_plan_info_init first.
typedef struct reblock_plan_info {
  // Size of the structure in bytes, set by reblock_plan_info_init.
  int64_t size;
  // Version of the structure, set by reblock_plan_info_init.
  int64_t version;
  // Bytes sent to other ranks.
  int64_t sent;
  // Bytes received from other ranks.
  int64_t received;
  // Bytes copied within the process.
  int64_t kept;
  // Messages sent to other ranks.
  int64_t messages_sent;
  // Messages received from other ranks.
  int64_t messages_received;
  // Maximum size of the buffers, in bytes.
  int64_t buffers;
} reblock_plan_info;

// A range of indices, as a Fortran triplet: `lower`, `lower` + `stride`, ... up to `upper`, or down to it.
typedef struct reblock_range {
  // The first index of the range.
  int64_t lower;
  // The bound: no index is beyond it.
  int64_t upper;
  // The step, not 0. If it is negative, the indices descend.
  int64_t stride;
} reblock_range;

// An update of an element of the target: combine(alpha * op(source), beta * target); op is the conjugate or the
// identity. Call reblock_update_init first, which fills in the sum with alpha 1 and beta 0; then set `type`. If a
// factor is 0, its side is not read, and the target becomes the other side alone, or 0 if both factors are 0. A factor
// of 1 causes no multiplication. All ranks must pass the same update; it may differ from call to call.
typedef struct reblock_update {
  // Size of the structure in bytes, set by reblock_update_init.
  int64_t size;
  // Version of the structure, set by reblock_update_init.
  int64_t version;
  // The type of the elements, REBLOCK_INT32 to REBLOCK_DOUBLE_COMPLEX. Its size must be the plan's element size.
  int64_t type;
  // The combination, REBLOCK_ADD to REBLOCK_OR.
  int64_t combine;
  // Not 0: takes the conjugates of the source's elements; no effect on real numbers.
  int64_t conjugate;
  // Address of the factor alpha, a number of type `type`; NULL: 1.
  const void *alpha;
  // Address of the factor beta, a number of type `type`; NULL: 0.
  const void *beta;
} reblock_update;

// Fills in the default options. Programs call this function by the name reblock_plan_options_init.
// `options` has room for a reblock_plan_options.
int32_t reblock_plan_options_init_3(reblock_plan_options *options);
#define reblock_plan_options_init reblock_plan_options_init_3

// Initialises a structure. A program must call this before it passes the structure to a call that fills it in.
// `info` has room for a structure.
int32_t reblock_plan_info_init(reblock_plan_info *info);

// Makes a plan to move a section of one array to a section of another, with elements of `element` bytes. The
// arrangements of both may be any ranks of `comm`: equal, nested, overlapping or disjoint. A rank that has no part of
// an array may pass NULL for its map. A section has one range per axis; NULL is the whole array. Both sections must
// have equal extents, except that axes with a single index may be missing on one side. `options` may be NULL.
// Collective over `comm`.
// A section is NULL or has an entry for each axis of its map; `options` is NULL or points to options; `plan` has room
// for a handle.
int32_t reblock_plan_create(MPI_Comm comm,
                            const reblock_map *from,
                            const reblock_range *from_section,
                            const reblock_map *to,
                            const reblock_range *to_section,
                            int64_t element,
                            const reblock_plan_options *options,
                            reblock_plan **plan);

// Gets the traffic of a plan on the calling process.
// `info` is NULL or was initialised by reblock_plan_info_init.
int32_t reblock_plan_inquire(const reblock_plan *plan, reblock_plan_info *info);

// Gets the target's map after relabelling (option `relabel`), with an arrangement of the plan's communicator. The map
// is NULL if no part of the target goes to another rank.
// `map` has room for a handle.
int32_t reblock_plan_target(const reblock_plan *plan,
                            reblock_map **map);

// Writes a description of the plan as JSON (see docs/arrays.md). Arguments as for reblock_map_text.
// `json` is NULL or has room for `size` bytes; `length` is NULL or has room for a number.
int32_t reblock_plan_explain(const reblock_plan *plan, char *json, int64_t size, int64_t *length);

// Frees a plan; requests that use it continue. Sets the handle to NULL.
// `plan` is the address of a handle.
int32_t reblock_plan_free(reblock_plan **plan);

// Makes a plan to gather elements of an array, of `element` bytes each, into a local array of the calling process.
// `indices` has `count` indices of axis `axis` of the array; axes count from 0. All other axes are whole, as in
// A(IX(:),:). The local array has the axes of the array in the order of the map's local arrays, no gaps, and `count`
// indices along `axis`, in the order of the list. With REBLOCK_ALL_AXES, `indices` has one index per axis for each of
// `count` elements, as in A(IX(I),JX(I)), and the local array is a list of elements. Each rank may list any elements,
// each of them several times, or no elements.
//
// Execute the plan like any other: its source is the array, its target the local array. reblock_plan_reverse fails for
// this plan. A rank that has no part of the array may pass NULL for the map, unless it names elements by all their
// indices. `options` may be NULL; its fields relabel, axes, copies, spread and overlap must not be set. Arrays in
// boxes are an error. An index out of bounds is an error on all ranks, unless options.skip is set and the index is
// below the lower bound: then its entry is skipped. The local array has room for a skipped entry, too; a gather leaves
// it unchanged, and a scatter does not read it. Collective over `comm`.
// `indices` has `count` entries, or `count` for each axis; `options` is NULL or points to options; `plan` has room for
// a handle.
int32_t reblock_plan_gather(MPI_Comm comm,
                            const reblock_map *map,
                            int64_t axis,
                            int64_t count,
                            const int64_t *indices,
                            int64_t element,
                            const reblock_plan_options *options,
                            reblock_plan **plan);

// Makes a plan to scatter the elements of a local array to the elements of an array that the calling process names.
// Its source is the local array, its target the array; all else is as for reblock_plan_gather. All copies of a
// replicated array are written. Elements that no rank names stay unchanged.
//
// If an element is named several times, the order is deterministic. An execution without update writes the value of
// the highest rank that names the element; if this rank names it several times, the last value in its list. With an
// update, each rank first combines its own values, without factors, in the order of its list. Then the results of the
// ranks update the element in ascending order of ranks: the first result as the update says, the others with 1 in
// place of beta. Collective over `comm`.
// As for reblock_plan_gather.
int32_t reblock_plan_scatter(MPI_Comm comm,
                             const reblock_map *map,
                             int64_t axis,
                             int64_t count,
                             const int64_t *indices,
                             int64_t element,
                             const reblock_plan_options *options,
                             reblock_plan **plan);

// Makes a plan of a circular shift, as Fortran's CSHIFT: index i of the target's section gets the element at index i +
// shift of the source's section, modulo the number of indices. `shifts` has one shift for each of the `axes` axes of
// the source. Shifts may be negative or larger than the section; at most 6 of them are not 0. Everything else is as
// for reblock_plan_create; options may have `axes`, but not `relabel` or `spread`. All ranks must pass the same
// shifts. Collective over `comm`.
// As for reblock_plan_create; `shifts` has `axes` entries.
int32_t reblock_plan_cshift(MPI_Comm comm,
                            const reblock_map *from,
                            const reblock_range *from_section,
                            const reblock_map *to,
                            const reblock_range *to_section,
                            int64_t element,
                            int64_t axes,
                            const int64_t *shifts,
                            const reblock_plan_options *options,
                            reblock_plan **plan);

// Makes a plan of an end-off shift, as Fortran's EOSHIFT: index i of the target's section gets the element
// at index i + shift of the source's section. If there is no such index, the target's element becomes the element at
// `boundary`, or stays unchanged if `boundary` is NULL. Everything else is as for reblock_plan_cshift, but any number
// of axes may be shifted. If the target lies in boxes, `boundary` must be NULL. The library copies the boundary
// element, which must have the same bytes on all ranks. Collective over `comm`.
// As for reblock_plan_cshift; `boundary` is NULL or the address of an element.
int32_t reblock_plan_eoshift(MPI_Comm comm,
                             const reblock_map *from,
                             const reblock_range *from_section,
                             const reblock_map *to,
                             const reblock_range *to_section,
                             int64_t element,
                             int64_t axes,
                             const int64_t *shifts,
                             const void *boundary,
                             const reblock_plan_options *options,
                             reblock_plan **plan);

// Makes a plan of a shift by an array of distances, as Fortran's CSHIFT (`circular` is not 0) and EOSHIFT. In each
// line along axis `axis` of the source, index i of the target's section gets the element at index i + distance of the
// source's section. If `circular` is not 0, indices are taken modulo their number, and `boundaries` must be NULL.
// Otherwise, if there is no such index, the element gets the line's boundary value, or stays unchanged if `boundaries`
// is NULL.
//
// `distances` and `boundaries` have `count` entries, one for each line of the target's section on the calling process.
// They are in the order of a local array without axis `axis`, column-major or row-major as the target's local array.
// If the process has no index of the section along that axis, its lines have no elements, and `count` may also be 0.
// Boundary values are elements; the library copies them.
//
// Everything else is as for reblock_plan_create. Options may have `axes` and `overlap`, but not `relabel`, `spread` or
// `copies`. Arrays in boxes are an error. reblock_plan_reverse moves back the elements that were moved; from a
// replicated target, it reads the first copy. Collective over `comm`.
// As for reblock_plan_create; `distances` has `count` entries, and `boundaries` is NULL or has as many elements.
int32_t reblock_plan_shift_lines(MPI_Comm comm,
                                 const reblock_map *from,
                                 const reblock_range *from_section,
                                 const reblock_map *to,
                                 const reblock_range *to_section,
                                 int64_t element,
                                 int64_t axis,
                                 int32_t circular,
                                 int64_t count,
                                 const int64_t *distances,
                                 const void *boundaries,
                                 const reblock_plan_options *options,
                                 reblock_plan **plan);

// Makes the plan for the opposite direction: from the target's section of a plan to its source's, on the same
// communicator, with the same element size and the same options scheduler, transport, buffer, window and overlap; the
// option axes is inverted. After relabelling, it starts from the map that reblock_plan_target returns, and ends in the
// source's own map. If the source is replicated, all copies are written; from a replicated target, each process reads
// the nearest copy. A plan with the option spread and a plan of reblock_plan_gather or reblock_plan_scatter have no
// reverse: REBLOCK_ERR_ARGUMENT. Collective over the plan's communicator.
// `reverse` has room for a handle.
int32_t reblock_plan_reverse(const reblock_plan *plan,
                             reblock_plan **reverse);

// Makes a plan that fills the shadows (halos) of an array with copies of the array's elements, of `element` bytes
// each. Along axis k, it fills `before[k]` elements before a process's own elements and `after[k]` behind them, at
// most the map's widths. If both lists are NULL, it fills the map's full widths; one NULL alone is an error. Shadows
// along an axis with 0 in both lists are not filled. On any other axis, the indices of each process must be
// contiguous, as with BLOCK and GEN_BLOCK. If `periodic[k]` is not 0, the last index of axis k comes before the first.
// Otherwise, and if `periodic` is NULL, elements outside the array stay unchanged. If `corners` is not 0, the shadow's
// corners are filled as well: elements outside a process's own along several axes. A shadow may be wider than the part
// of the neighbour. The shadow of a process without elements is not filled. A rank that has no part of the array may
// pass NULL for the map. `options` may be NULL; its fields relabel, axes, copies, spread, overlap and skip must not be
// set. Collective over `comm`.
//
// Each execution of the plan has the same local array as source and target. While a request is under way, the program
// may read the process's own elements, and write own elements that are copied into no shadow.
//
// reblock_plan_reverse makes the plan that combines each element with its copies in shadows. Execute this plan with an
// update whose beta is 1, by reblock_plan_update or its variants. The shadows themselves stay unchanged. The order of
// combination is deterministic: first the shadows of the process that owns the element, rank r of `comm`, then those
// of ranks r - 1, r - 2, ..., with the last rank after rank 0. Within a rank, shadow elements are in the order of the
// local array.
// `before`, `after` and `periodic` are NULL or have one entry per axis; `options` is NULL or points to options; `plan`
// has room for a handle.
int32_t reblock_plan_shadow(MPI_Comm comm,
                            const reblock_map *map,
                            const int64_t *before,
                            const int64_t *after,
                            const int32_t *periodic,
                            int32_t corners,
                            int64_t element,
                            const reblock_plan_options *options,
                            reblock_plan **plan);

// Executes a plan. `source` and `target` are the addresses of the calling process's storage: of the element at
// position 0 of each axis, shadow included; NULL if the process has no part. No element that is read may overlap in
// memory with an element that is written, unless the plan has the option `overlap`, or every element stays at its
// address. If the call fails, nothing is written; only REBLOCK_ERR_MPI and REBLOCK_ERR_DEVICE may leave the target
// half written. Collective over the plan's communicator.
// Source and target storage are as large as the maps say, and nothing else uses them until the call returns.
int32_t reblock_plan_execute(reblock_plan *plan,
                             const void *source,
                             void *target);

// Executes `arrays` plans in one set of messages. All plans must have the same communicator. Collective over that
// communicator. If all ranks pass 0 arrays, the call does nothing and waits for no rank.
// `plans`, `sources` and `targets` have `arrays` entries, each as for reblock_plan_execute.
int32_t reblock_plan_execute_many(int64_t arrays,
                                  reblock_plan *const *plans,
                                  const void *const *sources,
                                  void *const *targets);

// Starts a non-blocking reblock_plan_execute. Data moves while the calling process is in any reblock call on the same
// communicator. reblock_request_wait or reblock_request_test returns the code of the move. The plan and the
// communicator may be freed before the request is complete. Collective over the plan's communicator.
// Source and target storage are as large as the maps say, and nothing else uses them until the request is complete;
// `request` has room for a handle.
int32_t reblock_plan_start(reblock_plan *plan,
                           const void *source,
                           void *target,
                           reblock_request **request);

// Starts a non-blocking reblock_plan_execute_many. All plans must have the same communicator. Collective over that
// communicator.
// `plans`, `sources` and `targets` have `arrays` entries, each as for reblock_plan_start; `request` has room for a
// handle.
int32_t reblock_plan_start_many(int64_t arrays,
                                reblock_plan *const *plans,
                                const void *const *sources,
                                void *const *targets,
                                reblock_request **request);

// Fills in the default update: the sum with alpha 1 and beta 0.
// `update` has room for a reblock_update.
int32_t reblock_update_init(reblock_update *update);

// As reblock_plan_execute, but updates the target's elements with the source's elements. NULL for `update` is a copy.
// If alpha is 0, `source` may be NULL. Source and target may be the same array if no element changes its place, on any
// rank. Collective over the plan's communicator.
// As for reblock_plan_execute; `update` is NULL or points to an update, whose factors are NULL or point to numbers of
// its type.
int32_t reblock_plan_update(reblock_plan *plan,
                            const void *source,
                            void *target,
                            const reblock_update *update);

// As reblock_plan_execute_many, but each array is updated with its entry of `updates`. If `updates` is NULL, all
// arrays are copied.
// `plans`, `sources` and `targets` have `arrays` entries; `updates` is NULL or has as many. Entries are as for
// reblock_plan_update.
int32_t reblock_plan_update_many(int64_t arrays,
                                 reblock_plan *const *plans,
                                 const void *const *sources,
                                 void *const *targets,
                                 const reblock_update *const *updates);

// Starts a non-blocking reblock_plan_update, as reblock_plan_start does for reblock_plan_execute. `update` and its
// factors are not used after the call.
// As for reblock_plan_start; `update` as for reblock_plan_update.
int32_t reblock_plan_start_update(reblock_plan *plan,
                                  const void *source,
                                  void *target,
                                  const reblock_update *update,
                                  reblock_request **request);

// Starts a non-blocking reblock_plan_update_many.
// `plans`, `sources` and `targets` have `arrays` entries; `updates` is NULL or has as many. Entries are as for
// reblock_plan_start_update. `request` has room for a handle.
int32_t reblock_plan_start_update_many(int64_t arrays,
                                       reblock_plan *const *plans,
                                       const void *const *sources,
                                       void *const *targets,
                                       const reblock_update *const *updates,
                                       reblock_request **request);

// Advances a request. If it is complete, `done` is set to 1, the handle to NULL, and the function returns the code of
// the move. Otherwise `done` is set to 0. The function may also fail with `done` 0, for example if the communicator
// has become unusable. The handle then stays valid, and reblock_request_wait or reblock_request_free must end the
// request.
// `request` is the address of a handle; `done` is NULL or has room for a number.
int32_t reblock_request_test(reblock_request **request,
                             int32_t *done);

// Waits until a request is complete on this rank, and returns the code of the move, which is the same on all ranks.
// Sets the handle to NULL.
// `request` is the address of a handle.
int32_t reblock_request_wait(reblock_request **request);

// Waits until a request is complete, and frees it without returning its code. Sets the handle to NULL. Does nothing if
// the handle is NULL already.
// `request` is the address of a handle.
int32_t reblock_request_free(reblock_request **request);

// ---- Moves ---------------------------------------------------------------------------------------------------------
//
// Moves without an explicit plan: the library makes the plan at the first call, and keeps it.
// Threads: Collective calls on one communicator are made in the same order on all ranks.

// Moves a section of one array to a section of another, with elements of `element` bytes: as reblock_plan_create
// without options, followed by reblock_plan_execute. The library makes the plan at the first call with these maps and
// sections. Later calls with equal maps and sections reuse it, even if the maps are other objects. The library keeps
// the 32 most recently used plans of a communicator, and frees them when the communicator is freed. A rank that has no
// part of an array may pass NULL for its map. Collective over `comm`.
// A section is NULL or has an entry for each axis of its map; source and target storage are as large as the maps say,
// and nothing else uses them until the call returns.
int32_t reblock_move(MPI_Comm comm,
                     const reblock_map *from,
                     const reblock_range *from_section,
                     const reblock_map *to,
                     const reblock_range *to_section,
                     int64_t element,
                     const void *source,
                     void *target);

// As reblock_move, but updates the target's elements with the source's elements, as reblock_plan_update does. One
// cached plan serves all updates. Collective over `comm`.
// As for reblock_move; `update` is NULL or points to an update, whose factors are NULL or point to a number of its
// type.
int32_t reblock_move_update(MPI_Comm comm,
                            const reblock_map *from,
                            const reblock_range *from_section,
                            const reblock_map *to,
                            const reblock_range *to_section,
                            int64_t element,
                            const void *source,
                            void *target,
                            const reblock_update *update);

// ---- Arrays --------------------------------------------------------------------------------------------------------
//
// Arrays whose storage reblock owns; they move when they are realigned, or their template is redistributed.
// Threads: A call on an array that another thread moves, saves or loads fails with REBLOCK_ERR_STATE.

// Makes an array of zeros, with elements of `element` bytes. Storage of large arrays is in shared memory of the node.
// Collective over the communicator of the map's arrangement.
// `array` has room for a handle.
int32_t reblock_array_create(const reblock_map *map,
                             int64_t element,
                             reblock_array **array);

// Gets the calling process's storage: its address, its extents with the shadow, the index of its first element, and
// its strides in elements. `*data` is the address of the element at position 0 of each axis, shadow included. The
// address changes with reblock_template_redistribute and reblock_array_realign. If reblock_map_local fails for the
// array's map, only the address is available. Fails while another thread moves, saves or loads the array.
// `data` is NULL or has room for a pointer; the others are NULL or have room for one number per axis.
int32_t reblock_array_data(const reblock_array *array,
                           void **data,
                           int64_t *extents,
                           int64_t *lower,
                           int64_t *strides);

// Gets the bytes per element of an array.
// `element` is NULL or has room for a number.
int32_t reblock_array_element(const reblock_array *array, int64_t *element);

// Gets the present map of an array.
// `map` has room for a handle.
int32_t reblock_array_map(const reblock_array *array, reblock_map **map);

// Frees an array with its storage, and sets the handle to NULL. It is an error if the handle is NULL already, since
// other ranks may be waiting. Collective over the communicator of the array's arrangement.
// `array` is the address of a handle.
int32_t reblock_array_free(reblock_array **array);

// HPF's REALIGN: changes the map of `array` to `map`. `map` must have the same bounds, and an arrangement of ranks of
// the same communicator. If the layout changes, the array moves to new storage; if `dead` is not 0, its values are not
// moved. On failure nothing has changed. Collective over the communicator of the array's arrangement.
int32_t reblock_array_realign(reblock_array *array,
                              const reblock_map *map,
                              int32_t dead);

// Sets whether reblock_template_redistribute and reblock_array_realign fill the shadows of `array` from now on. If
// `filled` is not 0, they fill all shadows of the array's new map, with `periodic` and `corners` as in
// reblock_plan_shadow. They do so even if the array does not move, but not if it is dead. If the shadows cannot be
// filled, that call fails on all ranks and nothing has moved. If `filled` is 0, shadows of new storage are zeros. Not
// collective, but all ranks must make the same setting before the array moves.
// `periodic` is NULL or has one entry per axis.
int32_t reblock_array_fill_shadows(reblock_array *array,
                                   int32_t filled,
                                   const int32_t *periodic,
                                   int32_t corners);

// ---- Files ---------------------------------------------------------------------------------------------------------
//
// Arrays in files of NumPy's format. Any number of ranks can read a file, with any map.
// Threads: Collective calls on one communicator are made in the same order on all ranks.

// A function of the program that gets the progress of a save or load: `done` of `all` bytes are written or read, by
// all ranks together. A file with a checksum is read twice, so `all` is then twice the size of the array.
typedef void (*reblock_file_progress_function)(void *context, int64_t done, int64_t all);

// Saves an array with elements of `element` bytes in the file `path`, in NumPy's format .npy. The file has the
// extents, the elements in Fortran order without shadows, and a checksum. `data` is the address of the element at
// position 0 of each axis in the calling process's storage. Positions are counted from the start of the lower shadow.
// `data` is NULL if the process has no part. A rank that has no part of the array may pass NULL for its map. `dtype`
// is the element type in NumPy's notation, "<f8" or "[('x', '<f4'), ('n', '<i4')]"; NULL stands for "|Vn", where n is
// `element`. The library writes another file in the same directory, which replaces `path` when all data is on the
// disk. On failure the old file, if any, is unchanged. Collective over `comm`, which must contain all ranks of the
// map's arrangement.
// `path` is a C string; `dtype` is NULL or a C string. The storage is as large as the map says.
int32_t reblock_save(MPI_Comm comm,
                     const char *path,
                     const reblock_map *map,
                     const void *data,
                     int64_t element,
                     const char *dtype);

// Loads an array from a file of reblock_save or of NumPy, in Fortran or C order. Arguments are as for reblock_save.
// The file must have the extents of the map, elements of `element` bytes, and the type `dtype` unless that is NULL.
// The array may have been saved by other ranks and in another layout. If the file has a checksum, the whole file is
// first read and checked. On failure nothing is written, unless the file changes or becomes unreadable during the
// call. Collective over `comm`.
// `path` is a C string; `dtype` is NULL or a C string. The storage is as large as the map says, and nothing else uses
// it until the call returns.
int32_t reblock_load(MPI_Comm comm,
                     const char *path,
                     const reblock_map *map,
                     void *data,
                     int64_t element,
                     const char *dtype);

// Saves an array of the library like reblock_save. Collective over the communicator of the array's arrangement.
// `path` is a C string; `dtype` is NULL or a C string.
int32_t reblock_array_save(const reblock_array *array,
                           const char *path,
                           const char *dtype);

// Loads an array of the library like reblock_load. Collective over the communicator of the array's arrangement.
// `path` is a C string; `dtype` is NULL or a C string.
int32_t reblock_array_load(reblock_array *array,
                           const char *path,
                           const char *dtype);

// Sets a function that the calling thread's saves and loads call after each part of a file, at least once in a
// successful call unless the array has no elements; NULL: none. The last call has `done` equal to `all`. The function
// must return, and must not make collective calls of this library. Not collective: ranks may set it or not.
// `function` may be called with `context` until another function, or NULL, is set.
int32_t reblock_file_progress(reblock_file_progress_function function,
                              void *context);

// ---- Scopes --------------------------------------------------------------------------------------------------------
//
// HPF's directives as text, executed at run time.
// Threads: Several threads may use the same handles. Collective calls on one communicator are made in the same order
// on all ranks.

// Makes an empty scope: a table of the names that directives declare. Collective over `comm`.
// `scope` has room for a handle.
int32_t reblock_scope_create(MPI_Comm comm, reblock_scope **scope);

// Executes a line of HPF, with or without a sentinel such as !HPF$: PROCESSORS, TEMPLATE, DIMENSION (which declares an
// array), DISTRIBUTE, ALIGN, SHADOW, REDISTRIBUTE, REALIGN or DYNAMIC (which has no effect). All ranks must pass the
// same line. A line with several names stops at the first name that fails. Collective over the scope's communicator.
// `line` is a C string.
int32_t reblock_scope_directive(reblock_scope *scope,
                                const char *line);

// Gets the processor arrangement with the given name.
// `name` is a C string; `procs` has room for a handle.
int32_t reblock_scope_procs(const reblock_scope *scope, const char *name, reblock_procs **procs);

// Gets the template with the given name; it must be distributed.
// `name` is a C string; `tmpl` has room for a handle.
int32_t reblock_scope_template(const reblock_scope *scope, const char *name, reblock_template **tmpl);

// Gets the present map of the array with the given name.
// `name` is a C string; `map` has room for a handle.
int32_t reblock_scope_map(const reblock_scope *scope, const char *name, reblock_map **map);

// Gets the array with the given name, with storage for elements of `element` bytes. The first call for a name makes
// the array. REDISTRIBUTE and REALIGN move it, and reblock_array_free frees it. Collective over the scope's
// communicator.
// `name` is a C string; `array` has room for a handle.
int32_t reblock_scope_array(reblock_scope *scope,
                            const char *name,
                            int64_t element,
                            reblock_array **array);

// Frees a scope; objects with handles in the program stay valid. Sets the handle to NULL.
// `scope` is the address of a handle.
int32_t reblock_scope_free(reblock_scope **scope);

// ---- Jobs ----------------------------------------------------------------------------------------------------------
//
// Programs that change their number of ranks while they run. A job moves its registered matrices, arrays and values
// along.
// Threads: Only one thread may use a job at a time; a call of another one fails with REBLOCK_ERR_STATE.

// The version of reblock_job_options that this header describes.
#define REBLOCK_JOB_OPTIONS_VERSION 1

// State after a resize point: nothing has changed.
#define REBLOCK_JOB_SAME 0

// State after a resize point: the number of ranks has changed, and all registered items have moved.
#define REBLOCK_JOB_RESIZED 1

// State after a resize point: a resize is under way, because some arrays are constant (reblock_job_set_constant).
// These move now, while the program continues with its present ranks and data. Later calls of reblock_job_step advance
// the moves and do not ask the policy. The first call after the arrays have arrived moves everything else, and reports
// the end of the resize by one of the other states.
#define REBLOCK_JOB_MOVING 3

// State after a resize point: the calling process is no longer in the job. It must call reblock_job_leave and
// MPI_Finalize, and end.
#define REBLOCK_JOB_LEAVE 2

// The version of reblock_job_times that this header describes.
#define REBLOCK_JOB_TIMES_VERSION 1

// The version of reblock_job_price that this header describes.
#define REBLOCK_JOB_PRICE_VERSION 1

// Options of a job; reblock_job_options_init fills in the defaults. All ranks must pass the same options.
typedef struct reblock_job_options {
  // Size of the structure in bytes, set by reblock_job_options_init.
  int64_t size;
  // Version of the structure, set by reblock_job_options_init.
  int64_t version;
  // Maximum number of ranks that one spawn call adds; 0: no limit. Ranks that one call has added can only leave
  // together.
  int64_t unit;
  // Not 0: ranks that cannot leave are parked: they wait inside reblock_job_step, without using a core, until they
  // are needed again. 0: sizes that would need parked ranks are refused.
  int64_t park;
  // The program that new processes run, without arguments; NULL: the calling program with its arguments.
  const char *command;
  // Allocates storage for arrays that move; the second argument is `context`. NULL: malloc.
  void *(*allocate)(int64_t bytes, void *context);
  // Frees storage that the program has registered or that `allocate` has returned; the second argument is `context`.
  // NULL: free.
  void (*release)(void *data, void *context);
  // Passed to `allocate` and `release`.
  void *context;
  // The shape of the process grid after a resize. 0: as nearly square as possible, with no more rows than columns.
  // At least 1: of all grids whose longer side is at most `skew` times the shorter side, the grid with the fastest
  // move of the matrices, by the machine's model (see reblock_grid_for).
  int64_t skew;
} reblock_job_options;

// A function of the program that distributes an array over another number of ranks. `tmpl` has the bounds of the
// array's template, on an arrangement of `axes` axes with `shape` processes along each. The function distributes the
// axes of `tmpl` by the reblock_template_dist_... functions, and returns REBLOCK_OK; any other code makes the resize
// fail. Axes without such a call are not distributed. The function must not communicate: it must not call
// reblock_template_dist_indirect_local, reblock_template_commit or functions of the job.
typedef int32_t (*reblock_job_formats_function)(void *context,
                                                int64_t axes,
                                                const int64_t *shape,
                                                reblock_template *tmpl);

// A policy of the program: returns the number of ranks that the job should have, or 0 for no change. The job has
// `ranks` ranks now, and an iteration takes `seconds` on the slowest rank. The library calls the function on rank 0.
// The function may call these functions of the job: reblock_job_set_spawn_info, reblock_job_set_leaving,
// reblock_job_set_leaving_hosts, reblock_job_get_hosts and reblock_job_next_freed.
typedef int64_t (*reblock_job_policy_function)(void *context, int64_t ranks, double seconds);

// Times of the last resize on the calling process, in seconds. Call reblock_job_times_init first. In a process that
// the resize started or woke, `ask` and `spawn` are 0, and the other times begin once it is in the new group.
typedef struct reblock_job_times {
  // Size of the structure in bytes, set by reblock_job_times_init.
  int64_t size;
  // Version of the structure, set by reblock_job_times_init.
  int64_t version;
  // Number of ranks before the resize.
  int64_t before;
  // Number of ranks after the resize.
  int64_t after;
  // Time of asking the policy, and of agreeing on the size with the other ranks.
  double ask;
  // Time of starting processes or waking parked ranks, and of forming the new group of active ranks.
  double spawn;
  // Time of making communicators and the process grid.
  double grid;
  // Time of sending new ranks the registered items, and of planning.
  double plan;
  // Time of moving all arrays, and of freeing their old storage.
  double transfer;
  // Time of the whole resize, inside its resize points.
  double total;
} reblock_job_times;

// The predicted cost of a resize. Call reblock_job_price_init first.
typedef struct reblock_job_price {
  // Size of the structure in bytes, set by reblock_job_price_init.
  int64_t size;
  // Version of the structure, set by reblock_job_price_init.
  int64_t version;
  // Number of bytes that ranks send to other ranks.
  int64_t bytes;
  // Number of messages, counted for each array separately.
  int64_t messages;
  // Maximum number of steps in the schedule of an array.
  int64_t steps;
  // Predicted seconds for moving the data, by the model of docs/schedulers.md.
  double seconds;
} reblock_job_price;

// Fills in the default options of a job.
// `options` has room for a reblock_job_options.
int32_t reblock_job_options_init(reblock_job_options *options);

// Begins a job with the ranks of `first`, usually MPI_COMM_WORLD. In a process that a job has started, this call joins
// the job: arrays and values that it registers afterwards, in the same order as the others, already have their
// contents. `options` may be NULL. The environment variable REBLOCK_RESIZE chooses the policy (see
// reblock_job_set_policy_text). Collective over `first`.
//
// In a process that a job has started, REBLOCK_ERR_CANCELLED means that the resize has failed or was cancelled,
// and that the job does not need the process. The process must then call MPI_Finalize and end with status 0. It must
// not call MPI_Abort, which ends the whole job.
// `options` is NULL or points to options; `job` has room for a handle.
int32_t reblock_job_init(MPI_Comm first,
                         const reblock_job_options *options,
                         reblock_job **job);

// Sets `joined` to 1 if the calling process has joined a running job, otherwise to 0.
// `joined` is NULL or has room for a number.
int32_t reblock_job_joined(const reblock_job *job, int32_t *joined);

// Gets the communicator of the job's active ranks. The communicator belongs to the library and is valid until the next
// resize; call the function again after each resize. Ranks that stay keep their order.
// `comm` is NULL or has room for a communicator.
int32_t reblock_job_get_comm(const reblock_job *job,
                             MPI_Comm *comm);

// Gets the BLACS context of the process grid of all active ranks. If there is none yet, a grid of `rows` x `cols`
// processes is made, in row-major order; if both are 0, its shape is as nearly square as possible. Making a grid is
// collective over the active ranks. A resize makes a new grid, as the option `skew` says, and the library exits the
// old grid.
// `context` is NULL or has room for a number.
int32_t reblock_job_get_blacs(reblock_job *job,
                              reblock_int rows,
                              reblock_int cols,
                              reblock_int *context);

// Ends the job, also for parked ranks, whose reblock_job_step returns REBLOCK_JOB_LEAVE. Registered storage stays the
// program's. REBLOCK_ERR_STATE if a request is under way, as in reblock_job_step. A resize that is under way is
// cancelled after its transfers have arrived; processes that were starting for it end. Rank 0 waits until all
// processes that have left have called reblock_job_leave. Afterwards all processes call MPI_Finalize. Sets the handle
// to NULL. Collective over the active ranks.
// `job` is the address of a handle.
int32_t reblock_job_finalize(reblock_job **job);

// Frees the job in a process that is no longer in it (reblock_job_step has returned REBLOCK_JOB_LEAVE). The process
// then calls MPI_Finalize and ends. Sets the handle to NULL.
// `job` is the address of a handle.
int32_t reblock_job_leave(reblock_job **job);

// Registers a ScaLAPACK matrix, which then moves with the job. `desc` is its descriptor, with the context that
// reblock_job_get_blacs returns; `*data` is the address of its storage. The storage must come from the job's
// allocator; if `*data` is NULL, the library allocates it and sets it to zero. Storage has LLD_ x LOCc elements of
// `element` bytes, at least one byte.
//
// A resize rewrites `desc` and `*data`: block sizes stay, RSRC_ and CSRC_ are taken modulo the rows and columns of the
// new grid, LLD_ is the number of local rows, at least 1. Each process of the grid has storage, even if its part has
// no elements; in a process that is no longer active, `*data` is NULL. In a process that has joined, this call sets
// both variables without reading them, if the other ranks registered the matrix before the process joined. Every rank
// must register the same items in the same order; the next resize point checks this.
//
// Storage, pointers, descriptors and values of registered items must not overlap in memory: REBLOCK_ERR_ARGUMENT.
// There are two exceptions: several matrices may share one descriptor, and values may overlap other values. A
// registration that fails leaves nothing registered, and can be repeated. While only some ranks have registered an
// item, resize points fail with REBLOCK_ERR_DIFFERS.
// `desc` has 9 integers; `data` is the address of a pointer to storage that `desc` describes. Both live as long as the
// job.
int32_t reblock_job_add_matrix(reblock_job *job,
                               reblock_int *desc,
                               int64_t element,
                               void **data);

// Registers an array with a map, on an arrangement of the job's ranks. After a resize the array keeps its formats and
// alignments, on an arrangement of all ranks with the same number of axes, as nearly square as possible. A format that
// fits only one number of ranks, such as GEN_BLOCK, makes a resize fail unless reblock_job_set_formats replaces it.
// `*data` is the address of the storage, as for reblock_plan_execute. Storage has reblock_map_elements elements, at
// least one byte. Processes outside of the arrangement have no storage: there `*data` is NULL. The program's strides
// must not be negative. Everything else is as for reblock_job_add_matrix. In a process that has joined, neither `map`
// nor `*data` is read, and the call sets `*data`. reblock_job_get_map returns the present map.
// `data` is the address of a pointer to storage that the map describes, and lives as long as the job.
int32_t reblock_job_add_array(reblock_job *job,
                              const reblock_map *map,
                              int64_t element,
                              void **data);

// Registers a value of `bytes` bytes that is the same on all ranks. Ranks that join receive the value of rank 0, and
// so do ranks that were parked. Registered pointers and descriptors must not be part of it.
// `value` has `bytes` bytes, and lives as long as the job.
int32_t reblock_job_add_value(reblock_job *job,
                              void *value,
                              int64_t bytes);

// If `constant` is not 0, declares a registered matrix or array constant: while a resize is under way, the program
// does not write it, and does not replace or free its storage. If `constant` is 0, withdraws the declaration. `number`
// is the position among the registered items, from 0. A resize moves such arrays while the program computes: see
// REBLOCK_JOB_MOVING. All ranks must make the same declaration for each array. The next resize point checks this, and
// processes that join receive it. While a resize is under way, registrations, reblock_job_set_formats and this
// function fail with REBLOCK_ERR_STATE.
int32_t reblock_job_set_constant(reblock_job *job,
                                 int64_t number,
                                 int32_t constant);

// Gets the present map of a registered matrix or array. Its arrangement is on the job's communicator. `number` is the
// position among the registered items, from 0.
// `map` has room for a handle.
int32_t reblock_job_get_map(const reblock_job *job,
                            int64_t number,
                            reblock_map **map);

// Sets the function `formats` that distributes a registered array after a resize. The function is needed for formats
// that fit only one number of ranks: GEN_BLOCK, INDIRECT or BLOCK(m). `number` is the position among the registered
// items, from 0, of an array with a map. Bounds and alignment stay unchanged. The library calls `formats` on the
// active ranks, at each resize and in reblock_job_get_price, and it must produce the same formats on all of them. So
// each process must call reblock_job_set_formats after it has registered the array, including processes that have
// joined.
// `formats` may be called with `context` as long as the job exists.
int32_t reblock_job_set_formats(reblock_job *job,
                                int64_t number,
                                reblock_job_formats_function formats,
                                void *context);

// Executes a resize point. The policy of rank 0 chooses the number of ranks. If it differs from the present one, the
// job grows or shrinks, and all registered items move. `state` gets REBLOCK_JOB_SAME, REBLOCK_JOB_RESIZED,
// REBLOCK_JOB_MOVING or REBLOCK_JOB_LEAVE. After an error the job continues with its present ranks. A rank that is
// parked waits inside this call. A size that cannot be reached is not tried again until the policy has asked for
// another size, or for none. A resize fails with REBLOCK_ERR_STATE, on all ranks, if a request of reblock_plan_start
// is not complete and is on the job's communicator or moves a registered array. Collective over the active ranks.
// `state` is NULL or has room for a number.
int32_t reblock_job_step(reblock_job *job,
                         int32_t *state);

// As reblock_job_step, but to `ranks` ranks, which must be more than now, without a policy. REBLOCK_ERR_STATE while a
// resize is under way.
// `state` is NULL or has room for a number.
int32_t reblock_job_expand(reblock_job *job,
                           int64_t ranks,
                           int32_t *state);

// As reblock_job_step, but to `ranks` ranks, which must be fewer than now, without a policy. REBLOCK_ERR_STATE while a
// resize is under way.
// `state` is NULL or has room for a number.
int32_t reblock_job_shrink(reblock_job *job,
                           int64_t ranks,
                           int32_t *state);

// Returns REBLOCK_OK if the job can have `ranks` ranks. Otherwise it returns REBLOCK_ERR_STATE, or
// REBLOCK_ERR_ARGUMENT if `ranks` is not a valid number of ranks, and reblock_message gives the reason and the sizes
// that can be reached. MPI may still fail to start the processes.
int32_t reblock_job_can_resize(const reblock_job *job,
                               int64_t ranks);

// Reports that an iteration has taken `seconds` on the calling process. Policies get the mean of these times since the
// last resize point, on the slowest process. If the program reports nothing, the time from one resize point to the
// next is used.
int32_t reblock_job_set_seconds(reblock_job *job,
                                double seconds);

// Sets the policy of resize points, in place of the policy of REBLOCK_RESIZE. The policy of rank 0 is used.
// `policy` may be called with `context` as long as the job exists.
int32_t reblock_job_set_policy(reblock_job *job, reblock_job_policy_function policy, void *context);

// Sets one of the library's policies. "4,8,4": one size at each resize point. "file:PATH": a file with a number, read
// at each resize point. "sweet:1,2,4": the next of these ascending sizes, as long as each saves more than 5 percent of
// an iteration's time; after a size that saves less, the job returns to the previous size. "sweet:1,2,4:0.1" requires
// 10 percent. "slurm:" before any of these: the nodes come from Slurm, and are returned to it. "slurm": as many ranks
// as the job's Slurm allocation has room for. "": no policy.
// `policy` is a C string.
int32_t reblock_job_set_policy_text(reblock_job *job,
                                    const char *policy);

// Sets the info that MPI receives when it starts processes for the job (the argument `info` of MPI_Comm_spawn): for
// instance the host or the hostfile, or the working directory. The info holds until the next call. The library copies
// `info`; MPI_INFO_NULL: no info. The info of rank 0 is used. If MPI cannot satisfy it, the resize fails with
// REBLOCK_ERR_MPI on all ranks.
// `info` is the handle of an info, or MPI_INFO_NULL.
int32_t reblock_job_set_spawn_info(reblock_job *job,
                                   MPI_Info info);

// Sets the ranks that leave at the next resize point, by their numbers in reblock_job_get_comm. The list of rank 0 is
// used, and rank 0 itself must stay. If the policy asks for no size, the job shrinks by these ranks. If the policy
// asks for fewer ranks than would then remain, the last ranks leave, too. If it asks for more than would remain, for
// instance for the present number, the resize point fails. Ranks that stay keep their order and are numbered from 0
// without gaps. The list replaces the list of an earlier call, and holds for one resize point, even if the resize
// fails. Processes of one spawn call can only leave together (see reblock_job_options).
// `ranks` has `count` numbers.
int32_t reblock_job_set_leaving(reblock_job *job,
                                int64_t count,
                                const int64_t *ranks);

// As reblock_job_set_leaving, for all ranks on the hosts of a list, "node3,node4". Ranks named by
// reblock_job_set_leaving leave as well.
// `hosts` is a C string.
int32_t reblock_job_set_leaving_hosts(reblock_job *job, const char *hosts);

// Gets the hosts of the active ranks, in the order of the ranks, "node1,node1,node2". A process's host is its
// environment variable REBLOCK_HOST, or the name of its machine. `hosts` gets as much as fits into `size` bytes, with
// a zero byte at the end, and `length` the whole length without the zero byte. Either may be NULL.
// `hosts` is NULL or has room for `size` bytes; `length` is NULL or has room for a number.
int32_t reblock_job_get_hosts(const reblock_job *job,
                              char *hosts,
                              int64_t size,
                              int64_t *length);

// Gets the next host that became free; "" if there is none. Each host is reported once. A host is free when each of
// the job's processes on it has called reblock_job_leave, or freed its job otherwise. These processes may still have
// to call MPI_Finalize. Rank 0 learns of free hosts at its resize points. On other ranks the result is always "".
// Writes as reblock_job_get_hosts does; a name has at most 64 bytes. A host that does not fit into `size` bytes is
// reported by the next call again.
// `host` is NULL or has room for `size` bytes; `length` is NULL or has room for a number.
int32_t reblock_job_next_freed(reblock_job *job,
                               char *host,
                               int64_t size,
                               int64_t *length);

// Initialises a reblock_job_times for the calls that fill it in.
// `times` has room for a reblock_job_times.
int32_t reblock_job_times_init(reblock_job_times *times);

// Initialises a reblock_job_price for the calls that fill it in.
// `price` has room for a reblock_job_price.
int32_t reblock_job_price_init(reblock_job_price *price);

// Predicts the cost of moving all registered matrices and arrays to `ranks` ranks. Fails as reblock_job_can_resize
// does if the job cannot have `ranks` ranks.
// `price` is NULL or was initialised by reblock_job_price_init.
int32_t reblock_job_get_price(const reblock_job *job,
                              int64_t ranks,
                              reblock_job_price *price);

// Gets the times of the last resize, also of one that failed after all ranks had agreed on it; zeros before the first
// resize. Resize points without a resize keep these times.
// `times` is NULL or was initialised by reblock_job_times_init.
int32_t reblock_job_get_times(const reblock_job *job,
                              reblock_job_times *times);

// ---- BLACS ---------------------------------------------------------------------------------------------------------
//
// Arrays of ScaLAPACK programs in shared memory of the node, and process grids. ScaLAPACK's routines are in
// reblock_scalapack.h.
// Threads: As for BLACS, only one thread at a time may make calls in a context.

// Allocates an array of `bytes` bytes, initially zero, in shared memory of the node; `*data` gets its address. A
// redistribution within `context` whose source is such an array copies each element once, directly into the receiver's
// array, instead of twice. With more than 4 processes on a node, the direct copies begin after a few repetitions.
// Collective over the processes of the BLACS context `context`; each process passes its own size. The array lives
// until reblock_blacs_free, or until the context is exited. If there is not enough memory for the arrays of all
// processes of a node, the call fails on all of them with REBLOCK_ERR_MEMORY, and `*data` is NULL. If `context` is not
// a process grid of the calling process, or MPI fails, the job ends with one line on standard error, as in ScaLAPACK's
// routines, since other processes may be waiting.
// `data` has room for an address.
int32_t reblock_blacs_alloc(reblock_int context,
                            int64_t bytes,
                            void **data);

// Frees an array from reblock_blacs_alloc with the same `context`; `*data` is its address, and is set to NULL. Before
// a process frees its array, all processes must have finished redistributing from the arrays that the same call of
// reblock_blacs_alloc allocated, in this context or another context of the same processes. The same condition holds
// before the context is exited. Fails with REBLOCK_ERR_ARGUMENT if there is no such array. Not collective.
// `data` is the address of a pointer.
int32_t reblock_blacs_free(reblock_int context,
                           void **data);

// Finds a process grid for `processes` processes; `grid` gets its rows and columns. If `skew` is 0 or `present` is
// NULL, the grid is as nearly square as possible, with no more rows than columns. Otherwise, the candidates are all
// grids whose longer side is at most `skew` times the shorter side; if there are none, the nearly square grid. Grids
// that leave a process without a block are left out, unless all grids do. The function chooses the candidate with the
// fastest move of a matrix from the grid `present`, by the model of the network (REBLOCK_NETWORK). The matrix has
// `extents` rows and columns, in blocks of `block`, with elements of `element` bytes. Both grids take the processes
// row by row, beginning with the first. `time` gets the predicted seconds of the move, 0 without `present`. Not
// collective.
// `grid` has room for two numbers; `extents`, `block` and `present` have two entries; `time` is NULL or has room for
// one number. If `present` is NULL, `extents` and `block` are not read.
int32_t reblock_grid_for(int64_t processes,
                         const int64_t *extents,
                         const int64_t *block,
                         int64_t element,
                         const int64_t *present,
                         int64_t skew,
                         int64_t *grid,
                         double *time);

// ---- Memory of GPUs ------------------------------------------------------------------------------------------------
//
// Arrays may lie in the memory of NVIDIA GPUs if REBLOCK_DEVICE=1 is set (docs/gpu.md). Not yet run on hardware.
// Threads: Each thread has its own stream.

// Sets the CUDA stream on which the program works on arrays in the memory of a GPU: a `cudaStream_t` or `CUstream`;
// NULL: the legacy default stream, which is also used before the first call. Each later call of this thread reads and
// writes such arrays after all work that the program has enqueued on the stream before that call. Not collective:
// ranks and threads may set different streams. A stream that the driver refuses, or that is being captured into a
// graph, is an error in those calls. The stream may be of any device of the process.
// The stream exists until another stream, or NULL, is set. A request does not need the stream after the call that
// starts the request.
int32_t reblock_device_stream(void *stream);

// ---- The library ---------------------------------------------------------------------------------------------------
//
// Codes and their texts, the version, and the memory that buffers take.
// Threads: Any thread may call these functions at any time. Each thread has its own message.

// The call has succeeded.
#define REBLOCK_OK 0

// A handle is NULL, freed, or of another kind of object.
#define REBLOCK_ERR_HANDLE 1

// An argument has an invalid value.
#define REBLOCK_ERR_ARGUMENT 2

// The object's state does not allow the call, or MPI is not running.
#define REBLOCK_ERR_STATE 3

// Ranks passed different arguments, or called different functions.
#define REBLOCK_ERR_DIFFERS 4

// There is not enough memory.
#define REBLOCK_ERR_MEMORY 5

// MPI failed on some rank, or other ranks did not arrive within REBLOCK_WAIT_SECONDS.
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

// A copy from or to the memory of a GPU failed on some rank. The target may be half written; the communicator stays
// usable.
#define REBLOCK_ERR_DEVICE 13

// Only reblock_job_init: the resize for which this process was started has failed or was cancelled. The job does not
// need the process, which must call MPI_Finalize and end with status 0.
#define REBLOCK_ERR_CANCELLED 14

// Returns the text of the last call that failed on this thread; empty if none has failed. The text is valid until the
// next call of this thread fails.
const char *reblock_message(void);

// Returns the name of a code, for instance "REBLOCK_ERR_ARGUMENT".
const char *reblock_code_name(int32_t code);

// Returns the version of the library, for instance "0.2.0".
const char *reblock_version(void);

// Returns the number of bytes that reblock's buffers take in this process now. Buffers are kept from call to call.
// They are freed with their plan, communicator or BLACS context, or when MPI is finalized.
int64_t reblock_buffer_bytes(void);

// Returns the maximum of reblock_buffer_bytes since the process began.
int64_t reblock_buffer_bytes_most(void);

// Returns the maximum number of bytes that reblock's buffers may take for one redistribution: an eighth of
// `local_bytes`, at least 8 MiB and at most 32 MiB, or the value of REBLOCK_BUFFER. `local_bytes` is the number of
// bytes to redistribute, divided by the number of processes that have them before or after, whichever is more. Returns
// -1 if `local_bytes` is negative or an environment variable of reblock is invalid.
int64_t reblock_buffer_limit(int64_t local_bytes);

// ---- Bindings ------------------------------------------------------------------------------------------------------
//
// Functions with a communicator or an info, for bindings that have Fortran's handles of MPI objects (MPI_Fint). C
// programs call the functions without _fortran in their names.
// Threads: As for the functions without _fortran.

int32_t reblock_procs_create_fortran(int32_t comm,
                                     int64_t axes,
                                     const int64_t *shape,
                                     const int64_t *ranks,
                                     reblock_procs **procs);

int32_t reblock_map_block_cyclic_fortran(int32_t comm,
                                         int64_t axes,
                                         const int64_t *extents,
                                         const int64_t *shape,
                                         const int64_t *blocks,
                                         reblock_map **map);

int32_t reblock_map_from_darray_fortran(int32_t comm,
                                        int axes,
                                        const int *gsizes,
                                        const int *distribs,
                                        const int *dargs,
                                        const int *psizes,
                                        int order,
                                        reblock_map **map);

int32_t reblock_map_from_text_fortran(int32_t comm,
                                      int64_t axes,
                                      const int64_t *extents,
                                      const char *distribution,
                                      reblock_map **map);

int32_t reblock_map_from_boxes_fortran(int32_t comm,
                                       int64_t axes,
                                       const int64_t *extents,
                                       int64_t boxes,
                                       const int64_t *starts,
                                       const int64_t *sizes,
                                       int32_t row_major,
                                       const int64_t *offsets,
                                       const int64_t *strides,
                                       reblock_map **map);

int32_t reblock_plan_create_fortran(int32_t comm,
                                    const reblock_map *from,
                                    const reblock_range *from_section,
                                    const reblock_map *to,
                                    const reblock_range *to_section,
                                    int64_t element,
                                    const reblock_plan_options *options,
                                    reblock_plan **plan);

int32_t reblock_plan_gather_fortran(int32_t comm,
                                    const reblock_map *map,
                                    int64_t axis,
                                    int64_t count,
                                    const int64_t *indices,
                                    int64_t element,
                                    const reblock_plan_options *options,
                                    reblock_plan **plan);

int32_t reblock_plan_scatter_fortran(int32_t comm,
                                     const reblock_map *map,
                                     int64_t axis,
                                     int64_t count,
                                     const int64_t *indices,
                                     int64_t element,
                                     const reblock_plan_options *options,
                                     reblock_plan **plan);

int32_t reblock_plan_cshift_fortran(int32_t comm,
                                    const reblock_map *from,
                                    const reblock_range *from_section,
                                    const reblock_map *to,
                                    const reblock_range *to_section,
                                    int64_t element,
                                    int64_t axes,
                                    const int64_t *shifts,
                                    const reblock_plan_options *options,
                                    reblock_plan **plan);

int32_t reblock_plan_eoshift_fortran(int32_t comm,
                                     const reblock_map *from,
                                     const reblock_range *from_section,
                                     const reblock_map *to,
                                     const reblock_range *to_section,
                                     int64_t element,
                                     int64_t axes,
                                     const int64_t *shifts,
                                     const void *boundary,
                                     const reblock_plan_options *options,
                                     reblock_plan **plan);

int32_t reblock_plan_shift_lines_fortran(int32_t comm,
                                         const reblock_map *from,
                                         const reblock_range *from_section,
                                         const reblock_map *to,
                                         const reblock_range *to_section,
                                         int64_t element,
                                         int64_t axis,
                                         int32_t circular,
                                         int64_t count,
                                         const int64_t *distances,
                                         const void *boundaries,
                                         const reblock_plan_options *options,
                                         reblock_plan **plan);

int32_t reblock_plan_shadow_fortran(int32_t comm,
                                    const reblock_map *map,
                                    const int64_t *before,
                                    const int64_t *after,
                                    const int32_t *periodic,
                                    int32_t corners,
                                    int64_t element,
                                    const reblock_plan_options *options,
                                    reblock_plan **plan);

int32_t reblock_move_fortran(int32_t comm,
                             const reblock_map *from,
                             const reblock_range *from_section,
                             const reblock_map *to,
                             const reblock_range *to_section,
                             int64_t element,
                             const void *source,
                             void *target);

int32_t reblock_move_update_fortran(int32_t comm,
                                    const reblock_map *from,
                                    const reblock_range *from_section,
                                    const reblock_map *to,
                                    const reblock_range *to_section,
                                    int64_t element,
                                    const void *source,
                                    void *target,
                                    const reblock_update *update);

int32_t reblock_save_fortran(int32_t comm,
                             const char *path,
                             const reblock_map *map,
                             const void *data,
                             int64_t element,
                             const char *dtype);

int32_t reblock_load_fortran(int32_t comm,
                             const char *path,
                             const reblock_map *map,
                             void *data,
                             int64_t element,
                             const char *dtype);

int32_t reblock_scope_create_fortran(int32_t comm, reblock_scope **scope);

int32_t reblock_job_init_fortran(int32_t first, const reblock_job_options *options, reblock_job **job);

int32_t reblock_job_get_comm_fortran(const reblock_job *job, int32_t *comm);

int32_t reblock_job_set_spawn_info_fortran(reblock_job *job, int32_t info);

#ifdef __cplusplus
} // extern "C"
#endif

#endif // REBLOCK_H
