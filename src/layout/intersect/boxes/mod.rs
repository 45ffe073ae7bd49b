//! WHICH boxes of one list have an index in common with which of another? In any number of dimensions, in time
//! O(n log^d n + what meets), without an index structure. (The hybrid of streamed segment trees and scans of Zomorodian and
//! Edelsbrunner, "Fast software for box intersections", 2002.)
//!
//! Two intervals meet exactly if one of them contains the start of the other. So along each dimension one side counts as
//! intervals and the other as points, and then the other way round; where both start at one index, side 0 is the interval.
//! Intervals that contain all points of a part go on to the next dimension; the others are divided at the median point.

use std::ops::{ControlFlow, Range};

/// Below so many boxes on one side all pairs are looked at.
const FEW: usize = 12;

/// Boxes of indices: a range in each dimension, none of them empty.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Boxes {
    dims: usize,
    ranges: Vec<Range<u64>>,
}

impl Boxes {
    /// No box yet, of `dims` dimensions, at least 1.
    pub fn new(dims: usize) -> Self {
        assert!(dims > 0, "a box has a dimension");
        Self { dims, ranges: Vec::new() }
    }

    /// Adds a box, none of whose ranges is empty.
    pub fn push(&mut self, ranges: impl IntoIterator<Item = Range<u64>>) {
        self.ranges.extend(ranges);
        assert!(self.ranges.len() % self.dims == 0, "a range in each of {} dimensions", self.dims);
    }

    /// How many they are.
    pub fn len(&self) -> usize {
        self.ranges.len() / self.dims.max(1)
    }

    /// The ranges of box number `k`.
    pub fn get(&self, k: usize) -> &[Range<u64>] {
        &self.ranges[k * self.dims..(k + 1) * self.dims]
    }

    /// All of them in order.
    pub fn iter(&self) -> impl Iterator<Item = &[Range<u64>]> {
        self.ranges.chunks_exact(self.dims.max(1))
    }
}

/// The indices that two boxes have in common, if they have any.
pub fn common<'a>(a: &'a [Range<u64>], b: &'a [Range<u64>]) -> impl Iterator<Item = Range<u64>> + 'a {
    a.iter().zip(b).map(|(a, b)| a.start.max(b.start)..a.end.min(b.end))
}

/// Calls `meet` with each pair of a box of `a` and a box of `b` that meet, by their numbers, once, in some order, until it breaks.
pub fn each_pair(a: &Boxes, b: &Boxes, meet: impl FnMut(usize, usize) -> ControlFlow<()>) {
    let mut all = [a, b].map(|boxes| (0..boxes.len()).collect::<Vec<_>>());
    let [of_a, of_b] = &mut all;
    let mut join = Join { sides: [a, b], meet };
    // Nothing follows: whether it broke does not matter.
    let last = a.dims - 1;
    let _ = join.divide(0, of_a, of_b, last).is_continue().then(|| join.divide(1, of_b, of_a, last));
}

/// Brings those of `list` that `has` holds for to the front: these, and the others.
fn parted<T: Copy>(list: &mut [T], mut has: impl FnMut(T) -> bool) -> (&mut [T], &mut [T]) {
    let mut front = 0;
    for k in 0..list.len() {
        if has(list[k]) {
            list.swap(front, k);
            front += 1;
        }
    }
    list.split_at_mut(front)
}

/// Two lists whose pairs are looked for. Parts of them are lists of numbers, whose order does not matter.
struct Join<'a, F> {
    sides: [&'a Boxes; 2],
    meet: F,
}

impl<F: FnMut(usize, usize) -> ControlFlow<()>> Join<'_, F> {
    /// Box `k` of side `side` along dimension `d`.
    #[inline]
    fn range(&self, side: usize, k: usize, d: usize) -> &Range<u64> {
        let Boxes { dims, ranges } = self.sides[side];
        &ranges[k * dims + d]
    }

    /// Whether interval `i`, of side `side`, contains the point of `p`, of the other one.
    #[inline]
    fn contains(&self, side: usize, i: usize, p: usize, d: usize) -> bool {
        self.holds(side, i, self.range(1 - side, p, d).start, d)
    }

    #[inline]
    fn holds(&self, side: usize, i: usize, point: u64, d: usize) -> bool {
        let interval = self.range(side, i, d);
        let starts = if side == 0 { interval.start <= point } else { interval.start < point };
        starts && point < interval.end
    }

    fn tell(&mut self, side: usize, i: usize, p: usize) -> ControlFlow<()> {
        if side == 0 { (self.meet)(i, p) } else { (self.meet)(p, i) }
    }

    /// Pairs of an interval of side `side` and a point of the other one, which meet in the dimensions behind `d`, that contain each
    /// other's in `d` and meet in those before it.
    fn divide(
        &mut self,
        side: usize,
        mut intervals: &mut [usize],
        mut points: &mut [usize],
        d: usize,
    ) -> ControlFlow<()> {
        loop {
            let (mut first, mut last) = (u64::MAX, 0);
            for &p in &*points {
                let at = self.range(1 - side, p, d).start;
                (first, last) = (first.min(at), last.max(at));
            }
            // An interval that contains no point from the first to the last is done with.
            let (near, _) = parted(intervals, |i| {
                let own = self.range(side, i, d);
                own.start <= last && first < own.end
            });
            if near.len().min(points.len()) <= FEW {
                return self.all_pairs(side, near, points, d);
            }
            if d == 0 {
                return self.scan(side, near, points);
            }
            let (whole, part) =
                parted(near, |i| self.holds(side, i, first, d) && self.holds(side, i, last, d));
            if !whole.is_empty() {
                self.divide(side, whole, points, d - 1)?;
                self.divide(1 - side, points, whole, d - 1)?;
            }
            if first == last || part.is_empty() {
                return ControlFlow::Continue(());
            }
            // Both parts have a point at least.
            let middle = points.len() / 2;
            let at = |this: &Self, p: usize| this.range(1 - side, p, d).start;
            let (_, &mut median, _) = points.select_nth_unstable_by_key(middle, |&p| at(self, p));
            let median = at(self, median).max(first + 1);
            let (left, right) = parted(points, |p| at(self, p) < median);
            let (mine, _) = parted(part, |i| self.range(side, i, d).start < median);
            self.divide(side, mine, left, d)?;
            (intervals, points) = (part, right);
        }
    }

    fn all_pairs(&mut self, side: usize, intervals: &[usize], points: &[usize], d: usize) -> ControlFlow<()> {
        for &i in intervals {
            for &p in points {
                let meets = |e: usize| {
                    let (a, b) = (self.range(side, i, e), self.range(1 - side, p, e));
                    a.start < b.end && b.start < a.end
                };
                if self.contains(side, i, p, d) && (0..d).all(meets) {
                    self.tell(side, i, p)?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// The same in the last dimension that is left: all that contain each other's meet.
    fn scan(&mut self, side: usize, intervals: &mut [usize], points: &mut [usize]) -> ControlFlow<()> {
        intervals.sort_unstable_by_key(|&i| self.range(side, i, 0).start);
        points.sort_unstable_by_key(|&p| self.range(1 - side, p, 0).start);
        let mut from = 0;
        for &i in &*intervals {
            let own = self.range(side, i, 0).clone();
            from +=
                points[from..].iter().take_while(|&&p| self.range(1 - side, p, 0).start < own.start).count();
            for &p in &points[from..] {
                if self.range(1 - side, p, 0).start >= own.end {
                    break;
                }
                if self.contains(side, i, p, 0) {
                    self.tell(side, i, p)?;
                }
            }
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests;
