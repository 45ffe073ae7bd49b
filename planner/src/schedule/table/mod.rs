//! The schedulers, as rows of a table. The [`chooser`](super::chooser) asks them for their schedules and prices.
//!
//! A new scheduler needs a file, a module and a place in the table of `schedule/mod.rs`, a row here, and a row at the
//! same place in `docs/schedulers.md`. If it schedules listed messages, the file needs only one function, which returns
//! a step for each message, like [`drc::colour`]. The tests of this folder recount the schedules of all rows.

use super::certificate::Certificate;
use super::cost_model::How;
use super::course::{Chooser, ClosedForm, FoundSchedule};
use super::dimension::Dimension;
use super::graph::Graph;
use super::limits::{MAX_COLOURED, MAX_SLOW_SEARCH};
use super::matching::{self, Strategy};
use super::order::{ByMessage, Order};
use super::traffic::Traffic;
use super::{
    by_node, caterpillar, checkerboard, circulant, colouring, drc, multiphase, ring, split, stars, together,
};
use crate::machine::Machine;
use std::sync::Arc;

/// A function that finds an order without listing messages.
pub type Unlisted = fn(&Traffic) -> Arc<dyn Order>;

/// A scheduler, as a row of the table.
#[derive(Debug)]
pub struct Scheduler {
    /// Name of the scheduler in `REBLOCK_SCHEDULER`.
    pub name: &'static str,
    /// Method and source, in one line.
    pub about: &'static str,
    /// Condition for the chooser to ask for the scheduler's price. If the condition fails, the scheduler runs only if
    /// the user names it.
    pub condition: AskCondition,
    /// Effort of the search, as a number of messages examined; `None` if the search takes negligible time. The chooser
    /// asks a scheduler with a search only if messages contend for ports, and if it can save more time in
    /// [`REPETITIONS`](super::limits::REPETITIONS) redistributions than the search takes.
    pub looks: Option<fn(&Traffic) -> u64>,
    /// Largest problem (messages, ports) solved within seconds. Reports skip the scheduler for larger problems, unless
    /// the user names it.
    pub max_problem: (u64, u64),
    /// True if the chooser asks the scheduler only for ranks that share the network port of their node.
    pub for_nodes: bool,
    /// Form of the messages in its schedules.
    pub how: How,
    /// Finds the order without listing messages and without counting steps and cost; `None` if only `find` makes the
    /// scheduler's order.
    pub unlisted: Option<Unlisted>,
    /// Returns the schedule, or the reason why the scheduler cannot run this traffic. Pure: the same traffic and
    /// machine give the same result on every rank.
    pub find: fn(&Traffic, &Machine, Chooser) -> Result<FoundSchedule, String>,
}

/// Condition for the chooser to ask a scheduler for its price.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AskCondition {
    /// Asked for any messages, listed or not.
    Always,
    /// Asked if earlier schedules take more than the fewest steps.
    ForFewerSteps,
    /// Asked if there are at most this many messages, and the planning budget allows a search among them.
    UpTo(u64),
    /// Asked if the planning budget allows a search among the messages. Otherwise asked only if earlier schedules take
    /// too many steps: more than the fewest, if the budget allows to list the messages once; more than
    /// [`MAX_STEP_EXCESS`](super::limits::MAX_STEP_EXCESS) times the fewest, if there are at most this many messages.
    Coloured(u64),
    /// Never asked: runs only if the user names it.
    Never,
}

/// Default values of a row: the schedule has whole messages in steps, and finding it takes negligible time.
const QUICK: Scheduler = Scheduler {
    name: "",
    about: "",
    condition: AskCondition::Always,
    looks: None,
    max_problem: (u64::MAX, u64::MAX),
    for_nodes: false,
    how: How::Whole,
    unlisted: None,
    find: |_, _, _| Err(String::new()),
};

