//! Growth of steps, cost and contention with the number of ranks. Doubles both grids repeatedly. Each scheduler's
//! figures are counted from the messages, not taken from its certificate. Counts that would take too long are left out,
//! with the reason.

mod ports;
mod stage;
mod tally;
mod text;

pub use stage::{Count, Stage};
pub use text::text;

use crate::layout::{Dealt, Dim, Format, Layout};
use crate::redistribution::Redistribution;
use num_integer::Integer;
use reblock_plan::machine::Machine;
use serde::Serialize;

/// Largest rank number that MPI can express, as a C int.
const LAST_RANK: u64 = (1 << 31) - 1;

/// Figures of the schedulers by number of ranks.
#[derive(Serialize, Debug)]
pub struct Growth {
    /// Version of the format; rises when a field changes its meaning.
    pub version: u32,
    /// The first stage has the given layouts, on whole periods. Each later stage has twice the ranks of the one before.
    pub stages: Vec<Stage>,
    /// Reason why there are no further stages.
    pub ended: String,
}

/// Returns the growth of `subject` up to `most` ranks on the larger side. Calls `begins` with a stage's number of ranks
/// before counting it.
pub fn growth(
    subject: &Redistribution,
    machine: &Machine,
    most: u64,
    mut begins: impl FnMut(u64),
) -> Result<Growth, String> {
    let ranks = |at: &Redistribution| at.from.ranks().max(at.to.ranks());
    let mut here = with_whole_periods(subject.clone())?;
    let mut stages = Vec::new();
    let ended = loop {
        if ranks(&here) > most {
            break format!("more than {most} ranks");
        }
        begins(ranks(&here));
        match here.traffic() {
            Ok(traffic) => stages.push(stage::stage(&here, &traffic.with_budget_for(machine), machine)),
            Err(why) => break why,
        }
        here = match doubled(&here, stages.len() - 1).and_then(with_whole_periods) {
            Ok(next) => next,
            Err(why) => break why,
        };
    };
    if stages.is_empty() { Err(ended) } else { Ok(Growth { version: 1, stages, ended }) }
}

/// Doubles each grid in one of its distributed dimensions, and the array in the same dimensions. `turn`, modulo the
/// number of distributed dimensions, is the dimension's place among them.
fn doubled(subject: &Redistribution, turn: usize) -> Result<Redistribution, String> {
    let which = |layout: &Dealt| {
        let dealt: Vec<usize> =
            (0..layout.dims.len()).filter(|&d| layout.dims[d].format != Format::Collapsed).collect();
        if dealt.is_empty() {
            Err("no dimension is distributed".to_string())
        } else {
            Ok(dealt[turn % dealt.len()])
        }
    };
    let mut layouts = both_layouts(subject)?;
    let wider = [which(&layouts[0])?, which(&layouts[1])?];
    let mut shape = subject.shape.clone();
    for (d, len) in shape.iter_mut().enumerate().filter(|(d, _)| wider.contains(d)) {
        *len = len.checked_mul(2).ok_or("the array has too many elements")?;
        for (layout, wider) in layouts.iter_mut().zip(wider) {
            layout.dims[d] = doubled_dimension(&layout.dims[d], d == wider)?;
        }
    }
    let [from, to] = layouts.map(|mut layout| {
        let first = u64::from(layout.at) * 2;
        layout.at = u32::try_from(first).map_err(|error| error.to_string())?;
        let layout = Layout::from(layout);
        match first + layout.ranks() > LAST_RANK {
            true => Err("more ranks than MPI can number".to_string()),
            false => Ok(layout),
        }
    });
    Ok(Redistribution { shape, from: from?, to: to?, ..subject.clone() })
}

/// Returns both layouts; an error if they cannot be doubled.
fn both_layouts(subject: &Redistribution) -> Result<[Dealt; 2], String> {
    match (&subject.from, &subject.to) {
        (Layout::Dealt(from), Layout::Dealt(to))
            if from.copies.is_empty() && to.copies.is_empty() && subject.axes.is_sorted() =>
        {
            Ok([from.clone(), to.clone()])
        }
        _ => Err("--simulate is for layouts without alignments and copies, and without --axes".into()),
    }
}

/// Returns `dim` for twice the elements, on twice the processes if `wider`.
fn doubled_dimension(dim: &Dim, wider: bool) -> Result<Dim, String> {
    let too_large = "block sizes do not fit in 64 bits";
    if wider {
        return dim.doubled().ok_or_else(|| too_large.into());
    }
    let twice = |n: &u64| n.checked_mul(2).ok_or(too_large);
    let format = match &dim.format {
        Format::BlockOf(block) => Format::BlockOf(twice(block)?),
        Format::GenBlock(sizes) => Format::GenBlock(sizes.iter().map(twice).collect::<Result<_, _>>()?),
        Format::Indirect(runs) => {
            let twice = |(owner, run): &(u32, u64)| Ok((*owner, twice(run)?));
            Format::Indirect(runs.iter().map(twice).collect::<Result<_, String>>()?)
        }
        other => other.clone(),
    };
    Ok(Dim { format, ..dim.clone() })
}

/// Rounds the array up to whole periods in the dimensions that are CYCLIC(k) on both sides.
fn with_whole_periods(mut subject: Redistribution) -> Result<Redistribution, String> {
    let [from, to] = both_layouts(&subject)?;
    for ((from, to), len) in from.dims.iter().zip(&to.dims).zip(&mut subject.shape) {
        let cycle = |dim: &Dim| Some(u128::from(dim.cyclic()?) * u128::from(dim.procs));
        if let (Some(from), Some(to)) = (cycle(from), cycle(to)) {
            let period = (from / from.gcd(&to)).saturating_mul(to);
            let whole = u128::from(*len).div_ceil(period).saturating_mul(period);
            *len = u64::try_from(whole).map_err(|_| "a period of the layouts does not fit in 64 bits")?;
        }
    }
    Ok(subject)
}

#[cfg(test)]
mod tests;
