//! WHAT does one more step save? Schedules of which none has both no more steps and a lower cost, of all rivals whose steps are
//! matchings of whole messages.

use super::Rival;
use serde::Serialize;

/// A schedule.
#[derive(Serialize, Clone, PartialEq, Debug)]
pub struct Point {
    /// The rival that finds it.
    pub rival: &'static str,
    /// Steps that carry a message.
    pub steps: u64,
    /// The sum of each step's longest message.
    pub cost_bytes: u64,
    /// What it takes by the machine's model.
    pub price_us: f64,
}

/// The front, fewest steps first. Only what was counted is compared.
pub fn points(rivals: &[Rival]) -> Vec<Point> {
    let of = |rival: &Rival| {
        let figures = rival.figures.as_ref().filter(|figures| rival.matchings && figures.exact)?;
        let price_us = figures.price_us?;
        Some(Point { rival: rival.name, steps: figures.steps, cost_bytes: figures.cost_bytes, price_us })
    };
    let mut all: Vec<Point> = rivals.iter().filter_map(of).collect();
    // Of several with the same figures the cheapest, then the one that the router asks first.
    all.sort_by(|a, b| a.price_us.total_cmp(&b.price_us));
    all.sort_by_key(|point| (point.steps, point.cost_bytes));
    let mut least = u64::MAX;
    all.retain(|point| {
        let lower = point.cost_bytes < least;
        least = least.min(point.cost_bytes);
        lower
    });
    all
}
