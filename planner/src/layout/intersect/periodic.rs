//! Periodic sets of indices: a pattern of families is repeated, and a part of the pattern may follow.

use super::builder::Builder;
use super::families::Families;
use super::family::Family;
use std::ops::Range;

/// A `body` repeated `reps` times at distances of `period`, then a `tail`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Periodic<const D: usize> {
    body: Families<D>,
    period: [u64; D],
    reps: u64,
    tail: Families<D>,
}

impl Periodic<1> {
    /// Creates the set of indices below `len` of the families in `pattern`, which repeat every `period`. The families
    /// lie in `[0, period)`, ascend, and do not interleave. Without a `period` they occur once.
    pub fn repeated(pattern: Vec<Family<1>>, period: Option<u64>, len: u64) -> Self {
        Self::repeated_in(0..len, pattern, period)
    }

    /// Like [`Periodic::repeated`] for the indices in `span`. Indices of `pattern` count from the start of the span.
    pub fn repeated_in(span: Range<u64>, pattern: Vec<Family<1>>, period: Option<u64>) -> Self {
        let len = span.end - span.start;
        let period = period.unwrap_or(len.max(1));
        let (reps, rest) = (len / period, len % period);
        let end = span.start + reps * period;
        let body = pattern.iter().map(|f| f.shifted([span.start]));
        let tail = pattern.iter().flat_map(|f| part_below(f, rest)).map(|f| f.shifted([end]));
        Self::assemble(body, [period], reps, tail)
    }

    /// Returns the number of indices that are smaller than `bound`.
    pub fn rank(&self, bound: u64) -> u64 {
        // A repetition ends less than a period after its first index.
        let origin = self.body.iter().next().map_or(0, |f| f.start[0]);
        let full = (bound.saturating_sub(origin) / self.period[0]).min(self.reps);
        let body = full * self.body.total();
        if full < self.reps {
            return body + self.body.rank(bound - full * self.period[0]);
        }
        body + self.tail.rank(bound)
    }

    pub fn first(&self) -> Option<u64> {
        self.body.iter().chain(self.tail.iter()).next().map(|f| f.start[0])
    }

    pub fn end(&self) -> u64 {
        match (self.tail.iter().next_back(), self.body.iter().next_back()) {
            (Some(f), _) => f.end(0),
            (None, Some(f)) => f.end(0) + (self.reps - 1) * self.period[0],
            (None, None) => 0,
        }
    }

    /// Replaces each index i by `to(i)`. `to` must map the consecutive indices of a run to consecutive indices. It must
    /// map equal distances, between the runs of a family and between periods, to equal distances. An example is the map
    /// from section indices to local indices.
    pub fn map<const D: usize>(&self, to: impl Fn(u64) -> [u64; D]) -> Periodic<D> {
        let family = |f: &Family<1>| map_family(f, &to);
        let (body, tail) = (self.body.iter().map(family), self.tail.iter().map(family));
        Periodic::assemble(body, self.period_in(&to), self.reps, tail)
    }

    /// Like [`Periodic::map`], but within a period `to` need not keep equal distances equal. `cut` appends the image of
    /// a family to the builder, in ascending order.
    pub fn map_runs<const D: usize>(
        &self,
        to: impl Fn(u64) -> [u64; D],
        mut cut: impl FnMut(&Family<1>, &mut Builder<D>),
    ) -> Periodic<D> {
        let mut mapped = |families: &Families<1>| {
            let mut out = Builder::new();
            families.iter().for_each(|f| cut(f, &mut out));
            out.families()
        };
        let (body, tail) = (mapped(&self.body), mapped(&self.tail));
        Periodic::assemble(body, self.period_in(&to), self.reps, tail)
    }

    /// Returns the families; `None` if any of them is repeated from period to period.
    pub fn unrepeated_families(&self) -> Option<impl Iterator<Item = &Family<1>>> {
        (self.reps == 0).then(|| self.tail.iter())
    }

    fn period_in<const D: usize>(&self, to: impl Fn(u64) -> [u64; D]) -> [u64; D] {
        self.body.iter().next().map_or([1; D], |f| step(to, f.start[0], self.period[0]))
    }
}

/// Replaces each index of a family, as [`Periodic::map`] does.
pub(super) fn map_family<const D: usize>(f: &Family<1>, to: impl Fn(u64) -> [u64; D]) -> Family<D> {
    let stride = if f.count > 1 { step(&to, f.start[0], f.stride[0]) } else { [0; D] };
    Family { start: to(f.start[0]), stride, len: f.len, count: f.count }
}

