//! Intersections of two combs. A *comb* is a run of indices repeated at equal distances (its *teeth*): the indices of
//! one process in a block-cyclic distribution.
//!
//! Take two combs with periods L and S. The teeth of the first comb are at least as long as the teeth of the second.
//! Their common pattern repeats after lcm(L, S). A long tooth shares at most three families of indices with the short
//! teeth: a cut tooth, whole teeth at distance S, a cut tooth. A congruence decides which long teeth share an index
//! with short teeth. The last index of the i-th long tooth lies `x(i) = x(0) + i*L (mod S)` past the start of a short
//! tooth. The two teeth share an index exactly if `x(i) < long + short - 1`, where `long` and `short` are their
//! lengths. All x(i) are equal modulo `gcd(L, S)`. Every such value below the bound is one *class* of the pair (Desprez
//! et al. 1998, section 4.3, there without offsets) and has one solution i in each common period. So the cost is
//! proportional to the result: the runs of one period.

use super::family::Family;
use num_integer::Integer;
use std::ops::Range;

/// Runs of `len` indices that begin at `start - lead + k * period`, for k = 0, 1, .... Indices below 0 are cut off.
#[derive(Clone, Copy, Debug)]
pub(super) struct Comb {
    pub start: u64,
    /// Indices of run k before `start + k * period`: less than `start + len`.
    pub lead: u64,
    pub len: u64,
    /// `None` if there is only one run, or if the next run lies beyond 64 bits.
    pub period: Option<u64>,
}

impl Comb {
    fn clipped_run(&self, k: u64, span: &Range<u64>) -> Range<u64> {
        let from = self.start + k * self.period.unwrap_or(0);
        let end = (from + self.len - self.lead).min(span.end);
        from.saturating_sub(self.lead).max(span.start).min(end)..end
    }

    /// Returns the number of runs that start below `end`.
    pub fn below(&self, end: u64) -> u64 {
        match (end + self.lead).checked_sub(self.start + 1) {
            Some(ahead) if end > 0 => self.period.map_or(1, |period| ahead / period + 1),
            _ => 0,
        }
    }

    /// Returns the number of the last run that begins at or before `i` (0 if there is none), and the distance from its
    /// uncut start to `i`.
    #[inline]
    fn locate(&self, i: u64) -> (u64, u64) {
        let ahead = (i + self.lead).saturating_sub(self.start);
        self.period.map_or((0, ahead), |period| (ahead / period, ahead % period))
    }

    /// Returns the number of indices below `end`.
    pub fn count(&self, end: u64) -> u64 {
        let (runs, ahead) = self.locate(end);
        runs * self.len + ahead.min(self.len) - self.lead.saturating_sub(self.start)
    }

    /// Returns the part from `i` on of the first run that has indices from `i` on.
    pub fn at_or_after(&self, i: u64) -> Option<Range<u64>> {
        let (run, ahead) = self.locate(i);
        let run = run + u64::from(ahead >= self.len);
        let start = match (run, self.period) {
            (0, _) => self.start,
            (_, period) => self.start.checked_add(run.checked_mul(period?)?)?,
        };
        Some(start.saturating_sub(self.lead).max(i)..start.checked_add(self.len)? - self.lead)
    }

    /// Returns the numbers of the runs that intersect `span`, which is not empty.
    fn teeth(&self, span: &Range<u64>) -> Range<u64> {
        let behind = (span.start + self.lead + 1).saturating_sub(self.start + self.len);
        let first = self.period.map_or(u64::from(behind > 0), |period| behind.div_ceil(period));
        first..self.below(span.end).max(first)
    }

    /// Returns all runs below `window`; the last run is cut there.
    pub fn runs(&self, window: u64) -> impl Iterator<Item = Range<u64>> + use<> {
        let comb = *self;
        (0..comb.below(window)).map(move |k| comb.clipped_run(k, &(0..window)))
    }

    pub fn intersects(&self, span: &Range<u64>) -> bool {
        span.start < span.end && !self.teeth(span).is_empty()
    }

    /// Appends the part of the comb in `span`: up to three families, for a cut run, whole runs and a cut run.
    pub fn append_part(&self, span: &Range<u64>, out: &mut Vec<Family<1>>) {
        if span.start >= span.end {
            return;
        }
        let Range { start: mut first, mut end } = self.teeth(span);
        let part = |k: u64| self.clipped_run(k, span);
        let is_cut = |k: u64| part(k).end - part(k).start < self.len;
        let run = |k: u64| Family::run([part(k).start], part(k).end - part(k).start);
        if first < end && is_cut(first) {
            out.push(run(first));
            first += 1;
        }
        let last = (first < end && is_cut(end - 1)).then(|| run(end - 1));
        end -= u64::from(last.is_some());
        if first < end {
            let count = end - first;
            let stride = if count > 1 { self.period.unwrap_or(0) } else { 0 };
            out.push(Family { start: [part(first).start], stride: [stride], len: self.len, count });
        }
        out.extend(last);
    }
}

/// Appends the intersection of `a` and `b` below `window`, in ascending order.
pub(super) fn append_intersection(a: &Comb, b: &Comb, window: u64, out: &mut Vec<Family<1>>) {
    let (long, short) = if a.len >= b.len { (a, b) } else { (b, a) };
    let own = long.below(window);
    let intersects = |k: &u64| short.intersects(&long.clipped_run(*k, &(0..window)));
    let mut cut = |k: u64| short.append_part(&long.clipped_run(k, &(0..window)), out);
    match BlockClasses::new(long, short) {
        Some(classes) if classes.count() < own => {
            let mut found: Vec<u64> = classes.teeth(own).filter(intersects).collect();
            found.sort_unstable();
            found.into_iter().for_each(cut);
        }
        _ => (0..own).filter(intersects).for_each(&mut cut),
    }
}

