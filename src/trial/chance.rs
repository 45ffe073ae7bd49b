//! MAY the times of two libraries differ by chance only? Each call of a trial gives the difference of two times. If it were chance,
//! each difference would as well have the other sign, as the libraries take turns in going first. Then a sum of differences that is
//! more than t times the root of the sum of their squares has a probability of at most 2 exp(-t^2 / 2), however few they are and
//! however they are distributed (Hoeffding, Journal of the American Statistical Association 58, 1963, theorem 2, applied to their
//! signs). A single disturbance is one large square, so it shows nothing.

/// The t that a difference has to have: a probability of at most 2.3 %.
const T: f64 = 3.0;
/// Calls that a verdict takes at least: with fewer, no sum is more than T times the root of the squares.
pub const FEWEST: u64 = 10;
/// The least difference of interest, of the shorter time: `REBLOCK_TRIAL=same` finds less than that by itself.
pub const LEAST: f64 = 0.05;

/// Seconds of two libraries in the same calls, and the sum of the squares of their differences.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Pairs {
    /// Of reblock.
    pub ours: f64,
    /// Of ScaLAPACK.
    pub theirs: f64,
    /// Of the difference of each call.
    pub squares: f64,
}

impl Pairs {
    /// One call, in which they took `ours` and `theirs`.
    pub fn of(ours: f64, theirs: f64) -> Self {
        Self { ours, theirs, squares: (theirs - ours).powi(2) }
    }

    /// Other calls, too.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            ours: self.ours + other.ours,
            theirs: self.theirs + other.theirs,
            squares: self.squares + other.squares,
        }
    }

    /// Whether they differ too little to matter.
    pub fn are_close(self) -> bool {
        (self.theirs - self.ours).abs() <= LEAST * self.ours.min(self.theirs)
    }

    /// Whether one is faster than chance explains.
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
            assert_eq!(sum((0..n).map(|_| (1.0, 5.0))).differ(), n >= FEWEST, "{n} calls");
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
        // Noise of many sizes, as on a busy machine: a few times are a thousand times as long.
        let mut time = || 1.0 + 10f64.powf(3.0 * random.f64().powi(8));
        let wrong = (0..1000).filter(|k| sum((0..10 + k % 50).map(|_| (time(), time()))).differ()).count();
        assert!(wrong <= 30, "{wrong} of 1000 runs of two equal libraries, seed {seed}");
    }
}