/// Returns `to(from + by) - to(from)`.
fn step<const D: usize>(to: impl Fn(u64) -> [u64; D], from: u64, by: u64) -> [u64; D] {
    let (a, b) = (to(from), to(from + by));
    std::array::from_fn(|d| b[d] - a[d])
}

impl<const D: usize> Periodic<D> {
    /// Normalizes the parts: keeps a body only if it repeats and has more than one run.
    fn assemble(
        body: impl IntoIterator<Item = Family<D>>,
        period: [u64; D],
        reps: u64,
        tail: impl IntoIterator<Item = Family<D>>,
    ) -> Self {
        if reps == 0 {
            return Self::flat(tail);
        }
        if reps == 1 {
            return Self::flat(body.into_iter().chain(tail));
        }
        let body = Families::new(body);
        let (first, count) = (body.iter().next().copied(), body.iter().len());
        match (first, count) {
            (None, _) => Self::flat(tail),
            (Some(Family { start, len, count: 1, .. }), 1) => {
                let all = Family { start, stride: period, len, count: reps };
                Self::flat(std::iter::once(all).chain(tail))
            }
            _ => Self { tail: Families::new(tail), body, period, reps },
        }
    }

    pub fn flat(families: impl IntoIterator<Item = Family<D>>) -> Self {
        let tail = Families::new(families);
        Self { body: Families::NONE, period: [1; D], reps: 0, tail }
    }

    /// Returns the family, if there is exactly one and it does not repeat.
    pub fn single(&self) -> Option<Family<D>> {
        if self.reps == 0 { self.tail.single() } else { None }
    }

    pub fn total(&self) -> u64 {
        self.body.total() * self.reps + self.tail.total()
    }

    pub fn runs(&self) -> u64 {
        let count = |families: &Families<D>| families.iter().map(|f| f.count).sum::<u64>();
        count(&self.body) * self.reps + count(&self.tail)
    }

    pub fn stored(&self) -> usize {
        self.body.iter().len() + self.tail.iter().len()
    }

    /// Appends the indices at `positions` as families, in order. Position 0 is the first index of the set. Each
    /// repetition of a family gives at most three families.
    pub fn slice(&self, positions: Range<u64>, out: &mut Vec<Family<D>>) {
        let (from, to) = (positions.start, positions.end.min(self.total()));
        if from >= to {
            return;
        }
        let body = self.body.total();
        let tail_at = body * self.reps;
        if from < tail_at {
            for rep in from / body..to.min(tail_at).div_ceil(body) {
                let offset = std::array::from_fn(|d| rep * self.period[d]);
                self.body.cut(from.saturating_sub(rep * body), (to - rep * body).min(body), offset, out);
            }
        }
        if to > tail_at {
            self.tail.cut(from.saturating_sub(tail_at), to - tail_at, [0; D], out);
        }
    }

    /// Appends (family, distance between its repetitions, number of repetitions) for each family of body and tail.
    pub fn pattern(&self, out: &mut Vec<(Family<D>, [u64; D], u64)>) {
        out.extend(self.body.iter().map(|&f| (f, self.period, self.reps)));
        out.extend(self.tail.iter().map(|&f| (f, [0; D], 1)));
    }

    pub fn extent(&self, d: usize) -> u64 {
        let body = self.body.iter().next_back().map_or(0, |f| f.end(d) + (self.reps - 1) * self.period[d]);
        self.tail.iter().next_back().map_or(body, |f| f.end(d))
    }
}

