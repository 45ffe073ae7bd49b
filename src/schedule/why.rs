//! WHY did the router take a schedule? What it knows once it has chosen, in words. It never prices anything.

use super::limits::ALIKE;
use std::fmt;

/// The reason.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Why {
    /// It was asked for.
    Forced,
    /// Each rank has one message each way at the most.
    OneMessage,
    /// Messages do not contend, and all of them are under way at once.
    AnyOrder,
    /// No schedule of whole messages has fewer steps or costs less.
    Optimal,
    /// No schedule of whole messages has fewer steps; of costs no more is known.
    FewestSteps,
    /// No schedule has fewer steps that counts what ranks keep as messages, too.
    FewestOfAll,
    /// It is cheaper than all others that were asked for their price, or as cheap with no more steps.
    Cheapest {
        /// The next best.
        next: &'static str,
        /// How many times as much that takes.
        times: f64,
    },
    /// One that is hardly cheaper takes more than twice as many steps, or costs more than twice as much.
    Frugal {
        /// The cheapest one.
        than: &'static str,
        /// How many times as much it takes as that one.
        times: f64,
    },
    /// No other can run this, or has a price.
    Only,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Forced => write!(f, "asked for by name"),
            Self::OneMessage => write!(f, "one message each way at the most: nothing to choose"),
            Self::AnyOrder => write!(f, "few ranks of a node: any order does"),
            Self::Optimal => write!(f, "fewest steps, least cost"),
            Self::FewestSteps => write!(f, "fewest steps"),
            Self::FewestOfAll => write!(f, "fewest steps, if what ranks keep counts as messages"),
            Self::Cheapest { next, times } if times > 1.0 + ALIKE => {
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
            Self::Only => write!(f, "no other has a price"),
        }
    }
}
