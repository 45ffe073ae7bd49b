//! Significance test for the times of two libraries.
//!
//! Each call of a trial gives the difference of two times. If only chance causes this difference, the opposite sign is
//! equally likely, because the libraries take turns in going first. Then the probability that the sum of the
//! differences exceeds t times the root of the sum of their squares is at most 2 exp(-t^2 / 2), for any number of calls
//! and any distribution (Hoeffding, Journal of the American Statistical Association 58, 1963, theorem 2, applied to the
//! signs). A single long time adds one large square, so it alone is never significant.

/// Threshold t of a significant difference: a probability of at most 2.3 %.
const T: f64 = 3.0;
/// Minimum number of calls for a verdict: with fewer, no sum of differences exceeds `T` times the root of the sum of
/// their squares.
pub const MIN_CALLS: u64 = 10;
/// Smallest difference of interest, relative to the shorter time. Smaller ones also appear between ScaLAPACK and itself
/// (`REBLOCK_TRIAL=same`).
pub const MIN_DIFFERENCE: f64 = 0.05;

/// Total times of two libraries in the same calls.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Pairs {
    /// Seconds of reblock in all calls.
    pub ours: f64,
    /// Seconds of ScaLAPACK in all calls.
    pub theirs: f64,
    /// Sum of the squared differences of single calls.
    pub squares: f64,
}

impl Pairs {
    /// Creates the times of one call.
    pub fn of(ours: f64, theirs: f64) -> Self {
        Self { ours, theirs, squares: (theirs - ours).powi(2) }
    }

    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            ours: self.ours + other.ours,
            theirs: self.theirs + other.theirs,
            squares: self.squares + other.squares,
        }
    }

    /// Returns true if the difference is too small to matter.
    pub fn are_close(self) -> bool {
        (self.theirs - self.ours).abs() <= MIN_DIFFERENCE * self.ours.min(self.theirs)
    }

    /// Returns true if the difference matters and chance does not explain it.
    pub fn differ(self) -> bool {
        !self.are_close() && (self.theirs - self.ours).powi(2) > T * T * self.squares
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(times: impl IntoIterator<Item = (f64, f64)>) -> Pairs {
        times.into_iter().map(|(ours, theirs)| Pairs::of(ours, theirs)).fold(Pairs::default(), Pairs::and)
    }

    #[test]
    fn few_calls_show_nothing() {
        for n in 0..20 {
            assert_eq!(sum((0..n).map(|_| (1.0, 5.0))).differ(), n >= MIN_CALLS, "{n} calls");
        }
    }

    #[test]
    fn one_disturbance_shows_nothing() {
        let disturbed = |k: i32| if k == 7 { (1.0, 100.0) } else { (1.0, 1.2) };
        assert!(!sum((0..100).map(disturbed)).differ());
        assert!(sum((0..100).map(|_| (1.0, 1.2))).differ());
        assert!(!sum((0..100_000).map(|_| (1.0, 1.04))).differ(), "too little to matter");
    }

    #[test]
    fn chance_is_seldom_taken_for_a_difference() {
        let seed = 11;
        let mut random = fastrand::Rng::with_seed(seed);
        // Noise as on a busy machine: a few of the times are up to a thousand times as long.
        let mut time = || 1.0 + 10f64.powf(3.0 * random.f64().powi(8));
        let wrong = (0..1000).filter(|k| sum((0..10 + k % 50).map(|_| (time(), time()))).differ()).count();
        assert!(wrong <= 30, "{wrong} of 1000 runs of two equal libraries, seed {seed}");
    }
}
