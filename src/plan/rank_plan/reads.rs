//! Bounding box of the local indices that a rank reads, for a copy of its source made before anything is written.

use super::RankPlan;
use crate::layout::intersect::Runs;
use crate::layout::strides::Shape;
use crate::plan::RankPhase;
use std::ops::Range;

impl RankPlan {
    /// Returns the range of local indices read in each dimension of a source of this shape, or the whole storage of an
    /// array in boxes; `None` if nothing is read.
    pub fn reads(&self, shape: &Shape) -> Option<Vec<Range<u64>>> {
        let phase = self.reading_phase()?;
        if self.problem.in_boxes() {
            return Some(shape.dims().iter().map(|dim| 0..dim.extent).collect());
        }
        Some((0..shape.dims().len()).map(|d| source_range(phase, d)).collect())
    }
}

/// Returns the range of local indices that `phase` reads of its source along dimension `d`.
fn source_range(phase: &RankPhase, d: usize) -> Range<u64> {
    let kept = phase
        .copy
        .iter()
        .flat_map(|kept| kept.product(0).dims().nth(d).map(|share| index_range(&share.local)));
    let sent = phase.sends.shares(d).iter().map(|share| index_range(&share.local));
    let both = |a: Range<u64>, b: Range<u64>| a.start.min(b.start)..a.end.max(b.end);
    kept.chain(sent).filter(|range| !range.is_empty()).reduce(both).unwrap_or(0..0)
}

/// Returns the range from the least index in the first coordinate to behind the greatest.
fn index_range<const D: usize>(runs: &Runs<D>) -> Range<u64> {
    let starts = runs.pattern().into_iter().map(|(family, ..)| family.first(0));
    starts.min().unwrap_or(0)..runs.extent(0)
}
