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
// Functions return REBLOCK_OK or the code of a failure, of which reblock_message has the text. A collective function
// is called by all ranks of the communicator that it names; it returns the same code on all of them, and if it fails,
// nothing has been written, unless MPI has failed. Axes, coordinates and local positions count from 0; indices have
// the program's own bounds; strides and widths are in elements. Results are written where an address is given; NULL
// means that the result is not wanted. The addresses of new handles must be given. Programs link reblock_core, or
// reblock where ScaLAPACK's routines are to be replaced, too: `pkg-config --cflags --libs reblock_core`.

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
// A program has handles, which the functions named ..._free give back and set to NULL. An object lives as long as
// others need it.
// Threads: A handle may be passed to any thread. One that is freed is refused with REBLOCK_ERR_HANDLE, and never
// read.

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

// ---- Processor arrangements (procs) --------------------------------------------------------------------------------
//
// Ranks of a communicator as a grid of any number of axes: HPF's PROCESSORS.
// Threads: Several threads may use the same handles. Collective calls on one communicator are made in the same order
// on all ranks.

// Makes a processor arrangement with `axes` axes of `shape` processes. Its ranks are `ranks`, in row-major order of the
// coordinates (the last axis varies fastest), or, if that is NULL, ranks 0, 1, 2, ... of `comm`. `comm` must live as long as
// the arrangement is used in collective calls. Collective over `comm`.
// `shape` has `axes` entries; `ranks` is NULL or has one for each place; `procs` has room for a handle.
int32_t reblock_procs_create(MPI_Comm comm,
                             int64_t axes,
                             const int64_t *shape,
                             const int64_t *ranks,
                             reblock_procs **procs);

// As reblock_procs_create, with the communicator's handle in Fortran.
int32_t reblock_procs_create_fortran(int32_t comm,
                                     int64_t axes,
                                     const int64_t *shape,
                                     const int64_t *ranks,
                                     reblock_procs **procs);

// The number of axes of an arrangement.
// `axes` is NULL or has room for a number.
int32_t reblock_procs_axes(const reblock_procs *procs, int64_t *axes);

// Processes along each axis of an arrangement.
// `shape` is NULL or has room for one number per axis.
int32_t reblock_procs_shape(const reblock_procs *procs, int64_t *shape);

// The coordinates of rank `rank` of the arrangement's communicator, or, if that is -1, of the calling process. `inside` is 1
// if it is in the arrangement; if not, `inside` is 0 and nothing else is written.
// `coords` is NULL or has room for one number per axis; `inside` is NULL or has room for a number.
int32_t reblock_procs_coords(const reblock_procs *procs,
                             int64_t rank,
                             int64_t *coords,
                             int32_t *inside);

// The rank at these coordinates of an arrangement, in the arrangement's communicator.
// `coords` has one entry for each axis of the arrangement; `rank` is NULL or has room for a number.
int32_t reblock_procs_rank_at(const reblock_procs *procs, const int64_t *coords, int64_t *rank);

// Frees an arrangement; objects that were made with it stay valid. The handle is NULL afterwards.
// `procs` is the address of a handle.
int32_t reblock_procs_free(reblock_procs **procs);

// ---- Templates -----------------------------------------------------------------------------------------------------
//
// An index space, each axis of which is distributed over an axis of an arrangement: HPF's TEMPLATE and DISTRIBUTE.
// Threads: Several threads may use the same handles. Collective calls on one communicator are made in the same order
// on all ranks.

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

// The version of reblock_format that this header describes.
#define REBLOCK_FORMAT_VERSION 1

