//! Report on a redistribution, as text or as JSON: the figures of all schedulers, and the choice among them.
//! docs/explain.md describes its fields. The command `reblock report` shows other reports, those of runs: see `trace`.

mod choice;
mod front;
mod messages;
mod nodes;
mod schedulers;
mod text;

pub use choice::{Choice, RequestedScheduler};
pub use front::Point;
pub use messages::Messages;
pub use nodes::{NodeFigures, NodesAsked};
pub use schedulers::{SchedulerFigures, affordable};
pub use text::text;

use crate::layout::Layout;
use crate::listing::Listing;
use crate::redistribution::Redistribution;
use reblock_plan::machine::Machine;
use reblock_plan::schedule::chooser::Schedule;
use reblock_plan::schedule::graph::Bounds;
use reblock_plan::schedule::traffic::Traffic;
use serde::Serialize;

/// The whole report. Sizes are in bytes, prices in microseconds; unknown values are null.
#[derive(Serialize, Debug)]
pub struct Report {
    /// Version of the format; rises when a field changes its meaning.
    pub version: u32,
    pub shape: Vec<u64>,
    pub element_bytes: u64,
    pub array_bytes: u64,
    pub from: LayoutSide,
    pub to: LayoutSide,
    /// The machine that determines prices.
    pub machine: MachineFigures,
    pub messages: Messages,
    /// Lower bounds that hold for every schedule; null if unknown.
    pub bounds: Option<BoundFigures>,
    /// Figures of all schedulers, in the chooser's order.
    #[serde(rename = "rivals")]
    pub schedulers: Vec<SchedulerFigures>,
    /// The Pareto-optimal schedules in steps and cost, fewest steps first.
    pub front: Vec<Point>,
    pub choice: Choice,
    /// The messages between nodes, if `--ranks-per-node` is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<NodeFigures>,
    /// The chosen schedule message by message, if `--schedule` is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schedule: Option<Listing>,
}

#[derive(Serialize, Debug)]
pub struct LayoutSide {
    /// The layout in HPF's notation.
    pub layout: String,
    pub first_rank: u32,
    /// Number of ranks of the arrangement.
    pub ranks: u64,
    /// Number of ranks that have each element.
    pub copies: u64,
}

#[derive(Serialize, Clone, Copy, Debug)]
pub struct MachineFigures {
    pub start_up_us: f64,
    pub bandwidth_gb_per_s: f64,
    pub copy_gb_per_s: f64,
    /// Number of steps in flight.
    pub window: u32,
}

#[derive(Serialize, Clone, Copy, PartialEq, Eq, Debug)]
pub struct BoundFigures {
    /// Number of messages of the busiest port: a lower bound of the number of steps with whole messages.
    pub steps: u64,
    /// Proven lower bound of the cost if messages are sent whole.
    pub cost_bytes: u64,
    /// Bytes of the busiest port: a lower bound of the cost even if messages are cut.
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

impl LayoutSide {
    fn of(layout: &Layout, copies: u64) -> Self {
        Self { layout: layout.to_string(), first_rank: layout.at(), ranks: layout.ranks(), copies }
    }
}

/// Returns the report on `subject`, whose traffic is `traffic`, and the chosen schedule. `wish` is the scheduler that
/// the user asks for.
pub fn report(
    subject: &Redistribution,
    traffic: &Traffic,
    machine: &Machine,
    wish: Option<&RequestedScheduler<'_>>,
) -> Result<(Report, Schedule), String> {
    let (messages, bounds) = messages::messages(subject, traffic);
    let mut schedulers = schedulers::schedulers(traffic, machine, bounds, wish.map(|wish| wish.name));
    let (choice, schedule) = choice::choice(traffic, machine, &schedulers, wish)?;
    // The chooser may ask a scheduler only because the schedules found before have many steps. `asked_by_chooser`,
    // which `schedulers` computes from the traffic alone, does not show this.
    schedulers.iter_mut().filter(|scheduler| wish.is_none() && scheduler.name == choice.scheduler).for_each(
        |scheduler| {
            scheduler.asked_by_chooser = true;
        },
    );
    let report = Report {
        version: 1,
        shape: subject.shape.clone(),
        element_bytes: subject.element,
        array_bytes: subject.bytes(),
        from: LayoutSide::of(&subject.from, traffic.copies().0),
        to: LayoutSide::of(&subject.to, traffic.copies().1),
        machine: MachineFigures::from(machine),
        messages,
        bounds: bounds.map(BoundFigures::from),
        front: front::points(&schedulers),
        schedulers,
        choice,
        nodes: None,
        schedule: None,
    };
    Ok((report, schedule))
}

/// Returns the choice for `traffic`, and the chosen schedule.
pub fn choose_schedule(
    traffic: &Traffic,
    machine: &Machine,
    wish: Option<&RequestedScheduler<'_>>,
) -> Result<(Choice, Schedule), String> {
    let bounds = traffic.listed().map(|list| list.graph.bounds((1, 1)));
    let schedulers = schedulers::schedulers(traffic, machine, bounds, wish.map(|wish| wish.name));
    choice::choice(traffic, machine, &schedulers, wish)
}

#[cfg(test)]
mod tests;
