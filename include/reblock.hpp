// reblock in C++17: the objects of reblock.h as classes, and its errors as exceptions. Header-only; link with libreblock or
// libreblock_core.
//
//   #include <reblock.hpp>
//   // A 1000 x 1000 array of doubles, indices from 0: its rows in blocks, then its columns dealt out eight at a time.
//   reblock::Map rows = reblock::Map::from_text(MPI_COMM_WORLD, {1000, 1000}, "(BLOCK,*)");
//   reblock::Map columns = reblock::Map::from_text(MPI_COMM_WORLD, {1000, 1000}, "(*,CYCLIC(8))");
//   std::vector<double> before(rows.elements()), after(columns.elements());   // this rank's parts, column-major
//   reblock::Plan plan(MPI_COMM_WORLD, rows, columns, sizeof(double));
//   plan.execute(before, after);                                              // as often as it is needed
//
// What reblock.h says about each function holds here; these headers say what is different. Classes own what they stand for, can
// be moved and not copied, and are empty once they have been moved from. A class takes a handle of C over (`Map map(handle)`),
// lends it (`map.get()`), and gives it away (`map.release()`).
//
// Errors. A call that fails throws reblock::error, with the code and the text of reblock_message. A call that is collective
// fails on all ranks or on none; so do the lists that these classes check themselves.
//
// Destructors never throw. Those of Procs, Template, Map, Plan and Scope communicate nothing, and may run at any time, also
// after MPI_Finalize. Three others wait for ranks:
// - ~Request waits until the request is complete, since the storage that it reads and writes may be gone next.
// - ~Array is collective. It does nothing while an exception unwinds the stack, as other ranks may go on, nor after
//   MPI_Finalize: the storage then stays until the process ends. A program that goes on after an exception has its arrays
//   outside of the `try` block, or frees them by Array::free.
// - ~Job is collective in a job that has not ended, and does nothing while an exception unwinds the stack. A program that ends
//   by an exception calls MPI_Abort, as without reblock.
// Where the free fails, a destructor says so in a line on standard error.
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
