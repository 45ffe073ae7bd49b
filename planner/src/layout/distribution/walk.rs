//! Ascending lookups on an axis: each lookup starts from the result of the previous lookup.

use super::{Axis, Dist, Global, Local};
use std::ops::Range;

/// Cursor on an axis that only moves forward.
#[derive(Clone, Debug)]
pub struct AxisWalk<'a> {
    axis: &'a Axis,
    /// Number of the run that the last lookup found in a list of owners.
    run: u32,
    /// Section indices of the stretch that the last lookup found. `base` is the local index of the first of them, and
    /// `step` the distance of neighbours in the local array.
    known: Range<u64>,
    base: u64,
    step: u64,
}

impl<'a> AxisWalk<'a> {
    /// Starts before the first index of `axis`.
    pub fn new(axis: &'a Axis) -> Self {
        Self { axis, run: 0, known: 0..0, base: 0, step: axis.step() }
    }

    /// Returns the local index of section index `i` ([`Axis::local`]), and the number of indices from `i` to the end of
    /// its stretch ([`Axis::run_length_from`]). `i` must not be below the index of an earlier call.
    #[inline]
    pub fn at(&mut self, i: u64) -> (Local, u64) {
        if i >= self.known.end {
            self.find(i);
        }
        (Local(self.base + (i - self.known.start) * self.step), self.known.end - i)
    }

    /// Returns the owner of section index `i`, and a number of indices from `i` on with the same owner: the rest of a
    /// run or block, which may reach beyond the end of the section. `i` must not be below the index of an earlier call.
    #[inline]
    pub fn owner(&mut self, i: u64) -> (u32, u64) {
        match &self.axis.dist {
            Dist::Indirect(dist) if self.axis.is_plain() => {
                let at = self.axis.template(i);
                let (owner, end) = dist.owner_from(&mut self.run, Global(at));
                (owner, end - at)
            }
            _ => (self.axis.owner(i), self.axis.run_length_from(i)),
        }
    }

    #[inline]
    fn find(&mut self, i: u64) {
        let (Local(base), stretch) = match &self.axis.dist {
            Dist::Indirect(dist) if self.axis.is_own_template() => {
                let at = self.axis.template(i);
                let (end, local) = dist.find_from_run(&mut self.run, Global(at));
                let stretch = match self.axis.template_stride() {
                    1 => end - at,
                    stride => (end - at).div_ceil(stride),
                };
                (local, stretch)
            }
            _ => (self.axis.local(i), self.axis.run_length_from(i)),
        };
        (self.known, self.base) = (i..i.saturating_add(stretch), base);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::distribution::{Cyclic, Indirect};

    #[test]
    fn walks_equal_single_lookups() {
        let mut rng = fastrand::Rng::with_seed(12);
        for _ in 0..500 {
            let (procs, most) = (rng.u32(1..6), rng.u64(1..40));
            let (origin, stride) = (rng.u64(0..20), rng.u64(1..4));
            let (start, step, len) = (rng.u64(0..9), rng.u64(1..5), rng.u64(1..80));
            let dist: Dist = if rng.bool() {
                let runs = 1 + origin + stride * (start + step * len);
                let runs = (0..runs).map(|_| (rng.u32(0..procs), rng.u64(1..=most))).collect::<Vec<_>>();
                Indirect::new(procs, runs).unwrap().into()
            } else {
                Cyclic::new(most, procs, 0).unwrap().into()
            };
            let axis = Axis::aligned(dist, origin, stride).section(start, step);
            let (mut walk, mut owners) = (AxisWalk::new(&axis), AxisWalk::new(&axis));
            for i in (0..len).filter(|_| rng.bool()).collect::<Vec<_>>() {
                let (local, stretch) = walk.at(i);
                let want = (axis.local(i), axis.run_length_from(i).min(len));
                assert_eq!((local, stretch.min(len)), want, "{axis:?} at {i}");
                let (owner, alike) = owners.owner(i);
                assert_eq!((owner, alike.min(len)), (axis.owner(i), want.1), "{axis:?} at {i}");
            }
        }
    }
}
