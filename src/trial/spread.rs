//! HOW are many times distributed? Their number, sum, extremes and quantiles, in memory that does not grow with their
//! number. It knows seconds; it never knows what they measure.

use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};

/// Significant digits of a quantile.
const DIGITS: u8 = 2;

/// Times of many calls.
#[derive(Clone, Debug)]
pub struct Spread {
    /// In nanoseconds.
    times: Histogram<u64>,
    /// Seconds.
    total: f64,
}

impl Default for Spread {
    fn default() -> Self {
        Self { times: Histogram::new(DIGITS).expect("two digits are allowed"), total: 0.0 }
    }
}

impl Spread {
    /// One more time, in seconds.
    pub fn record(&mut self, seconds: f64) {
        self.total += seconds;
        let nanoseconds = std::time::Duration::try_from_secs_f64(seconds).unwrap_or_default().as_nanos();
        // A histogram that grows refuses nothing but what no memory holds, and then this one time is missing in it.
        let _ = self.times.record(u64::try_from(nanoseconds).unwrap_or(u64::MAX));
    }

    /// All times of `other`, too.
    pub fn add(&mut self, other: &Self) {
        self.total += other.total;
        let _ = self.times.add(&other.times);
    }

    /// Times recorded.
    pub fn count(&self) -> u64 {
        self.times.len()
    }

    /// Their sum, in seconds.
    pub fn total(&self) -> f64 {
        self.total
    }

    /// The time that a share of `quantile` of all times does not exceed, in seconds, to two digits; 0 of no times.
    pub fn quantile(&self, quantile: f64) -> f64 {
        seconds(self.times.value_at_quantile(quantile))
    }

    /// The least, in seconds, to two digits.
    pub fn least(&self) -> f64 {
        seconds(self.times.min())
    }

    /// The greatest, in seconds, to two digits.
    pub fn greatest(&self) -> f64 {
        seconds(self.times.max())
    }
}

#[allow(clippy::cast_precision_loss, reason = "times are far below 2^53 ns, which are 104 days")]
fn seconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 * 1e-9
}

/// As it is told to another process, or written: figures to read, and the times that occurred with how often they did, from
/// which the whole is made again.
#[derive(Serialize, Deserialize)]
struct Written {
    count: u64,
    total: f64,
    min: f64,
    median: f64,
    p99: f64,
    max: f64,
    /// Nanoseconds, and how often.
    times: Vec<(u64, u64)>,
}

impl Serialize for Spread {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let times = self.times.iter_recorded().map(|v| (v.value_iterated_to(), v.count_at_value())).collect();
        let (count, total) = (self.count(), self.total);
        let [median, p99] = [0.5, 0.99].map(|q| self.quantile(q));
        Written { count, total, min: self.least(), median, p99, max: self.greatest(), times }
            .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Spread {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = Written::deserialize(deserializer)?;
        let mut spread = Self { total: written.total, ..Self::default() };
        for (value, count) in written.times {
            spread.times.record_n(value, count).map_err(serde::de::Error::custom)?;
        }
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
        let mut spread = Spread::default();
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
    fn what_is_told_is_what_was_recorded() {
        let mut spread = Spread::default();
        [1e-6, 1e-6, 2.5e-3, 0.0, 7.0].iter().for_each(|&t| spread.record(t));
        let told: Spread = serde_json::from_str(&serde_json::to_string(&spread).unwrap()).unwrap();
        assert_eq!((told.count(), told.total()), (5, spread.total()));
        for q in [0.0, 0.3, 0.5, 0.9, 1.0] {
            assert_eq!(told.quantile(q), spread.quantile(q), "{q}");
        }
        let mut both = told;
        both.add(&spread);
        assert_eq!((both.count(), both.quantile(0.5)), (10, spread.quantile(0.5)));
    }
}
