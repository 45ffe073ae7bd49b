//! A call that is made twice: by the program's own ScaLAPACK and by reblock, one into B, the other into a copy of B that is
//! kept for this. Both results are compared, byte by byte, and A with what it was; the program gets one of the results.
#![allow(unsafe_code)]

pub(crate) mod participants;
pub(crate) mod reach;
pub(crate) mod rounded;
pub(crate) mod said;
pub(crate) mod second;
pub(crate) mod watched;

use super::raw::RawCall;
use crate::mpi::blacs::Original;
use crate::plan::planned::Planned;
use crate::scalapack::trial::participants::Participants;
use crate::scalapack::trial::reach::{bytes, is_too_large};
use crate::scalapack::trial::rounded::Before;
use crate::scalapack::trial::said::{author, changed, tell, text};
use crate::scalapack::trial::second::{Second, spoil};
use crate::scalapack::trial::watched::Watched;
use crate::scalapack::{Call, Matrix};
use crate::transport::error::Error;
use crate::trial::{Measured, Obstacle, Trial, Versus, Ways, grown, ledger, tell_progress};
use std::sync::{Arc, Mutex, TryLockError};
use std::time::{Duration, Instant};

/// Held while ScaLAPACK is at work, or may be: threads that call it at the same time crash, as BLACS keeps lists of what is under way
/// without a lock.
static AT_WORK: Mutex<()> = Mutex::new(());

/// Both libraries make the call where that is possible, else one of them.
///
/// # Safety
/// The arguments are those that a caller of the routine of that name gave.
pub(crate) unsafe fn twice(raw: &RawCall, by: &Participants, trial: Trial) -> Result<(), Error> {
    // Also where ScaLAPACK alone makes all calls, there is a report.
    by.note();
    let original = raw.original();
    // Nobody waits for it: another thread's call may be one that ranks make only after this one.
    let alone = AT_WORK.try_lock();
    let is_alone = !matches!(alone, Err(TryLockError::WouldBlock));
    // SAFETY: the arguments are those of a caller of the routine of that name, by this fn's contract.
    let room = unsafe { room(raw, by.call(), original.is_some(), is_alone) };
    if let Some(obstacle) = by.obstacle(room.as_ref().err().copied())? {
        let original = original.filter(|_| obstacle == Obstacle::NoMemory && !trial.ours);
        // SAFETY: the arguments are those of a caller of the routine of that name, by this fn's contract.
        return unsafe { once(raw, by, obstacle, original) };
    }
    let (Some(original), Ok(room)) = (original, room) else {
        unreachable!("nothing stands in the way on any rank")
    };
    // SAFETY: the arguments are those of a caller of the routine of that name, by this fn's contract.
    let wrong = unsafe { both(raw, by, trial, original, room)? };
    if wrong && trial.strict {
        return Err(Error::Host(
            "REBLOCK_TRIAL is strict, and on some rank results differ or memory outside of B was written"
                .into(),
        ));
    }
    Ok(())
}

/// Makes the call twice, and counts it; whether anything was wrong on any rank.
///
/// # Safety
/// The arguments are those that a caller of the routine of that name gave.
unsafe fn both(
    raw: &RawCall,
    by: &Participants,
    trial: Trial,
    original: Original,
    (mut second, mut source, mut was): (Second, Watched, Before),
) -> Result<bool, Error> {
    let (call, rank) = (by.call(), by.rank().0);
    let start = Instant::now();
    // SAFETY: the caller promises B, which has as many bytes; nobody else uses it.
    unsafe {
        second.fill(raw.b.base);
        was.fill(raw.b.base);
    }
    spoil_both(raw, call, trial, &mut second);
    source.remember();
    let spare = second.address();
    let (ours_at, theirs_at) = if trial.ours { (raw.b.base, spare) } else { (spare, raw.b.base) };

    // SAFETY: the caller's promise; the second result has the shape of B.
    let by_original = |at| unsafe { original.call(&raw.with(at)) };
    let by_reblock = || match trial.same {
        // SAFETY: the same.
        false => unsafe { by.run(raw, ours_at) }.map(Some),
        true => {
            by_original(ours_at);
            Ok(None)
        }
    };
    // ScaLAPACK's own preparation is part of its call.
    let before = if trial.same { Duration::ZERO } else { by.before() };
    let ours = || grown(|| by.timed(before, by_reblock));
    let other = || {
        by_original(theirs_at);
        Ok(())
    };
    let theirs = || grown(|| by.timed(Duration::ZERO, other));
    // Where B lies in A, A is whole only until B is written.
    let ours_first = match by.any(overlap(raw, call))? {
        true => !trial.ours,
        false => by.ours_first(),
    };
    let mut wrong = false;
    // What is read here is read behind either call, so neither of them finds A in the caches more often.
    let look = |by_ours: bool| {
        if let Some(byte) = source.changed() {
            wrong = true;
            tell(raw, rank, &changed(raw, call, author(trial, by_ours), byte));
        }
    };
    let ((ours, our_memory), (theirs, their_memory)) = in_turn(ours_first, ours, theirs, look);
    let ((planned, our_time), ((), their_time)) = (ours?, theirs?);

    // SAFETY: as above; both libraries are done with B.
    let rounded = unsafe { was.settle(call, raw.b.base, &mut second) };
    // SAFETY: the same.
    let faults = unsafe { second.faults(raw.b.base, raw.routine.element, call.b.as_ref()) };
    for fault in &faults {
        tell(raw, rank, &text(call, trial, fault));
    }
    let wrong = by.any(wrong || !faults.is_empty())?;
    let spent = (by.before() + start.elapsed()).as_secs_f64();
    let planned = match planned {
        Some(planned) => planned,
        // Which shape it is, reblock has to say.
        // SAFETY: as above; the second result is compared already.
        None => unsafe { by.run(raw, spare)? },
    };
    record(raw, by, &planned, |versus| {
        versus.record([our_time, their_time], [our_memory, their_memory], spent, wrong);
        versus.add_rounded(rounded);
    });
    tell_progress();
    Ok(wrong)
}

