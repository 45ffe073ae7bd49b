//! BLACS contexts and their process grids. reblock is not linked with a BLACS; it finds the program's BLACS functions
//! at run time. For jobs that change their size, it also creates grids ([`Grids`]).
//!
//! Context numbers differ between ranks and are reused after `gridexit`, so nothing is stored under them.
#![allow(unsafe_code)]

mod find;
mod grids;
mod int;
mod limits;
mod original;
mod width;

use crate::mpi::Comm;
use find::Functions;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use width::{Cell, explain_width};

pub use find::own_file;
pub use grids::Grids;
pub use int::Int;
pub use original::{Arguments, Language, Original, is_inside};

pub struct Blacs(Functions);

/// A process grid, as one of its members sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GridInfo {
    /// Process rows of the grid.
    pub rows: u32,
    /// Process columns of the grid.
    pub cols: u32,
    /// Row and column of the calling process.
    pub at: [u32; 2],
}

impl Blacs {
    /// Returns the BLACS of this process; of several outside the global scope, that of the calling library. Fails if
    /// there is none; a later call may succeed, since the program may load libraries.
    pub fn of_host() -> Result<&'static Self, String> {
        static GLOBAL: OnceLock<Blacs> = OnceLock::new();
        /// Number of libraries loaded when the only hidden BLACS was found; 0 if there are several.
        static ONLY_AT: AtomicU64 = AtomicU64::new(0);
        static HIDDEN: Mutex<Vec<&Blacs>> = Mutex::new(Vec::new());
        if let Some(blacs) = GLOBAL.get() {
            return Ok(blacs);
        }
        let known = || HIDDEN.lock().unwrap_or_else(PoisonError::into_inner);
        // Takes a lock of the loader, so this thread must hold no lock of reblock here.
        let loads = find::loads();
        if ONLY_AT.load(Ordering::Relaxed) == loads
            && let Some(&only) = known().last()
        {
            return Ok(only);
        }
        if known().is_empty()
            && let Some(functions) = find::find_global()
        {
            return Ok(GLOBAL.get_or_init(|| Self(functions)));
        }
        let (functions, is_only) = find::find_hidden()?;
        let mut known = known();
        let at = known.iter().position(|blacs| blacs.0.is(&functions));
        let blacs = at.map_or_else(|| Box::leak(Box::new(Self(functions))) as &Self, |at| known.remove(at));
        known.push(blacs);
        ONLY_AT.store(if is_only { loads } else { 0 }, Ordering::Relaxed);
        Ok(blacs)
    }

    /// Returns the grid of `context`; `None` if the context is no grid or the process is not in it. Fails if BLACS has
    /// integers of another width.
    pub fn grid_info(&self, context: Int) -> Result<Option<GridInfo>, String> {
        let cells = self.ask(context);
        if let Some(why) = explain_width(&cells) {
            return Err(why);
        }
        let [rows, cols, row, col] = cells.map(|cell| u32::try_from(cell.value()).ok());
        let info = || {
            let (rows, cols, at) = (rows?, cols?, [row?, col?]);
            (at[0] < rows && at[1] < cols).then_some(GridInfo { rows, cols, at })
        };
        Ok(info())
    }

    /// Explains why this build of reblock cannot use the BLACS: its integers have another width. `None` if its results
    /// for `contexts` do not show that.
    pub fn explain_width(&self, contexts: &[Int]) -> Option<String> {
        contexts.iter().find_map(|&context| explain_width(&self.ask(context)))
    }

    /// Asks BLACS for the rows and columns of a context's grid, and the row and column of the calling process.
    fn ask(&self, context: Int) -> [Cell; 4] {
        let mut cells = [-1; 4].map(Cell::new);
        let [rows, cols, row, col] = cells.each_mut().map(Cell::address);
        match self.0 {
            Functions::Fortran { gridinfo, .. } => {
                let mut context = Cell::new(context);
                // SAFETY: the signature is that of BLACS_GRIDINFO; all arguments have room for integers of either width
                // and outlive the call.
                unsafe { gridinfo(context.address(), rows, cols, row, col) }
            }
            // SAFETY: as above, for Cblacs_gridinfo.
            Functions::C { gridinfo, .. } => unsafe { gridinfo(context, rows, cols, row, col) },
        }
        cells
    }

    /// Returns the communicator of a context that [`Blacs::grid_info`] has found. Its rank `row * cols + col` is the
    /// process at (row, col), however the grid was created.
    pub fn communicator(&self, context: Int) -> Option<Comm<'static>> {
        /// The argument WHAT of BLACS_GET that asks for the communicator.
        const COMMUNICATOR: Int = 10;
        let mut handle = Cell::new(0);
        let comm = match self.0 {
            Functions::Fortran { get, .. } => {
                // SAFETY: the signature is that of BLACS_GET; all arguments outlive the call.
                unsafe {
                    get(Cell::new(context).address(), Cell::new(COMMUNICATOR).address(), handle.address());
                }
                // An MPI_Fint is 32 bits wide in both families, even if the host's integers are not.
                #[allow(clippy::useless_conversion, clippy::unnecessary_fallible_conversions)]
                let handle = i32::try_from(handle.value()).ok()?;
                // SAFETY: BLACS returns the communicator of a context, which lives as long as the context, or the null
                // handle.
                unsafe { Comm::from_fortran(handle) }
            }
            Functions::C { get, communicator, .. } => {
                // SAFETY: the signatures are those of Cblacs_get and Cblacs2sys_handle; `handle` outlives the call.
                // They return the communicator of a context, which lives as long as the context, or the null handle.
                unsafe {
                    get(context, COMMUNICATOR, handle.address());
                    Comm::from_handle(communicator(handle.value()))
                }
            }
        };
        (!comm.is_null()).then_some(comm)
    }
}

/// Converts a host integer to 64 bits.
#[allow(clippy::useless_conversion)]
pub fn wide(n: Int) -> i64 {
    i64::from(n)
}
