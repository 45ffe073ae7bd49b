//! A call that is made twice: by the program's own ScaLAPACK and by reblock, one into B, the other into a copy of B that is
//! kept for this. Both results are compared, byte by byte; the program gets one of them.

use super::scalapack::{Raw, original, redistribute, with};
use super::second::{Found, Second};
use crate::blacs::{Original, wide};
use crate::error::Error;
use crate::planned::Planned;
use crate::scalapack::Matrix;
use crate::scalapack::door::Prepared;
use crate::trial::{Measured, Obstacle, Trial, Turns, Ways, grown, ledger, note, transports};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// More rows or columns than ScaLAPACK is asked for.
const MOST_ROWS: i64 = 100_000_000;
/// A local array of which it is asked for less than this: it counts bytes in 32 bits.
const MOST_BYTES: u64 = 1 << 31;

/// Both libraries make the call where that is possible, else one of them.
///
/// # Safety
/// That of the entry points.
pub(super) unsafe fn twice(raw: &Raw, prepared: &Prepared, trial: Trial) -> Result<(), Error> {
    let session = prepared.session();
    let turns = Turns(session);
    // Also where ScaLAPACK alone makes all calls, there is a report.
    note(session);
    let original = original(raw);
    let second = room(raw, prepared, original.is_some());
    if let Some(obstacle) = turns.obstacle(second.as_ref().err().copied())? {
        let original = original.filter(|_| obstacle == Obstacle::NoMemory && !trial.ours);
        // SAFETY: the caller's promise.
        return unsafe { once(raw, prepared, obstacle, original) };
    }
    let (Some(original), Ok(mut second)) = (original, second) else {
        unreachable!("nothing stands in the way on any rank")
    };
    let start = Instant::now();
    // SAFETY: the caller promises B, which has as many bytes; nobody else uses it.
    unsafe { second.fill(raw.b.base) };
    let spare = second.address();
    let (ours_at, theirs_at) = if trial.ours { (raw.b.base, spare) } else { (spare, raw.b.base) };

    // SAFETY: the caller's promise; the second result has the shape of B.
    let by_original = |at| unsafe { original.call(&with(raw, at)) };
    let call = || match trial.same {
        // SAFETY: the same.
        false => unsafe { redistribute(raw, prepared, ours_at) }.map(Some),
        true => {
            by_original(ours_at);
            Ok(None)
        }
    };
    // ScaLAPACK's own preparation is part of its call.
    let before = if trial.same { Duration::ZERO } else { prepared.before };
    let ours = || grown(|| turns.timed(before, call));
    let other = || {
        by_original(theirs_at);
        Ok(())
    };
    let theirs = || grown(|| turns.timed(Duration::ZERO, other));
    // Where B lies in A, A is whole only until B is written.
    let ours_first = match turns.any(overlap(raw, prepared))? {
        true => !trial.ours,
        false => Turns::first(session.calls()),
    };
    let ((ours, our_memory), (theirs, their_memory)) = in_turn(ours_first, ours, theirs);
    let ((planned, our_time), ((), their_time)) = (ours?, theirs?);

    let element = raw.routine.element;
    // SAFETY: as above; both libraries are done with B.
    let found = unsafe { second.fault(raw.b.base, element, prepared.call.b.as_ref()) };
    if let Some(found) = &found {
        tell(raw, prepared, trial, found);
    }
    let different = turns.any(found.is_some())?;
    let spent = (prepared.before + start.elapsed()).as_secs_f64();
    let planned = match planned {
        Some(planned) => planned,
        // Which shape it is, reblock has to say.
        // SAFETY: as above; the second result is compared already.
        None => unsafe { redistribute(raw, prepared, spare)? },
    };
    record(raw, prepared, &planned, |versus| {
        versus.record([our_time, their_time], [our_memory, their_memory], spent, different);
    });
    if different && trial.strict {
        return Err(Error::Host(
            "REBLOCK_TRIAL is strict, and ScaLAPACK's result differs on some rank".into(),
        ));
    }
    Ok(())
}