/// Returns the maximum number of runs of the longer comb that [`append_intersection`] examines.
pub(super) fn max_examined(a: &Comb, b: &Comb, window: u64) -> u64 {
    let (long, short) = if a.len >= b.len { (a, b) } else { (b, a) };
    let own = long.below(window);
    BlockClasses::new(long, short).map_or(own, |classes| own.min(classes.count()))
}

/// Returns the period of the common pattern, if it fits in 64 bits.
pub(super) fn period(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    let (a, b) = (a?, b?);
    u64::try_from(u128::from(a) / u128::from(a.gcd(&b)) * u128::from(b)).ok()
}

/// The classes of a pair of combs: the values of x(i) for which teeth share an index, and the solution i of each value.
struct BlockClasses {
    /// Values of x(i) for which teeth share an index: the start of the range, and every `g`-th value after it.
    values: Range<u64>,
    g: u64,
    x0: u64,
    /// L / g; `modulus` is S / g.
    long: u64,
    modulus: u64,
}

impl BlockClasses {
    /// Returns `None` if one of the combs has a single run.
    fn new(long: &Comb, short: &Comb) -> Option<Self> {
        let (long_period, short_period) = (long.period?, short.period?);
        let g = long_period.gcd(&short_period);
        let first = |comb: &Comb| i128::from(comb.start) - i128::from(comb.lead);
        let ahead = first(long) - first(short) + i128::from(long.len) - 1;
        let x0 = u64::try_from(ahead.mod_floor(&i128::from(short_period))).ok()?;
        let values = x0 % g..(long.len + short.len - 1).min(short_period);
        Some(Self { values, g, x0, long: long_period / g, modulus: short_period / g })
    }

    fn count(&self) -> u64 {
        self.values.end.saturating_sub(self.values.start).div_ceil(self.g)
    }

    /// Returns the numbers, below `own`, of the long runs that may intersect short runs: for each class, the solutions
    /// in the first two periods. The second period is needed if run 0 begins before index 0: the first period then also
    /// contains the start of that run's repetition.
    fn teeth(&self, own: u64) -> impl Iterator<Item = u64> + '_ {
        let inverse = inverse(self.long % self.modulus, self.modulus);
        (0..self.count()).flat_map(move |k| {
            let ahead = i128::from(self.values.start / self.g + k) - i128::from(self.x0 / self.g);
            let turns = ahead.mod_floor(&i128::from(self.modulus)) * i128::from(inverse);
            let i =
                u64::try_from(turns % i128::from(self.modulus)).expect("a remainder of a u64 fits in a u64");
            [i, i + self.modulus].into_iter().filter(move |&i| i < own)
        })
    }
}

/// Returns the inverse of `a` modulo `m`; 0 for m = 1.
pub fn inverse(a: u64, m: u64) -> u64 {
    let e = i128::from(a % m).extended_gcd(&i128::from(m));
    u64::try_from(e.x.mod_floor(&i128::from(m))).expect("a remainder of a u64 fits in a u64")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random(rng: &mut fastrand::Rng, most: u64) -> Comb {
        let (len, gap) = (rng.u64(1..20), rng.u64(0..most));
        let start = rng.u64(0..len + gap);
        let period = (rng.u8(0..8) > 0).then_some(len + gap);
        Comb { start, lead: if rng.bool() { 0 } else { rng.u64(0..start + len) }, len, period }
    }

    #[test]
    fn classes_equal_a_walk_over_all_runs() {
        let mut rng = fastrand::Rng::with_seed(7);
        let mut by_classes = 0;
        for _ in 0..4000 {
            let window = rng.u64(1..9000);
            let (a, b) = (random(&mut rng, 300), random(&mut rng, 300));
            let (long, short) = if a.len >= b.len { (a, b) } else { (b, a) };
            let own = long.below(window);
            let intersects = |k: &u64| short.intersects(&long.clipped_run(*k, &(0..window)));
            let walked: Vec<u64> = (0..own).filter(intersects).collect();
            let Some(classes) = BlockClasses::new(&long, &short) else { continue };
            // The classes cover two common periods.
            let once = |k: &u64| *k < 2 * classes.modulus;
            let mut solved: Vec<u64> = classes.teeth(own).filter(intersects).collect();
            solved.sort_unstable();
            solved.dedup();
            assert_eq!(
                solved,
                walked.into_iter().filter(once).collect::<Vec<_>>(),
                "{long:?} {short:?} {window}"
            );
            by_classes += usize::from(classes.count() < own);
        }
        assert!(by_classes > 100, "{by_classes} cases would be decided by classes");
    }

    #[test]
    fn cuts_equal_the_indices_within_the_span() {
        let mut rng = fastrand::Rng::with_seed(8);
        for _ in 0..3000 {
            let comb = random(&mut rng, 30);
            let all: Vec<u64> = comb.runs(300).flatten().collect();
            let (from, to) = (rng.u64(0..200), rng.u64(0..300));
            let mut out = Vec::new();
            comb.append_part(&(from..to), &mut out);
            let run =
                |f: &Family<1>, k: u64| f.start[0] + k * f.stride[0]..f.start[0] + k * f.stride[0] + f.len;
            let got: Vec<u64> = out.iter().flat_map(|f| (0..f.count).flat_map(|k| run(f, k))).collect();
            let want: Vec<u64> = all.into_iter().filter(|i| (from..to).contains(i)).collect();
            assert_eq!(got, want, "{comb:?} in {from}..{to}");
            assert!(out.len() <= 3 && comb.intersects(&(from..to)) != want.is_empty());
        }
    }
}
