//! Combines the schedules of the dimensions of a grid (Sudarsan and Ribbens 2007).
//!
//! If message p1 -> q1 goes in step s1 of the rows' schedule, and p2 -> q2 in step s2 of the columns' schedule, which
//! has n2 steps, then (p1, p2) -> (q1, q2) goes in step s1 n2 + s2. A port that occurs at most once in each
//! step of both schedules occurs at most once in each step of the product, whether grids grow or shrink. The cost is
//! the product of the costs.
//!
//! The product has the fewest steps if one side, senders or receivers, has the busiest port in all dimensions.
//! Otherwise (if rows grow while columns shrink, for example) [`together`](super::together) or
//! [`stars`](super::stars) may take fewer.
//!
//! Copies of the destination count as one more dimension, in which one process sends to all. Several copies of the
//! source are not supported: each rank reads the nearest copy, so the messages are no product.

use super::certificate::Certificate;
use super::course::{Chooser, ClosedForm, FoundSchedule};
use super::dimension::Dimension;
use super::order::Order;
use super::traffic::Traffic;
use crate::layout::distribution::number;
use std::sync::Arc;

#[derive(Debug)]
struct DimensionProduct {
    factors: Vec<Arc<dyn Order>>,
    /// Extents of the grid dimensions that count copies of the destination; these follow the dimensions of `factors`.
    copies: Vec<u32>,
}

impl Order for DimensionProduct {
    fn steps(&self) -> u64 {
        let copies = self.copies.iter().map(|&extent| u64::from(extent));
        self.factors.iter().map(|factor| factor.steps()).chain(copies).product()
    }

    fn step(&self, from: &[u32], to: &[u32]) -> Option<u64> {
        let mut step = 0;
        for (d, factor) in self.factors.iter().enumerate() {
            step = step * factor.steps() + factor.step(&from[d..=d], &to[d..=d])?;
        }
        let copies: u64 = self.copies.iter().map(|&extent| u64::from(extent)).product();
        Some(step * copies + number(&self.copies, &to[self.factors.len()..]))
    }

    fn factors(&self) -> &[Arc<dyn Order>] {
        if self.copies.iter().all(|&extent| extent == 1) { &self.factors } else { &[] }
    }
}

/// Returns the product of the schedules that `choose` picks for the dimensions. An error if fewer than two dimensions
/// change ([`Traffic::dimensions_with_messages`]).
pub fn order(traffic: &Traffic, choose: Chooser) -> Result<FoundSchedule, String> {
    match traffic.dimensions_with_messages().len() {
        0 | 1 => Err("at most one dimension changes, expected several".into()),
        _ => build_product(traffic, (0..traffic.dims.len()).map(|d| choose_for(traffic, d, choose))),
    }
}

/// Returns the product of the schedule that `schedule_one` returns for the one dimension that changes, and of the
/// schedules that `choose` picks for the other dimensions. An error if several dimensions change or `schedule_one`
/// fails.
pub fn one_changes(
    traffic: &Traffic,
    schedule_one: impl Fn(&Dimension) -> Result<ClosedForm, String>,
    choose: Chooser,
) -> Result<FoundSchedule, String> {
    let moving = traffic.dimensions_with_messages();
    if moving.len() > 1 {
        return Err(format!("{} dimensions change, expected at most one", moving.len()));
    }
    let changes = |d| traffic.dims.len() == 1 || moving.contains(&d);
    let factor = |d: usize| match changes(d) {
        true => Ok(count_figures(&traffic.dims[d], schedule_one(&traffic.dims[d])?)),
        false => choose_for(traffic, d, choose),
    };
    build_product(traffic, (0..traffic.dims.len()).map(factor))
}

fn choose_for(traffic: &Traffic, d: usize, choose: Chooser) -> Result<ClosedForm, String> {
    let (order, certificate) = choose(&traffic.one_dimension(d)).ok_or("a dimension has no schedule")?;
    let Certificate { steps, cost, exact, .. } = certificate;
    Ok(ClosedForm { order, steps, cost, exact })
}

/// Replaces the bounds of a closed form by exact figures if the messages of the dimension can be listed quickly.
/// Otherwise lowers the bound of the cost, but not below the longest message and the busiest process.
fn count_figures(dim: &Dimension, closed: ClosedForm) -> ClosedForm {
    if closed.exact {
        return closed;
    }
    let count = || {
        let graph = dim.quick_graph()?;
        let step = |p, q| u32::try_from(closed.order.step(&[p], &[q])?).ok();
        let steps: Option<Vec<u32>> = graph.edges().iter().map(|e| step(e.sender, e.receiver)).collect();
        Some(Certificate::count(graph, &steps?))
    };
    match count() {
        Some(Certificate { steps, cost, .. }) => ClosedForm { steps, cost, exact: true, ..closed },
        None => {
            let cost =
                closed.cost.min(closed.steps.saturating_mul(dim.shared_elements_bound())).max(dim.load());
            ClosedForm { cost, ..closed }
        }
    }
}

fn build_product(
    traffic: &Traffic,
    dims: impl Iterator<Item = Result<ClosedForm, String>>,
) -> Result<FoundSchedule, String> {
    let (1, copies) = traffic.copies() else {
        return Err("the source has copies".into());
    };
    let (mut factors, mut steps, mut cost, mut exact) = (Vec::new(), copies, copies, true);
    for closed in dims {
        let closed = closed?;
        steps = steps.saturating_mul(closed.steps);
        cost = cost.saturating_mul(closed.cost);
        exact &= closed.exact;
        factors.push(closed.order);
    }
    let copies = traffic.to.extents()[factors.len()..].to_vec();
    let order = Arc::new(DimensionProduct { factors, copies });
    Ok(FoundSchedule::from_closed_form(traffic, ClosedForm { order, steps, cost, exact }))
}

#[cfg(any(test, feature = "samples"))]
pub mod table_2;

#[cfg(test)]
pub mod tests;
