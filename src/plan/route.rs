//! By which way does one rank's data go: in one redistribution, or in several through intermediate arrays?

use super::{Place, Plan};
use crate::pack::Shape;
use crate::problem::Problem;
use crate::schedule::certificate::Certificate;
use crate::schedule::machine::Machine;
use crate::schedule::order::Order;
use crate::schedule::router::{Refusal, route};
use crate::schedule::table::{Course, Schedule};

/// The way.
#[derive(Debug)]
pub struct Route {
    /// The scheduler that was chosen.
    pub scheduler: &'static str,
    /// What it is to take, in seconds.
    pub price: f64,
    /// Figures of its schedule, if they can be counted.
    pub certificate: Option<Certificate>,
    /// Whether messages are all sent at once, each port's as they come.
    pub at_once: bool,
    /// One redistribution after the other; the last one writes the destination.
    pub legs: Vec<Leg>,
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
                vec![Leg { problem: problem.clone(), plan: Plan::new(problem, me, &traffic, order) }]
            }
            Course::Chain(phases) => phases
                .iter()
                .map(|phase| {
                    let dim = |d: usize| phase.traffic.lines[d].dim.clone();
                    let problem = Problem { rows: dim(0), cols: dim(1), ..problem.clone() };
                    let plan = Plan::new(&problem, me, &phase.traffic, &phase.order);
                    Leg { problem, plan }
                })
                .collect(),
        };
        Ok(Self { scheduler: name, price, certificate, at_once, legs })
    }
}

impl Leg {
    /// The local array that this leg writes, if it is an intermediate one; none outside the grid.
    pub fn shape(&self, me: &Place, element: usize) -> Option<Shape> {
        let at = me.to?;
        let extent =
            |dim: &crate::overlap::Overlap, coord| dim.to.dist.local_len(dim.to.start + dim.len, coord);
        let (rows, cols) = (extent(&self.problem.rows, at.row), extent(&self.problem.cols, at.col));
        Some(Shape { rows, cols, ld: rows, element })
    }
}
