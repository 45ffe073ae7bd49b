//! Redistribution of a source that is spread (repeated) along dimensions of the target, in two phases.
//!
//! The first phase sends each element once to each process that needs it. The second phase copies it, without messages,
//! to all target elements of the process that take its value.
//!
//! The intermediate array has a single index along each dimension of [`Problem::spread`], and a copy on each process
//! along it. Along the other dimensions it is distributed like the target. The second phase reads the single index at
//! a stride of 0.

use super::rank_phase::self_copy;
use super::{PhaseSide, Place, RankPhase, Share};
use crate::layout::distribution::{Axis, ReceivedSection, View};
use crate::layout::intersect::Overlap;
use crate::layout::problem::Problem;
use std::sync::{Arc, Mutex, OnceLock};

impl Problem {
    /// Returns the problem of the first phase. Its target has a single index along each spread dimension, and a copy on
    /// each process along it that has any index of the final target.
    pub fn before_spread(&self) -> Self {
        let (own, extents) = (self.dims.len(), self.to.extents());
        let along = |dim: usize| View::Along { dim, reversed: false };
        let single = |d: usize| if self.spread.contains(&d) { View::One } else { along(d) };
        let copies = self.spread.iter().copied().chain(own..extents.len()).map(along);
        let views: Vec<View> = (0..own).map(single).chain(copies).collect();
        let mut to = self.to.view(&views, &vec![0; extents.len()]);
        let mut dims = self.dims.clone();
        for (k, &d) in self.spread.iter().enumerate() {
            // If no rank has all owners, processes without indices get a copy, too.
            if !dims[d].is_partial() {
                to = to.restrict_dimension(own + k, &dims[d].destinations(0));
            }
            dims[d] = Overlap { from: dims[d].from.clone(), to: Axis::collapsed(), len: 1 };
        }
        Self { dims, to, is_transposed: false, spread: Vec::new(), ..self.clone() }
    }
}

impl RankPhase {
    /// Builds the second phase of the rank at `me`, from its intermediate array to the target. It has no messages.
    pub fn spread(problem: &Problem, me: &Place) -> Self {
        let nothing = Arc::new(ReceivedSection::default());
        // Both sides are now distributed like the target: the partners received for the original section do not apply.
        let own = |(d, dim): (usize, &Overlap)| match problem.spread.contains(&d) {
            true => dim.clone(),
            false => {
                let to = dim.to.with_received(&nothing);
                Overlap { from: to.clone(), to, len: dim.len }
            }
        };
        let dims: Vec<Overlap> = problem.dims.iter().enumerate().map(own).collect();
        let problem = Problem { dims, ..problem.clone() };
        let shared = |at: &Vec<u32>| {
            let each = problem.dims.iter().zip(at).enumerate();
            let share = |(d, (dim, &q)): (usize, (&Overlap, &u32))| {
                let runs = dim.shared(if problem.spread.contains(&d) { 0 } else { q }, q);
                Share::new(runs, [&dim.from, &dim.to])
            };
            self_copy(&problem, each.map(share).collect())
        };
        let copy = me.to.as_ref().and_then(shared);
        let (sends, receives) = (PhaseSide::default(), PhaseSide::default());
        let (merged, both) = (OnceLock::new(), Mutex::default());
        Self { problem, me: me.clone(), sends, receives, copy, apart: 0, whole: true, merged, both }
    }

    /// Iterates over the spread dimensions, each with the number of target indices that read its single index.
    pub fn repeats(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        self.problem.spread.iter().map(|&d| (d, self.problem.dims[d].len))
    }
}
