//! Counts the multiples of a number in evenly spaced intervals of one length.

use crate::layout::distribution::floor_sum;

/// Intervals (x, x + `width`], with x = `start`, `start` + `every`, ...
#[derive(Clone, Copy, Debug)]
pub struct Spaced {
    pub start: u64,
    pub every: u64,
    pub width: u64,
}

impl Spaced {
    /// Counts the multiples of `m` in the first `n` intervals. Time: O(log m).
    pub fn multiples(&self, n: u64, m: u64) -> u64 {
        let below = |start: u64| {
            let [n, m, every, start] = [n, m, self.every, start].map(u128::from);
            floor_sum(n, m, every, start)
        };
        let count = below(self.start + self.width).wrapping_sub(below(self.start));
        u64::try_from(count).unwrap_or(u64::MAX)
    }

    /// Returns the maximum of [`Spaced::multiples`] over all starts that are `c` modulo `g`; `g` must divide `m`. Time:
    /// O(n log m).
    pub fn max_multiples(&self, n: u64, m: u64, (c, g): (u64, u64)) -> u64 {
        // As the start grows, the count grows only if the end of some interval reaches a multiple. So only the first
        // allowed start at or after each of these starts is tried.
        let starts = (0..n).map(|i| {
            let end = (u128::from(i) * u128::from(self.every) + u128::from(self.width)) % u128::from(m);
            let start = (m - u64::try_from(end).expect("less than m")) % m;
            start + (c + g - start % g) % g
        });
        starts.map(|start| Self { start, ..*self }.multiples(n, m)).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multiples_are_those_that_are_counted_one_by_one() {
        let mut rng = fastrand::Rng::with_seed(5);
        for _ in 0..2_000 {
            let (n, m) = (rng.u64(0..20), rng.u64(1..50));
            let spaced = Spaced { start: rng.u64(0..90), every: rng.u64(1..120), width: rng.u64(0..60) };
            let naive = |of: &Spaced| {
                let one = |i| (1..=of.width).filter(move |w| (of.start + i * of.every + w) % m == 0).count();
                (0..n).map(one).sum::<usize>() as u64
            };
            assert_eq!(spaced.multiples(n, m), naive(&spaced), "{n} of {spaced:?}, {m}");
            let divisors: Vec<u64> = (1..=m).filter(|g| m % g == 0).collect();
            let g = divisors[rng.usize(0..divisors.len())];
            let c = rng.u64(0..g);
            let most =
                (0..m).filter(|start| start % g == c).map(|start| naive(&Spaced { start, ..spaced })).max();
            assert_eq!(
                spaced.max_multiples(n, m, (c, g)),
                most.unwrap(),
                "{n} of {spaced:?}, {m}, {c} modulo {g}"
            );
        }
    }
}
