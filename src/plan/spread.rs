//! HOW does one index of the source come to many of the target? In two legs: what is to be repeated goes once to each process that
//! has any of those indices, and each process copies it to all of its own. So messages have each element once, as many times as
//! there are processes that need it.
//!
//! The array between has one index along the dimensions of [`Problem::spread`], and copies on the processes along these; in the
//! others it is dealt out as the target is. The second leg reads its one index at a stride of 0.

use super::{Leg, LegSide, Place, Share, kept};
use crate::layout::distribution::{Axis, ToldSection, View};
use crate::layout::intersect::Overlap;
use crate::layout::problem::Problem;
use std::sync::{Arc, Mutex, OnceLock};

impl Problem {
    /// The same up to the array between: one index along each dimension that the source is spread along, and a copy on each process
    /// along it that has any of the target's.
    pub fn before_spread(&self) -> Self {
        let (own, extents) = (self.dims.len(), self.to.extents());
        let along = |dim: usize| View::Along { dim, reversed: false };
        let single = |d: usize| if self.spread.contains(&d) { View::One } else { along(d) };
        let copies = self.spread.iter().copied().chain(own..extents.len()).map(along);
        let views: Vec<View> = (0..own).map(single).chain(copies).collect();
        let mut to = self.to.view(&views, &vec![0; extents.len()]);
        let mut dims = self.dims.clone();
        for (k, &d) in self.spread.iter().enumerate() {
            // Where nobody knows who has what, those that have nothing get a copy, too.
            if !dims[d].is_partial() {
                to = to.taking(own + k, &dims[d].destinations(0));
            }
            dims[d] = Overlap { from: dims[d].from.clone(), to: Axis::alone(), len: 1 };
        }
        Self { dims, to, turned: false, spread: Vec::new(), ..self.clone() }
    }
}

impl Leg {
    /// The second one, on the rank at `me`: from the array between, which it has, to the target. No rank sends anything.
    pub fn spread(problem: &Problem, me: &Place) -> Self {
        let nothing = Arc::new(ToldSection::default());
        // The array between is dealt out as the target is: what the process was told of the source's owners says nothing here.
        let own = |(d, dim): (usize, &Overlap)| match problem.spread.contains(&d) {
            true => dim.clone(),
            false => {
                let to = dim.to.telling(&nothing);
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
            kept(&problem, each.map(share).collect())
        };
        let copy = me.to.as_ref().and_then(shared);
        let (sends, receives) = (LegSide::default(), LegSide::default());
        let (merged, both) = (OnceLock::new(), Mutex::default());
        Self { problem, me: me.clone(), sends, receives, copy, apart: 0, whole: true, merged, both }
    }

    /// Of each dimension that this leg reads one index of at all places, that dimension and how many these are.
    pub fn repeats(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        self.problem.spread.iter().map(|&d| (d, self.problem.dims[d].len))
    }
}