/// All schedulers. The chooser asks them in this order. Of schedules with equal price, steps and cost, the first wins.
pub static TABLE: &[Scheduler] = &[
    Scheduler {
        name: "node-caterpillar",
        about: "ranks share ports: turn k, node A to node A + k",
        for_nodes: true,
        find: |t, _, _| Ok(by_node::caterpillar(t)),
        ..QUICK
    },
    Scheduler {
        name: "node-colouring",
        about: "ranks share ports: edge colouring of the graph of nodes, heaviest first",
        condition: AskCondition::UpTo(MAX_COLOURED),
        looks: Some(Traffic::messages),
        max_problem: (MAX_COLOURED, u64::MAX),
        for_nodes: true,
        find: |t, _, _| by_node::colouring(t),
        ..QUICK
    },
    Scheduler {
        name: "circulant",
        about: "cyclic(x) to cyclic(Kx) and back, in closed form (Park, Prasanna, Raghavendra 1998)",
        find: |t, _, choose| checkerboard::one_changes(t, circulant::order, choose),
        ..QUICK
    },
    Scheduler {
        name: "checkerboard",
        about: "several dimensions combined (Sudarsan, Ribbens 2007)",
        find: |t, _, choose| checkerboard::order(t, choose),
        ..QUICK
    },
    Scheduler {
        name: "classes",
        about: "block-cyclic, by classes of messages (Desprez et al. 1998, section 4.3, generalised)",
        find: schedule_by_classes,
        ..QUICK
    },
    Scheduler {
        name: "ring",
        about: "one dimension without a whole period, by the first element that two processes share",
        condition: AskCondition::ForFewerSteps,
        find: |t, _, choose| checkerboard::one_changes(t, ring::order, choose),
        ..QUICK
    },
    Scheduler {
        name: "stars",
        about: "several dimensions, some busiest at senders and some at receivers, as forests of stars",
        condition: AskCondition::ForFewerSteps,
        find: |t, _, _| schedule_as_one(t, stars::order),
        ..QUICK
    },
    Scheduler {
        name: "complete",
        about: "one dimension message by message, the others as if every process sent to all",
        condition: AskCondition::ForFewerSteps,
        find: |t, _, _| schedule_as_one(t, together::complete),
        ..QUICK
    },
    Scheduler {
        name: "caterpillar",
        about: "step d: port p to port p + d (Prylli, Tourancheau 1997)",
        condition: AskCondition::UpTo(u64::MAX),
        looks: Some(Traffic::messages),
        unlisted: Some(|t| caterpillar::order(t, false)),
        find: |t, _, _| Ok(caterpillar::find_order(t, false)),
        ..QUICK
    },
    Scheduler {
        name: "edge-colouring",
        about: "any messages: edge colouring, heaviest first (Koenig 1916)",
        condition: AskCondition::Coloured(MAX_COLOURED),
        max_problem: (MAX_COLOURED, u64::MAX),
        find: |t, _, _| schedule_listed(t, colouring::colour),
        ..QUICK
    },
    Scheduler {
        name: "split",
        about: "messages cut so that no port waits (Gonzalez, Sahni 1976)",
        condition: AskCondition::UpTo(MAX_SLOW_SEARCH),
        looks: Some(Traffic::messages),
        max_problem: (1 << 12, u64::MAX),
        how: How::Cut,
        find: |t, _, _| split::order(t),
        ..QUICK
    },
    Scheduler {
        name: "multiphase",
        about: "through intermediate distributions, if start-ups cost most (Kaushik et al. 1994)",
        how: How::Phases,
        find: multiphase::chain,
        ..QUICK
    },
    Scheduler {
        name: "unscheduled",
        about: "all at once",
        condition: AskCondition::Never,
        how: How::AtOnce,
        unlisted: Some(|_| Arc::new(caterpillar::AtOnce)),
        find: |t, _, _| caterpillar::at_once(t),
        ..QUICK
    },
    Scheduler {
        name: "drc",
        about: "degree reduction and colouring (Yu, Tsai)",
        condition: AskCondition::UpTo(MAX_SLOW_SEARCH),
        looks: Some(Traffic::messages),
        // Each step examines all ports and all remaining messages.
        max_problem: (1 << 17, 1 << 14),
        find: |t, _, _| schedule_listed(t, drc::colour),
        ..QUICK
    },
    Scheduler {
        name: "stepwise",
        about: "heaviest matchings that serve the busiest ports (Desprez et al. 1998, section 4.5)",
        condition: AskCondition::UpTo(MAX_SLOW_SEARCH / 2),
        looks: Some(|t| t.messages().max(t.ports().saturating_pow(3) / 1000)),
        // Time grows with the cube of the ports.
        max_problem: (1 << 13, 1 << 7),
        find: |t, _, _| schedule_matchings(t, Strategy::Stepwise),
        ..QUICK
    },
    Scheduler {
        name: "greedy",
        about: "heaviest matchings first (Desprez et al. 1998, section 4.5)",
        condition: AskCondition::Never,
        max_problem: (1 << 13, 1 << 7),
        find: |t, _, _| schedule_matchings(t, Strategy::Greedy),
        ..QUICK
    },
    Scheduler {
        name: "caterpillar-sum",
        about: "step d: port p to port d - p, as ScaLAPACK has it",
        condition: AskCondition::Never,
        unlisted: Some(|t| caterpillar::order(t, true)),
        find: |t, _, _| Ok(caterpillar::find_order(t, true)),
        ..QUICK
    },
];