/// Spoils what the call is to write, so that a library that writes nothing is seen where B has its values from a call before: in the
/// copy, and in B where reblock writes that; each in its own way, so that what both left out is seen, too.
fn spoil_both(raw: &RawCall, call: &Call, trial: Trial, second: &mut Second) {
    let element = raw.routine.element;
    let Some(matrix) = &call.b else { return };
    let places = || matrix.places(call.extent, call.part);
    // What is read is no longer what it was.
    if call.update.is_some_and(|update| !update.ignores_target()) {
        return;
    }
    second.spoil(element, places());
    // Where B lies in A, there is nothing of it that is not to be read.
    if trial.ours && !overlap(raw, call) {
        let bytes = usize::try_from(bytes(Some(matrix), element)).expect("it is in memory");
        if bytes > 0 {
            // SAFETY: the caller of the entry point promises B, which has as many bytes, for this call's own use.
            let b = unsafe { std::slice::from_raw_parts_mut(raw.b.base, bytes) };
            spoil(b, element, places(), 0x55);
        }
    }
}

/// Room for the second result, and for what is known of A; or what stands in the way on this rank. Memory is taken only where
/// nothing else does.
///
/// # Safety
/// That of the entry points; what is returned is dropped when the call ends.
unsafe fn room(
    raw: &RawCall,
    call: &Call,
    has_original: bool,
    is_alone: bool,
) -> Result<(Second, Watched, Before), Obstacle> {
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
    // Where B lies in A, or its columns between those of A, what B gets is no fault.
    let unread = call.update.is_some_and(|update| update.ignores_source());
    let watched = if unread || overlap(raw, call) { 0 } else { bytes(call.a.as_ref(), element) };
    let written = bytes(call.b.as_ref(), element);
    let second = Second::of(written).ok_or(Obstacle::NoMemory)?;
    let before = Before::of(call, written).ok_or(Obstacle::NoMemory)?;
    // SAFETY: the caller promises A, which has as many bytes.
    let source = unsafe { Watched::of(raw.a.base, watched) }.ok_or(Obstacle::NoMemory)?;
    Ok((second, source, before))
}

/// What both return, of which one goes first; after each of them `look` is told whether it was `a`.
fn in_turn<A, B>(
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

/// A call that is set aside: `original` makes it, or else reblock.
///
/// # Safety
/// The arguments are those that a caller of the routine of that name gave.
unsafe fn once(
    raw: &RawCall,
    by: &Participants,
    obstacle: Obstacle,
    original: Option<Original>,
) -> Result<(), Error> {
    ledger().set_aside(obstacle.text());
    // SAFETY: the arguments are those of a caller of the routine of that name, by this fn's contract.
    unsafe {
        match original {
            Some(original) => original.call(&raw.with(raw.b.base)),
            None => drop(by.run(raw, raw.b.base)?),
        }
    }
    Ok(())
}

/// Whether A and B have memory in common on this rank.
fn overlap(raw: &RawCall, call: &Call) -> bool {
    let range = |base: *mut u8, matrix: &Option<Matrix>| {
        let start = base.addr() as u64;
        (start, start.saturating_add(bytes(matrix.as_ref(), raw.routine.element)))
    };
    let (a, b) = (range(raw.a.base, &call.a), range(raw.b.base, &call.b));
    a.0 < b.1 && b.0 < a.1
}

/// Adds to what is counted of such calls.
fn record(raw: &RawCall, by: &Participants, planned: &Arc<Planned>, add: impl FnOnce(&mut Versus)) {
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