/// Room for the second result, or what stands in the way on this rank. Memory is taken only where nothing else does.
fn room(raw: &Raw, prepared: &Prepared, has_original: bool) -> Result<Second, Obstacle> {
    match (has_original, is_too_large(raw, prepared)) {
        (false, _) => Err(Obstacle::NoOther),
        (_, true) => Err(Obstacle::TooLarge),
        _ => Second::of(bytes(&prepared.call.b, raw)).ok_or(Obstacle::NoMemory),
    }
}

/// What both return, of which one goes first.
fn in_turn<A, B>(a_first: bool, a: impl FnOnce() -> A, b: impl FnOnce() -> B) -> (A, B) {
    if a_first {
        let first = a();
        (first, b())
    } else {
        let first = b();
        (a(), first)
    }
}

/// A call that is set aside: `original` makes it, or else reblock.
///
/// # Safety
/// That of the entry points.
unsafe fn once(
    raw: &Raw,
    prepared: &Prepared,
    obstacle: Obstacle,
    original: Option<Original>,
) -> Result<(), Error> {
    ledger().set_aside(obstacle.text());
    // SAFETY: the caller's promise.
    unsafe {
        match original {
            Some(original) => original.call(&with(raw, raw.b.base)),
            None => drop(redistribute(raw, prepared, raw.b.base)?),
        }
    }
    Ok(())
}

/// Bytes of the local array of `matrix`, if this rank has one.
fn bytes(matrix: &Option<Matrix>, raw: &Raw) -> u64 {
    let reach =
        matrix.as_ref().map(|matrix| matrix.shape(raw.routine.element).reach().unwrap_or((0, u64::MAX)));
    reach.map_or(0, |(_, behind)| behind)
}

/// Whether ScaLAPACK might not be able to make the call, as far as this rank knows.
fn is_too_large(raw: &Raw, prepared: &Prepared) -> bool {
    let matrices = [&prepared.call.a, &prepared.call.b];
    let long = |matrix: &Matrix| matrix.descriptor.extent.iter().any(|&extent| extent > MOST_ROWS);
    raw.extent.iter().any(|&extent| wide(extent) > MOST_ROWS)
        || matrices.iter().any(|matrix| matrix.as_ref().is_some_and(long) || bytes(matrix, raw) >= MOST_BYTES)
}

/// Whether A and B have memory in common on this rank.
fn overlap(raw: &Raw, prepared: &Prepared) -> bool {
    let range = |base: *mut u8, matrix| {
        let start = base.addr() as u64;
        (start, start.saturating_add(bytes(matrix, raw)))
    };
    let (a, b) = (range(raw.a.base, &prepared.call.a), range(raw.b.base, &prepared.call.b));
    a.0 < b.1 && b.0 < a.1
}

/// Says at once what is wrong.
fn tell(raw: &Raw, prepared: &Prepared, trial: Trial, found: &Found) {
    let what = match found {
        Found::Different { place, b, second } => {
            let (ours, theirs) = if trial.ours { (b, second) } else { (second, b) };
            let matrix = prepared.call.b.as_ref().expect("only a rank with a part of B finds a difference");
            let global = match place.padding {
                true => String::new(),
                false => {
                    let [row, col] = matrix.global(place.at);
                    format!(", B({row},{col})")
                }
            };
            format!("results differ first in {place}{global}: ScaLAPACK {theirs}, reblock {ours}")
        }
        Found::Behind(byte) => {
            let library = if trial.ours || trial.same { "ScaLAPACK" } else { "reblock" };
            format!("{library} wrote byte {byte} behind the last element of B's local array")
        }
    };
    eprintln!("reblock: trial: {} on rank {}: {what}", raw.routine, prepared.session().rank);
}

/// Adds to what is counted of such calls.
fn record(
    raw: &Raw,
    prepared: &Prepared,
    planned: &Arc<Planned>,
    add: impl FnOnce(&mut crate::trial::Versus),
) {
    let session = prepared.session();
    let (what, transports) = (raw.routine.to_string(), transports(session));
    let rank = (session.rank, session.ranks);
    let mut ledger = ledger();
    let call = Measured {
        what: &what,
        planned,
        rank,
        seconds: 0.0,
        waiting: 0.0,
        transports,
        ways: Ways::default(),
    };
    add(ledger.figures(&call).versus.get_or_insert_default());
}
