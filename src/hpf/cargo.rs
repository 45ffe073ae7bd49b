//! MAY these arrays be moved together, from their source to their target storage?

use super::failure::{Code, Failure};
use super::overlap::is_harmless;
use super::plan::Plan;
use super::seat::Seat;
use crate::pack::{Destination, Source};
use crate::session::Session;
use std::ops::Range;
use std::sync::Arc;

/// One array to move.
pub struct Cargo<'a> {
    /// How.
    pub plan: Arc<Plan>,
    /// The calling process's source, if it has a part of it.
    pub source: Option<Source<'a>>,
    /// The calling process's target, if it has a part of it.
    pub destination: Option<Destination<'a>>,
}

impl Cargo<'_> {
    /// The addresses that are read, and those that are written.
    fn touched(&self) -> [Option<Range<usize>>; 2] {
        let range = |base: usize, seat: Option<&Seat>| {
            let (before, behind) = seat?.shape.reach()?;
            let [before, behind] = [before, behind].map(|n| usize::try_from(n).unwrap_or(usize::MAX));
            (behind > 0).then(|| base.saturating_sub(before)..base.saturating_add(behind))
        };
        let (reads, writes) = self.plan.touches();
        let source = self.source.as_ref().filter(|_| reads);
        let destination = self.destination.as_ref().filter(|_| writes);
        [
            source.and_then(|source| range(source.address(), self.plan.source())),
            destination.and_then(|destination| range(destination.address(), self.plan.destination())),
        ]
    }

    /// The addresses that are read or written.
    pub fn ranges(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        self.touched().into_iter().flatten()
    }
}

/// Whether each array can be moved from where it is to where it goes.
pub fn checked<'a>(session: &Session, cargo: Vec<Cargo<'a>>) -> Result<Vec<Cargo<'a>>, Failure> {
    for (k, Cargo { plan, source, destination }) in cargo.iter().enumerate() {
        let of = |what: &str| {
            if cargo.len() > 1 { format!("the {what} of array {k}") } else { format!("the {what}") }
        };
        if plan.session.upgrade().is_none_or(|of| of.number != session.number) {
            return Err(Failure::argument(format!("plan {k} is of another communicator than plan 0")));
        }
        let (reads, writes) = plan.touches();
        if reads && source.as_ref().is_none_or(Source::is_null) {
            return Err(Failure::argument(format!(
                "{} is NULL, but this process has a part that moves",
                of("source")
            )));
        }
        if writes && destination.as_ref().is_none_or(Destination::is_null) {
            return Err(Failure::argument(format!(
                "{} is NULL, but this process has a part that moves",
                of("target")
            )));
        }
    }
    apart(&cargo)?;
    Ok(cargo)
}

/// Whether what is written is neither read nor written by another, of all arrays together.
fn apart(cargo: &[Cargo<'_>]) -> Result<(), Failure> {
    let mut spans: Vec<(usize, usize, bool, usize)> = Vec::with_capacity(2 * cargo.len());
    for (k, cargo) in cargo.iter().enumerate() {
        let [read, written] = cargo.touched();
        spans.extend(read.map(|range| (range.start, range.end, false, k)));
        spans.extend(written.map(|range| (range.start, range.end, true, k)));
    }
    spans.sort_unstable();
    // Of the spans before one, those that reach as far as where it starts.
    let mut open: Vec<&(usize, usize, bool, usize)> = Vec::new();
    for span @ &(start, _, writes, k) in &spans {
        open.retain(|(_, end, ..)| start < *end);
        let meets = |&&&(_, _, other_writes, other): &&&(usize, usize, bool, usize)| {
            (writes || other_writes) && !(k == other && harmless(&cargo[k]))
        };
        if let Some((_, _, other_writes, other)) = open.iter().find(meets) {
            let name = |writes: bool| if writes { "target" } else { "source" };
            let text = match k == *other {
                true => "source and target overlap in memory".into(),
                false => format!(
                    "the {} of array {k} overlaps the {} of array {other} in memory",
                    name(writes),
                    name(*other_writes)
                ),
            };
            return Err(Failure::new(Code::Overlap, text));
        }
        open.push(span);
    }
    Ok(())
}

fn harmless(cargo: &Cargo<'_>) -> bool {
    let ends = cargo.source.as_ref().zip(cargo.destination.as_ref());
    ends.is_none_or(|(source, destination)| is_harmless(&cargo.plan.planned, source, destination))
}
