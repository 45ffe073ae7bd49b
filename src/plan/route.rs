//! By which way does one rank's data go: in one redistribution, or in several through intermediate arrays?

use super::{Place, Plan};
use crate::overlap::Overlap;
use crate::pack::Shape;
use crate::problem::Problem;
use crate::schedule::certificate::Certificate;
use crate::schedule::machine::Machine;
use crate::schedule::order::Order;
use crate::schedule::router::{Refusal, route};
use crate::schedule::table::{Course, Schedule};
use std::sync::Arc;

/// The way.
#[derive(Debug)]
pub struct Route {
    /// The scheduler that was chosen.
    pub scheduler: &'static str,
    /// What it is to take, in seconds; infinite where that was not reckoned.
    pub price: f64,
    /// Figures of its schedule, if they were counted.
    pub certificate: Option<Certificate>,
    /// Whether messages are all sent at once, each port's as they come.
    pub at_once: bool,
    /// One redistribution after the other; the last one writes the destination.
    pub legs: Vec<Arc<Leg>>,
}

/// One redistribution.
#[derive(Debug)]
pub struct Leg {
    /// What moves.
    pub problem: Problem,
    /// This rank's share.
    pub plan: Plan,
}

impl Route {
    /// The cheapest way on `machine`, or that of the scheduler called `forced`, for the rank at `me`; elements have
    /// `element` bytes.
    pub fn new(
        problem: &Problem,
        me: &Place,
        element: u64,
        machine: &Machine,
        forced: Option<&str>,
    ) -> Result<Self, Refusal> {
        let traffic = problem.traffic(element);
        let Schedule { name, course, certificate, price } = route(&traffic, machine, forced)?;
        let at_once = matches!(course, Course::Direct(Order::AtOnce));
        let legs = match &course {
            Course::Direct(order) => {
                let plan = Plan::new(problem, me, &traffic, order);
                vec![Arc::new(Leg { problem: problem.clone(), plan })]
            }
            Course::Chain(phases) => phases
                .iter()
                .map(|phase| {
                    let dims = phase.traffic.lines.iter().map(|line| line.dim.clone()).collect();
                    let problem = Problem { dims, ..problem.clone() };
                    let plan = Plan::new(&problem, me, &phase.traffic, &phase.order);
                    Arc::new(Leg { problem, plan })
                })
                .collect(),
        };
        Ok(Self { scheduler: name, price, certificate, at_once, legs })
    }
}

impl Leg {
    /// The local array that this leg writes, if it is an intermediate one; none outside the grid.
    pub fn shape(&self, me: &Place, element: usize) -> Option<Shape> {
        let extent = |(dim, &coord): (&Overlap, &u32)| dim.to.held(dim.len, coord);
        let extents: Vec<u64> = self.problem.dims.iter().zip(me.to.as_ref()?).map(extent).collect();
        Some(Shape::dense(element, &extents))
    }
}
