//! Policy of Sudarsan and Ribbens (2007, sections 1 and 3), who named it "sweet spot": adds ranks as long as that makes
//! an iteration faster by more than a threshold, then goes back one step.

use super::{Now, Policy};
use std::collections::BTreeMap;

/// Searches for the size beyond which more ranks gain too little.
pub struct SweetSpot {
    sizes: Vec<u32>,
    gain: f64,
    /// Last seconds of an iteration for each size that was tried.
    known: BTreeMap<u32, f64>,
    /// The last size that gained too little: only smaller ones are requested.
    most: u32,
}

impl SweetSpot {
    /// Makes the policy. It tries `sizes`, ascending, as long as each reduces the time of an iteration by more than the
    /// fraction `gain`.
    pub fn new(sizes: Vec<u32>, gain: f64) -> Self {
        Self { sizes, gain, known: BTreeMap::new(), most: u32::MAX }
    }
}

impl Policy for SweetSpot {
    fn ask(&mut self, now: &Now) -> Result<Option<u32>, String> {
        self.known.insert(now.ranks, now.seconds);
        let before = self.known.range(..now.ranks).next_back();
        if let Some((&fewer, &seconds)) = before {
            if now.seconds >= seconds * (1.0 - self.gain) {
                self.most = now.ranks;
                return Ok(Some(fewer));
            }
        }
        Ok(self.sizes.iter().copied().find(|&size| size > now.ranks).filter(|&size| size < self.most))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the sizes of a job at `steps` resize points, if an iteration on n ranks takes `seconds(n)`.
    fn walk(sizes: &[u32], gain: f64, steps: usize, seconds: impl Fn(u32) -> f64) -> Vec<u32> {
        let mut policy = SweetSpot::new(sizes.to_vec(), gain);
        let mut ranks = sizes[0];
        let mut walked = vec![ranks];
        for _ in 0..steps {
            ranks = policy.ask(&Now { ranks, seconds: seconds(ranks) }).unwrap().unwrap_or(ranks);
            walked.push(ranks);
        }
        walked
    }

    #[test]
    fn it_grows_as_long_as_that_pays() {
        let two_cores = |ranks: u32| 1.0 / f64::from(ranks.min(2));
        assert_eq!(walk(&[1, 2, 4], 0.05, 5, two_cores), [1, 2, 4, 2, 2, 2]);
        assert_eq!(walk(&[1, 2, 4, 8], 0.05, 5, |ranks| 1.0 / f64::from(ranks)), [1, 2, 4, 8, 8, 8]);
        assert_eq!(walk(&[1, 2, 4], 0.05, 4, f64::from), [1, 2, 1, 1, 1]);
        assert_eq!(walk(&[1, 2, 4], 0.0, 3, two_cores), [1, 2, 4, 2], "a step that saves nothing");
        assert_eq!(walk(&[1, 2, 4], 0.0, 3, |_| 1.0), [1, 2, 1, 1]);
    }

    /// Returns the final size by trying all: the last one that is faster than the one before by more than `gain`.
    fn find_spot(sizes: &[u32], gain: f64, seconds: &[f64]) -> u32 {
        let pays = |k: &usize| seconds[*k] < seconds[*k - 1] * (1.0 - gain);
        sizes[(1..sizes.len()).take_while(pays).last().unwrap_or(0)]
    }

    #[test]
    fn it_finds_the_spot_of_any_curve_and_tries_each_size_once() {
        let mut rng = fastrand::Rng::with_seed(11);
        for case in 0..2000 {
            let count = rng.usize(1..8);
            let mut sizes: Vec<u32> = (0..count).map(|_| rng.u32(1..1000)).collect();
            sizes.sort_unstable();
            sizes.dedup();
            let gain = rng.f64() * 0.5;
            // Amdahl's law with growing communication, or random times.
            let (serial, latency, rough) = (rng.f64(), rng.f64() * 0.01, rng.bool());
            let seconds: Vec<f64> = sizes
                .iter()
                .map(|&ranks| match rough {
                    true => rng.f64(),
                    false => serial + (1.0 - serial) / f64::from(ranks) + latency * f64::from(ranks),
                })
                .collect();
            let of = |ranks: u32| seconds[sizes.iter().position(|&size| size == ranks).unwrap()];
            let walked = walk(&sizes, gain, sizes.len() + 3, of);
            let spot = find_spot(&sizes, gain, &seconds);
            assert!(
                walked[sizes.len() + 1..].iter().all(|&ranks| ranks == spot),
                "{case}: {walked:?}, {spot}"
            );
            let mut tried = walked.clone();
            tried.dedup();
            // Up, and at most one step back.
            let up = tried.windows(2).take_while(|pair| pair[0] < pair[1]).count();
            assert!(tried.len() <= up + 2, "{case}: {walked:?}");
        }
    }

    #[test]
    fn sizes_without_a_gain_are_not_tried_again() {
        let mut policy = SweetSpot::new(vec![1, 2, 4], 0.1);
        let mut ask = |ranks, seconds| policy.ask(&Now { ranks, seconds }).unwrap();
        // A job may begin with a number of ranks that is not in the list.
        assert_eq!(ask(3, 1.0), Some(4));
        assert_eq!(ask(4, 0.95), Some(3));
        for seconds in [1.0, 5.0, 0.1] {
            assert_eq!(ask(3, seconds), None, "4 ranks did not pay");
        }
    }
}
