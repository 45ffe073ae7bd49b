//! Pairwise exchange, as in ScaLAPACK: each process exchanges with each process of the other side in turn. The message
//! from process number i to process number j goes in step i + j, modulo the number of steps. Only processes with data
//! in the section are numbered. If all pairs exchange messages, no schedule has fewer steps.
//!
//! If each process has at most one block, its partners have consecutive numbers. Then the number of steps is the number
//! of messages of the busiest process, and no schedule has fewer steps.

use super::super::blocks::{EqualBlocks, UnequalBlocks};
use super::super::walk::WalkFigures;
use crate::layout::distribution::Axis;
use crate::layout::intersect::Overlap;
use std::sync::Arc;

#[derive(Clone, Debug)]
pub struct PairwiseExchange {
    from: ProcessNumbers,
    to: ProcessNumbers,
    /// Number of steps: the maximum number of messages of a process if each process has at most one block, otherwise
    /// the number of processes with data on the larger side.
    pub steps: u64,
}

/// Numbers of the processes with data of a side, counted from 0.
#[derive(Clone, Debug)]
enum ProcessNumbers {
    Places(EqualBlocks),
    /// Number of processes with data before each process.
    Before(Arc<[u32]>),
    /// Coordinates, if all processes have data, or if it is not known which processes have data.
    Own,
}

impl PairwiseExchange {
    /// Numbers the processes of `dim`. `walked` has the figures of its messages if a walk counted them.
    pub fn new(dim: &Overlap, walked: Option<&WalkFigures>) -> Self {
        let ((from, p), (to, q)) =
            (ProcessNumbers::new(&dim.from, dim.len), ProcessNumbers::new(&dim.to, dim.len));
        let most = walked.map(|walked| walked.send.messages.max(walked.receive.messages));
        let steps = most.or_else(|| most_of_blocks(dim)).unwrap_or(p.max(q));
        Self { from, to, steps: steps.max(1) }
    }

    pub fn step(&self, p: u32, q: u32) -> u64 {
        (self.from.number(p) + self.to.number(q)) % self.steps
    }
}

/// Returns the maximum number of messages of a process if each process has at most one block, and each side has blocks
/// of one size.
fn most_of_blocks(dim: &Overlap) -> Option<u64> {
    let (from, to) = (EqualBlocks::new(&dim.from, dim.len)?, EqualBlocks::new(&dim.to, dim.len)?);
    dim.has_single_blocks().then(|| from.max_intersecting(&to).max(to.max_intersecting(&from)))
}

impl ProcessNumbers {
    /// Returns the numbers of the processes, and how many processes are numbered.
    fn new(axis: &Axis, len: u64) -> (Self, u64) {
        if let Some(blocks) = EqualBlocks::new(axis, len) {
            return (Self::Places(blocks), blocks.count.min(blocks.procs));
        }
        let procs = axis.dist.procs();
        let Some(blocks) = UnequalBlocks::new(axis, len) else { return (Self::Own, procs.into()) };
        let count = blocks.spans().count() as u64;
        if count == u64::from(procs) {
            return (Self::Own, count);
        }
        let before = |count: &mut u32, coord| {
            let number = *count;
            *count += u32::from(!blocks.span(coord).is_empty());
            Some(number)
        };
        (Self::Before((0..procs).scan(0, before).collect()), count)
    }

    fn number(&self, coord: u32) -> u64 {
        match self {
            Self::Places(blocks) => blocks.position_in_round(coord),
            Self::Before(before) => before[coord as usize].into(),
            Self::Own => coord.into(),
        }
    }
}
