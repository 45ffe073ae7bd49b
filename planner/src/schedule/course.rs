//! Result of a scheduler: the order of one redistribution or of a chain of several, with figures but without prices.

use super::certificate::Certificate;
use super::order::Order;
use super::traffic::Traffic;
use std::sync::Arc;

/// One redistribution, or several through intermediate distributions.
#[derive(Debug)]
pub enum Course {
    /// A single redistribution, with the steps of its messages.
    Direct(Arc<dyn Order>),
    /// Phases, executed one after the other.
    Chain(Vec<Phase>),
}

/// One redistribution of a chain.
#[derive(Debug)]
pub struct Phase {
    /// Messages of this redistribution alone.
    pub traffic: Traffic,
    /// Steps of the messages of this phase.
    pub order: Arc<dyn Order>,
    /// Figures of this phase alone.
    pub certificate: Certificate,
}

/// Schedule that a scheduler found, and its figures.
#[derive(Debug)]
pub struct FoundSchedule {
    /// The redistributions and their orders.
    pub course: Course,
    /// Figures of the schedule; for a chain, sums over its phases. `None` if there are too many messages to count, or
    /// if no figures are needed.
    pub certificate: Option<Certificate>,
    /// The step of each message, if the messages were listed.
    pub steps: Option<Vec<u32>>,
}

/// Function that returns the schedule of a smaller traffic with the fewest steps and, among equals, the lowest cost.
/// Schedulers combine the schedules that the function returns.
pub type Chooser = fn(&Traffic) -> Option<(Arc<dyn Order>, Certificate)>;

/// A schedule in closed form, with exact figures or upper bounds.
#[derive(Debug)]
pub struct ClosedForm {
    /// The order of the closed form.
    pub order: Arc<dyn Order>,
    /// Number of steps of the order.
    pub steps: u64,
    /// Sum over the steps of the length of the longest message, in elements.
    pub cost: u64,
    /// True if the figures are exact for the messages of this section.
    pub exact: bool,
}

impl FoundSchedule {
    /// Wraps an order whose figures were counted.
    pub fn direct(order: impl Order + 'static, certificate: Certificate) -> Self {
        Self { course: Course::Direct(Arc::new(order)), certificate: Some(certificate), steps: None }
    }

    /// Counts the figures of an order of whole messages; `None` if the messages cannot be listed.
    pub fn count_order(traffic: &Traffic, order: &Arc<dyn Order>) -> Option<Self> {
        let steps = Certificate::steps(traffic, order.as_ref())?;
        let certificate = Some(Certificate::count(&traffic.listed()?.graph, &steps));
        Some(Self { course: Course::Direct(order.clone()), certificate, steps: Some(steps) })
    }

    /// Wraps a closed form. Its figures are counted if there are few messages. Otherwise they are the figures of the
    /// closed form, which count self copies as messages.
    pub fn from_closed_form(traffic: &Traffic, ClosedForm { order, steps, cost, exact }: ClosedForm) -> Self {
        let few = traffic.messages() <= traffic.effort().search;
        few.then(|| Self::count_order(traffic, &order)).flatten().unwrap_or_else(|| Self {
            certificate: Some(Certificate {
                steps,
                cost: traffic.element.saturating_mul(cost),
                bounds: traffic.bounds(),
                messages: traffic.messages(),
                exact: exact && traffic.is_whole(),
                kept: traffic.may_keep_elements(),
            }),
            course: Course::Direct(order),
            steps: None,
        })
    }
}
