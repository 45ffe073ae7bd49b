//! Intersections between two lists of boxes, in any number of dimensions.
//!
//! The algorithm is the hybrid of streamed segment trees and scans of Zomorodian and Edelsbrunner, "Fast software for
//! box intersections", 2002. It takes time O(n log^d n + number of results) for n boxes in d dimensions, and builds no
//! index structure.
//!
//! Two intervals intersect exactly if one of them contains the start of the other. So along each dimension, the boxes
//! of one side are taken as intervals and the boxes of the other side as points (their starts); then both sides
//! exchange their roles. If both boxes of a pair start at the same index, the box of side 0 is the interval. Intervals
//! that contain all points are compared with these points in the next dimension. The points are divided at their
//! median, and the other intervals are compared with each half.

use std::ops::{ControlFlow, Range};

/// Maximum number of boxes on the smaller side up to which all pairs are compared.
const ALL_PAIRS_THRESHOLD: usize = 12;

/// Boxes of indices: a non-empty range in each dimension.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Boxes {
    dims: usize,
    ranges: Vec<Range<u64>>,
}

impl Boxes {
    /// Creates an empty list of boxes with `dims` dimensions, at least 1.
    pub fn new(dims: usize) -> Self {
        assert!(dims > 0, "a box has at least one dimension");
        Self { dims, ranges: Vec::new() }
    }

    /// Adds a box, given by one non-empty range for each dimension.
    pub fn push(&mut self, ranges: impl IntoIterator<Item = Range<u64>>) {
        self.ranges.extend(ranges);
        assert!(self.ranges.len() % self.dims == 0, "a range in each of {} dimensions", self.dims);
    }

    /// Returns the number of boxes.
    pub fn len(&self) -> usize {
        self.ranges.len() / self.dims.max(1)
    }

    /// Returns true if there is no box.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Returns the ranges of box number `k`.
    pub fn get(&self, k: usize) -> &[Range<u64>] {
        &self.ranges[k * self.dims..(k + 1) * self.dims]
    }

    /// Iterates over the ranges of each box.
    pub fn iter(&self) -> impl Iterator<Item = &[Range<u64>]> {
        self.ranges.chunks_exact(self.dims.max(1))
    }
}

/// Returns the intersection of two boxes that intersect.
pub fn intersect_boxes<'a>(
    a: &'a [Range<u64>],
    b: &'a [Range<u64>],
) -> impl Iterator<Item = Range<u64>> + 'a {
    a.iter().zip(b).map(|(a, b)| a.start.max(b.start)..a.end.min(b.end))
}

/// Calls `visit` once for each pair of intersecting boxes of `a` and `b`, with their numbers, in any order. Stops if
/// `visit` returns `Break`.
pub fn each_pair(a: &Boxes, b: &Boxes, visit: impl FnMut(usize, usize) -> ControlFlow<()>) {
    let mut all = [a, b].map(|boxes| (0..boxes.len()).collect::<Vec<_>>());
    let [of_a, of_b] = &mut all;
    let mut join = Join { sides: [a, b], visit };
    // If the first search breaks, the second is not made; the result of the second is ignored.
    let last = a.dims - 1;
    let _ = join.divide(0, of_a, of_b, last).is_continue().then(|| join.divide(1, of_b, of_a, last));
}

/// Moves the items that satisfy `has` to the front. Returns these items, and the others.
fn partition<T: Copy>(list: &mut [T], mut has: impl FnMut(T) -> bool) -> (&mut [T], &mut [T]) {
    let mut front = 0;
    for k in 0..list.len() {
        if has(list[k]) {
            list.swap(front, k);
            front += 1;
        }
    }
    list.split_at_mut(front)
}

/// Search for intersecting pairs of two lists. Subsets of a list are slices of box numbers, in any order.
struct Join<'a, F> {
    sides: [&'a Boxes; 2],
    visit: F,
}

impl<F: FnMut(usize, usize) -> ControlFlow<()>> Join<'_, F> {
    #[inline]
    fn range(&self, side: usize, k: usize, d: usize) -> &Range<u64> {
        let Boxes { dims, ranges } = self.sides[side];
        &ranges[k * dims + d]
    }

    /// Returns true if box `i` of side `side` contains, in dimension `d`, the start of box `p` of the other side.
    #[inline]
    fn contains(&self, side: usize, i: usize, p: usize, d: usize) -> bool {
        self.contains_point(side, i, self.range(1 - side, p, d).start, d)
    }

    #[inline]
    fn contains_point(&self, side: usize, i: usize, point: u64, d: usize) -> bool {
        let interval = self.range(side, i, d);
        let starts = if side == 0 { interval.start <= point } else { interval.start < point };
        starts && point < interval.end
    }

    fn report(&mut self, side: usize, i: usize, p: usize) -> ControlFlow<()> {
        if side == 0 { (self.visit)(i, p) } else { (self.visit)(p, i) }
    }

    /// Reports the intersecting pairs of a box in `intervals`, from side `side`, and a box in `points`, from the other
    /// side, if the interval contains the point in dimension `d`. All given pairs intersect in the dimensions after
    /// `d`; the dimensions up to `d` are checked here.
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
            let (near, _) = partition(intervals, |i| {
                let own = self.range(side, i, d);
                own.start <= last && first < own.end
            });
            if near.len().min(points.len()) <= ALL_PAIRS_THRESHOLD {
                return self.all_pairs(side, near, points, d);
            }
            if d == 0 {
                return self.scan(side, near, points);
            }
            let (whole, part) = partition(near, |i| {
                self.contains_point(side, i, first, d) && self.contains_point(side, i, last, d)
            });
            if !whole.is_empty() {
                self.divide(side, whole, points, d - 1)?;
                self.divide(1 - side, points, whole, d - 1)?;
            }
            if first == last || part.is_empty() {
                return ControlFlow::Continue(());
            }
            // Both halves have at least one point.
            let middle = points.len() / 2;
            let at = |this: &Self, p: usize| this.range(1 - side, p, d).start;
            let (_, &mut median, _) = points.select_nth_unstable_by_key(middle, |&p| at(self, p));
            let median = at(self, median).max(first + 1);
            let (left, right) = partition(points, |p| at(self, p) < median);
            let (mine, _) = partition(part, |i| self.range(side, i, d).start < median);
            self.divide(side, mine, left, d)?;
            (intervals, points) = (part, right);
        }
    }

    fn all_pairs(&mut self, side: usize, intervals: &[usize], points: &[usize], d: usize) -> ControlFlow<()> {
        for &i in intervals {
            for &p in points {
                let intersects = |e: usize| {
                    let (a, b) = (self.range(side, i, e), self.range(1 - side, p, e));
                    a.start < b.end && b.start < a.end
                };
                if self.contains(side, i, p, d) && (0..d).all(intersects) {
                    self.report(side, i, p)?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Reports all pairs whose interval contains the point in dimension 0, the last dimension to check.
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
                    self.report(side, i, p)?;
                }
            }
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests;
