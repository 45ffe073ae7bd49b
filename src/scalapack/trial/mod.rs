//! Trial of a call, made by the program's own ScaLAPACK and by reblock: one writes B, the other a copy of B. The
//! results are compared byte by byte, except for differences that rounding explains, and A is checked for changes.
#![allow(unsafe_code)]

pub(crate) mod findings;
pub(crate) mod participants;
pub(crate) mod rounding_check;
pub(crate) mod scalapack_limits;
pub(crate) mod source_checksum;
pub(crate) mod trial_buffer;

use super::raw::RawCall;
use crate::mpi::blacs::Original;
use crate::plan::rank_plan::RankPlan;
use crate::scalapack::trial::findings::{changed, library_name, report, text};
use crate::scalapack::trial::participants::Participants;
use crate::scalapack::trial::rounding_check::TargetBefore;
use crate::scalapack::trial::scalapack_limits::{bytes, is_too_large};
use crate::scalapack::trial::source_checksum::SourceChecksum;
use crate::scalapack::trial::trial_buffer::{TrialBuffer, spoil};
use crate::scalapack::{Call, Matrix};
use crate::transport::error::Error;
use crate::trial::{Measured, Obstacle, Trial, Versus, Ways, ledger, measure_growth, print_progress};
use std::sync::{Arc, Mutex, TryLockError};
use std::time::{Duration, Instant};

/// Lock held while a thread may be in ScaLAPACK. BLACS keeps lists of pending operations without a lock, so two threads
/// at once crash.
static AT_WORK: Mutex<()> = Mutex::new(());

/// Makes the call by both libraries and compares, or makes it by one library if something prevents that.
///
/// # Safety
/// The arguments are those of a caller of the routine.
pub(crate) unsafe fn compare_libraries(raw: &RawCall, by: &Participants, trial: Trial) -> Result<(), Error> {
    // A report is written even if ScaLAPACK makes all calls.
    by.ensure_report();
    let original = raw.original();
    // Does not wait for the lock: its holder may be in a call that other ranks make only after this one.
    let alone = AT_WORK.try_lock();
    let is_alone = !matches!(alone, Err(TryLockError::WouldBlock));
    // SAFETY: the arguments are those of a caller of the routine, by this fn's contract.
    let buffers = unsafe { allocate_buffers(raw, by.call(), original.is_some(), is_alone) };
    if let Some(obstacle) = by.obstacle(buffers.as_ref().err().copied())? {
        let original = original.filter(|_| obstacle == Obstacle::NoMemory && !trial.ours);
        // SAFETY: the arguments are those of a caller of the routine, by this fn's contract.
        return unsafe { call_one_library(raw, by, obstacle, original) };
    }
    let (Some(original), Ok(buffers)) = (original, buffers) else {
        unreachable!("nothing stands in the way on any rank")
    };
    // SAFETY: the arguments are those of a caller of the routine, by this fn's contract.
    let wrong = unsafe { call_both_libraries(raw, by, trial, original, buffers)? };
    if wrong && trial.strict {
        return Err(Error::Host(
            "REBLOCK_TRIAL is strict, and on some rank results differ or memory outside of B was written"
                .into(),
        ));
    }
    Ok(())
}

/// Makes the call by both libraries and records it. Returns whether any rank found a fault.
///
/// # Safety
/// The arguments are those of a caller of the routine.
unsafe fn call_both_libraries(
    raw: &RawCall,
    by: &Participants,
    trial: Trial,
    original: Original,
    (mut second, mut source, mut target_before): (TrialBuffer, SourceChecksum, TargetBefore),
) -> Result<bool, Error> {
    let (call, rank) = (by.call(), by.rank().0);
    let start = Instant::now();
    // SAFETY: the caller promises B, which has that many bytes; nobody else uses it.
    unsafe {
        second.fill(raw.b.base);
        target_before.fill(raw.b.base);
    }
    spoil_both(raw, call, trial, &mut second);
    source.set_reference();
    let spare = second.address();
    let (ours_at, theirs_at) = if trial.ours { (raw.b.base, spare) } else { (spare, raw.b.base) };

    // SAFETY: the caller's promise; the second result has the shape of B.
    let by_original = |at| unsafe { original.call(&raw.with(at)) };
    let by_reblock = || match trial.same {
        // SAFETY: as above.
        false => unsafe { by.run(raw, ours_at) }.map(Some),
        true => {
            by_original(ours_at);
            Ok(None)
        }
    };
    // If ScaLAPACK makes both calls, the time of reblock's checks does not count.
    let before = if trial.same { Duration::ZERO } else { by.before() };
    let ours = || measure_growth(|| by.timed(before, by_reblock));
    let other = || {
        by_original(theirs_at);
        Ok(())
    };
    let theirs = || measure_growth(|| by.timed(Duration::ZERO, other));
    // If A and B share memory, A stays intact until B is written, so the library that writes the copy comes first.
    let ours_first = match by.any(overlap(raw, call))? {
        true => !trial.ours,
        false => by.ours_first(),
    };
    let mut wrong = false;
    // A is read after each call, so that the caches favour neither library.
    let look = |by_ours: bool| {
        if let Some(byte) = source.changed() {
            wrong = true;
            report(raw, rank, &changed(raw, call, library_name(trial, by_ours), byte));
        }
    };
    let ((ours, our_memory), (theirs, their_memory)) = call_in_order(ours_first, ours, theirs, look);
    let ((planned, our_time), ((), their_time)) = (ours?, theirs?);

    // SAFETY: as above; both libraries are done with B.
    let rounded = unsafe { target_before.replace_rounded(call, raw.b.base, &mut second) };
    // SAFETY: as above.
    let faults = unsafe { second.faults(raw.b.base, raw.routine.element, call.b.as_ref()) };
    for fault in &faults {
        report(raw, rank, &text(call, trial, fault));
    }
    let wrong = by.any(wrong || !faults.is_empty())?;
    let spent = (by.before() + start.elapsed()).as_secs_f64();
    let planned = match planned {
        Some(planned) => planned,
        // The record needs reblock's plan, so reblock makes the call here, into the copy.
        // SAFETY: as above; the second result has been compared already.
        None => unsafe { by.run(raw, spare)? },
    };
    record(raw, by, &planned, |versus| {
        versus.record([our_time, their_time], [our_memory, their_memory], spent, wrong);
        versus.add_rounded(rounded);
    });
    print_progress();
    Ok(wrong)
}

