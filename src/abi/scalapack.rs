//! p{i,s,d,c,z}{ge,tr}mr2d and their older variants: pointers and integers in, one checked call out.

use super::trial::twice;
use crate::blacs::{Arguments, Blacs, Int, Language, Original, is_inside, wide};
use crate::error::{ArgumentError, Error};
use crate::mpi;
use crate::pack::{Destination, Source};
use crate::planned::Planned;
use crate::problem::Part;
use crate::scalapack::door::{MatrixArguments, Prepared, prepare};
use crate::scalapack::{Descriptor, Matrix, Routine};
use crate::stderr;
use crate::trial::{Preparation, Wish};
use std::cell::RefCell;
use std::ffi::{c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Once};
use std::time::Duration;

/// The arguments of one matrix.
pub(super) struct Side {
    pub(super) base: *mut u8,
    pub(super) start: [Int; 2],
    pub(super) descriptor: *const Int,
}

/// The arguments of one call as they came in.
pub(super) struct Raw {
    pub(super) routine: Routine,
    pub(super) language: Language,
    pub(super) part: Option<(*const c_char, *const c_char)>,
    pub(super) extent: [Int; 2],
    pub(super) a: Side,
    pub(super) b: Side,
    pub(super) context: Option<Int>,
}

/// # Safety
/// The arguments are those that a caller of the routine of that name gave.
unsafe fn call(
    routine: Routine,
    language: Language,
    part: Option<(*const c_char, *const c_char)>,
    extent: [Int; 2],
    a: Side,
    b: Side,
    context: Option<Int>,
) {
    let raw = Raw { routine, language, part, extent, a, b, context };
    // SAFETY: the arguments are what the caller of the routine of that name gave, or another B of the same shape, by this fn's
    // contract.
    match catch_unwind(AssertUnwindSafe(|| unsafe { made(&raw) })) {
        Ok(Ok(())) => (),
        Ok(Err(e)) => {
            let Error::Argument(argument) = &e else { end_job(routine, &e.to_string(), None) };
            match misfit(context) {
                Some(why) => end_job(routine, &why, None),
                None => end_job(routine, &e.to_string(), argument.place),
            }
        }
        // Peers may be waiting for this rank's data: the job cannot go on.
        Err(_) => end_job(routine, "internal error, see above", None),
    }
}

/// Makes the call: by reblock, unless the user wants another library to make it, or both.
///
/// # Safety
/// The arguments are those that a caller of the routine of that name gave.
unsafe fn made(raw: &Raw) -> Result<(), Error> {
    let wish = Wish::of_process().map_err(Error::Host)?;
    // SAFETY: the caller's promise, in each case.
    unsafe {
        // Where there is nothing to move MPI is not asked for anything.
        if wish.off || is_inside() || (!raw.extent.contains(&0) && is_elsewhere(raw)) {
            return passed_on(raw);
        }
        let preparation = Preparation::start(wish);
        let Some(mut prepared) = prepared(raw)? else { return Ok(()) };
        prepared.before = preparation.took();
        match wish.trial {
            Some(trial) => twice(raw, &prepared, trial),
            None => redistribute(raw, &prepared, raw.b.base).map(drop),
        }
    }
}

/// Whether this is a process of another MPI, to which the library came with the environment, and whose ScaLAPACK makes the call: as
/// if reblock were not there. Where the program's user preloaded it, one line says so.
fn is_elsewhere(raw: &Raw) -> bool {
    static TOLD: Once = Once::new();
    let Some(why) = mpi::foreign().filter(|_| original(raw).is_some()) else { return false };
    if !mpi::is_inherited() && mpi::world_rank().unwrap_or(0) == 0 {
        TOLD.call_once(|| stderr::line(format_args!("{why}: ScaLAPACK makes its calls")));
    }
    true
}

/// The host's own ScaLAPACK makes the call.
///
/// # Safety
/// The arguments are those that a caller of the routine of that name gave.
unsafe fn passed_on(raw: &Raw) -> Result<(), Error> {
    let none = || Error::Host("REBLOCK_OFF is 1, but there is no other ScaLAPACK in this program".into());
    let original = original(raw).ok_or_else(none)?;
    // SAFETY: the arguments are those of a caller of the routine of that name, by this fn's contract.
    unsafe { original.call(&with(raw, raw.b.base)) };
    Ok(())
}

thread_local! {
    /// Routines of the host's own ScaLAPACK that this thread has called.
    static ORIGINALS: RefCell<Vec<(Routine, Original)>> = const { RefCell::new(Vec::new()) };
}

/// The routine of the host's own ScaLAPACK that was called, under the same name. It is looked for once: ScaLAPACK's own calls of these
/// names come here, too, and a search takes longer than a small call.
pub(super) fn original(raw: &Raw) -> Option<Original> {
    let is_it = |(routine, original): &&(Routine, Original)| {
        *routine == raw.routine && original.language() == raw.language
    };
    let known = ORIGINALS.with_borrow(|known| known.iter().find(is_it).map(|&(_, original)| original));
    known.or_else(|| {
        let found = Original::find(&raw.routine.to_string().to_lowercase(), raw.language)?;
        ORIGINALS.with_borrow_mut(|known| known.push((raw.routine, found)));
        Some(found)
    })
}

