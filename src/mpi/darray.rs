//! WHAT do the numbers mean that a program passes to `MPI_Type_create_darray`?

use mpi_sys::*;
use std::ffi::c_int;

/// How one dimension is distributed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Darray {
    /// `MPI_DISTRIBUTE_BLOCK`
    Block,
    /// `MPI_DISTRIBUTE_CYCLIC`
    Cyclic,
    /// `MPI_DISTRIBUTE_NONE`
    None,
}

/// Each MPI has its own numbers, of whatever type its header gives them.
fn is(n: c_int, constant: impl Into<i64>) -> bool {
    i64::from(n) == constant.into()
}

impl Darray {
    /// The distribution with that number.
    pub fn of(distrib: c_int) -> Option<Self> {
        match distrib {
            n if is(n, MPI_DISTRIBUTE_BLOCK) => Some(Self::Block),
            n if is(n, MPI_DISTRIBUTE_CYCLIC) => Some(Self::Cyclic),
            n if is(n, MPI_DISTRIBUTE_NONE) => Some(Self::None),
            _ => None,
        }
    }

    /// Whether this is the number in place of a block size that stands for the default.
    pub fn is_default(darg: c_int) -> bool {
        is(darg, MPI_DISTRIBUTE_DFLT_DARG)
    }

    /// Whether local arrays are row-major (`MPI_ORDER_C`) or column-major (`MPI_ORDER_FORTRAN`), if the number is one of them.
    pub fn is_row_major(order: c_int) -> Option<bool> {
        match order {
            n if is(n, MPI_ORDER_C) => Some(true),
            n if is(n, MPI_ORDER_FORTRAN) => Some(false),
            _ => None,
        }
    }
}
