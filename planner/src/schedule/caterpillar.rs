//! Two baselines: the caterpillar, ScaLAPACK's algorithm (Prylli and Tourancheau 1997), and sending everything at once.
//!
//! In step d, port p sends to port q with q - p = d, modulo the number of ports of the larger side. ScaLAPACK's own
//! pairing is p + q = d. Both pairings give a schedule for any messages, with as many steps as the larger side has
//! ports.

use super::certificate::Certificate;
use super::course::{Course, FoundSchedule};
use super::graph::Bounds;
use super::order::Order;
use super::traffic::Traffic;
use crate::layout::distribution::{Grid, number};
use std::sync::Arc;

#[derive(Debug)]
struct Caterpillar {
    from: Grid,
    to: Grid,
    /// True if the step is the sum of the ports, as in ScaLAPACK, and not their difference.
    sum: bool,
}

/// Order that sends all messages at once.
#[derive(Debug)]
pub struct AtOnce;

/// Returns the order by sums or differences of ports.
pub fn order(traffic: &Traffic, sum: bool) -> Arc<dyn Order> {
    Arc::new(Caterpillar { from: traffic.from.clone(), to: traffic.to.clone(), sum })
}

/// Returns the order, with its steps and cost if messages can be listed.
pub fn find_order(traffic: &Traffic, sum: bool) -> FoundSchedule {
    let order = order(traffic, sum);
    let uncounted =
        || FoundSchedule { course: Course::Direct(order.clone()), certificate: None, steps: None };
    FoundSchedule::count_order(traffic, &order).unwrap_or_else(uncounted)
}

/// Returns the order that sends everything at once. Returns an error if messages cannot be listed.
pub fn at_once(traffic: &Traffic) -> Result<FoundSchedule, String> {
    let graph = &traffic.list()?.graph;
    let bounds = graph.bounds((1, 1));
    let certificate = Certificate {
        steps: u64::from(!graph.edges().is_empty()),
        cost: bounds.load,
        bounds: Bounds { cost: bounds.load, ..bounds },
        messages: graph.edges().len() as u64,
        exact: true,
        kept: false,
    };
    Ok(FoundSchedule::direct(AtOnce, certificate))
}

impl Order for Caterpillar {
    fn steps(&self) -> u64 {
        self.from.size().max(self.to.size())
    }

    fn step(&self, from: &[u32], to: &[u32]) -> Option<u64> {
        let (p, q, n) = (number(self.from.extents(), from), number(self.to.extents(), to), self.steps());
        Some(if self.sum { (p + q) % n } else { (q + n - p % n) % n })
    }
}

impl Order for AtOnce {
    fn steps(&self) -> u64 {
        1
    }

    fn step(&self, _: &[u32], _: &[u32]) -> Option<u64> {
        Some(0)
    }
}
