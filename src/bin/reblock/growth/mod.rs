//! Growth of steps, cost and contention with the number of ranks. Both grids are doubled repeatedly. The figures of
//! each scheduler are counted from the messages, not taken from its certificate. Counts that would take too long are
//! left out, with the reason.

mod ports;
mod stage;
mod tally;
mod text;

pub use stage::{Count, Stage};
pub use text::text;

use crate::layout::{Dim, Format, Layout};
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

/// Returns the growth of `subject` up to `most` ranks on the larger side. Calls `begins` with the number of ranks of each
/// stage before it is counted.
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
            Ok(traffic) => stages.push(stage::stage(&here, &traffic.within(machine), machine)),
            Err(why) => break why,
        }
        here = match doubled(&here, stages.len() - 1).and_then(with_whole_periods) {
            Ok(next) => next,
            Err(why) => break why,
        };
    };
    if stages.is_empty() { Err(ended) } else { Ok(Growth { version: 1, stages, ended }) }
}

/// Doubles the processes of both grids, each in one of its distributed dimensions: number `turn` modulo their number.
/// The array doubles in these dimensions.
fn doubled(subject: &Redistribution, turn: usize) -> Result<Redistribution, String> {
    let which = |layout: &Layout| {
        let dealt: Vec<usize> =
            (0..layout.dims.len()).filter(|&d| layout.dims[d].format != Format::Collapsed).collect();
        if dealt.is_empty() {
            Err("no dimension is distributed".to_string())
        } else {
            Ok(dealt[turn % dealt.len()])
        }
    };
    let (from, to) = (which(&subject.from)?, which(&subject.to)?);
    let mut next = subject.clone();
    for (d, len) in next.shape.iter_mut().enumerate() {
        if d == from || d == to {
            *len = len.checked_mul(2).ok_or("the array has too many elements")?;
            next.from.dims[d] = grown(&subject.from.dims[d], d == from)?;
            next.to.dims[d] = grown(&subject.to.dims[d], d == to)?;
        }
    }
    for layout in [&mut next.from, &mut next.to] {
        let first = u64::from(layout.at) * 2;
        if first + layout.ranks() > LAST_RANK {
            return Err("more ranks than MPI can number".into());
        }
        layout.at = u32::try_from(first).map_err(|error| error.to_string())?;
    }
    Ok(next)
}

/// Returns `dim` for twice the elements, on twice the processes if `wider`.
fn grown(dim: &Dim, wider: bool) -> Result<Dim, String> {
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
    for ((from, to), len) in subject.from.dims.iter().zip(&subject.to.dims).zip(&mut subject.shape) {
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