/// Returns the part of a family below `bound`: whole runs, then part of the next run.
fn part_below(f: &Family<1>, bound: u64) -> impl Iterator<Item = Family<1>> + use<> {
    let room = bound.saturating_sub(f.start[0]);
    let (whole, part) = match f.count {
        1 => (u64::from(room >= f.len), if room < f.len { room } else { 0 }),
        _ => {
            let whole = if room < f.len { 0 } else { ((room - f.len) / f.stride[0] + 1).min(f.count) };
            let next = whole * f.stride[0];
            (whole, if whole < f.count { room.saturating_sub(next).min(f.len) } else { 0 })
        }
    };
    let stride = if whole > 1 { f.stride } else { [0] };
    let head = (whole > 0).then_some(Family { start: f.start, stride, len: f.len, count: whole });
    let rest = (part > 0).then(|| Family::run([f.start[0] + whole * f.stride[0]], part));
    head.into_iter().chain(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn families<const D: usize>(runs: &Periodic<D>) -> Vec<Family<D>> {
        let mut out = Vec::new();
        runs.slice(0..runs.total(), &mut out);
        out
    }

    fn indices<const D: usize>(runs: &Periodic<D>, d: usize) -> Vec<u64> {
        families(runs).into_iter().flat_map(Family::indices).map(|index| index[d]).collect()
    }

    /// Returns patterns with a period of 12: empty; one run; all indices; equal runs between two single indices;
    /// several unequal runs.
    fn patterns() -> Vec<Vec<Family<1>>> {
        let many = Family { start: [2], stride: [3], len: 2, count: 3 };
        vec![
            vec![],
            vec![Family::run([4], 3)],
            vec![Family::run([0], 12)],
            vec![Family::run([0], 1), many, Family::run([11], 1)],
            vec![Family::run([0], 2), Family::run([5], 3), Family::run([10], 2)],
        ]
    }

    #[test]
    fn repeated_has_the_indices_of_its_definition() {
        for (pattern, len) in patterns().into_iter().flat_map(|p| (0..80).map(move |n| (p.clone(), n))) {
            let member = |i: u64| {
                let at = |f: &Family<1>, k| {
                    (f.start[0] + k * f.stride[0]..).take(f.len as usize).any(|x| x == i % 12)
                };
                pattern.iter().any(|f| (0..f.count).any(|k| at(f, k)))
            };
            let want: Vec<u64> = (0..len).filter(|&i| member(i)).collect();
            let runs = Periodic::repeated(pattern.clone(), Some(12), len);
            assert_eq!(indices(&runs, 0), want, "{pattern:?} below {len}");
            assert_eq!(runs.total(), want.len() as u64);
            assert_eq!(runs.first(), want.first().copied());
            assert_eq!(runs.end(), want.last().map_or(0, |i| i + 1));
            assert_eq!(runs.extent(0), runs.end());
            for bound in 0..len + 20 {
                assert_eq!(runs.rank(bound), want.iter().filter(|&&i| i < bound).count() as u64);
            }
        }
    }

    #[test]
    fn any_slice_is_a_slice_of_the_indices() {
        for pattern in patterns() {
            let runs = Periodic::repeated(pattern, Some(12), 41);
            let all = indices(&runs, 0);
            for (from, to) in (0..=all.len()).flat_map(|a| (a..=all.len()).map(move |b| (a, b))) {
                let mut out = Vec::new();
                runs.slice(from as u64..to as u64, &mut out);
                let part = Periodic { tail: Families::new(out), ..Periodic::repeated(vec![], None, 0) };
                assert_eq!(indices(&part, 0), all[from..to]);
            }
        }
    }

    #[test]
    fn map_translates_the_index_at_each_position() {
        for pattern in patterns() {
            let runs = Periodic::repeated(pattern, Some(12), 41);
            let both = runs.map(|i| [i + 5, i + 100]);
            assert_eq!(
                indices(&runs.map(|i| [i + 5]), 0),
                indices(&runs, 0).iter().map(|i| i + 5).collect::<Vec<_>>()
            );
            assert_eq!(indices(&both, 0), indices(&runs.map(|i| [i + 5]), 0));
            assert_eq!(indices(&both, 1), indices(&runs.map(|i| [i + 100]), 0));
        }
    }

    #[test]
    fn a_mapped_set_counts_its_indices_below_a_bound() {
        let local = |i: u64| [(i / 12) * 13 + i % 12 + 50];
        for pattern in patterns() {
            let runs = Periodic::repeated_in(24..65, pattern, Some(12));
            let cut = |f: &Family<1>, out: &mut Builder<1>| out.push(map_family(f, local));
            for mapped in [runs.map(local), runs.map_runs(local, cut)] {
                let all = indices(&mapped, 0);
                for bound in 0..150 {
                    let want = all.iter().filter(|&&i| i < bound).count() as u64;
                    assert_eq!(mapped.rank(bound), want, "{mapped:?} below {bound}");
                }
            }
        }
    }

    #[test]
    fn a_long_contiguous_set_is_a_single_run() {
        let runs = Periodic::repeated(vec![Family::run([0], 12)], Some(12), 1_000_000_007);
        assert_eq!(families(&runs), [Family::run([0], 1_000_000_007)]);
    }
}
