//! Every process with each in turn: step d is for the pairs of processes whose numbers are d together, as ScaLAPACK has
//! it, but counting only processes that have any of the section. Where all exchange, no schedule has fewer steps.

use super::super::blocks::{Even, Uneven};
use crate::layout::Axis;
use crate::overlap::Overlap;

/// The numbers of the processes.
#[derive(Clone, Debug)]
pub struct Turns {
    from: Numbers,
    to: Numbers,
    /// The number of steps: processes with data on the larger side.
    pub steps: u64,
}

/// The numbers of the processes of a side, those with data first.
#[derive(Clone, Debug)]
enum Numbers {
    Places(Even),
    /// Processes with data before each.
    Before(Vec<u32>),
    Own,
}

impl Turns {
    /// Always possible.
    pub fn new(dim: &Overlap) -> Self {
        let ((from, p), (to, q)) = (Numbers::new(&dim.from, dim.len), Numbers::new(&dim.to, dim.len));
        Self { from, to, steps: p.max(q).max(1) }
    }

    /// The step of the message from process `p` to process `q`.
    pub fn step(&self, p: u32, q: u32) -> u64 {
        (self.from.of(p) + self.to.of(q)) % self.steps
    }
}

impl Numbers {
    /// The numbers, and how many processes have any data.
    fn new(axis: &Axis, len: u64) -> (Self, u64) {
        if let Some(even) = Even::new(axis, len) {
            return (Self::Places(even), even.count.min(even.procs));
        }
        let procs = axis.dist.procs();
        let Some(uneven) = Uneven::new(axis, len) else { return (Self::Own, procs.into()) };
        let mut before = Vec::with_capacity(procs as usize);
        let mut count = 0;
        for coord in 0..procs {
            before.push(count);
            count += u32::from(!uneven.span(coord).is_empty());
        }
        (Self::Before(before), count.into())
    }

    fn of(&self, coord: u32) -> u64 {
        match self {
            Self::Places(even) => even.place(coord),
            Self::Before(before) => before[coord as usize].into(),
            Self::Own => coord.into(),
        }
    }
}
