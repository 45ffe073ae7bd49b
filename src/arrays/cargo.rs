//! Arrays to be moved in one call, and the checks before it: arguments, and memory shared by sources and targets.

use super::plan::Plan;
use crate::collective::failure::{Code, Failure};
use crate::exec::Load;
use crate::exec::travel::check_devices;
use crate::layout::mapping::{Map, Section};
use crate::pack::{Destination, OwnedArray, Source, Update};
use crate::plan::aliasing::{Touched, stays};
use crate::runtime::session::Session;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

/// The calling process's part of one array to move, with its plan.
pub type Cargo<'a> = Load<'a, Arc<Plan>>;

impl Cargo<'_> {
    /// Returns the update if the call must apply one. A plain copy needs none, unless the plan combines several values
    /// for an element.
    pub fn computes(&self) -> Option<Update> {
        self.update.filter(|update| self.plan.combines() || !update.is_copy())
    }

    /// Returns whether the calling process reads its source, and whether it writes its target.
    fn touches(&self) -> (bool, bool) {
        let (reads, writes) = self.plan.touches();
        (reads && !self.update.as_ref().is_some_and(Update::ignores_source), writes)
    }

    /// Replaces the source by a copy of the elements that the plan reads, because a target overwrites them.
    fn read_first(&mut self) -> Result<(), Failure> {
        let Some(source) = &self.source else { return Ok(()) };
        let Some(part) = self.plan.planned.reads(source.shape()) else { return Ok(()) };
        let missing = || {
            Failure::new(Code::Memory, "no memory for a copy of a source that shares memory with a target")
        };
        let copy = OwnedArray::copy_of(source, &part).ok_or_else(missing)?;
        check_devices(source.device())?;
        self.source = Some(copy);
        Ok(())
    }

    pub fn ranges(&self) -> Vec<Range<usize>> {
        spans(0, self).map(|span| span.addresses).collect()
    }
}

/// Checks each array and splits shifts into their redistributions. Copies a source that a target of the batch
/// overwrites, if its plan allows that.
pub fn check_cargo<'a>(session: &Session, arrays: Vec<Cargo<'a>>) -> Result<Vec<Cargo<'a>>, Failure> {
    let several = arrays.len() > 1;
    let (mut of_arrays, mut cargo) = ((0..arrays.len()).collect::<Vec<_>>(), arrays);
    if cargo.iter().any(|cargo| !cargo.plan.more().is_empty()) {
        of_arrays.clear();
        let parts = |(array, parts): (usize, Vec<Cargo<'a>>)| {
            of_arrays.extend(parts.iter().map(|_| array));
            parts
        };
        cargo = cargo.into_iter().map(Cargo::parts).enumerate().flat_map(parts).collect();
    }
    for (k, Cargo { plan, source, destination, update }) in cargo.iter().enumerate() {
        let of = |what: &str| {
            if several { format!("the {what} of array {}", of_arrays[k]) } else { format!("the {what}") }
        };
        if plan.copies() && update.is_none() {
            return Err(Failure::argument(format!(
                "{} is missing, but the plan combines the copies of its source",
                of("update")
            )));
        }
        plan.shadow_way().map_or(Ok(()), |way| way.check_update(update.as_ref(), || of("update")))?;
        if let Some(number) = update.map(|update| update.number()).filter(|n| n.bytes() != plan.element()) {
            return Err(Failure::argument(format!(
                "{} computes with numbers of {} bytes, but the plan's elements have {}",
                of("update"),
                number.bytes(),
                plan.element()
            )));
        }
        if plan.session.upgrade().is_none_or(|of| of.number != session.number) {
            let array = of_arrays[k];
            return Err(Failure::argument(format!(
                "plan {array} is on another communicator than plan 0, expected the same communicator"
            )));
        }
        let (reads, writes) = cargo[k].touches();
        if reads && !source.as_ref().is_some_and(Source::has_memory) {
            return Err(Failure::argument(format!(
                "{} is NULL, but this process has a part that moves",
                of("source")
            )));
        }
        if writes && !destination.as_ref().is_some_and(Destination::has_memory) {
            return Err(Failure::argument(format!(
                "{} is NULL, but this process has a part that moves",
                of("target")
            )));
        }
    }
    let overwritten = overwritten_sources(&cargo, &of_arrays)?;
    for k in overwritten {
        cargo[k].read_first()?;
    }
    Ok(cargo)
}

