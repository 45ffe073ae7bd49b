//! Histogram of times with logarithmic buckets: count, sum, extremes and quantiles. Memory grows with the spread of the
//! times, not with their number.

use serde::{Deserialize, Serialize};

/// Number of leading bits of a time in nanoseconds that a bucket keeps: enough for two exact decimal digits.
const BITS: u32 = 8;

/// Histogram of the times of many calls.
#[derive(Clone, Debug, Default)]
pub struct Quantiles {
    /// Buckets in ascending order: the largest time in nanoseconds with the bucket's leading bits, and the number of
    /// times in the bucket.
    times: Vec<(u64, u64)>,
    /// Sum of all times in seconds.
    total: f64,
}

impl Quantiles {
    /// Adds a time in seconds.
    pub fn record(&mut self, seconds: f64) {
        self.total += seconds;
        let nanoseconds = std::time::Duration::try_from_secs_f64(seconds).unwrap_or_default().as_nanos();
        self.count_in(u64::try_from(nanoseconds).unwrap_or(u64::MAX), 1);
    }

    /// Adds all times of `other`.
    pub fn add(&mut self, other: &Self) {
        self.total += other.total;
        other.times.iter().for_each(|&(time, times)| self.count_in(time, times));
    }

    /// Adds a number of equal times. Counts saturate at 64 bits.
    fn count_in(&mut self, nanoseconds: u64, times: u64) {
        let greatest = nanoseconds | low_bits(nanoseconds);
        match self.times.binary_search_by_key(&greatest, |&(time, _)| time) {
            Ok(at) => self.times[at].1 = self.times[at].1.saturating_add(times),
            Err(_) if times == 0 => {}
            Err(at) => self.times.insert(at, (greatest, times)),
        }
    }

    /// Returns the number of recorded times.
    pub fn count(&self) -> u64 {
        self.times.iter().fold(0, |all, &(_, times)| all.saturating_add(times))
    }

    /// Returns the sum of all times, in seconds.
    pub fn total(&self) -> f64 {
        self.total
    }

    /// Returns the time in seconds, to two digits, that the share `quantile` (0 to 1) of all times does not exceed. 0
    /// if no time was recorded.
    pub fn quantile(&self, quantile: f64) -> f64 {
        #[allow(clippy::cast_precision_loss, reason = "two digits are shown")]
        let wanted = quantile * self.count() as f64;
        let mut below = 0u64;
        #[allow(clippy::cast_precision_loss, reason = "two digits are shown")]
        let found = self.times.iter().find(|&&(_, times)| {
            below = below.saturating_add(times);
            below as f64 >= wanted
        });
        seconds(found.or(self.times.last()).map_or(0, |&(time, _)| time))
    }

    /// Returns the smallest time in seconds, to two digits.
    pub fn least(&self) -> f64 {
        seconds(self.times.first().map_or(0, |&(time, _)| time & !low_bits(time)))
    }

    /// Returns the largest time in seconds, to two digits.
    pub fn greatest(&self) -> f64 {
        seconds(self.times.last().map_or(0, |&(time, _)| time))
    }
}

/// Returns a mask of the bits of `time` behind its [`BITS`] leading bits.
fn low_bits(time: u64) -> u64 {
    let bits = (u64::BITS - time.leading_zeros()).saturating_sub(BITS);
    (1 << bits) - 1
}

#[allow(clippy::cast_precision_loss, reason = "times are far below 2^53 ns, which are 104 days")]
fn seconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 * 1e-9
}

/// JSON form, for reports and messages. Deserialization requires all figures, but uses only `total` and `times`.
#[derive(Serialize, Deserialize)]
struct Written {
    count: u64,
    total: f64,
    min: f64,
    median: f64,
    p99: f64,
    max: f64,
    /// The histogram: nanoseconds and number of times of each bucket.
    times: Vec<(u64, u64)>,
}

impl Serialize for Quantiles {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let times = self.times.clone();
        let (count, total) = (self.count(), self.total);
        let [median, p99] = [0.5, 0.99].map(|q| self.quantile(q));
        Written { count, total, min: self.least(), median, p99, max: self.greatest(), times }
            .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Quantiles {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = Written::deserialize(deserializer)?;
        let mut spread = Self { total: written.total, ..Self::default() };
        spread.times.reserve_exact(written.times.len());
        written.times.iter().for_each(|&(time, times)| spread.count_in(time, times));
        Ok(spread)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_a_sorted_list() {
        let mut random = fastrand::Rng::with_seed(7);
        let mut times: Vec<f64> = (0..1001).map(|_| 10f64.powf(-7.0 + 6.0 * random.f64())).collect();
        let mut spread = Quantiles::default();
        times.iter().for_each(|&t| spread.record(t));
        times.sort_by(f64::total_cmp);
        let near = |a: f64, b: f64| (a - b).abs() <= 0.01 * b + 1e-9;
        assert!(near(spread.quantile(0.5), times[500]), "{} {}", spread.quantile(0.5), times[500]);
        assert!(near(spread.quantile(0.99), times[990]), "{} {}", spread.quantile(0.99), times[990]);
        assert!(near(spread.least(), times[0]) && near(spread.greatest(), times[1000]));
        assert_eq!(spread.count(), 1001);
        assert!((spread.total() - times.iter().sum::<f64>()).abs() < 1e-9);
    }

    #[test]
    fn times_of_all_sizes_are_kept_to_two_digits() {
        let mut spread = Quantiles::default();
        for time in [0, 1, 255, 256, 1_000_003, u64::MAX / 3, u64::MAX] {
            assert_eq!(time | low_bits(time), (time & !low_bits(time)) + low_bits(time));
            assert!(low_bits(time) <= time / 128);
            spread.count_in(time, u64::MAX);
        }
        assert_eq!((spread.count(), spread.least(), spread.greatest()), (u64::MAX, 0.0, seconds(u64::MAX)));
        // 12 buckets of 4096 ns from 10^6 to 2^20 ns, and 7 of 8192 ns above.
        let mut many = Quantiles::default();
        (0..100_000).for_each(|k| many.count_in(1_000_000 + k, 1));
        assert_eq!((many.count(), many.times.len()), (100_000, 19));
    }

    #[test]
    fn serialization_keeps_the_counts() {
        let mut spread = Quantiles::default();
        [1e-6, 1e-6, 2.5e-3, 0.0, 7.0].iter().for_each(|&t| spread.record(t));
        let read: Quantiles = serde_json::from_str(&serde_json::to_string(&spread).unwrap()).unwrap();
        assert_eq!((read.count(), read.total()), (5, spread.total()));
        for q in [0.0, 0.3, 0.5, 0.9, 1.0] {
            assert_eq!(read.quantile(q), spread.quantile(q), "{q}");
        }
        let mut both = read;
        both.add(&spread);
        assert_eq!((both.count(), both.quantile(0.5)), (10, spread.quantile(0.5)));
    }
}
