//! WHY did the router take a schedule? What it knows once it has chosen, in words. It never prices anything.

use super::machine::ALIKE;
use std::fmt;

/// The reason.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Why {
    /// It was asked for.
    Asked,
    /// Each rank has one message each way at the most.
    OneMessage,
    /// Messages do not contend, and all of them are under way at once.
    AnyOrder,
    /// No schedule of whole messages has fewer steps or costs less.
    Optimal,
    /// No schedule of whole messages has fewer steps; of costs no more is known.
    FewestSteps,
    /// It is cheaper than all others that were asked for their price, or as cheap with no more steps.
    Cheapest {
        /// The next best.
        next: &'static str,
        /// How many times as much that takes.
        times: f64,
    },
    /// No other can run this, or has a price.
    Only,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Asked => write!(f, "asked for by name"),
            Self::OneMessage => write!(f, "one message each way at the most: nothing to choose"),
            Self::AnyOrder => write!(f, "few ranks of a node: any order does"),
            Self::Optimal => write!(f, "fewest steps, least cost"),
            Self::FewestSteps => write!(f, "fewest steps"),
            Self::Cheapest { next, times } if times > 1.0 + ALIKE => {
                write!(f, "cheapest: {next} takes {:.1} % more", (times - 1.0) * 100.0)
            }
            Self::Cheapest { next, .. } => write!(f, "as cheap as {next}, with no more steps"),
            Self::Only => write!(f, "no other has a price"),
        }
    }
}
