//! A family: equal runs of indices at equal distances (a FALLS of Ramaswamy and Banerjee, "Automatic generation of
//! efficient array redistribution routines", 1995).
//!
//! `D` is the number of coordinate systems a family is written in at once: 1 for section indices or one rank's
//! local indices; 2 for a copy between two local arrays.

/// Runs of `len` indices, `count` of them, the first at `start`, each `stride` after the one before.
///
/// Invariants: `len` and `count` are at least 1; with `count > 1` every stride is at least `len`. Runs of no byte would be
/// copied by blocks that end where a run ends, so nothing outside this crate makes a family but by [`Family::new`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Family<const D: usize> {
    /// First index of the first run, in each coordinate system.
    pub(crate) start: [u64; D],
    /// Distance between runs, in each coordinate system; 0 where there is one run.
    pub(crate) stride: [u64; D],
    /// Indices in each run.
    pub(crate) len: u64,
    /// Number of runs.
    pub(crate) count: u64,
}

impl<const D: usize> Family<D> {
    /// `None` unless there is a run and it has an index, runs are apart, and 64 bits hold what is behind the last index.
    pub fn new(start: [u64; D], stride: [u64; D], len: u64, count: u64) -> Option<Self> {
        let between = count.checked_sub(1)?;
        let ends = |d: usize| stride[d].checked_mul(between)?.checked_add(len)?.checked_add(start[d]);
        let apart = between == 0 || stride.iter().all(|&stride| stride >= len);
        (len > 0 && apart && (0..D).all(|d| ends(d).is_some())).then_some(Self { start, stride, len, count })
    }

    /// A single run.
    pub(crate) fn run(start: [u64; D], len: u64) -> Self {
        Self { start, stride: [0; D], len, count: 1 }
    }

    /// Indices in all runs.
    pub fn total(&self) -> u64 {
        self.len * self.count
    }

    /// The first index, in coordinate system `d`.
    pub fn first(&self, d: usize) -> u64 {
        self.start[d]
    }

    /// One past the largest index, in coordinate system `d`. What 64 bits do not hold is in no array, and stays as large as can be.
    pub fn end(&self, d: usize) -> u64 {
        let last = (self.count - 1).saturating_mul(self.stride[d]).saturating_add(self.start[d]);
        last.saturating_add(self.len)
    }

    /// All indices in order, each in all coordinate systems.
    pub fn indices(self) -> impl Iterator<Item = [u64; D]> {
        let index = move |run, within| add(add(self.start, self.stride, run), [within; D], 1);
        (0..self.count).flat_map(move |run| (0..self.len).map(move |within| index(run, within)))
    }

    /// The same family moved by `offset`.
    pub fn shifted(&self, offset: [u64; D]) -> Self {
        Self { start: add(self.start, offset, 1), ..*self }
    }

    /// The same indices with runs that touch in every coordinate system made one.
    pub(super) fn joined(self) -> Self {
        if self.count > 1 && self.stride.iter().all(|&s| s == self.len) {
            Self::run(self.start, self.total())
        } else {
            self
        }
    }

    /// This family and `next`, which lies behind it, as one, where `next` is one more run of it.
    #[inline]
    pub(super) fn with(&self, next: &Self) -> Option<Self> {
        let pair =
            || Self { stride: std::array::from_fn(|d| next.start[d] - self.start[d]), count: 2, ..*self };
        let alike = self.count == 1 && next.count == 1 && self.len == next.len;
        continued(self, next).or_else(|| alike.then(pair))
    }

    /// Appends what lies at positions `from..to` of this family's own order: at most three families.
    pub(super) fn cut(&self, from: u64, to: u64, out: &mut Vec<Self>) {
        let (mut run, within) = (from / self.len, from % self.len);
        let mut left = to - from;
        let run_at = |run: u64, skip: u64| add(add(self.start, self.stride, run), [skip; D], 1);
        if within > 0 && left > 0 {
            let len = left.min(self.len - within);
            out.push(Self::run(run_at(run, within), len));
            left -= len;
            run += 1;
        }
        if left >= self.len {
            let count = left / self.len;
            let stride = if count > 1 { self.stride } else { [0; D] };
            out.push(Self { start: run_at(run, 0), stride, len: self.len, count });
            left -= count * self.len;
            run += count;
        }
        if left > 0 {
            out.push(Self::run(run_at(run, 0), left));
        }
    }
}

impl Family<2> {
    /// Whether it is the same indices in both coordinate systems.
    pub fn is_in_place(&self) -> bool {
        self.start[0] == self.start[1] && self.stride[0] == self.stride[1]
    }
}

/// `a + times * b`, coordinate by coordinate.
fn add<const D: usize>(a: [u64; D], b: [u64; D], times: u64) -> [u64; D] {
    std::array::from_fn(|d| a[d] + times * b[d])
}

/// `last` and `next` as one family, where `next` is one more run (or the rest of the run) of `last`.
#[inline]
pub(super) fn continued<const D: usize>(last: &Family<D>, next: &Family<D>) -> Option<Family<D>> {
    if next.count != 1 {
        return None;
    }
    if last.count == 1 && next.start == add(last.start, [last.len; D], 1) {
        return Some(Family::run(last.start, last.len + next.len));
    }
    let one_more =
        last.count > 1 && last.len == next.len && next.start == add(last.start, last.stride, last.count);
    one_more.then(|| Family { count: last.count + 1, ..*last })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_family_has_runs_that_are_apart_and_that_64_bits_hold() {
        let most = u64::MAX;
        for (start, stride, len, count) in
            [(0, 0, 1, 1), (7, 3, 3, 4), (most - 6, 2, 2, 3), (most - 1, 0, 1, 1)]
        {
            assert!(Family::new([start], [stride], len, count).is_some_and(|f| f.end(0) > start));
        }
        for (start, stride, len, count) in [
            (0, 4, 0, 3),
            (0, 4, 2, 0),
            (0, 1, 2, 2),
            (most, 0, 1, 1),
            (most - 6, 3, 2, 3),
            (0, most, 1, 3),
            (1, 1 << 63, 1, 3),
        ] {
            let made = Family::new([start], [stride], len, count);
            assert_eq!(made, None, "{start} {stride} {len} {count}");
            assert_eq!(
                Family::new([0, start], [9, stride], len, count),
                None,
                "in one of two coordinate systems"
            );
        }
    }
}
