//! Decodes the constants that a program passes to `MPI_Type_create_darray`.

use mpi_sys::*;
use std::ffi::c_int;

/// Distribution of a dimension, from the argument `array_of_distribs` of `MPI_Type_create_darray`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Darray {
    Block,
    Cyclic,
    None,
}

/// Compares `n` with a constant of MPI. Its value and integer type differ between MPI libraries.
fn is(n: c_int, constant: impl Into<i64>) -> bool {
    i64::from(n) == constant.into()
}

impl Darray {
    pub fn of(distrib: c_int) -> Option<Self> {
        match distrib {
            n if is(n, MPI_DISTRIBUTE_BLOCK) => Some(Self::Block),
            n if is(n, MPI_DISTRIBUTE_CYCLIC) => Some(Self::Cyclic),
            n if is(n, MPI_DISTRIBUTE_NONE) => Some(Self::None),
            _ => None,
        }
    }

    /// Returns whether the argument `darg` of a dimension stands for the default block size.
    pub fn is_default(darg: c_int) -> bool {
        is(darg, MPI_DISTRIBUTE_DFLT_DARG)
    }

    /// Decodes an order: true for row-major (`MPI_ORDER_C`), false for column-major (`MPI_ORDER_FORTRAN`).
    pub fn is_row_major(order: c_int) -> Option<bool> {
        match order {
            n if is(n, MPI_ORDER_C) => Some(true),
            n if is(n, MPI_ORDER_FORTRAN) => Some(false),
            _ => None,
        }
    }
}
