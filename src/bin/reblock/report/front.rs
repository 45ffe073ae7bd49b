//! The Pareto-optimal schedules in steps and cost, among the schedulers whose steps are matchings of whole messages.

use super::SchedulerFigures;
use serde::Serialize;

#[derive(Serialize, Clone, PartialEq, Debug)]
pub struct Point {
    #[serde(rename = "rival")]
    pub scheduler: &'static str,
    pub steps: u64,
    pub cost_bytes: u64,
    pub price_us: f64,
}

/// Returns the front, fewest steps first. Compares only figures that are exact.
pub fn points(schedulers: &[SchedulerFigures]) -> Vec<Point> {
    let of = |scheduler: &SchedulerFigures| {
        let figures = scheduler.figures.as_ref().filter(|figures| scheduler.matchings && figures.exact)?;
        let price_us = figures.price_us?;
        Some(Point {
            scheduler: scheduler.name,
            steps: figures.steps,
            cost_bytes: figures.cost_bytes,
            price_us,
        })
    };
    let mut all: Vec<Point> = schedulers.iter().filter_map(of).collect();
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
