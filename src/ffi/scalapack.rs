//! ScaLAPACK's routines: check a call and choose the library that makes it.
//!
//! The entry points, such as `pdgemr2d_`, are not in the sources: `build/entries.rs` writes them into the file
//! `declared.rs` of the build, and other spellings of their names into `aliases.rs`, from the table in
//! `scalapack/family.rs`. Each entry point passes its arguments to [`call`] as a [`RawCall`].
//!
//! Ranks do not exchange their errors: each rank that finds an error writes a line and ends the job ([`end_job`]).

use crate::mpi;
use crate::mpi::blacs::{Blacs, Int, Language, is_inside};
use crate::pack::place::check_all_on_host;
use crate::runtime::session::first_call;
use crate::scalapack::raw::{Devices, LocalPart, RawCall, RawMatrix};
use crate::scalapack::trial::compare_libraries;
use crate::scalapack::trial::participants::{LocalCall, Participants};
use crate::scalapack::{Call, Family, Routine};
use crate::system::stderr;
use crate::transport::error::Error;
use crate::trial::{TraceOptions, set_aside};
use std::ffi::{c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;
use std::time::Duration;

/// Makes the call, and ends the job if it fails or panics.
///
/// # Safety
/// `raw` has the arguments of a caller of the routine.
unsafe fn call(raw: RawCall) {
    // SAFETY: this fn's contract.
    match catch_unwind(AssertUnwindSafe(|| unsafe { dispatch(&raw) })) {
        Ok(Ok(())) => (),
        Ok(Err(e)) => {
            let Error::Argument(argument) = &e else { end_job(raw.routine, &e.to_string(), report_turn(&e)) };
            // SAFETY: this fn's contract.
            match (explain_misfit(raw.context), unsafe { raw.explain_misread_integers() }) {
                (Some(why), _) => end_job(raw.routine, &why, None),
                (None, Some(why)) => end_job(raw.routine, &format!("{e}: {why}"), argument.place),
                (None, None) => end_job(raw.routine, &e.to_string(), argument.place),
            }
        }
        // Peers may be waiting for this rank's data, so the job cannot continue.
        Err(_) => end_job(raw.routine, "internal error, see above", None),
    }
}

/// Ends the job if one of the `numbers` that a Fortran program passes by address lies in the memory of a device. Must
/// be called before the numbers are read.
#[inline]
fn check_numbers(routine: Routine, numbers: &[(&str, *const Int)]) {
    let checked = check_all_on_host(numbers.iter().map(|&(name, at)| (name, at.cast())));
    checked.unwrap_or_else(|why| end_job(routine, &why, None));
}

/// Makes the call by reblock, by another ScaLAPACK library, or by both, as the user's settings say.
///
/// # Safety
/// `raw` has the arguments of a caller of the routine.
unsafe fn dispatch(raw: &RawCall) -> Result<(), Error> {
    let options = TraceOptions::of_process().map_err(Error::Host)?;
    if options.off {
        first_call();
    }
    // SAFETY: this fn's contract, in each case.
    unsafe {
        // If an extent is 0, reblock makes no MPI call, so the program's MPI need not be checked.
        if !options.handles(raw.routine.family.chosen_as())
            || is_inside()
            || (!raw.extent.contains(&0) && belongs_to_other_mpi(raw))
        {
            return call_original(raw);
        }
        match raw.local_part()? {
            LocalPart::None => (),
            LocalPart::Nothing => return Ok(()),
            LocalPart::Copy(call) => return copy_own_part(raw, options, &call),
        }
        match by_reblock(raw, options) {
            Err(Error::Worlds(here)) => call_original_on_worlds(raw, options, here),
            made => made,
        }
    }
}

/// Makes the call by reblock, or by both libraries in a trial.
///
/// # Safety
/// `raw` has the arguments of a caller of the routine.
unsafe fn by_reblock(raw: &RawCall, options: &TraceOptions) -> Result<(), Error> {
    // SAFETY: this fn's contract, in each case.
    unsafe {
        let Some(prepared) = raw.prepared(options)? else { return Ok(()) };
        let [of_a, of_b] = raw.devices(|| prepared.shapes())?;
        if let Some(trial) = options.trial {
            refuse_device_arrays(&[of_a, of_b])?;
            return compare_libraries(raw, &Participants::All(&prepared), trial);
        }
        let is_plain = of_a.is_none() && of_b.is_none() && !options.lines && !options.counts_calls();
        let footprints = raw.footprints(prepared.shapes()).filter(|_| is_plain);
        if footprints.is_some_and(|footprints| prepared.may_copy_without_plan(footprints)) {
            prepared.run_without_plan()?;
            raw.copy(prepared.call(), raw.b.base);
            return Ok(());
        }
        let (a, b) = raw.arrays(prepared.shapes().clone(), raw.b.base);
        prepared.run((a.map(|a| a.on(of_a)), b.map(|b| b.on(of_b)))).map(drop)
    }
}

/// Fails if one of the arrays lies in device memory. In a trial, ScaLAPACK also makes each call, and it cannot access
/// device memory.
fn refuse_device_arrays(devices: &Devices) -> Result<(), Error> {
    match devices.iter().flatten().next() {
        None => Ok(()),
        Some(device) => Err(Error::Host(format!(
            "a matrix lies in the memory of GPU {}, expected memory of the host in a trial (REBLOCK_TRIAL)",
            device.ordinal()
        ))),
    }
}

/// Makes a call that needs no other process: copies this process's part of A to B. Traces the call, or makes it by both
/// libraries in a trial, if the options say so.
///
/// # Safety
/// `raw` has the arguments of a caller of the routine; `call` was made from them.
unsafe fn copy_own_part(raw: &RawCall, options: &TraceOptions, call: &Call) -> Result<(), Error> {
    let devices = raw.devices(|| call.shapes())?;
    // SAFETY: this fn's contract, in each case.
    unsafe {
        if devices.iter().any(Option::is_some) {
            if options.trial.is_some() {
                refuse_device_arrays(&devices)?;
            }
            return raw.copy_on(call, &devices);
        }
        if !options.lines && !options.counts_calls() {
            raw.copy(call, raw.b.base);
            return Ok(());
        }
        let by = Participants::One(LocalCall::new(call)?);
        match options.trial {
            Some(trial) => compare_libraries(raw, &by, trial),
            None => by.run(raw, raw.b.base).map(drop),
        }
    }
}

/// Makes a call by the program's own ScaLAPACK, because some processes of the context may be without reblock. All ranks
/// with reblock do so. `here` lists the ranks of this MPI_COMM_WORLD that are in the context; the first of these ranks
/// prints a notice once.
///
/// # Safety
/// `raw` has the arguments of a caller of the routine.
unsafe fn call_original_on_worlds(
    raw: &RawCall,
    options: &TraceOptions,
    here: Vec<u32>,
) -> Result<(), Error> {
    static NOTICE: Once = Once::new();
    let Some(original) = raw.original() else { return Err(Error::Worlds(here)) };
    if here.first().copied() == mpi::world_rank() {
        NOTICE.call_once(|| stderr::line(format_args!("{}", worlds_notice(raw.routine))));
    }
    if options.counts_calls() {
        set_aside(&here);
    }
    // SAFETY: this fn's contract.
    unsafe { original.call(&raw.with(raw.b.base)) };
    Ok(())
}

fn worlds_notice(routine: Routine) -> String {
    format!(
        "{routine}: ScaLAPACK makes calls on contexts with processes of several MPI_COMM_WORLDs, because processes started by MPI_Comm_spawn may be without reblock. If all processes have reblock (mpirun -x LD_PRELOAD=..., or linked), set REBLOCK_SPAWNED=1 for all of them"
    )
}

/// Returns whether the program's own ScaLAPACK must make the call, as if reblock were not loaded: the program has a
/// ScaLAPACK, but uses another MPI than reblock or has not initialized MPI. Rank 0 prints a line about this once,
/// unless the process inherited reblock's settings from a job that started it.
fn belongs_to_other_mpi(raw: &RawCall) -> bool {
    static NOTICE: Once = Once::new();
    let Some(why) = mpi::explain_unusable().filter(|_| raw.original().is_some()) else { return false };
    if !mpi::is_inherited() && mpi::world_rank().unwrap_or(0) == 0 {
        NOTICE.call_once(|| stderr::line(format_args!("{why}: ScaLAPACK makes its calls")));
    }
    true
}

/// # Safety
/// `raw` has the arguments of a caller of the routine.
unsafe fn call_original(raw: &RawCall) -> Result<(), Error> {
    let none = || {
        Error::Host("reblock is turned off for this routine, but the program has no other ScaLAPACK".into())
    };
    let original = raw.original().ok_or_else(none)?;
    // SAFETY: this fn's contract.
    unsafe { original.call(&raw.with(raw.b.base)) };
    Ok(())
}

/// Returns the turn in which this rank reports `error`; `None`: its turn is its number. The two neighbouring ranks that
/// find a disagreement take turns 0 and 1, before all others, because other ranks may continue with wrong data until
/// the job ends.
fn report_turn(error: &Error) -> Option<u32> {
    match error {
        Error::Disagreement { rank: Some(_), .. } => Some(mpi::world_rank().unwrap_or(0) % 2),
        Error::Disagreement { rank: None, .. } => Some(2 + mpi::world_rank().unwrap_or(0)),
        _ => None,
    }
}

/// Explains that reblock misreads all integers of the program, because the program's BLACS has integers of another
/// width. `None` if BLACS's answers for `context` and context 0 do not show that.
fn explain_misfit(context: Option<Int>) -> Option<String> {
    let contexts: Vec<Int> = context.into_iter().chain([0]).collect();
    Blacs::of_host().ok()?.explain_width(&contexts)
}

/// Prints the reason `why` and ends the job. Ranks that find the same error wait for their turns: `turn`, or the rank's
/// number if `turn` is `None`. The first rank ends the job before the next turn, so usually the line appears once.
fn end_job(routine: Routine, why: &str, turn: Option<u32>) -> ! {
    let rank = mpi::world_rank();
    let turn = turn.or(rank).unwrap_or(0);
    std::thread::sleep(Duration::from_millis(300) * turn.min(10) + Duration::from_millis(2) * turn.min(1000));
    match rank {
        Some(rank) => stderr::line(format_args!("{routine} on rank {rank}: {why}")),
        None => stderr::line(format_args!("{routine}: {why}")),
    }
    // A launcher that sees the abort may drop output that it has not read yet.
    std::thread::sleep(Duration::from_millis(100));
    mpi::abort()
}

include!(concat!(env!("OUT_DIR"), "/declared.rs"));
include!(concat!(env!("OUT_DIR"), "/aliases.rs"));
