//! Process grids on communicators with more ranks than the first MPI_COMM_WORLD.
//!
//! Netlib's BLACS refuses grids larger than the MPI_COMM_WORLD that it first saw (`BI_Np` in blacs_map_.c). It has a
//! request and a status for each process (`BI_AuxBuff.Aops`, `BI_Stats`). If these symbols are found, reblock raises
//! the limit and enlarges the lists ([`Limits`]).

use super::find::{Address, find_all};
use super::limits::Limits;
use super::{Blacs, Int};
use crate::mpi::Comm;
use std::sync::{Mutex, OnceLock, PoisonError};

type Gridmap = unsafe extern "C" fn(*mut Int, *const Int, *const Int, *const Int, *const Int);
type Gridexit = unsafe extern "C" fn(*const Int);
type Pinfo = unsafe extern "C" fn(*mut Int, *mut Int);
type SystemHandle = unsafe extern "C" fn(*const Int) -> Int;

pub struct Grids {
    gridmap: Gridmap,
    gridexit: Gridexit,
    pinfo: Pinfo,
    of_comm: SystemHandle,
    forget: Gridexit,
    limits: Option<Limits>,
}

// SAFETY: addresses of functions and variables that live as long as the program; threads take turns, see `TURN`.
unsafe impl Send for Grids {}
// SAFETY: as for Send.
unsafe impl Sync for Grids {}

/// Lock for changes to BLACS's variables. The value says whether BLACS has allocated the lists, with the first grid.
static TURN: Mutex<bool> = Mutex::new(false);

impl Grids {
    /// Returns the functions of this process, found once; an error explains why there are none.
    pub fn of_host() -> Result<&'static Self, String> {
        static FOUND: OnceLock<Grids> = OnceLock::new();
        if let Some(grids) = FOUND.get() {
            return Ok(grids);
        }
        let names = [
            c"blacs_gridmap_",
            c"blacs_gridexit_",
            c"blacs_pinfo_",
            c"sys2blacs_handle_",
            c"free_blacs_system_handle_",
        ];
        let [gridmap, gridexit, pinfo, of_comm, forget] = find_all(names)?
            .ok_or("the program's BLACS cannot make grids: blacs_gridmap_ is in no loaded library")?;
        // SAFETY: functions of these names have these signatures; reblock's build fixes the width of their integers.
        let grids = unsafe {
            Self {
                gridmap: std::mem::transmute::<Address, Gridmap>(gridmap),
                gridexit: std::mem::transmute::<Address, Gridexit>(gridexit),
                pinfo: std::mem::transmute::<Address, Pinfo>(pinfo),
                of_comm: std::mem::transmute::<Address, SystemHandle>(of_comm),
                forget: std::mem::transmute::<Address, Gridexit>(forget),
                limits: Limits::of_host(),
            }
        };
        Ok(FOUND.get_or_init(|| grids))
    }

    /// Ensures that a grid of `ranks` processes can be created, or explains why not. Local.
    pub fn make_room(&self, ranks: u32) -> Result<(), String> {
        let mut allocated = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        if !*allocated {
            let context = self.map(Comm::own(), [1, 1]);
            self.exit(context);
            *allocated = true;
        }
        let (mut me, mut known): (Int, Int) = (0, 0);
        // SAFETY: the signature is that of BLACS_PINFO; both numbers outlive the call.
        unsafe { (self.pinfo)(&mut me, &mut known) };
        let wanted = Int::try_from(ranks)
            .map_err(|_| format!("{ranks} processes are too many for a grid of BLACS"))?;
        if known >= wanted {
            return Ok(());
        }
        match &self.limits {
            // SAFETY: a grid was created, so both lists are allocated, for `known` processes.
            Some(limits) => unsafe { limits.raise(known, wanted) },
            None => Err(format!(
                "the program's BLACS cannot make a grid of more than the {known} processes that it began with: it does not export BI_Np, BI_Stats and BI_AuxBuff, which reblock needs to raise this limit"
            )),
        }
    }

    /// Creates a grid of that shape from the first ranks, in row-major order, and returns its context. The calling
    /// process must be one of them, and [`Grids::make_room`] must have succeeded. Collective over `comm`.
    pub fn make(&self, comm: Comm, shape: [u32; 2]) -> Result<Int, String> {
        let context = self.map(comm, shape);
        match Blacs::of_host()?.grid_info(context)? {
            Some(place) if [place.rows, place.cols] == shape => Ok(context),
            _ => Err(format!("BLACS made no grid of {} x {} processes", shape[0], shape[1])),
        }
    }

    fn map(&self, comm: Comm, shape: [u32; 2]) -> Int {
        let int = |n: u32| Int::try_from(n).expect("a process grid that fits in an integer");
        let [rows, cols] = shape;
        let places: Vec<Int> = (0..cols).flat_map(|c| (0..rows).map(move |r| int(r * cols + c))).collect();
        #[allow(clippy::useless_conversion)]
        let fortran = Int::from(comm.fortran());
        // SAFETY: the signatures are Netlib's; all arguments outlive the calls; the map has a rank of `comm` for every
        // place.
        unsafe {
            let handle = (self.of_comm)(&fortran);
            let mut context = handle;
            (self.gridmap)(&mut context, places.as_ptr(), &int(rows), &int(rows), &int(cols));
            (self.forget)(&handle);
            context
        }
    }

    /// Exits a grid. Collective over its processes.
    pub fn exit(&self, context: Int) {
        // SAFETY: the signature is that of BLACS_GRIDEXIT.
        unsafe { (self.gridexit)(&context) };
    }
}