/// Returns the scheduler called `name`.
pub fn find_by_name(name: &str) -> Option<&'static Scheduler> {
    TABLE.iter().find(|scheduler| scheduler.name == name)
}

/// Returns the schedulers for `traffic`: all schedulers, without the schedulers of nodes if no ranks share ports.
pub fn schedulers(traffic: &Traffic) -> impl Iterator<Item = &'static Scheduler> {
    TABLE.iter().filter(|scheduler| scheduler.applies_to(traffic))
}

impl Scheduler {
    /// Returns whether the chooser may ask this scheduler for `traffic`.
    pub fn applies_to(&self, traffic: &Traffic) -> bool {
        !self.for_nodes || traffic.nodes().is_some()
    }
}

/// Schedules by classes: one dimension if only one changes, otherwise all dimensions as one.
fn schedule_by_classes(t: &Traffic, _: &Machine, choose: Chooser) -> Result<FoundSchedule, String> {
    match t.dimensions_with_messages().len() {
        0 | 1 => checkerboard::one_changes(t, |dim| together::by_classes(&[dim]), choose),
        _ => schedule_as_one(t, together::by_classes),
    }
}

/// Schedules all dimensions as one by `find_closed_form`, a closed form.
fn schedule_as_one(
    t: &Traffic,
    find_closed_form: fn(&[&Dimension]) -> Result<ClosedForm, String>,
) -> Result<FoundSchedule, String> {
    if t.copies() != (1, 1) {
        return Err("an array has copies".into());
    }
    if t.dimensions_with_messages().len() < 2 {
        return Err("at most one dimension changes, expected several".into());
    }
    Ok(FoundSchedule::from_closed_form(
        t,
        find_closed_form(&t.dims.iter().map(|dim| &**dim).collect::<Vec<_>>())?,
    ))
}

/// Schedules the listed messages by `colour`, which returns a step for each.
fn schedule_listed(t: &Traffic, colour: impl Fn(&Graph) -> Vec<u32>) -> Result<FoundSchedule, String> {
    let graph = &t.list()?.graph;
    let steps = colour(graph);
    let certificate = Certificate::count(graph, &steps);
    let order = ByMessage::new(graph, [&t.from, &t.to], &steps);
    Ok(FoundSchedule { steps: Some(steps), ..FoundSchedule::direct(order, certificate) })
}

fn schedule_matchings(t: &Traffic, strategy: Strategy) -> Result<FoundSchedule, String> {
    if t.ports() > MAX_SLOW_SEARCH {
        return Err(format!("there are more than {MAX_SLOW_SEARCH} ports"));
    }
    schedule_listed(t, |graph| matching::colour(graph, strategy))
}

#[cfg(test)]
mod tests;
