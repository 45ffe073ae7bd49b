//! HOW is a traffic to travel? What a rival finds: in one redistribution or in several, with the figures. It never knows prices.

use super::certificate::Certificate;
use super::order::Order;
use super::traffic::Traffic;
use std::sync::Arc;

/// One redistribution, or several through intermediate distributions.
#[derive(Debug)]
pub enum Course {
    /// In one redistribution.
    Direct(Arc<dyn Order>),
    /// Phase by phase.
    Chain(Vec<Phase>),
}

/// One redistribution of a chain.
#[derive(Debug)]
pub struct Phase {
    /// Who owes whom.
    pub traffic: Traffic,
    /// In which order.
    pub order: Arc<dyn Order>,
    /// Figures.
    pub certificate: Certificate,
}

/// What a rival found.
#[derive(Debug)]
pub struct Found {
    /// How messages go.
    pub course: Course,
    /// Figures; of a chain, the sums over its phases. `None`: there are too many messages to count, or no need to.
    pub certificate: Option<Certificate>,
    /// The step of each message, where messages were listed to find them.
    pub steps: Option<Vec<u32>>,
}

/// What a rival that is made of schedules of smaller traffics asks for those: the fewest steps, and of as many the least cost.
pub type Chooser = fn(&Traffic) -> Option<(Arc<dyn Order>, Certificate)>;

/// A closed form that a rival found, and what it says of itself, in elements: no fewer than it takes, or just as many if exact.
#[derive(Debug)]
pub struct Closed {
    /// The order.
    pub order: Arc<dyn Order>,
    /// Steps.
    pub steps: u64,
    /// The sum over the steps of the longest message.
    pub cost: u64,
    /// Whether these are the figures of the messages as they are.
    pub exact: bool,
}

impl Found {
    /// An order whose figures are known.
    pub fn direct(order: impl Order + 'static, certificate: Certificate) -> Self {
        Self { course: Course::Direct(Arc::new(order)), certificate: Some(certificate), steps: None }
    }

    /// An order of whole messages with the figures of these as they are; `None` if they cannot be listed.
    pub fn counted(traffic: &Traffic, order: &Arc<dyn Order>) -> Option<Self> {
        let steps = Certificate::steps(traffic, order.as_ref())?;
        let certificate = Some(Certificate::count(&traffic.listed()?.graph, &steps));
        Some(Self { course: Course::Direct(order.clone()), certificate, steps: Some(steps) })
    }

    /// A closed form, with the figures of the messages as they are, where these are few; else with what it says of itself, which counts what
    /// ranks keep.
    pub fn closed(traffic: &Traffic, Closed { order, steps, cost, exact }: Closed) -> Self {
        let few = traffic.messages() <= traffic.effort().search;
        few.then(|| Self::counted(traffic, &order)).flatten().unwrap_or_else(|| Self {
            certificate: Some(Certificate {
                steps,
                cost: traffic.element.saturating_mul(cost),
                bounds: traffic.bounds(),
                messages: traffic.messages(),
                exact: exact && traffic.is_whole(),
                kept: traffic.keeps(),
            }),
            course: Course::Direct(order),
            steps: None,
        })
    }
}