/// Changes the elements that the call must write, in the copy of B and, if reblock writes it, in B itself. So elements
/// that a library leaves out are detected, even if B has the right values from an earlier call; and since the two
/// changes differ, even if both leave them out.
fn spoil_both(raw: &RawCall, call: &Call, trial: Trial, second: &mut TrialBuffer) {
    let element = raw.routine.element;
    let Some(matrix) = &call.b else { return };
    let places = || matrix.local_ranges(call.extent, call.part);
    // The call reads B, so B must stay.
    if call.update.is_some_and(|update| !update.ignores_target()) {
        return;
    }
    second.spoil(element, places());
    // If A and B share memory, the call may read any element of B.
    if trial.ours && !overlap(raw, call) {
        let bytes = usize::try_from(bytes(Some(matrix), element)).expect("it is in memory");
        if bytes > 0 {
            // SAFETY: the caller of the entry point promises B, which has that many bytes, for the exclusive use of
            // this call.
            let b = unsafe { std::slice::from_raw_parts_mut(raw.b.base, bytes) };
            spoil(b, element, places(), 0x55);
        }
    }
}

/// Allocates the second result and the records of A and B, or returns the obstacle on this rank. Allocates nothing if
/// the obstacle is not memory.
///
/// # Safety
/// That of the entry points; the result is dropped before the call ends.
unsafe fn allocate_buffers(
    raw: &RawCall,
    call: &Call,
    has_original: bool,
    is_alone: bool,
) -> Result<(TrialBuffer, SourceChecksum, TargetBefore), Obstacle> {
    let element = raw.routine.element;
    let matrices = [call.a.as_ref(), call.b.as_ref()];
    if !has_original {
        return Err(Obstacle::NoOther);
    }
    if is_too_large(call.extent, matrices, element) {
        return Err(Obstacle::TooLarge);
    }
    if !is_alone {
        return Err(Obstacle::NotAlone);
    }
    // If A and B share memory, or if the columns of B lie between those of A, a change of A is no fault.
    let unread = call.update.is_some_and(|update| update.ignores_source());
    let watched = if unread || overlap(raw, call) { 0 } else { bytes(call.a.as_ref(), element) };
    let written = bytes(call.b.as_ref(), element);
    let second = TrialBuffer::of(written).ok_or(Obstacle::NoMemory)?;
    let before = TargetBefore::of(call, written).ok_or(Obstacle::NoMemory)?;
    // SAFETY: the caller promises A, which has that many bytes.
    let source = unsafe { SourceChecksum::of(raw.a.base, watched) }.ok_or(Obstacle::NoMemory)?;
    Ok((second, source, before))
}

/// Calls `a` and `b`, `a` first if `a_first`, and after each `look`, with true after `a`.
fn call_in_order<A, B>(
    a_first: bool,
    a: impl FnOnce() -> A,
    b: impl FnOnce() -> B,
    mut look: impl FnMut(bool),
) -> (A, B) {
    if a_first {
        let first = a();
        look(true);
        let second = b();
        look(false);
        (first, second)
    } else {
        let first = b();
        look(false);
        let second = a();
        look(true);
        (second, first)
    }
}

/// Makes a call without comparison, by `original` if given, otherwise by reblock.
///
/// # Safety
/// The arguments are those of a caller of the routine.
unsafe fn call_one_library(
    raw: &RawCall,
    by: &Participants,
    obstacle: Obstacle,
    original: Option<Original>,
) -> Result<(), Error> {
    ledger().set_aside(obstacle.text());
    // SAFETY: the arguments are those of a caller of the routine, by this fn's contract.
    unsafe {
        match original {
            Some(original) => original.call(&raw.with(raw.b.base)),
            None => drop(by.run(raw, raw.b.base)?),
        }
    }
    Ok(())
}

/// Returns whether the address ranges of A and B intersect on this rank.
fn overlap(raw: &RawCall, call: &Call) -> bool {
    let range = |base: *mut u8, matrix: &Option<Matrix>| {
        let start = base.addr() as u64;
        (start, start.saturating_add(bytes(matrix.as_ref(), raw.routine.element)))
    };
    let (a, b) = (range(raw.a.base, &call.a), range(raw.b.base, &call.b));
    a.0 < b.1 && b.0 < a.1
}

/// Adds a compared call to the ledger.
fn record(raw: &RawCall, by: &Participants, planned: &Arc<RankPlan>, add: impl FnOnce(&mut Versus)) {
    let (transports, rank) = (by.transports(), by.rank());
    let mut ledger = ledger();
    let call = Measured {
        what: &raw.routine,
        planned,
        rank,
        seconds: 0.0,
        waiting: 0.0,
        transports,
        ways: Ways::default(),
    };
    add(ledger.figures(&call).versus.get_or_insert_default());
}
