//! WHAT do the rivals make of a redistribution, and which one does the router take? All figures in one document, which is
//! written as text or as JSON; docs/explain.md has its fields. It never knows how it is written.

mod choice;
mod front;
mod messages;
mod rivals;
mod text;

pub use choice::{Choice, Wish};
pub use front::Point;
pub use messages::Messages;
pub use rivals::{Rival, affordable};
pub use text::text;

use crate::layout::Layout;
use crate::listing::Listing;
use crate::redistribution::Redistribution;
use reblock::schedule::graph::Bounds;
use reblock::schedule::router::Schedule;
use reblock::schedule::traffic::Traffic;
use reblock::system::machine::Machine;
use serde::Serialize;

/// The whole report. Bytes are bytes, prices microseconds; what is not known is null.
#[derive(Serialize, Debug)]
pub struct Report {
    /// Raised when a field changes its meaning.
    pub version: u32,
    /// Elements in each dimension.
    pub shape: Vec<u64>,
    /// Bytes an element.
    pub element_bytes: u64,
    /// Bytes of the array.
    pub array_bytes: u64,
    /// Where the array lies.
    pub from: Place,
    /// Where it goes.
    pub to: Place,
    /// What prices are reckoned with.
    pub machine: MachineFigures,
    /// Who owes whom how much.
    pub messages: Messages,
    /// What no schedule of whole messages can do without; null if nothing can be counted.
    pub bounds: Option<BoundFigures>,
    /// Every rival, in the order in which the router asks.
    pub rivals: Vec<Rival>,
    /// Steps against cost: schedules of which none has both no more steps and a lower cost, fewest steps first.
    pub front: Vec<Point>,
    /// What is taken.
    pub choice: Choice,
    /// Its schedule message by message, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schedule: Option<Listing>,
}

/// One side.
#[derive(Serialize, Debug)]
pub struct Place {
    /// In HPF's notation.
    pub layout: String,
    /// Its first rank.
    pub first_rank: u32,
    /// Its ranks.
    pub ranks: u64,
}

/// A machine.
#[derive(Serialize, Clone, Copy, Debug)]
pub struct MachineFigures {
    /// To start a message.
    pub start_up_us: f64,
    /// Between two ranks.
    pub bandwidth_gb_per_s: f64,
    /// To pack or unpack.
    pub copy_gb_per_s: f64,
    /// Steps in flight.
    pub window: u32,
}

/// Bounds.
#[derive(Serialize, Clone, Copy, PartialEq, Eq, Debug)]
pub struct BoundFigures {
    /// Messages of the busiest port.
    pub steps: u64,
    /// Least cost of whole messages that can be proven.
    pub cost_bytes: u64,
    /// Bytes of the busiest port: least cost even where messages are cut.
    pub load_bytes: u64,
}

impl From<Bounds> for BoundFigures {
    fn from(b: Bounds) -> Self {
        Self { steps: b.steps, cost_bytes: b.cost, load_bytes: b.load }
    }
}

impl From<&Machine> for MachineFigures {
    fn from(m: &Machine) -> Self {
        Self {
            start_up_us: m.start_up * 1e6,
            bandwidth_gb_per_s: 1e-9 / m.byte,
            copy_gb_per_s: 1e-9 / m.copy,
            window: m.window,
        }
    }
}

impl From<&Layout> for Place {
    fn from(layout: &Layout) -> Self {
        Self { layout: layout.to_string(), first_rank: layout.at, ranks: layout.ranks() }
    }
}

/// The report on `traffic`, which is that of `subject`, and the schedule that is taken.
pub fn report(
    subject: &Redistribution,
    traffic: &Traffic,
    machine: &Machine,
    wish: Option<&Wish<'_>>,
) -> Result<(Report, Schedule), String> {
    let (messages, bounds) = messages::messages(subject, traffic);
    let mut rivals = rivals::rivals(traffic, machine, bounds, wish.map(|wish| wish.name));
    let (choice, schedule) = choice::choice(traffic, machine, &rivals, wish)?;
    // One may be asked because of what others took.
    rivals.iter_mut().filter(|rival| wish.is_none() && rival.name == choice.scheduler).for_each(|rival| {
        rival.asked_by_router = true;
    });
    let report = Report {
        version: 1,
        shape: subject.shape.clone(),
        element_bytes: subject.element,
        array_bytes: subject.bytes(),
        from: Place::from(&subject.from),
        to: Place::from(&subject.to),
        machine: MachineFigures::from(machine),
        messages,
        bounds: bounds.map(BoundFigures::from),
        front: front::points(&rivals),
        rivals,
        choice,
        schedule: None,
    };
    Ok((report, schedule))
}

/// What is taken of `traffic` and why, and its schedule.
pub fn taken(
    traffic: &Traffic,
    machine: &Machine,
    wish: Option<&Wish<'_>>,
) -> Result<(Choice, Schedule), String> {
    let bounds = traffic.listed().map(|list| list.graph.bounds((1, 1)));
    let rivals = rivals::rivals(traffic, machine, bounds, wish.map(|wish| wish.name));
    choice::choice(traffic, machine, &rivals, wish)
}

#[cfg(test)]
mod tests;