struct TouchedSpan<'a> {
    addresses: Range<usize>,
    touched: Touched<'a>,
    writes: bool,
    array: usize,
}

/// Returns the entries of `cargo` whose source is overwritten by a target of the batch. An error if an entry's plan
/// does not allow that, or if two targets overlap. `of_arrays` has the number of the program's array for each entry;
/// entries of one array write different elements.
fn overwritten_sources(cargo: &[Cargo<'_>], of_arrays: &[usize]) -> Result<BTreeSet<usize>, Failure> {
    let mut spans: Vec<TouchedSpan<'_>> =
        cargo.iter().enumerate().flat_map(|(k, cargo)| spans(k, cargo)).collect();
    spans.sort_unstable_by_key(|TouchedSpan { addresses, writes, array, .. }| {
        (addresses.start, addresses.end, *writes, *array)
    });
    let mut overwritten = BTreeSet::new();
    // The earlier spans that reach beyond the start of the current one.
    let mut open: Vec<&TouchedSpan<'_>> = Vec::new();
    for span in &spans {
        open.retain(|before| span.addresses.start < before.addresses.end);
        let meets = |&&before: &&&TouchedSpan<'_>| {
            let same = before.array == span.array;
            (before.writes || span.writes)
                && !(before.writes && span.writes && of_arrays[before.array] == of_arrays[span.array])
                && !(same && may_alias(&cargo[span.array]))
                && !before
                    .touched
                    .is_apart_in_boxes(&span.touched, [before, span].map(|span| end(cargo, span)))
                && before.touched.meets(&span.touched)
        };
        for before in open.iter().filter(meets) {
            let reader = if span.writes { before } else { span };
            if !reader.writes && cargo[reader.array].plan.overlap {
                overwritten.insert(reader.array);
                continue;
            }
            let name = |span: &TouchedSpan<'_>| if span.writes { "target" } else { "source" };
            let [now, earlier] = [span, before].map(|span| of_arrays[span.array]);
            let text = match now == earlier {
                true => "source and target overlap in memory".into(),
                false => format!(
                    "the {} of array {now} overlaps the {} of array {earlier} in memory",
                    name(span),
                    name(before)
                ),
            };
            return Err(Failure::new(Code::Overlap, text));
        }
        open.push(span);
    }
    Ok(overwritten)
}

fn end<'a>(cargo: &'a [Cargo<'_>], span: &TouchedSpan<'_>) -> (&'a Map, &'a Section) {
    let end = &cargo[span.array].plan.ends[usize::from(span.writes)];
    (&end.map, end.section())
}

fn spans<'a>(array: usize, cargo: &'a Cargo<'_>) -> impl Iterator<Item = TouchedSpan<'a>> {
    let (reads, writes) = cargo.touches();
    let Cargo { plan, source, destination, .. } = cargo;
    let read = source.as_ref().filter(|_| reads).map(|source| {
        let array = source.footprint();
        (array.span(), Touched::read(&plan.planned, array), false)
    });
    let written = destination.as_ref().filter(|_| writes).map(|destination| {
        let array = destination.footprint();
        (array.span(), Touched::written(&plan.planned, array), true)
    });
    let all = read.into_iter().chain(written).filter(|(span, ..)| !span.is_empty());
    all.map(move |(addresses, touched, writes)| TouchedSpan { addresses, touched, writes, array })
}

/// Returns whether source and target of an array may share memory: if every element stays at its address, or if no
/// element that is read is also written.
fn may_alias(cargo: &Cargo<'_>) -> bool {
    let ends = cargo.source.as_ref().zip(cargo.destination.as_ref());
    ends.is_none_or(|(source, destination)| {
        let (from, to) = (source.footprint(), destination.footprint());
        if cargo.plan.shadow_way().is_some() && from == to {
            // Each element is in a shadow or the process's own; only one kind is written.
            return true;
        }
        stays(&cargo.plan.planned, from, to)
    })
}
