//! Functions that take Fortran's MPI handles, for bindings. The build script generates the functions whose first
//! argument is a communicator.

use super::hpf::{
    boxes::*, file::*, irregular::*, lines::*, moves::*, options::*, plain::*, plan::*, procs::*, shadow::*,
    shift::*, update::*,
};
#[cfg(feature = "text")]
use super::hpf::{plain_text::*, text::*};
use super::job::{begin::*, placement::set_info, with};
use super::objects::*;
use super::outcome::{status_of, write_values};
use crate::mpi::Info;
use mpi_sys::RSMPI_Comm_f2c;
use std::ffi::{c_char, c_int, c_void};

include!(concat!(env!("OUT_DIR"), "/fortran.rs"));

/// As reblock_job_get_comm.
///
/// # Safety
/// `comm` is NULL or has room for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_job_get_comm_fortran(job: *const reblock_job, comm: *mut i32) -> i32 {
    status_of(|| {
        let now = with(job, |job| Ok(job.comm()?.fortran()))?;
        // SAFETY: `comm` is NULL or has room for the results.
        unsafe { write_values(comm, [now]) }
    })
}

/// As reblock_job_set_spawn_info.
///
/// # Safety
/// As for reblock_job_set_spawn_info.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_job_set_spawn_info_fortran(job: *mut reblock_job, info: i32) -> i32 {
    // SAFETY: `info` is an info or MPI_INFO_NULL, by this fn's contract.
    set_info(job, || unsafe { Info::copy_of_fortran(info) })
}