/// The arguments for it, with an array in the place of B.
pub(super) fn with(raw: &Raw, b: *mut u8) -> Arguments {
    Arguments {
        part: raw.part,
        extent: raw.extent,
        a: (raw.a.base, raw.a.start, raw.a.descriptor),
        b: (b, raw.b.start, raw.b.descriptor),
        context: raw.context,
    }
}

/// The call, checked; `None` if there is nothing to do.
///
/// # Safety
/// The arguments are those that a caller of the routine of that name gave.
unsafe fn prepared(raw: &Raw) -> Result<Option<Prepared>, Error> {
    let [m, n] = [count("M", raw.extent[0])?, count("N", raw.extent[1])?];
    if m == 0 || n == 0 {
        return Ok(None);
    }
    let part = raw.part.map_or(Part::Whole, |(uplo, diag)| {
        // SAFETY: UPLO and DIAG are one character each. Anything but U means lower; how the diagonal is dropped
        // differs between upper (anything but N) and lower (only U), as it does in ScaLAPACK.
        let (uplo, diag) = unsafe { (*uplo.cast::<u8>(), *diag.cast::<u8>()) };
        let (upper, diag) = (uplo.eq_ignore_ascii_case(&b'U'), diag.to_ascii_uppercase());
        Part::trapezoid(upper, if upper { diag != b'N' } else { diag == b'U' }, m, n)
    });
    // SAFETY: the arguments are those of a caller of the routine of that name, by this fn's contract.
    let (a, b) = unsafe { (arguments("A", &raw.a), arguments("B", &raw.b)) };
    prepare(raw.routine, [m, n], part, [&a, &b], raw.context).map(Some)
}

/// reblock makes the call, into an array at `b`; how it was planned.
///
/// # Safety
/// That of the entry points; at `b` is B, or an array of the same shape.
pub(super) unsafe fn redistribute(raw: &Raw, prepared: &Prepared, b: *mut u8) -> Result<Arc<Planned>, Error> {
    let shape = |matrix: &Option<Matrix>| matrix.as_ref().map(|m| m.shape(raw.routine.element));
    // SAFETY: the caller promises arrays as large as their descriptors say, which `shape` repeats, and their exclusive
    // use until the call returns, when the values are gone.
    let (source, destination) = unsafe {
        let source = shape(&prepared.call.a).map(|shape| Source::new(raw.a.base, shape));
        let destination = shape(&prepared.call.b).map(|shape| Destination::new(b, shape));
        (source, destination)
    };
    prepared.run(source, destination)
}

fn count(name: &str, value: Int) -> Result<u64, ArgumentError> {
    u64::try_from(value).map_err(|_| ArgumentError {
        name: name.into(),
        value: wide(value),
        expected: "a number of at least 0".into(),
        place: None,
    })
}

/// # Safety
/// The descriptor is null, or has a context and, unless that is negative, all its 9 entries.
unsafe fn arguments(name: &'static str, side: &Side) -> MatrixArguments {
    let absent = Descriptor { extent: [0; 2], block: [0; 2], first: [0; 2], ld: 0 };
    // SAFETY: this fn's contract.
    let entry = |k: usize| unsafe { *side.descriptor.add(k) };
    let context = if side.descriptor.is_null() { -1 } else { entry(1) };
    let pair = |k| [wide(entry(k)), wide(entry(k + 1))];
    let descriptor = if context < 0 {
        absent
    } else {
        Descriptor { extent: pair(2), block: pair(4), first: pair(6), ld: wide(entry(8)) }
    };
    MatrixArguments { name, context, descriptor, start: side.start.map(wide) }
}

/// Why all arguments of the program are misread, if they are.
fn misfit(context: Option<Int>) -> Option<String> {
    let contexts: Vec<Int> = context.into_iter().chain([0]).collect();
    Blacs::of_host().ok()?.misfit(&contexts)
}

/// Says why, once if it can be helped, and ends the job. Ranks that find the same error speak in turn, and the first one
/// ends the job before the next has its turn.
fn end_job(routine: Routine, why: &str, place: Option<u32>) -> ! {
    let rank = mpi::world_rank();
    let turn = place.or(rank).unwrap_or(0);
    std::thread::sleep(Duration::from_millis(300) * turn.min(10) + Duration::from_millis(2) * turn.min(1000));
    match rank {
        Some(rank) => stderr::line(format_args!("{routine} on rank {rank}: {why}")),
        None => stderr::line(format_args!("{routine}: {why}")),
    }
    // A launcher that hears of the abort may drop what it has not read yet.
    std::thread::sleep(Duration::from_millis(100));
    mpi::abort()
}

include!(concat!(env!("OUT_DIR"), "/declared.rs"));
include!(concat!(env!("OUT_DIR"), "/aliases.rs"));
