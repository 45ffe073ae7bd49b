//! The Pareto-optimal schedules in steps and cost, among the schedulers whose steps are matchings of whole messages.

use super::Rival;
use serde::Serialize;

#[derive(Serialize, Clone, PartialEq, Debug)]
pub struct Point {
    pub rival: &'static str,
    /// Steps that carry a message.
    pub steps: u64,
    /// Sum of each step's longest message.
    pub cost_bytes: u64,
    /// Time by the machine's model.
    pub price_us: f64,
}

/// Returns the front, fewest steps first. Compares only figures that are exact.
pub fn points(rivals: &[Rival]) -> Vec<Point> {
    let of = |rival: &Rival| {
        let figures = rival.figures.as_ref().filter(|figures| rival.matchings && figures.exact)?;
        let price_us = figures.price_us?;
        Some(Point { rival: rival.name, steps: figures.steps, cost_bytes: figures.cost_bytes, price_us })
    };
    let mut all: Vec<Point> = rivals.iter().filter_map(of).collect();
    // Of equal figures, take the cheapest, then the scheduler that the chooser asks first.
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
