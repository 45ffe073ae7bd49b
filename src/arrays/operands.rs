//! Operands of a call that moves arrays, and their checks: arguments, and memory shared by sources and targets.

use super::plan::Plan;
use crate::collective::failure::{Code, Failure};
use crate::exec::Load;
use crate::exec::travel::check_devices;
use crate::layout::mapping::{Map, Section};
use crate::pack::{Destination, OwnedArray, Source, Update};
use crate::plan::aliasing::{AccessedElements, moves_nothing};
use crate::runtime::session::Session;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

/// Plan, source, destination and update of one array to move, on the calling process.
pub type MoveOperands<'a> = Load<'a, Arc<Plan>>;

impl MoveOperands<'_> {
    /// Returns the update if the call must apply one. A plain copy needs none, unless the plan combines several values
    /// for an element.
    pub fn computes(&self) -> Option<Update> {
        self.update.filter(|update| self.plan.combines() || !update.is_copy())
    }

    /// Returns whether the calling process reads its source, and whether it writes its target.
    fn accesses(&self) -> (bool, bool) {
        let (reads, writes) = self.plan.touches();
        (reads && !self.update.as_ref().is_some_and(Update::ignores_source), writes)
    }

    /// Replaces the source by a copy of the elements that the plan reads, because a target overwrites them.
    fn copy_source(&mut self) -> Result<(), Failure> {
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

/// Checks the operands, and splits shifts into their redistributions. Copies a source that a target of the call
/// overwrites, if its plan allows that.
pub fn check_operands<'a>(
    session: &Session,
    arrays: Vec<MoveOperands<'a>>,
) -> Result<Vec<MoveOperands<'a>>, Failure> {
    let several = arrays.len() > 1;
    let (mut of_arrays, mut operands) = ((0..arrays.len()).collect::<Vec<_>>(), arrays);
    if operands.iter().any(|operands| !operands.plan.further().is_empty()) {
        of_arrays.clear();
        let parts = |(array, parts): (usize, Vec<MoveOperands<'a>>)| {
            of_arrays.extend(parts.iter().map(|_| array));
            parts
        };
        operands = operands.into_iter().map(MoveOperands::parts).enumerate().flat_map(parts).collect();
    }
    for (k, MoveOperands { plan, source, destination, update }) in operands.iter().enumerate() {
        let of = |what: &str| {
            if several { format!("the {what} of array {}", of_arrays[k]) } else { format!("the {what}") }
        };
        if plan.copies() && update.is_none() {
            return Err(Failure::argument(format!(
                "{} is missing, but the plan combines the copies of its source",
                of("update")
            )));
        }
        plan.shadow_exchange().map_or(Ok(()), |way| way.check_update(update.as_ref(), || of("update")))?;
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
        let (reads, writes) = operands[k].accesses();
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
    let overwritten = overwritten_sources(&operands, &of_arrays)?;
    for k in overwritten {
        operands[k].copy_source()?;
    }
    Ok(operands)
}

struct AccessedSpan<'a> {
    addresses: Range<usize>,
    elements: AccessedElements<'a>,
    writes: bool,
    /// Number of the entry of the call's operands.
    entry: usize,
}

/// Returns the entries of `operands` whose source a target of the call overwrites. An error if an entry's plan does not
/// allow that, or if two targets overlap. `of_arrays` has the number of the program's array for each entry; entries of
/// one array write different elements.
fn overwritten_sources(
    operands: &[MoveOperands<'_>],
    of_arrays: &[usize],
) -> Result<BTreeSet<usize>, Failure> {
    let mut spans: Vec<AccessedSpan<'_>> =
        operands.iter().enumerate().flat_map(|(k, operands)| spans(k, operands)).collect();
    spans.sort_unstable_by_key(|AccessedSpan { addresses, writes, entry, .. }| {
        (addresses.start, addresses.end, *writes, *entry)
    });
    let mut overwritten = BTreeSet::new();
    // Earlier spans that reach beyond the start of the current one.
    let mut open: Vec<&AccessedSpan<'_>> = Vec::new();
    for span in &spans {
        open.retain(|before| span.addresses.start < before.addresses.end);
        let conflicts = |&&before: &&&AccessedSpan<'_>| {
            let same = before.entry == span.entry;
            (before.writes || span.writes)
                && !(before.writes && span.writes && of_arrays[before.entry] == of_arrays[span.entry])
                && !(same && may_alias(&operands[span.entry]))
                && !before
                    .elements
                    .is_apart_in_boxes(&span.elements, [before, span].map(|span| end(operands, span)))
                && before.elements.may_share_bytes(&span.elements)
        };
        for before in open.iter().filter(conflicts) {
            let reader = if span.writes { before } else { span };
            if !reader.writes && operands[reader.entry].plan.overlap {
                overwritten.insert(reader.entry);
                continue;
            }
            let name = |span: &AccessedSpan<'_>| if span.writes { "target" } else { "source" };
            let [now, earlier] = [span, before].map(|span| of_arrays[span.entry]);
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

fn end<'a>(operands: &'a [MoveOperands<'_>], span: &AccessedSpan<'_>) -> (&'a Map, &'a Section) {
    let end = &operands[span.entry].plan.ends[usize::from(span.writes)];
    (&end.map, end.section())
}

fn spans<'a>(entry: usize, operands: &'a MoveOperands<'_>) -> impl Iterator<Item = AccessedSpan<'a>> {
    let (reads, writes) = operands.accesses();
    let MoveOperands { plan, source, destination, .. } = operands;
    let read = source.as_ref().filter(|_| reads).map(|source| {
        let array = source.footprint();
        (array.span(), AccessedElements::read(&plan.planned, array), false)
    });
    let written = destination.as_ref().filter(|_| writes).map(|destination| {
        let array = destination.footprint();
        (array.span(), AccessedElements::written(&plan.planned, array), true)
    });
    let all = read.into_iter().chain(written).filter(|(span, ..)| !span.is_empty());
    all.map(move |(addresses, elements, writes)| AccessedSpan { addresses, elements, writes, entry })
}

/// Returns whether source and target of an array may share memory: every element stays at its address, or no element
/// is both read and written.
fn may_alias(operands: &MoveOperands<'_>) -> bool {
    let ends = operands.source.as_ref().zip(operands.destination.as_ref());
    ends.is_none_or(|(source, destination)| {
        let (from, to) = (source.footprint(), destination.footprint());
        if operands.plan.shadow_exchange().is_some() && from == to {
            // Either shadow elements or own elements are written; the others are read.
            return true;
        }
        moves_nothing(&operands.plan.planned, from, to)
    })
}
