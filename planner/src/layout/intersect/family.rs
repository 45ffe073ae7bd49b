//! A family: equal runs of indices at equal distances (a FALLS of Ramaswamy and Banerjee, "Automatic generation of
//! efficient array redistribution routines", 1995).
//!
//! Each element of a family has one index in each of `D` coordinate systems. `D` is 1 for section indices or one rank's
//! local indices, and 2 for a copy between two local arrays.

/// `count` runs of `len` indices. Run k begins at `start + k * stride`.
///
/// Invariants: `len` and `count` are at least 1; with `count > 1` every stride is at least `len`. Copy kernels rely on
/// these invariants: they copy in blocks that end at the end of a run. So other crates can create families only by
/// [`Family::new`] and [`Family::one_run`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Family<const D: usize> {
    /// First index of the first run, in each coordinate system.
    pub(crate) start: [u64; D],
    /// Distance between starts of runs, in each coordinate system; 0 for a single run.
    pub(crate) stride: [u64; D],
    /// Number of indices in each run.
    pub(crate) len: u64,
    /// Number of runs; at least 1.
    pub(crate) count: u64,
}

impl<const D: usize> Family<D> {
    /// Returns `None` if the invariants do not hold or the end of the last run exceeds 64 bits.
    pub fn new(start: [u64; D], stride: [u64; D], len: u64, count: u64) -> Option<Self> {
        let between = count.checked_sub(1)?;
        let ends = |d: usize| stride[d].checked_mul(between)?.checked_add(len)?.checked_add(start[d]);
        let apart = between == 0 || stride.iter().all(|&stride| stride >= len);
        (len > 0 && apart && (0..D).all(|d| ends(d).is_some())).then_some(Self { start, stride, len, count })
    }

    /// Creates a family of one run. Panics if `len` is 0 or the run exceeds 64 bits.
    pub fn one_run(start: [u64; D], len: u64) -> Self {
        Self::new(start, [0; D], len, 1).expect("a run has indices below 2^64")
    }

    /// Creates a family without checking the invariants, for tests of code that must refuse invalid families.
    #[cfg(any(test, feature = "samples"))]
    pub fn unchecked(start: [u64; D], stride: [u64; D], len: u64, count: u64) -> Self {
        Self { start, stride, len, count }
    }

    /// Creates a family of one run, which has at least one index.
    #[inline]
    pub(crate) fn run(start: [u64; D], len: u64) -> Self {
        Self { start, stride: [0; D], len, count: 1 }
    }

    /// Returns the first index of the first run, in each coordinate system.
    #[inline]
    pub fn start(&self) -> [u64; D] {
        self.start
    }

    /// Returns the distance between starts of runs, in each coordinate system; 0 for a single run.
    #[inline]
    pub fn stride(&self) -> [u64; D] {
        self.stride
    }

    /// Returns the number of indices in each run.
    #[inline]
    pub fn run_len(&self) -> u64 {
        self.len
    }

    /// Returns the number of runs, at least 1.
    #[inline]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns the number of indices in all runs.
    #[inline]
    pub fn total(&self) -> u64 {
        self.len * self.count
    }

    /// Returns the first index, in coordinate system `d`.
    #[inline]
    pub fn first(&self, d: usize) -> u64 {
        self.start[d]
    }

    /// Returns one past the largest index, in coordinate system `d` (saturating: no array reaches so far).
    #[inline]
    pub fn end(&self, d: usize) -> u64 {
        let last = (self.count - 1).saturating_mul(self.stride[d]).saturating_add(self.start[d]);
        last.saturating_add(self.len)
    }

    /// Returns all indices in order, each in all coordinate systems.
    pub fn indices(self) -> impl Iterator<Item = [u64; D]> {
        let index = move |run, within| add(add(self.start, self.stride, run), [within; D], 1);
        (0..self.count).flat_map(move |run| (0..self.len).map(move |within| index(run, within)))
    }

    /// Moves the family by `offset`.
    pub fn shifted(&self, offset: [u64; D]) -> Self {
        Self { start: add(self.start, offset, 1), ..*self }
    }

    /// Merges runs that touch in every coordinate system into one run.
    pub(super) fn merge_touching(self) -> Self {
        if self.count > 1 && self.stride.iter().all(|&s| s == self.len) {
            Self::run(self.start, self.total())
        } else {
            self
        }
    }

    /// Merges this family and `next`, which follows it, if the result is one family.
    #[inline]
    pub(super) fn with(&self, next: &Self) -> Option<Self> {
        let pair =
            || Self { stride: std::array::from_fn(|d| next.start[d] - self.start[d]), count: 2, ..*self };
        let alike = self.count == 1 && next.count == 1 && self.len == next.len;
        continue_with(self, next).or_else(|| alike.then(pair))
    }

    /// Appends the indices at positions `from..to` of this family to `out`, as at most three families.
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
    /// Returns true if the family has equal indices in both coordinate systems.
    pub fn is_in_place(&self) -> bool {
        self.start[0] == self.start[1] && self.stride[0] == self.stride[1]
    }
}

/// Returns `a + times * b` for each coordinate.
fn add<const D: usize>(a: [u64; D], b: [u64; D], times: u64) -> [u64; D] {
    std::array::from_fn(|d| a[d] + times * b[d])
}

/// Merges `last` and `next`, if `next` is one more run of `last` or continues its only run.
#[inline]
pub(super) fn continue_with<const D: usize>(last: &Family<D>, next: &Family<D>) -> Option<Family<D>> {
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
