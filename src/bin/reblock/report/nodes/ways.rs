//! Figures of the ways to send the messages between nodes: alone, together, and in the phases of the chosen schedule.

use reblock_plan::schedule::nodes::Price;
use serde::Serialize;

#[derive(Serialize, Debug)]
pub struct Ways {
    /// Each message travels alone, in one phase.
    pub alone: WayFigures,
    /// One message for each pair of nodes with early messages; the others travel alone.
    pub together: WayFigures,
    /// Each message of each phase travels alone, if the chosen schedule has several phases; null otherwise.
    pub phases: Option<WayFigures>,
}

#[derive(Serialize, Default, Debug)]
pub struct WayFigures {
    pub busiest: u64,
    pub messages: u64,
    pub price_us: f64,
}

impl WayFigures {
    /// Returns the figures of two redistributions that follow each other.
    pub fn then(&self, next: &Self) -> Self {
        Self {
            busiest: self.busiest + next.busiest,
            messages: self.messages + next.messages,
            price_us: self.price_us + next.price_us,
        }
    }
}

impl From<Price> for WayFigures {
    fn from(price: Price) -> Self {
        Self { busiest: price.busiest, messages: price.messages, price_us: price.seconds * 1e6 }
    }
}
