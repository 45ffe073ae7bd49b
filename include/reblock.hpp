// The C++17 interface of reblock: the objects of reblock.h as classes, and its errors as exceptions. Header-only; link
// with libreblock or libreblock_core.
//
//   #include <reblock.hpp>
//   // A 1000 x 1000 array of doubles, indices from 0: its rows in blocks, then its columns block-cyclic in blocks of eight.
//   reblock::Map rows = reblock::Map::from_text(MPI_COMM_WORLD, {1000, 1000}, "(BLOCK,*)");
//   reblock::Map columns = reblock::Map::from_text(MPI_COMM_WORLD, {1000, 1000}, "(*,CYCLIC(8))");
//   std::vector<double> before(rows.elements()), after(columns.elements());   // this rank's parts, column-major
//   reblock::Plan plan(MPI_COMM_WORLD, rows, columns, sizeof(double));
//   plan.execute(before, after);                                              // any number of times
//
// The comments of reblock.h hold here; these headers describe the differences. Each class owns its object, can be moved
// but not copied, and is empty after a move from it. A class takes over a handle of C (`Map map(handle)`), lends it
// (`map.get()`), and gives it away (`map.release()`).
//
// Errors. A call that fails throws reblock::error, with the code and the text of reblock_message. A collective call
// fails on all ranks or on none, even if these classes find an invalid list on one rank.
//
// Destructors never throw. The destructors of Procs, Template, Map, Plan and Scope communicate nothing, and may run at
// any time, also after MPI_Finalize. Three others wait:
// - ~Request waits until the request is complete, since the program may free its storage next.
// - ~Array is collective. It does nothing while an exception unwinds the stack, since other ranks may not reach it, nor
//   after MPI_Finalize: the storage then stays until the process ends. A program that continues after an exception
//   declares its arrays outside of the `try` block, or frees them by Array::free.
// - ~Job is collective in a job that has not ended, and does nothing while an exception unwinds the stack. A program
//   that ends by an exception calls MPI_Abort, as without reblock.
// If a destructor cannot free its object, it prints a line on standard error.
#ifndef REBLOCK_HPP
#define REBLOCK_HPP

#include "reblock/array.hpp"
#include "reblock/core.hpp"
#include "reblock/job.hpp"
#include "reblock/map.hpp"
#include "reblock/plan.hpp"
#include "reblock/procs.hpp"
#include "reblock/scope.hpp"
#include "reblock/shadow.hpp"
#include "reblock/template.hpp"

#endif
