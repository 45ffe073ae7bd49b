//! Reason for the chooser's choice, as a phrase for reports.

use super::limits::EQUAL_PRICES;
use std::fmt;

/// The reason of a choice.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Why {
    /// The user named the scheduler.
    Forced,
    /// Each side has at most two ranks. If both sides have the same ranks, each rank sends and receives at most one
    /// message.
    FewRanks,
    /// Few ranks exchange messages. Messages do not contend for ports, and all are in flight within two windows.
    AnyOrder,
    /// All messages are early ([`Machine::early`](crate::machine::Machine::early)): the messages from one node to
    /// another are combined into one.
    Early,
    /// No schedule of whole messages has fewer steps or a lower cost.
    Optimal,
    /// No schedule of whole messages has fewer steps. Nothing is proven about the cost.
    FewestSteps,
    /// No schedule has fewer steps if self copies count as messages.
    FewestOfAll,
    /// The choice has the lowest price of all schedulers asked, or nearly that price and no more steps.
    Cheapest {
        /// The scheduler with the next best price.
        next: &'static str,
        /// The price of `next` relative to the price of the choice.
        times: f64,
    },
    /// A slightly cheaper schedule takes more than twice the steps or costs more than twice as much.
    Frugal {
        /// The cheapest scheduler, which is much worse.
        than: &'static str,
        /// The price of the choice relative to the price of `than`.
        times: f64,
    },
    /// No other scheduler can run this traffic, or no other schedule has a price.
    Only,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Forced => write!(f, "asked for by name"),
            Self::FewRanks => write!(f, "at most two ranks on each side: nothing to choose"),
            Self::AnyOrder => write!(f, "few ranks of a node: the order does not matter"),
            Self::Early => write!(f, "small messages, combined into one from node to node"),
            Self::Optimal => write!(f, "fewest steps, least cost"),
            Self::FewestSteps => write!(f, "fewest steps"),
            Self::FewestOfAll => write!(f, "fewest steps, if data that ranks keep counts as messages"),
            Self::Cheapest { next, times } if times > 1.0 + EQUAL_PRICES => {
                write!(f, "cheapest: {next} takes {:.1} % more", (times - 1.0) * 100.0)
            }
            Self::Cheapest { next, .. } => write!(f, "as cheap as {next}, with no more steps"),
            Self::Frugal { than, times } => {
                write!(
                    f,
                    "{than} takes {:.1} % less, but more than twice the steps or the cost",
                    (1.0 - 1.0 / times) * 100.0
                )
            }
            Self::Only => write!(f, "no other scheduler has a price"),
        }
    }
}
