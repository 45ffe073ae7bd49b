//! May source and target of one array share memory? Where the bytes between the first and the last of both overlap, but no
//! element of one is written before it is read for the other.

use crate::overlap::{Family, Runs};
use crate::pack::{Destination, Dim, Shape, Source, distinct};
use crate::plan::Plan;
use crate::planned::Planned;

/// Whether nothing goes wrong although the target overlaps the source: the array stays as it is, or sections of one storage
/// have no element in common.
pub fn is_harmless(planned: &Planned, source: &Source<'_>, destination: &Destination<'_>) -> bool {
    let same_strides = source
        .shape()
        .dims()
        .iter()
        .zip(destination.shape().dims())
        .all(|(a, b)| a.stride == b.stride || (a.extent <= 1 && b.extent <= 1));
    let [leg] = &planned.route.legs[..] else { return false };
    if source.address() != destination.address() || !same_strides {
        return false;
    }
    let plan = &leg.plan;
    if plan.sends.messages.is_empty() && plan.receives.messages.is_empty() && stays(plan) {
        return true;
    }
    apart(source.shape(), destination.shape()) && disjoint(plan, source.shape().dims().len())
}

/// Whether what a rank keeps is where it was.
fn stays(plan: &Plan) -> bool {
    let in_place = |local: &Runs<2>| local.families().iter().all(Family::is_in_place);
    plan.copy.as_ref().is_none_or(|kept| kept.product().dims().all(|share| in_place(&share.local)))
}

/// Whether places of both arrays that differ in an index differ in memory.
fn apart(source: &Shape, destination: &Shape) -> bool {
    let larger =
        |(a, b): (&Dim, &Dim)| (a.stride.unsigned_abs().max(b.stride.unsigned_abs()), a.extent.max(b.extent));
    distinct(source.element() as u64, source.dims().iter().zip(destination.dims()).map(larger))
}

/// Whether there is a dimension in which all that is read lies before or behind all that is written.
fn disjoint(plan: &Plan, rank: usize) -> bool {
    (0..rank).any(|d| {
        let mut read: Option<(u64, u64)> = None;
        let mut written: Option<(u64, u64)> = None;
        let grow = |span: &mut Option<(u64, u64)>, first: u64, end: u64| {
            let (low, high) = span.unwrap_or((first, end));
            *span = Some((low.min(first), high.max(end)));
        };
        for (side, span) in [(&plan.sends, &mut read), (&plan.receives, &mut written)] {
            for share in side.shares(d) {
                if let Some((first, end)) = bounds::<1>(&share.local, 0) {
                    grow(span, first, end);
                }
            }
        }
        if let Some(kept) = &plan.copy {
            if let Some(share) = kept.product().dims().nth(d) {
                for (coordinate, span) in [(0, &mut read), (1, &mut written)] {
                    if let Some((first, end)) = bounds::<2>(&share.local, coordinate) {
                        grow(span, first, end);
                    }
                }
            }
        }
        match (read, written) {
            (Some((a, b)), Some((c, d))) => b <= c || d <= a,
            _ => true,
        }
    })
}

/// The first index and the one behind the last of coordinate `d`.
fn bounds<const D: usize>(runs: &Runs<D>, d: usize) -> Option<(u64, u64)> {
    let families = runs.families();
    let first = families.iter().map(|family| family.start[d]).min()?;
    let end = families.iter().map(|family| family.end(d)).max()?;
    Some((first, end))
}