// How an axis of an array is distributed. Call reblock_format_init first.
typedef struct reblock_format {
  // Set by reblock_format_init.
  int64_t size;
  // Set by reblock_format_init.
  int64_t version;
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

// Makes a template with `axes` axes, with indices from `lower` to `upper`. The reblock_template_dist_... functions then
// distribute its axes, which they count from 0, and reblock_template_commit completes it.
// `lower` and `upper` have `axes` entries; `tmpl` has room for a handle.
int32_t reblock_template_create(const reblock_procs *procs,
                                int64_t axes,
                                const int64_t *lower,
                                const int64_t *upper,
                                reblock_template **tmpl);

// Completes a template, which can then be used. All ranks must have described the same distribution. Collective over the
// arrangement's communicator.
int32_t reblock_template_commit(reblock_template *tmpl);

// The number of axes of a template.
// `axes` is NULL or has room for a number.
int32_t reblock_template_axes(const reblock_template *tmpl, int64_t *axes);

// The bounds of a template.
// Both are NULL or have room for one number per axis.
int32_t reblock_template_bounds(const reblock_template *tmpl, int64_t *lower, int64_t *upper);

// How axis `axis` of a committed template is distributed now: as reblock_map_format, with stride 1 and offset 0.
// `format` is NULL or was initialised by reblock_format_init.
int32_t reblock_template_format(const reblock_template *tmpl,
                                int64_t axis,
                                reblock_format *format);

// The arrangement onto which a template is distributed now.
// `procs` has room for a handle.
int32_t reblock_template_procs(const reblock_template *tmpl, reblock_procs **procs);

// A template's distribution in HPF's notation, for instance "(CYCLIC(4),*,BLOCK) ONTO P(2,3)". Arguments as for
// reblock_map_text.
int32_t reblock_template_text(const reblock_template *tmpl,
                              char *text,
                              int64_t size,
                              int64_t *length);

// Frees a template; objects that were made with it stay valid. The handle is NULL afterwards.
// `tmpl` is the address of a handle.
int32_t reblock_template_free(reblock_template **tmpl);

// Makes axis `axis` not distributed, which is the default.
int32_t reblock_template_dist_collapsed(reblock_template *tmpl, int64_t axis);

// Makes axis `axis` BLOCK(block) along axis `procs_axis` of the arrangement. If `block` is 0, it is BLOCK: blocks of the
// extent divided by the processes, rounded up.
int32_t reblock_template_dist_block(reblock_template *tmpl,
                                    int64_t axis,
                                    int64_t procs_axis,
                                    int64_t block);

// Makes axis `axis` CYCLIC(block) along axis `procs_axis` of the arrangement.
int32_t reblock_template_dist_cyclic(reblock_template *tmpl, int64_t axis, int64_t procs_axis, int64_t block);

// Makes axis `axis` GEN_BLOCK along axis `procs_axis` of the arrangement; `sizes` has the number of indices of each of the
// `processes` processes along that axis.
// `sizes` has `processes` entries.
int32_t reblock_template_dist_gen_block(reblock_template *tmpl,
                                        int64_t axis,
                                        int64_t procs_axis,
                                        int64_t processes,
                                        const int64_t *sizes);

// Makes axis `axis` INDIRECT along axis `procs_axis` of the arrangement. For each of the `indices` indices of the axis,
// `owners` has the coordinate of the owner along `procs_axis`. All ranks give all owners.
// `owners` has `indices` entries.
int32_t reblock_template_dist_indirect(reblock_template *tmpl,
                                       int64_t axis,
                                       int64_t procs_axis,
                                       int64_t indices,
                                       const int64_t *owners);

// As reblock_template_dist_indirect, by runs of neighbouring indices with the same owner. For each of `runs` runs, `owners`
// has the coordinate of its owner, and `lengths` its number of indices.
// Both lists have `runs` entries.
int32_t reblock_template_dist_indirect_runs(reblock_template *tmpl,
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
// `owners` has `indices` entries.
int32_t reblock_template_dist_indirect_local(reblock_template *tmpl,
                                             int64_t axis,
                                             int64_t procs_axis,
                                             int64_t lower,
                                             int64_t indices,
                                             const int64_t *owners);

// Distributes all axes of a template as a text in HPF's notation says, for instance "(CYCLIC(4), BLOCK, *) ONTO P(2,3)". Axes
// with formats other than * are distributed over the axes of the arrangement, in order; along further axes of the arrangement
// there are copies. ONTO may be left out; if present, its shape must be that of the arrangement.
// `distribution` is a C string.
int32_t reblock_template_dist_text(reblock_template *tmpl,
                                   const char *distribution);

// Prepares a reblock_format for the calls that fill it in.
// `format` has room for one.
int32_t reblock_format_init(reblock_format *format);

// HPF's REDISTRIBUTE: distributes `tmpl` like `like` from now on. `like` has the same bounds, and an arrangement of
// ranks of the same communicator. All arrays that are aligned with `tmpl` move to new storage, in one set of messages;
// the `arrays` arrays in `dead` get new storage without values. On failure nothing has changed. Collective over the
// communicator of the template's arrangement.
// `dead` has `arrays` entries.
int32_t reblock_template_redistribute(reblock_template *tmpl,
                                      const reblock_template *like,
                                      int64_t arrays,
                                      reblock_array *const *dead);

// ---- Maps ----------------------------------------------------------------------------------------------------------
//
// Which element of an array is where: an alignment with a template, and the order of local storage. A map never
// changes.
// Threads: Several threads may use the same handles. Collective calls on one communicator are made in the same order
// on all ranks.

// In place of an axis of the template: the array's axis is not aligned with any.
#define REBLOCK_COLLAPSED -1

// In an entry of `rest`, in place of an index: the array has a copy at every index of that axis of the template.
#define REBLOCK_REPLICATED INT64_MIN

// The alignment of an axis of an array: index i is aligned with index `stride` * i + `offset` of axis `axis` of the template.
typedef struct reblock_align {
  // An axis of the template, from 0; or REBLOCK_COLLAPSED: each process has the whole axis of the array.
  int64_t axis;
  // Not 0; negative if the indices run in opposite directions.
  int64_t stride;
  // In indices of the template.
  int64_t offset;
} reblock_align;

// Makes the map of an array with `axes` axes, with indices from `lower` to `upper`, that is aligned with a committed template.
// `aligns` has the alignment of each axis (NULL: axis k with axis k, index i with index i). For each axis of the template with
// which no axis of the array is aligned, `rest` has the index at which the array lies, or REBLOCK_REPLICATED; other entries
// are not used (NULL: all replicated). Local arrays are column-major, without shadow. Maps never change. Not collective.
// `lower` and `upper` have `axes` entries, `aligns` too or is NULL; `rest` is NULL or has an entry for each axis of the
// template; `map` has room for a handle.
int32_t reblock_map_create(const reblock_template *tmpl,
                           int64_t axes,
                           const int64_t *lower,
                           const int64_t *upper,
                           const reblock_align *aligns,
                           const int64_t *rest,
                           reblock_map **map);

// Makes the map of an array whose axes are aligned with all axes of the template, index by index.
// `map` has room for a handle.
int32_t reblock_map_whole(const reblock_template *tmpl, reblock_map **map);

// Makes the map of the matrix that a ScaLAPACK descriptor describes, on the processes of its context, with bounds from 1 and
// columns LLD elements apart. A descriptor with DTYPE 2, of 11 integers, has sizes of the first block of its own (IMB and INB), as in
// PBLAS.
// `desc` has 9 integers, or 11 if the first one is 2; `map` has room for a handle.
int32_t reblock_map_from_blacs(const reblock_int *desc,
                               reblock_map **map);

// Makes the same map with a shadow: `before` and `after` elements before and after a process's own elements along each axis,
// which moves neither read nor write.
// `before` and `after` have one entry per axis; `made` has room for a handle.
int32_t reblock_map_shadow(const reblock_map *map,
                           const int64_t *before,
                           const int64_t *after,
                           reblock_map **made);

// Makes the same map with row-major local arrays, as in C. An error for an array in boxes: the argument `row_major` of
// reblock_map_from_boxes orders these.
// `made` has room for a handle.
int32_t reblock_map_row_major(const reblock_map *map,
                              reblock_map **made);

// Makes the same map with local arrays whose axes vary in the given order, the fastest first.
// `order` has one entry per axis; `made` has room for a handle.
int32_t reblock_map_order(const reblock_map *map, const int64_t *order, reblock_map **made);

// Makes the same map with the given strides, in elements, of the calling process's local array. Other ranks need not use the
// same strides.
// `strides` has one entry per axis; `made` has room for a handle.
int32_t reblock_map_strides(const reblock_map *map,
                            const int64_t *strides,
                            reblock_map **made);

// Frees a map; objects that were made with it stay valid. The handle is NULL afterwards.
// `map` is the address of a handle.
int32_t reblock_map_free(reblock_map **map);

// Makes the map of an array with `axes` axes, with indices from 0 to extents[k] - 1, on the first ranks of `comm`: as many as
// the product of `shape`, in row-major order of the coordinates (the last axis varies fastest). Axis k is CYCLIC(blocks[k])
// over shape[k] processes, BLOCK if blocks[k] is 0, and not distributed if that is 0 and shape[k] is 1. `blocks` may be NULL,
// which is all 0. Local arrays are column-major, without shadow. All ranks must give the same. Collective over `comm`.
// `extents` and `shape` have `axes` entries, `blocks` too or is NULL; `map` has room for a handle.
int32_t reblock_map_block_cyclic(MPI_Comm comm,
                                 int64_t axes,
                                 const int64_t *extents,
                                 const int64_t *shape,
                                 const int64_t *blocks,
                                 reblock_map **map);

// As reblock_map_block_cyclic, with the communicator's handle in Fortran.
int32_t reblock_map_block_cyclic_fortran(int32_t comm,
                                         int64_t axes,
                                         const int64_t *extents,
                                         const int64_t *shape,
                                         const int64_t *blocks,
                                         reblock_map **map);

// Makes the map that MPI_Type_create_darray's arguments describe, for an array with `axes` axes and indices from 0 to
// gsizes[k] - 1: `distribs` has MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC or MPI_DISTRIBUTE_NONE, `dargs` the block sizes
// or MPI_DISTRIBUTE_DFLT_DARG, `psizes` the processes. They are the first ranks of `comm`: as many as the product of
// `psizes`, in row-major order of the coordinates. `order` is MPI_ORDER_C or MPI_ORDER_FORTRAN and is that of local arrays.
// All ranks must give the same. Collective over `comm`.
// `gsizes`, `distribs`, `dargs` and `psizes` have `axes` entries; `map` has room for a handle.
int32_t reblock_map_from_darray(MPI_Comm comm,
                                int axes,
                                const int *gsizes,
                                const int *distribs,
                                const int *dargs,
                                const int *psizes,
                                int order,
                                reblock_map **map);

// As reblock_map_from_darray, with the communicator's handle in Fortran.
int32_t reblock_map_from_darray_fortran(int32_t comm,
                                        int axes,
                                        const int *gsizes,
                                        const int *distribs,
                                        const int *dargs,
                                        const int *psizes,
                                        int order,
                                        reblock_map **map);

// Makes the map of an array with `axes` axes, with indices from 0 to extents[k] - 1, from a distribution in HPF's notation,
// for instance "(BLOCK, CYCLIC(8)) ONTO P(2,3)". P is the first ranks of `comm`, as many as it has places, in row-major order
// of the coordinates; without ONTO, P has one axis with all ranks of `comm`. Axes with formats other than * are distributed
// over the axes of P, in order; along further axes of P there are copies. Local arrays are column-major, without shadow. All
// ranks must give the same. Collective over `comm`.
// `extents` has `axes` entries; `distribution` is a C string; `map` has room for a handle.
int32_t reblock_map_from_text(MPI_Comm comm,
                              int64_t axes,
                              const int64_t *extents,
                              const char *distribution,
                              reblock_map **map);

// As reblock_map_from_text, with the communicator's handle in Fortran.
int32_t reblock_map_from_text_fortran(int32_t comm,
                                      int64_t axes,
                                      const int64_t *extents,
                                      const char *distribution,
                                      reblock_map **map);

// Makes the map of an array with `axes` axes, with indices from 0 to extents[k] - 1, that lies in boxes (tiles with an owner
// each, or one box a rank). Each rank gives its own boxes: box b has indices from starts[b * axes + k] on, sizes[b * axes + k] of
// them, along axis k. `boxes` may be 0, and a box may be empty. No element may be in two boxes. An element may be in no box as
// long as no call reads or writes it. In the rank's storage, the first element of box b is offsets[b] elements from the start,
// and strides[b * axes + k] elements lie between neighbours along axis k. If `strides` is NULL, boxes have no gaps and are
// column-major, or row-major if `row_major` is not 0. If `offsets` is NULL, boxes lie one after the other. `row_major` and
// `extents` must be the same on all ranks. Collective over `comm`.
// `extents` has `axes` entries; `starts` and `sizes` have `boxes` times `axes` entries, `strides` too or is NULL; `offsets` has
// `boxes` entries or is NULL; `map` has room for a handle.
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

// As reblock_map_from_boxes, with the communicator's handle in Fortran.
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

// The elements from the start of the calling process's storage to an element: from the element at position 0 of each axis, or
// from the start that the offsets of boxes count from. `here` is 1 if the process owns the element; if not, `here` is 0 and
// nothing else is written.
// `index` has one entry per axis; `offset` and `here` are NULL or have room for a number.
int32_t reblock_map_offset(const reblock_map *map,
                           const int64_t *index,
                           int64_t *offset,
                           int32_t *here);

// The number of boxes of the calling process that have elements, if the array lies in boxes; otherwise -1. If the process has
// one box, and its offset is 0, reblock_map_local describes it; with other boxes that is an error.
// `boxes` is NULL or has room for a number.
int32_t reblock_map_boxes(const reblock_map *map,
                          int64_t *boxes);

// The number of axes of an array.
// `axes` is NULL or has room for a number.
int32_t reblock_map_axes(const reblock_map *map, int64_t *axes);

// The bounds of an array.
// Both are NULL or have room for one number per axis.
int32_t reblock_map_bounds(const reblock_map *map, int64_t *lower, int64_t *upper);

// The calling process's local array: its own elements along each axis; the index of the storage's first element, shadow
// included; the widths of the shadow before and after; the strides in elements; and whether the process has a part of the
// array. `lower` is in the array's own indices if those of the process are contiguous; otherwise its own elements are numbered
// from 1. If the process has no elements along an axis, `lower` is where they would begin (less the shadow): with BLOCK, GEN_BLOCK
// or at most one block of CYCLIC a process, behind those of the processes before it along the axis; otherwise, and if the process
// has no part of the array, at the lower bound of the array.
// Each is NULL or has room for one number per axis, `has_part` for one.
int32_t reblock_map_local(const reblock_map *map,
                          int64_t *extents,
                          int64_t *lower,
                          int64_t *before,
                          int64_t *after,
                          int64_t *strides,
                          int32_t *has_part);

// The number of elements of the calling process's storage, including shadow and gaps.
// `elements` is NULL or has room for a number.
int32_t reblock_map_elements(const reblock_map *map, int64_t *elements);

// The ranks that have a copy of an element, as ranks of the arrangement's communicator, in ascending order. `ranks` gets the
// first `most` of them, and `owners` their number. If each process knows only its own indices of an INDIRECT axis
// (reblock_template_dist_indirect_local), it is an error to ask for elements of others; use reblock_map_dereference.
// `index` has one entry per axis; `ranks` is NULL or has room for `most` numbers, `owners` for one.
int32_t reblock_map_owners(const reblock_map *map,
                           const int64_t *index,
                           int64_t most,
                           int64_t *ranks,
                           int64_t *owners);

// The position of an element in the calling process's storage: along each axis, from 0, shadow included. `here` is 1 if the
// process owns the element; if not, `here` is 0 and nothing else is written.
// `index` has one entry per axis; `local` is NULL or has room for as many; `here` is NULL or has room for a number.
int32_t reblock_map_local_index(const reblock_map *map,
                                const int64_t *index,
                                int64_t *local,
                                int32_t *here);

// The index of the element at a position of the calling process's storage. The position is given along each axis, from 0,
// shadow included. `own` is 1 for the process's own elements; in the shadow, `own` is 0 and nothing else is written.
// `local` has one entry per axis; `index` is NULL or has room for as many; `own` is NULL or has room for a number.
int32_t reblock_map_global_index(const reblock_map *map,
                                 const int64_t *local,
                                 int64_t *index,
                                 int32_t *own);

// How axis `axis` of an array is distributed.
// `format` is NULL or was initialised by reblock_format_init.
int32_t reblock_map_format(const reblock_map *map, int64_t axis, reblock_format *format);

// A map in HPF's notation, for instance "A(i,j) WITH T(2*i+1,j), T(BLOCK,*) ONTO P(4)": `text` gets as much of it as fits into
// `size` bytes, with a zero byte at the end, and `length` the whole length without the zero byte.
// `text` is NULL or has room for `size` bytes; `length` is NULL or has room for a number.
int32_t reblock_map_text(const reblock_map *map,
                         char *text,
                         int64_t size,
                         int64_t *length);

// The arrangement onto which an array is distributed.
// `procs` has room for a handle.
int32_t reblock_map_procs(const reblock_map *map, reblock_procs **procs);

// The template of an array: its number of axes, at most 15, and their bounds. For each axis of the template, `aligned` gets
// the axis of the array that is aligned with it, or -1. If it is -1, `rest` gets the index at which the array lies, or
// REBLOCK_REPLICATED if there is a copy at every index; otherwise 0.
// `axes` is NULL or has room for a number, the others are NULL or have room for one number per axis of the template.
int32_t reblock_map_template(const reblock_map *map,
                             int64_t *axes,
                             int64_t *lower,
                             int64_t *upper,
                             int64_t *aligned,
                             int64_t *rest);

// The part of an array on rank `rank` of the arrangement's communicator: `extents` and `lower` as in reblock_map_local, and
// the least and the greatest index along each axis, 1 and 0 if the rank has none. If the rank has no part of the array,
// `has_part` is 0 and nothing else is written. If each process knows only its own indices of an INDIRECT axis, it is an
// error to ask for another rank.
// Each is NULL or has room for one number per axis, `has_part` for one.
int32_t reblock_map_part(const reblock_map *map,
                         int64_t rank,
                         int64_t *extents,
                         int64_t *lower,
                         int64_t *first,
                         int64_t *last,
                         int32_t *has_part);

// Whether two maps mean the same: elements have the same indices, and each lies in the same place of the storage of the same
// processes. `equal` becomes 1 or 0. Each process answers for itself, without asking others; only strides that a process gave
// (reblock_map_strides) can make answers differ. 1 is always right. 0 also if the communicators of the maps do not have the same
// processes in the same order, or if an axis has formats of different kinds (BLOCK and CYCLIC are one kind; GEN_BLOCK, INDIRECT and
// boxes are others) that deal its indices out alike.
// `equal` is NULL or has room for a number.
int32_t reblock_map_equal(const reblock_map *map,
                          const reblock_map *other,
                          int32_t *equal);

// A number for a map, to look up what was made of it: not negative, the same on all processes, and the same of all maps that are
// equal (reblock_map_equal). Different maps, also those on other processes, have different numbers, but for a chance of one in 2^63
// and two exceptions: strides that a process gave do not count; and of a communicator with processes of several MPI_COMM_WORLDs
// (MPI_Comm_spawn, MPI_Comm_connect) only the number of processes counts. So compare maps with the same number by reblock_map_equal.
// The number may be another one in another version of the library.
// `key` is NULL or has room for a number.
int32_t reblock_map_key(const reblock_map *map,
                        int64_t *key);

// Finds the ranks and positions of `elements` elements, which may be 0. For each element, `indices` has one index per axis,
// one element after the other. `ranks` gets the lowest rank that has the element, and `places` its position in that rank's
// storage: along each axis, from 0, shadow included. Collective over the communicator of the map's arrangement.
// `indices` has an entry for each axis of each element; `ranks` is NULL or has room for one number per element, `places` for
// as many as `indices`.
int32_t reblock_map_dereference(const reblock_map *map,
                                int64_t elements,
                                const int64_t *indices,
                                int64_t *ranks,
                                int64_t *places);

// ---- Plans and requests --------------------------------------------------------------------------------------------
//
// How a section of one array goes to a section of another: made once, executed any number of times.
// Threads: Several threads may use the same plans. Collective calls on one communicator are made in the same order on
// all ranks. One thread waits for a request.

// The version of reblock_plan_options that this header describes.
#define REBLOCK_PLAN_OPTIONS_VERSION 2

// The version of reblock_plan_info that this header describes.
#define REBLOCK_PLAN_INFO_VERSION 1

// In place of an axis: the indices are those of elements, one per axis.
#define REBLOCK_ALL_AXES -1

// The version of reblock_update that this header describes.
#define REBLOCK_UPDATE_VERSION 1

// Elements are int32_t.
#define REBLOCK_INT32 1

// Elements are int64_t.
#define REBLOCK_INT64 2

// Elements are float.
#define REBLOCK_FLOAT 3

// Elements are double.
#define REBLOCK_DOUBLE 4

// Elements are float complex: the real part, then the imaginary part.
#define REBLOCK_COMPLEX 5

// Elements are double complex: the real part, then the imaginary part.
#define REBLOCK_DOUBLE_COMPLEX 6

// The sum; integers wrap around.
#define REBLOCK_ADD 0

// The lesser of both, a NaN if one is; not for complex types.
#define REBLOCK_MINIMUM 1

// The greater of both, a NaN if one is; not for complex types.
#define REBLOCK_MAXIMUM 2

// 1 if neither is 0, otherwise 0; for integers.
#define REBLOCK_AND 3

// 0 if both are 0, otherwise 1; for integers.
#define REBLOCK_OR 4

// Options of a plan; reblock_plan_options_init fills in the defaults. All ranks must give the same options.
typedef struct reblock_plan_options {
  // Set by reblock_plan_options_init.
  int64_t size;
  // Set by reblock_plan_options_init.
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
  // For each axis of the source, the axis of the target that it goes to, from 0: a permutation, with which both sections have the
  // same extents. NULL: axes go in order.
  const int64_t *axes;
  // Entries of `axes`.
  int64_t axes_count;
  // Not 0: the values of all copies of a replicated source are combined, by the update that each execution has then. Otherwise
  // each process reads the copy that is nearest.
  int64_t copies;
  // Axes of the target, from 0, that are none of the source's: along these the source is repeated. The source's axes correspond
  // to the others, in order or as `axes` says, and a scalar to none. NULL: there are no such axes.
  const int64_t *spread;
  // Entries of `spread`.
  int64_t spread_count;
  // Not 0: source and target may share memory. The target becomes what it would if the whole source were read first; a process
  // where they do copies what it reads of the source in each execution.
  int64_t overlap;
  // Not 0, for reblock_plan_gather and reblock_plan_scatter only: entries of the list that have an index below the first one of its
  // axis are skipped, as 0 where indices begin at 1, and any negative index where they begin at 0. Otherwise such an entry is an
  // error.
  int64_t skip;
} reblock_plan_options;

// What a plan moves on the calling process. Call reblock_plan_info_init first.
typedef struct reblock_plan_info {
  // Set by reblock_plan_info_init.
  int64_t size;
  // Set by reblock_plan_info_init.
  int64_t version;
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

// Indices lower, lower + stride, ... up to upper, or down to it, as in a Fortran triplet.
typedef struct reblock_range {
  // The first index.
  int64_t lower;
  // No index is beyond this.
  int64_t upper;
  // Not 0; where it is negative the indices descend.
  int64_t stride;
} reblock_range;

// What becomes of an element of the target: combine(alpha * op(source), beta * target), where op is the conjugate or nothing.
// Call reblock_update_init first, which fills in the sum with alpha 1 and beta 0; then set `type`. A side whose factor is 0 is
// not read and drops out: the target becomes the other side, or 0. Factors of 1 are not multiplied by. All ranks must give the
// same update, which may differ from call to call.
typedef struct reblock_update {
  // Set by reblock_update_init.
  int64_t size;
  // Set by reblock_update_init.
  int64_t version;
  // REBLOCK_INT32 or another type, of as many bytes as the plan's elements.
  int64_t type;
  // REBLOCK_ADD or another combination.
  int64_t combine;
  // Not 0: the conjugates of the source's elements; of real numbers that changes nothing.
  int64_t conjugate;
  // The address of a number of the type; NULL: 1.
  const void *alpha;
  // The address of a number of the type; NULL: 0.
  const void *beta;
} reblock_update;

// Fills in the default options. Programs call it reblock_plan_options_init.
// `options` has room for them.
int32_t reblock_plan_options_init_2(reblock_plan_options *options);
#define reblock_plan_options_init reblock_plan_options_init_2

// Prepares a reblock_plan_info for the calls that fill it in.
// `info` has room for one.
int32_t reblock_plan_info_init(reblock_plan_info *info);

// Makes a plan to move a section of one array to a section of another, with elements of `element` bytes. The arrangements of
// both may be any ranks of `comm`: equal, nested, overlapping or disjoint. A rank that has no part of an array may pass NULL
// for its map. A section has one range per axis; NULL is the whole array. Both sections must have the same extents, except
// that axes with a single index may be missing on one side. `options` may be NULL. Collective over `comm`.
// A section is NULL or has an entry for each axis of its map; `options` is NULL or points to options; `plan` has room for a
// handle.
int32_t reblock_plan_create(MPI_Comm comm,
                            const reblock_map *from,
                            const reblock_range *from_section,
                            const reblock_map *to,
                            const reblock_range *to_section,
                            int64_t element,
                            const reblock_plan_options *options,
                            reblock_plan **plan);

// As reblock_plan_create, with the communicator's handle in Fortran.
int32_t reblock_plan_create_fortran(int32_t comm,
                                    const reblock_map *from,
                                    const reblock_range *from_section,
                                    const reblock_map *to,
                                    const reblock_range *to_section,
                                    int64_t element,
                                    const reblock_plan_options *options,
                                    reblock_plan **plan);

// What a plan moves on the calling process.
// `info` is NULL or was initialised by reblock_plan_info_init.
int32_t reblock_plan_inquire(const reblock_plan *plan, reblock_plan_info *info);

// The target's map after relabelling (the option relabel), with an arrangement of the plan's communicator; NULL if no part of
// the target goes to another rank.
// `map` has room for a handle.
int32_t reblock_plan_target(const reblock_plan *plan,
                            reblock_map **map);

// A description of the plan as JSON (see docs/arrays.md). Arguments as for reblock_map_text.
int32_t reblock_plan_explain(const reblock_plan *plan, char *json, int64_t size, int64_t *length);

// Frees a plan; requests that use it continue. The handle is NULL afterwards.
// `plan` is the address of a handle.
int32_t reblock_plan_free(reblock_plan **plan);

// Makes a plan to gather elements that the calling process names into a local array of its own, of elements of `element` bytes.
// `indices` has `count` indices along axis `axis` of the array (from 0), of which all other axes are whole, as in A(IX(:),:): the
// local array has the axes of the array in the order of the map's local arrays, no gaps, and `count` indices along this axis, in
// the order of the list. With REBLOCK_ALL_AXES `indices` has one index per axis for each of `count` elements, as in A(IX,JX), and
// the local array is a list of elements. Any rank may name any elements, also several times, or none. The plan is used as any
// other one: its source is the array, its target the local array; reblock_plan_reverse is an error. A rank that has no part of the
// array may pass NULL for the map, unless it names elements by all their indices. Of `options`, which may be NULL, relabel, axes and
// copies are errors. An index out of bounds is an error on all ranks, unless options.skip is set and the index is below the first one:
// then its entry is skipped. The local array has room for a skipped entry, too; a gather leaves it as it is, and a scatter does not
// read it. Collective over `comm`.
// `indices` has `count` entries, or `count` for each axis; `options` is NULL or points to options; `plan` has room for a handle.
int32_t reblock_plan_gather(MPI_Comm comm,
                            const reblock_map *map,
                            int64_t axis,
                            int64_t count,
                            const int64_t *indices,
                            int64_t element,
                            const reblock_plan_options *options,
                            reblock_plan **plan);

// As reblock_plan_gather, with the communicator's handle in Fortran.
int32_t reblock_plan_gather_fortran(int32_t comm,
                                    const reblock_map *map,
                                    int64_t axis,
                                    int64_t count,
                                    const int64_t *indices,
                                    int64_t element,
                                    const reblock_plan_options *options,
                                    reblock_plan **plan);

// Makes a plan to scatter the elements of a local array to those that the calling process names: its source is the local array, its
// target the array; all else is as for reblock_plan_gather. All copies of an array are written. Elements that no rank names stay as
// they are. Where an element is named several times, the order is always the same. An execution without update writes the value of
// the highest rank that names the element, and of these the last in its list. With an update each rank first combines its own
// values, without factors, in the order of its list; then the element is updated with what the ranks came to, in ascending order of
// ranks: by the first one as the update says, by others with 1 in place of beta. Collective over `comm`.
// As for reblock_plan_gather.
int32_t reblock_plan_scatter(MPI_Comm comm,
                             const reblock_map *map,
                             int64_t axis,
                             int64_t count,
                             const int64_t *indices,
                             int64_t element,
                             const reblock_plan_options *options,
                             reblock_plan **plan);

// As reblock_plan_scatter, with the communicator's handle in Fortran.
int32_t reblock_plan_scatter_fortran(int32_t comm,
                                     const reblock_map *map,
                                     int64_t axis,
                                     int64_t count,
                                     const int64_t *indices,
                                     int64_t element,
                                     const reblock_plan_options *options,
                                     reblock_plan **plan);

// Makes a plan of a circular shift, as Fortran's CSHIFT: index i of the target's section becomes what index i + shift of the
// source's is, modulo their number. `shifts` has one for each of the `axes` axes of the source, and may be negative or larger than
// the section; at most 6 of them are not 0. Everything else is as for reblock_plan_create; options may have `axes`, but not
// `relabel` or `spread`. All ranks give the same shifts. Collective over `comm`.
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

// Makes a plan of an end-off shift, as Fortran's EOSHIFT: index i of the target's section becomes what index i + shift of the
// source's is; where there is none, the element at `boundary`, or (NULL) the target stays as it is. Everything else is as for
// reblock_plan_cshift, but that any number of axes may be shifted. Arrays in boxes have no boundary. All ranks give the same bytes
// as boundary, which are copied. Collective over `comm`.
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

// As reblock_plan_cshift, with the communicator's handle in Fortran.
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

// As reblock_plan_eoshift, with the communicator's handle in Fortran.
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

// Makes a plan of a shift by an array of distances, as Fortran's CSHIFT (`circular` is not 0) and EOSHIFT: in each line along axis
// `axis` of the source, index i of the target's section becomes what index i + distance of the source's is, modulo their number;
// or, if it is not circular and there is no such index, the line's boundary value, or (`boundaries` is NULL) it stays as it is.
// `distances` and `boundaries` have `count` entries, one for each line that the calling process has of the target's section: in the
// order of a local array, column-major or row-major as the target's, without that axis. If the process has no index of the section
// along that axis, its lines have no elements, and `count` may also be 0. Boundary values are elements, which are copied. Everything else is as for reblock_plan_create; options may have `axes` and `overlap`, but not `relabel`, `spread` or
// `copies`. Arrays in boxes cannot be shifted so. The way back moves what was moved; of a target of which there are copies, from the
// first one. Collective over `comm`.
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

// As reblock_plan_shift_lines, with the communicator's handle in Fortran.
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

// Makes the plan of the way back: from the target's section of a plan to its source's, on the same communicator, with the
// same element size and options. After relabelling, it starts from the map that reblock_plan_target returns, and ends in the
// source's own map. If the source is replicated, all copies are written; of a replicated target, each
// process reads the nearest copy. Collective over the plan's communicator.
// `reverse` has room for a handle.
int32_t reblock_plan_reverse(const reblock_plan *plan,
                             reblock_plan **reverse);

// Makes a plan that fills the shadows of an array with the elements that they show, of `element` bytes each: along axis k,
// before[k] elements before a process's own ones and after[k] behind them, no more than the map has (both NULL: as many; NULL for
// one of the two is an error). An axis of which both are 0 is left alone; any other axis must have neighbouring indices only on each process, as BLOCK and GEN_BLOCK
// have. Where periodic[k] is not 0, the last index of axis k comes before the first one; otherwise (and if `periodic` is NULL)
// elements outside the array stay as they are. If `corners` is not 0, elements are filled as well that are outside a process's
// own along several axes. A shadow may be wider than the neighbour's part. The shadow of a process without elements is not filled.
// A rank that has no part of the array may pass NULL for the map. `options` may be NULL; relabel, axes and copies must not be
// set. Collective over `comm`.
//
// For reblock_plan_execute and the like, source and target are the same local array. While a request is under way, the program
// may read the process's own elements, and write those that are in nobody's shadow.
//
// reblock_plan_reverse makes the plan that combines elements with what shadows have in their place. It must be carried out with
// an update, by reblock_plan_update and the like, whose beta is 1. The shadows themselves stay as they are. An element is combined
// with one after the other, in the same order every time: first with those of its own process, r, then with those of ranks
// r - 1, r - 2, ... of `comm`, and behind rank 0 of the last rank; of one rank in the order of its local array.
// `before`, `after` and `periodic` are NULL or have one entry per axis; `options` is NULL or points to options; `plan` has room
// for a handle.
int32_t reblock_plan_shadow(MPI_Comm comm,
                            const reblock_map *map,
                            const int64_t *before,
                            const int64_t *after,
                            const int32_t *periodic,
                            int32_t corners,
                            int64_t element,
                            const reblock_plan_options *options,
                            reblock_plan **plan);

// As reblock_plan_shadow, with the communicator's handle in Fortran.
int32_t reblock_plan_shadow_fortran(int32_t comm,
                                    const reblock_map *map,
                                    const int64_t *before,
                                    const int64_t *after,
                                    const int32_t *periodic,
                                    int32_t corners,
                                    int64_t element,
                                    const reblock_plan_options *options,
                                    reblock_plan **plan);

// Moves an array. `source` and `target` are the addresses of the calling process's storage: of the element at position 0 of
// each axis, shadow included; NULL where it has no part. They must not overlap in memory, unless nothing moves or the
// sections have no element in common. If the call fails, nothing is written; only REBLOCK_ERR_MPI may leave the target half
// written. Collective over the plan's communicator.
// Source and target storage are as large as the maps say, and nothing else uses them until the call returns.
int32_t reblock_plan_execute(reblock_plan *plan,
                             const void *source,
                             void *target);

// Moves `arrays` arrays in one set of messages. Collective over the communicator of the plans, which is the same for all of
// them. With 0 arrays, on all ranks alike, nothing is done and no rank is waited for.
// `plans`, `sources` and `targets` have `arrays` entries, each as for reblock_plan_execute.
int32_t reblock_plan_execute_many(int64_t arrays,
                                  reblock_plan *const *plans,
                                  const void *const *sources,
                                  void *const *targets);

// Starts a non-blocking reblock_plan_execute. Data moves while the calling process is in any reblock call on the same
// communicator. reblock_request_wait or reblock_request_test return the code. The plan and the communicator may be freed before the
// request is complete. Collective over the plan's communicator.
// Source and target storage are as large as the maps say, and nothing else uses them until the request is over; `request` has
// room for a handle.
int32_t reblock_plan_start(reblock_plan *plan,
                           const void *source,
                           void *target,
                           reblock_request **request);

// Starts a non-blocking reblock_plan_execute_many. Collective over the communicator of the plans, which is the same for all of
// them.
// `plans`, `sources` and `targets` have `arrays` entries, each as for reblock_plan_start; `request` has room for a handle.
int32_t reblock_plan_start_many(int64_t arrays,
                                reblock_plan *const *plans,
                                const void *const *sources,
                                void *const *targets,
                                reblock_request **request);

// Fills in the default update.
// `update` has room for it.
int32_t reblock_update_init(reblock_update *update);

// As reblock_plan_execute, but that the elements of the target are updated with those of the source; NULL in place of `update`
// is a copy. Where alpha is 0 `source` may be NULL. Source and target may be the same array where no element changes its place,
// on any rank. Collective over the plan's communicator.
// As for reblock_plan_execute; `update` is NULL or points to one, whose factors are NULL or point to a number of its type.
int32_t reblock_plan_update(reblock_plan *plan,
                            const void *source,
                            void *target,
                            const reblock_update *update);

// As reblock_plan_execute_many, each array with its update. `updates` may be NULL: all are copies.
// `plans`, `sources` and `targets` have `arrays` entries, `updates` too or is NULL, each as for reblock_plan_update.
int32_t reblock_plan_update_many(int64_t arrays,
                                 reblock_plan *const *plans,
                                 const void *const *sources,
                                 void *const *targets,
                                 const reblock_update *const *updates);

// Starts a non-blocking reblock_plan_update, as reblock_plan_start does reblock_plan_execute. `update` and its factors are not
// used after the call.
// As for reblock_plan_start; `update` as for reblock_plan_update.
int32_t reblock_plan_start_update(reblock_plan *plan,
                                  const void *source,
                                  void *target,
                                  const reblock_update *update,
                                  reblock_request **request);

// Starts a non-blocking reblock_plan_update_many.
// `plans`, `sources` and `targets` have `arrays` entries, `updates` too or is NULL, each as for reblock_plan_start_update;
// `request` has room for a handle.
int32_t reblock_plan_start_update_many(int64_t arrays,
                                       reblock_plan *const *plans,
                                       const void *const *sources,
                                       void *const *targets,
                                       const reblock_update *const *updates,
                                       reblock_request **request);

// Advances a request. If it is complete, `done` is 1, the code is that of the request, and the handle is NULL. Otherwise
// `done` is 0.
// `request` is the address of a handle; `done` is NULL or has room for a number.
int32_t reblock_request_test(reblock_request **request,
                             int32_t *done);

// Waits until a request is complete on this rank, and returns its code, the same on all ranks. The handle is NULL
// afterwards.
// `request` is the address of a handle.
int32_t reblock_request_wait(reblock_request **request);

// Waits until a request is complete, and frees it without returning its code. The handle is NULL afterwards.
// `request` is the address of a handle.
int32_t reblock_request_free(reblock_request **request);

// ---- Moves ---------------------------------------------------------------------------------------------------------
//
// The same in one call, where the library makes the plan and keeps it.
// Threads: Collective calls on one communicator are made in the same order on all ranks.

// Moves a section of one array to a section of another, with elements of `element` bytes: as reblock_plan_create without
// options, and reblock_plan_execute. The library makes the plan at the first call with these maps and sections, and uses it in
// later calls with equal ones, which may be other objects. It keeps the 32 plans of a communicator that were used last, and
// frees them with it. A rank that has no part of an array may pass NULL for its map. Collective over `comm`.
// A section is NULL or has an entry for each axis of its map; source and target storage are as large as the maps say, and
// nothing else uses them until the call returns.
int32_t reblock_move(MPI_Comm comm,
                     const reblock_map *from,
                     const reblock_range *from_section,
                     const reblock_map *to,
                     const reblock_range *to_section,
                     int64_t element,
                     const void *source,
                     void *target);

// As reblock_move, with the communicator's handle in Fortran.
int32_t reblock_move_fortran(int32_t comm,
                             const reblock_map *from,
                             const reblock_range *from_section,
                             const reblock_map *to,
                             const reblock_range *to_section,
                             int64_t element,
                             const void *source,
                             void *target);

// As reblock_move, but that the elements of the target are updated with those of the source, as by reblock_plan_update. The
// library uses the same plan for any update. Collective over `comm`.
// As for reblock_move; `update` is NULL or points to one, whose factors are NULL or point to a number of its type.
int32_t reblock_move_update(MPI_Comm comm,
                            const reblock_map *from,
                            const reblock_range *from_section,
                            const reblock_map *to,
                            const reblock_range *to_section,
                            int64_t element,
                            const void *source,
                            void *target,
                            const reblock_update *update);

// As reblock_move_update, with the communicator's handle in Fortran.
int32_t reblock_move_update_fortran(int32_t comm,
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

// Makes an array of zeros, with elements of `element` bytes. Large arrays are in shared memory of the node. Collective over
// the communicator of the map's arrangement.
// `array` has room for a handle.
int32_t reblock_array_create(const reblock_map *map,
                             int64_t element,
                             reblock_array **array);

// The calling process's storage: its address, its extents with the shadow, the index of its first element, and its strides
// in elements. The address is that of the element at position 0 of each axis, shadow included; it changes with
// reblock_template_redistribute and reblock_array_realign. An error while another thread moves, saves or loads the
// array.
// `data` is NULL or has room for a pointer; the others are NULL or have room for one number per axis.
int32_t reblock_array_data(const reblock_array *array,
                           void **data,
                           int64_t *extents,
                           int64_t *lower,
                           int64_t *strides);

// The bytes per element of an array.
// `element` is NULL or has room for a number.
int32_t reblock_array_element(const reblock_array *array, int64_t *element);

// The present map of an array.
// `map` has room for a handle.
int32_t reblock_array_map(const reblock_array *array, reblock_map **map);

// Frees an array with its storage. The handle is NULL afterwards. It is an error if the handle is NULL before, since other
// ranks may be waiting. Collective over the communicator of the array's arrangement.
// `array` is the address of a handle.
int32_t reblock_array_free(reblock_array **array);

// HPF's REALIGN: maps `array` like `map` from now on. `map` has the same bounds, and an arrangement of ranks of the same
// communicator. The array moves to new storage; if `dead` is not 0, it gets new storage without values. On failure nothing
// has changed. Collective over the communicator of the array's arrangement.
int32_t reblock_array_realign(reblock_array *array,
                              const reblock_map *map,
                              int32_t dead);

// Says whether reblock_template_redistribute and reblock_array_realign leave the shadows of `array` filled from now on: they do if
// `filled` is not 0, also where the array does not move, but not where it is dead. All shadows of the map that it has then are
// filled, with `periodic` and `corners` as in reblock_plan_shadow; it is an error on all ranks if that cannot fill them, and nothing
// has moved. At first shadows of a new storage are zeros. Not collective, but all ranks say the same before the array moves.
// `periodic` is NULL or has one entry per axis.
int32_t reblock_array_fill_shadows(reblock_array *array,
                                   int32_t filled,
                                   const int32_t *periodic,
                                   int32_t corners);

// ---- Files ---------------------------------------------------------------------------------------------------------
//
// Arrays in NumPy's format: any number of ranks with any map can read what others have written.
// Threads: Collective calls on one communicator are made in the same order on all ranks.

// Saves an array with elements of `element` bytes in the file `path`, in NumPy's format .npy: extents and elements in Fortran
// order, without shadows, followed by a checksum. `data` is the address of the calling process's storage: of the element at
// position 0 of each axis, shadow included; NULL where it has no part. A rank that has no part of the array may pass NULL for
// its map. `dtype` is the element type in NumPy's notation, "<f8" or "[('x', '<f4'), ('n', '<i4')]"; NULL: "|Vn", n bytes. The
// data is written to another file in the same directory, which replaces `path` when all of it is on the disk. On failure the
// old file, if any, is unchanged. Collective over `comm`, which has all ranks of the map's arrangement.
// `path` is a C string, `dtype` NULL or one; the storage is as large as the map says.
int32_t reblock_save(MPI_Comm comm,
                     const char *path,
                     const reblock_map *map,
                     const void *data,
                     int64_t element,
                     const char *dtype);

// As reblock_save, with the communicator's handle in Fortran.
int32_t reblock_save_fortran(int32_t comm,
                             const char *path,
                             const reblock_map *map,
                             const void *data,
                             int64_t element,
                             const char *dtype);

// Loads an array from a file of reblock_save or of NumPy, in Fortran or C order. Arguments are as for reblock_save. The file
// must have the extents of the map, elements of `element` bytes, and the type `dtype` unless that is NULL. Ranks and layout
// may differ from those with which it was saved. If the file has a checksum, the whole file is first read and checked. On
// failure nothing is written, unless the file changes or becomes unreadable during the call. Collective over `comm`.
// `path` is a C string, `dtype` NULL or one; the storage is as large as the map says, and nobody else uses it until the call
// returns.
int32_t reblock_load(MPI_Comm comm,
                     const char *path,
                     const reblock_map *map,
                     void *data,
                     int64_t element,
                     const char *dtype);

// As reblock_load, with the communicator's handle in Fortran.
int32_t reblock_load_fortran(int32_t comm,
                             const char *path,
                             const reblock_map *map,
                             void *data,
                             int64_t element,
                             const char *dtype);

// Saves an array like reblock_save. Collective over the communicator of the array's arrangement.
// `path` is a C string, `dtype` NULL or one.
int32_t reblock_array_save(const reblock_array *array, const char *path, const char *dtype);

// Loads an array like reblock_load. Collective over the communicator of the array's arrangement.
int32_t reblock_array_load(reblock_array *array, const char *path, const char *dtype);

// ---- Scopes --------------------------------------------------------------------------------------------------------
//
// HPF's directives as text, carried out while the program runs.
// Threads: Several threads may use the same handles. Collective calls on one communicator are made in the same order
// on all ranks.

// Makes a scope of names, in which directives are carried out. Collective over `comm`.
// `scope` has room for a handle.
int32_t reblock_scope_create(MPI_Comm comm, reblock_scope **scope);

// As reblock_scope_create, with the communicator's handle in Fortran.
int32_t reblock_scope_create_fortran(int32_t comm, reblock_scope **scope);

// Carries out a line of HPF, with or without a sentinel such as !HPF$: PROCESSORS, TEMPLATE, DIMENSION (which declares an
// array), DISTRIBUTE, ALIGN, SHADOW, REDISTRIBUTE, REALIGN or DYNAMIC (which has no effect). All ranks must give the same
// line. A line with several names stops at the first name that fails. Collective over the scope's communicator.
// `line` is a C string.
int32_t reblock_scope_directive(reblock_scope *scope,
                                const char *line);

// The processor arrangement with the given name.
// `name` is a C string; `procs` has room for a handle.
int32_t reblock_scope_procs(const reblock_scope *scope, const char *name, reblock_procs **procs);

// The template with the given name; it must be distributed.
// `name` is a C string; `tmpl` has room for a handle.
int32_t reblock_scope_template(const reblock_scope *scope, const char *name, reblock_template **tmpl);

// The present map of the array with the given name.
// `name` is a C string; `map` has room for a handle.
int32_t reblock_scope_map(const reblock_scope *scope, const char *name, reblock_map **map);

// The array with the given name, with storage for elements of `element` bytes. The first call for a name makes the array. It
// moves with REDISTRIBUTE and REALIGN, and is freed by reblock_array_free. Collective over the scope's communicator.
// `name` is a C string; `array` has room for a handle.
int32_t reblock_scope_array(reblock_scope *scope,
                            const char *name,
                            int64_t element,
                            reblock_array **array);

// Frees a scope; objects of which the program has handles stay valid. The handle is NULL afterwards.
// `scope` is the address of a handle.
int32_t reblock_scope_free(reblock_scope **scope);

// ---- Jobs ----------------------------------------------------------------------------------------------------------
//
// Programs that grow and shrink: a job knows what has to move, and moves it when the number of ranks changes.
// Threads: A job is used by one thread at a time; a call by another one fails with REBLOCK_ERR_STATE.

// The version of reblock_job_options that this header describes.
#define REBLOCK_JOB_OPTIONS_VERSION 1

// Result of a resize point: nothing has changed.
#define REBLOCK_JOB_SAME 0

// Result of a resize point: the number of ranks has changed, and everything that is registered has moved.
#define REBLOCK_JOB_RESIZED 1

// Result of a resize point: a resize is under way, as arrays are constant (reblock_job_set_constant). These move now, while the
// program goes on with the ranks and the data that it has. Later calls of reblock_job_step let them go on, and ask for no size.
// The one at which they are there moves everything else, and says that the resize is over by one of the other results.
#define REBLOCK_JOB_MOVING 3

// Result of a resize point: the calling process is no longer in the job. It calls reblock_job_leave and MPI_Finalize, and
// ends.
#define REBLOCK_JOB_LEAVE 2

// The version of reblock_job_times that this header describes.
#define REBLOCK_JOB_TIMES_VERSION 1

// The version of reblock_job_price that this header describes.
#define REBLOCK_JOB_PRICE_VERSION 1

// Options of a job; reblock_job_options_init fills in the defaults. All ranks must give the same options.
typedef struct reblock_job_options {
  // Set by reblock_job_options_init.
  int64_t size;
  // Set by reblock_job_options_init.
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
                                                reblock_template *tmpl);

// A policy of the program: returns the number of ranks that the job should have, or 0 for no change. The job has `ranks` ranks
// now, and an iteration takes `seconds` on the slowest. It is called on rank 0. Of the functions of the job it may call
// reblock_job_set_spawn_info, reblock_job_set_leaving, reblock_job_set_leaving_hosts, reblock_job_get_hosts and
// reblock_job_next_freed.
typedef int64_t (*reblock_job_policy_function)(void *context, int64_t ranks, double seconds);

// What the last resize took on the calling process, in seconds. Call reblock_job_times_init first.
typedef struct reblock_job_times {
  // Set by reblock_job_times_init.
  int64_t size;
  // Set by reblock_job_times_init.
  int64_t version;
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

// The predicted cost of a resize. Call reblock_job_price_init first.
typedef struct reblock_job_price {
  // Set by reblock_job_price_init.
  int64_t size;
  // Set by reblock_job_price_init.
  int64_t version;
  // Bytes sent between ranks.
  int64_t bytes;
  // Messages, counted for each array separately.
  int64_t messages;
  // The most steps that a schedule of an array has.
  int64_t steps;
  // Seconds for moving the data, by the model of docs/schedulers.md.
  double seconds;
} reblock_job_price;

// Fills in the default options.
// `options` has room for them.
int32_t reblock_job_options_init(reblock_job_options *options);

// Begins a job with the ranks of `first`, usually MPI_COMM_WORLD. In a process that a job has started, this call joins the
// job: arrays and values that it registers afterwards, in the same order as the others, already have their contents. `options`
// may be NULL. The environment variable REBLOCK_RESIZE chooses the policy (see reblock_job_set_policy_text). Collective over
// `first`. In a process that a job has started, REBLOCK_ERR_STATE means that the resize has failed and that the job continues
// without this process: it calls MPI_Finalize and ends with status 0. It must not call MPI_Abort, which ends the whole job.
// `options` is NULL or points to options; `job` has room for a handle.
int32_t reblock_job_init(MPI_Comm first,
                         const reblock_job_options *options,
                         reblock_job **job);

// As reblock_job_init, with the communicator's handle in Fortran.
int32_t reblock_job_init_fortran(int32_t first, const reblock_job_options *options, reblock_job **job);

// `joined` is 1 if the calling process has joined a running job, and 0 if not.
// `joined` is NULL or has room for a number.
int32_t reblock_job_joined(const reblock_job *job, int32_t *joined);

// The communicator of the job's active ranks. It belongs to the library and is valid until the next resize; ask again after
// each resize. Ranks that stay keep their order.
// `comm` is NULL or has room for a communicator.
int32_t reblock_job_get_comm(const reblock_job *job,
                             MPI_Comm *comm);

// As reblock_job_get_comm, with the communicator's handle in Fortran.
// `comm` is NULL or has room for a number.
int32_t reblock_job_get_comm_fortran(const reblock_job *job, int32_t *comm);

// The BLACS context of the process grid of all active ranks. If there is none yet, a grid of `rows` x `cols` processes is
// made, in row-major order; 0 and 0: as nearly square as possible. Making a grid is collective over the active ranks. A resize
// makes a new grid, nearly square or as the option `skew` says, and the library exits the old one.
// `context` is NULL or has room for a number.
int32_t reblock_job_get_blacs(reblock_job *job,
                              reblock_int rows,
                              reblock_int cols,
                              reblock_int *context);

// Ends the job, also for parked ranks, whose reblock_job_step returns REBLOCK_JOB_LEAVE. Registered storage stays the
// program's. REBLOCK_ERR_STATE if a request is under way, as in reblock_job_step. A resize that is under way is called off, once
// what moves has arrived: processes that were to come end. Rank 0 waits until all processes that have left
// have called reblock_job_leave. Afterwards all processes call MPI_Finalize.
// The handle is NULL afterwards. Collective over the active ranks.
// `job` is the address of a handle.
int32_t reblock_job_finalize(reblock_job **job);

// Frees the job in a process that is no longer in it (reblock_job_step has returned REBLOCK_JOB_LEAVE). The process then calls
// MPI_Finalize and ends. The handle is NULL afterwards.
// `job` is the address of a handle.
int32_t reblock_job_leave(reblock_job **job);

// Registers a ScaLAPACK matrix, which then moves with the job: its descriptor `desc`, whose context is that of
// reblock_job_get_blacs, and the address of its storage, in `*data`. The storage must come from the job's allocator; if
// `*data` is NULL, storage is allocated and set to zero. Storage has LLD_ x LOCc elements of `element` bytes, at least one
// byte. A resize rewrites both: block sizes stay, RSRC_ and CSRC_ are taken modulo the new grid, LLD_ is the number of local
// rows, at least 1. Each process of the grid has storage, also where its part has no elements; in a process that is no longer
// active, `*data` is NULL. In a process that has joined, both are written at once, whatever they were, if the other ranks had
// registered the matrix before. Every rank must register the same things in the same order; this is checked at the next
// resize point.
//
// No two things that are registered may overlap in memory, nor may a value have a pointer or a descriptor in it that is
// registered: REBLOCK_ERR_ARGUMENT. Several matrices may have one descriptor. A registration that fails leaves nothing
// registered, and can be made again; resizes fail with REBLOCK_ERR_DIFFERS as long as only some ranks have succeeded.
// `desc` has 9 integers; `data` is the address of a pointer to storage that `desc` describes. Both live as long as the job.
int32_t reblock_job_add_matrix(reblock_job *job,
                               reblock_int *desc,
                               int64_t element,
                               void **data);

// Registers an array with a map, on an arrangement of the job's ranks. After a resize the array keeps its formats and
// alignments, on an arrangement of all ranks with the same number of axes, as nearly square as possible. A format that does
// not fit another number of ranks, such as GEN_BLOCK, makes a resize fail unless reblock_job_set_formats replaces it. `*data`
// is the address of the storage, as for reblock_plan_execute, and the rest as for reblock_job_add_matrix: in a process that
// has joined, `map` is not read, and `*data` is written whatever it was. Storage has reblock_map_elements elements, at least
// one byte; `*data` is NULL only in processes outside of the arrangement. Strides of the program's must not be negative.
// reblock_job_get_map returns the present map.
// `data` is the address of a pointer to storage that the map describes, and lives as long as the job.
int32_t reblock_job_add_array(reblock_job *job,
                              const reblock_map *map,
                              int64_t element,
                              void **data);

// Registers a value of `bytes` bytes that is the same on all ranks: ranks that join get that of rank 0, and so do ranks that
// were parked. Pointers and descriptors that are registered must not be part of it.
// `value` has `bytes` bytes, and lives as long as the job.
int32_t reblock_job_add_value(reblock_job *job,
                              void *value,
                              int64_t bytes);

// Says that the program does not write a registered matrix or array while a resize is under way (`constant` is not 0), nor changes
// or frees its storage; or that it may do so again (0). `number` counts what was registered, from 0. A resize moves such arrays
// while the program computes: see REBLOCK_JOB_MOVING. All ranks must say the same of each array; this is checked at the next
// resize point, and a process that has joined is told. While a resize is under way, nothing can be registered and
// reblock_job_set_formats and this function cannot be called: REBLOCK_ERR_STATE.
int32_t reblock_job_set_constant(reblock_job *job,
                                 int64_t number,
                                 int32_t constant);

// The present map of a registered matrix or array, on ranks of the job's communicator. `number` counts what was registered,
// from 0.
// `map` has room for a handle.
int32_t reblock_job_get_map(const reblock_job *job,
                            int64_t number,
                            reblock_map **map);

// Sets the function `formats` that distributes a registered array after a resize. It is needed for formats that fit one number
// of ranks only: GEN_BLOCK, INDIRECT or BLOCK(m). `number` counts what was registered, from 0, and must be an array with a
// map. Bounds and alignment stay as they are. `formats` is called on the active ranks, at each resize and by
// reblock_job_get_price, and must give the same formats on all of them. So each process calls this function after it has
// registered the array, including processes that have joined.
// `formats` may be called with `context` as long as the job exists.
int32_t reblock_job_set_formats(reblock_job *job,
                                int64_t number,
                                reblock_job_formats_function formats,
                                void *context);

// A resize point. The policy of rank 0 decides how many ranks there should be. If that is another number, the job grows or
// shrinks, and everything that is registered moves. `state` is one of REBLOCK_JOB_SAME, REBLOCK_JOB_RESIZED,
// REBLOCK_JOB_MOVING and REBLOCK_JOB_LEAVE. After an error the job continues with the ranks that it had. A rank that is parked waits inside this
// call. A size that cannot be reached is tried once, as long as the policy asks for no other one. A resize is refused with
// REBLOCK_ERR_STATE, on all ranks, if a request of reblock_plan_start has not been waited for that is on the job's
// communicator or moves a registered array. Collective over the active ranks.
// `state` is NULL or has room for a number.
int32_t reblock_job_step(reblock_job *job,
                         int32_t *state);

// As reblock_job_step, but to `ranks` ranks, more than now, without a policy. REBLOCK_ERR_STATE while a resize is under way.
// `state` is NULL or has room for a number.
int32_t reblock_job_expand(reblock_job *job,
                           int64_t ranks,
                           int32_t *state);

// As reblock_job_step, but to `ranks` ranks, fewer than now, without a policy. REBLOCK_ERR_STATE while a resize is under way.
// `state` is NULL or has room for a number.
int32_t reblock_job_shrink(reblock_job *job,
                           int64_t ranks,
                           int32_t *state);

// Returns REBLOCK_OK if the job can have `ranks` ranks. If not, it returns REBLOCK_ERR_STATE, or REBLOCK_ERR_ARGUMENT for
// what is no number of ranks, and reblock_message says why not and which sizes can be reached. Whether processes can be
// started is known only when it is tried.
int32_t reblock_job_can_resize(const reblock_job *job,
                               int64_t ranks);

// Reports that an iteration has taken `seconds` on the calling process. Policies get the time of the slowest process. If the
// program reports nothing, the time from one resize point to the next counts.
int32_t reblock_job_set_seconds(reblock_job *job,
                                double seconds);

// Sets the policy of resize points, in place of the one in REBLOCK_RESIZE. The policy of rank 0 counts.
// `policy` may be called with `context` as long as the job exists.
int32_t reblock_job_set_policy(reblock_job *job, reblock_job_policy_function policy, void *context);

// Sets one of the library's policies. "4,8,4": one number at each resize point. "file:PATH": a file with a number, read at
// each resize point. "sweet:1,2,4": the next of these sizes, which ascend, as long as each saves more than 5 percent of an
// iteration's time; "sweet:1,2,4:0.1" asks for 10 percent. "slurm:" before any of these: the nodes come from Slurm, and go back
// to it. "slurm": as many ranks as the allocation of the job has room for. "": none.
// `policy` is a C string.
int32_t reblock_job_set_policy_text(reblock_job *job,
                                    const char *policy);

// What MPI is told when it starts processes for the job (the argument `info` of MPI_Comm_spawn), from now on: the host or the
// hostfile on which they are started, the working directory, or what else the MPI knows. It is copied; MPI_INFO_NULL: nothing.
// That of rank 0 counts. What MPI cannot satisfy makes the resize fail, with REBLOCK_ERR_MPI on all ranks.
// `info` is the handle of an info, or MPI_INFO_NULL.
int32_t reblock_job_set_spawn_info(reblock_job *job,
                                   MPI_Info info);

// As reblock_job_set_spawn_info, with the handle in Fortran.
int32_t reblock_job_set_spawn_info_fortran(reblock_job *job, int32_t info);

// The ranks that are to leave at the next resize point, by their numbers in reblock_job_get_comm; those that rank 0 names
// count, and rank 0 itself stays. If the policy asks for no other size, the job shrinks by them; if it asks for fewer ranks
// than the others, the last ones leave, too. Ranks that stay move up to the free numbers, in their order. The call replaces
// what an earlier one has named, and holds for one resize point, also if that fails: then the job continues as it was.
// Processes of one spawn call can only leave together (see reblock_job_options).
// `ranks` has `count` numbers.
int32_t reblock_job_set_leaving(reblock_job *job,
                                int64_t count,
                                const int64_t *ranks);

// As reblock_job_set_leaving, for all ranks on the hosts of a list, "node3,node4". If ranks are named, too, both leave.
// `hosts` is a C string.
int32_t reblock_job_set_leaving_hosts(reblock_job *job,
                                      const char *hosts);

// The hosts of the active ranks, in the order of the ranks, "node1,node1,node2": the environment variable REBLOCK_HOST of
// each process, or the name of its machine. Writes what `size` bytes have room for, with a zero byte at the end, and to
// `length` the bytes of all of it without that. Either may be NULL.
// `hosts` is NULL or has room for `size` bytes; `length` is NULL or has room for a number.
int32_t reblock_job_get_hosts(const reblock_job *job,
                              char *hosts,
                              int64_t size,
                              int64_t *length);

// The next host that no process of the job is on any more, told once; "" if there is none. A host is free when each process on
// it has called reblock_job_leave, or freed its job otherwise; what is left for these is MPI_Finalize. Rank 0 hears it at its
// resize points. On other ranks there is none. Writes as reblock_job_get_hosts does; a name has at most 64 bytes. One for which
// `size` bytes have no room is not told yet: the next call has it again.
// `host` is NULL or has room for `size` bytes; `length` is NULL or has room for a number.
int32_t reblock_job_next_freed(reblock_job *job,
                               char *host,
                               int64_t size,
                               int64_t *length);

// Prepares a reblock_job_times for the calls that fill it in.
// `times` has room for one.
int32_t reblock_job_times_init(reblock_job_times *times);

// Prepares a reblock_job_price for the calls that fill it in.
// `price` has room for one.
int32_t reblock_job_price_init(reblock_job_price *price);

// Predicts the cost of moving everything that is registered to `ranks` ranks.
// `price` is NULL or was initialised by reblock_job_price_init.
int32_t reblock_job_get_price(const reblock_job *job, int64_t ranks, reblock_job_price *price);

// Returns the times of the last resize.
// `times` is NULL or was initialised by reblock_job_times_init.
int32_t reblock_job_get_times(const reblock_job *job, reblock_job_times *times);

// ---- BLACS ---------------------------------------------------------------------------------------------------------
//
// Arrays of ScaLAPACK programs in shared memory of the node, and process grids. ScaLAPACK's routines are in
// reblock_scalapack.h.
// Threads: As for BLACS: one thread at a time makes calls in a context.

// Allocates an array of `bytes` bytes, initially zero, in shared memory of the node; `*data` gets its address. A
// redistribution within `context` out of such an array copies each element once, directly into the receiver's array,
// instead of twice; with more than 4 processes on a node, once it has been repeated a few times. Collective over the
// processes of the BLACS context `context`; each process gives its own size. The array lives until reblock_blacs_free,
// or until the context is exited. If there is not enough memory for the arrays of all processes of a node, the call
// fails on all of them with REBLOCK_ERR_MEMORY, and `*data` is NULL. If `context` is not a process grid of the calling
// process, or MPI fails, the job ends with one line on standard error, as in ScaLAPACK's routines, since other processes
// may be waiting.
// `data` has room for an address.
int32_t reblock_blacs_alloc(reblock_int context,
                            int64_t bytes,
                            void **data);

// Frees an array from reblock_blacs_alloc with the same `context`; `*data` is its address, and NULL afterwards. Call it
// only when no process redistributes any more out of an array that was allocated together with it, in this context or
// another one of the same processes; the same holds for leaving the context. REBLOCK_ERR_ARGUMENT if there is no such
// array. Not collective.
// `data` is the address of a pointer.
int32_t reblock_blacs_free(reblock_int context,
                           void **data);

// Finds a process grid for `processes` processes; `grid` gets its rows and columns. If `skew` is 0 or `present` is NULL, the
// grid is as nearly square as possible, with no more rows than columns. Otherwise, of all grids whose longer side is at most
// `skew` times the shorter one, it is the one to which a matrix moves from the grid `present` in the least time, by the model
// of the network (REBLOCK_NETWORK). The matrix has `extents` rows and columns, in blocks of `block`, with elements of
// `element` bytes. Both grids have the same processes, row by row, beginning with the first. `time` gets the seconds that the
// move takes by that model, 0 without `present`. Not collective.
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

// ---- The library ---------------------------------------------------------------------------------------------------
//
// Codes and their texts, the version, and the memory that buffers take.
// Threads: Any thread may call these at any time; each has its own message.

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

// The text of the last call that failed on this thread; empty if none has failed. It is valid until the next call
// fails.
const char *reblock_message(void);

// The name of a code, for instance "REBLOCK_ERR_ARGUMENT".
const char *reblock_code_name(int32_t code);

// The version of the library, for instance "0.2.0".
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

#ifdef __cplusplus
} // extern "C"
#endif

#endif // REBLOCK_H
