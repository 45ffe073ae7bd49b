//! The rivals, in a table. A new one is a file with its line in `mod.rs`, and a row here. One that gives each listed message a step, as
//! [`drc::colour`] does, takes no more than that function.

use super::certificate::Certificate;
use super::course::{Chooser, Closed, Found};
use super::dimension::Dimension;
use super::graph::Graph;
use super::limits::{COLOURED, SLOW};
use super::matching::{self, Strategy};
use super::order::{ByMessage, Order};
use super::price::How;
use super::traffic::Traffic;
use super::{caterpillar, checkerboard, circulant, colouring, drc, multiphase, ring, split, stars, together};
use crate::system::machine::Machine;
use std::sync::Arc;

/// What gives an order by itself.
pub type Unlisted = fn(&Traffic) -> Arc<dyn Order>;

/// A rival.
#[derive(Debug)]
pub struct Scheduler {
    /// Its name, for `REBLOCK_SCHEDULER`.
    pub name: &'static str,
    /// What it does, and whose it is.
    pub about: &'static str,
    /// When the router asks for its price; else it runs by name.
    pub asked: Asked,
    /// What it takes to find a schedule, in looks at a message, if it takes longer than others: then it pays only where messages
    /// contend for ports, and where it can save something.
    pub looks: Option<fn(&Traffic) -> u64>,
    /// Messages and ports up to which it takes seconds at the most; reports leave it out beyond, unless it is asked for.
    pub bearable: (u64, u64),
    /// How messages go in its schedules.
    pub how: How,
    /// Its order, where that takes no list of messages and no figures.
    pub unlisted: Option<Unlisted>,
    /// Its schedule, or why it cannot run this. Pure: same traffic and machine, same answer, on every rank.
    pub find: fn(&Traffic, &Machine, Chooser) -> Result<Found, String>,
}

/// When the router asks a rival for its price.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asked {
    /// Whatever the messages.
    Always,
    /// Where what was found before does not have the fewest steps that there can be.
    ForFewerSteps,
    /// Where messages may be looked at one by one, and are no more than these.
    UpTo(u64),
    /// If messages may be searched. If they may only be listed: where what was found before takes more than the fewest steps. If there are
    /// more, up to so many: where it takes more than [`EXCESS`](super::limits::EXCESS) times the fewest.
    Coloured(u64),
    /// It runs by name only.
    Never,
}

/// What most rivals have in common: whole messages in steps, found so quickly that nobody minds, whatever the messages.
const QUICK: Scheduler = Scheduler {
    name: "",
    about: "",
    asked: Asked::Always,
    looks: None,
    bearable: (u64::MAX, u64::MAX),
    how: How::Whole,
    unlisted: None,
    find: |_, _, _| Err(String::new()),
};

/// All rivals; of equal price, steps and cost the first one wins.
pub static TABLE: &[Scheduler] = &[
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
        find: by_classes,
        ..QUICK
    },
    Scheduler {
        name: "ring",
        about: "one dimension without a whole period, by where processes first meet",
        asked: Asked::ForFewerSteps,
        find: |t, _, choose| checkerboard::one_changes(t, ring::order, choose),
        ..QUICK
    },
    Scheduler {
        name: "stars",
        about: "several dimensions as forests of stars, some busiest at senders, some at receivers",
        asked: Asked::ForFewerSteps,
        find: |t, _, _| as_one(t, stars::order),
        ..QUICK
    },
    Scheduler {
        name: "complete",
        about: "one dimension message by message, the others as if all processes exchanged",
        asked: Asked::ForFewerSteps,
        find: |t, _, _| as_one(t, together::complete),
        ..QUICK
    },
    Scheduler {
        name: "caterpillar",
        about: "step d: port p to port p + d (Prylli, Tourancheau 1997)",
        asked: Asked::UpTo(u64::MAX),
        looks: Some(Traffic::messages),
        unlisted: Some(|t| caterpillar::order(t, false)),
        find: |t, _, _| Ok(caterpillar::found(t, false)),
        ..QUICK
    },
    Scheduler {
        name: "edge-colouring",
        about: "any messages: edge colouring, heaviest first (Koenig 1916)",
        asked: Asked::Coloured(COLOURED),
        bearable: (COLOURED, u64::MAX),
        find: |t, _, _| listed(t, colouring::colour),
        ..QUICK
    },
    Scheduler {
        name: "split",
        about: "messages cut so that no port waits (Gonzalez, Sahni 1976)",
        asked: Asked::UpTo(SLOW),
        looks: Some(Traffic::messages),
        bearable: (1 << 12, u64::MAX),
        how: How::Cut,
        find: |t, _, _| split::order(t),
        ..QUICK
    },
    Scheduler {
        name: "multiphase",
        about: "through intermediate distributions, where start-ups cost most (Kaushik et al. 1994)",
        how: How::Phases,
        find: multiphase::chain,
        ..QUICK
    },
    Scheduler {
        name: "unscheduled",
        about: "all at once",
        asked: Asked::Never,
        how: How::AtOnce,
        unlisted: Some(|_| Arc::new(caterpillar::AtOnce)),
        find: |t, _, _| caterpillar::at_once(t),
        ..QUICK
    },
    Scheduler {
        name: "drc",
        about: "degree reduction and colouring (Yu, Tsai)",
        asked: Asked::UpTo(SLOW),
        looks: Some(Traffic::messages),
        // Each step looks at all ports and at all messages that are left.
        bearable: (1 << 17, 1 << 14),
        find: |t, _, _| listed(t, drc::colour),
        ..QUICK
    },
    Scheduler {
        name: "stepwise",
        about: "heaviest matchings that serve the busiest ports (Desprez et al. 1998, section 4.5)",
        asked: Asked::UpTo(SLOW / 2),
        looks: Some(|t| t.messages().max(t.ports().saturating_pow(3) / 1000)),
        // Time grows with the cube of the ports.
        bearable: (1 << 13, 1 << 7),
        find: |t, _, _| matched(t, Strategy::Stepwise),
        ..QUICK
    },
    Scheduler {
        name: "greedy",
        about: "heaviest matchings first (Desprez et al. 1998, section 4.5)",
        asked: Asked::Never,
        bearable: (1 << 13, 1 << 7),
        find: |t, _, _| matched(t, Strategy::Greedy),
        ..QUICK
    },
    Scheduler {
        name: "caterpillar-sum",
        about: "step d: port p to port d - p, as ScaLAPACK has it",
        asked: Asked::Never,
        unlisted: Some(|t| caterpillar::order(t, true)),
        find: |t, _, _| Ok(caterpillar::found(t, true)),
        ..QUICK
    },
];

/// The rival called `name`.
pub fn named(name: &str) -> Option<&'static Scheduler> {
    TABLE.iter().find(|rival| rival.name == name)
}

/// Of one dimension that changes, or of all as one.
fn by_classes(t: &Traffic, _: &Machine, choose: Chooser) -> Result<Found, String> {
    match t.moving().len() {
        0 | 1 => checkerboard::one_changes(t, |dim| together::by_classes(&[dim]), choose),
        _ => as_one(t, together::by_classes),
    }
}

/// An order of all dimensions as one.
fn as_one(t: &Traffic, of: fn(&[&Dimension]) -> Result<Closed, String>) -> Result<Found, String> {
    if t.copies() != (1, 1) {
        return Err("for arrays without copies".into());
    }
    if t.moving().len() < 2 {
        return Err("for several dimensions, at most one changes".into());
    }
    Ok(Found::closed(t, of(&t.dims.iter().map(|dim| &**dim).collect::<Vec<_>>())?))
}

/// A step for each message that is listed.
fn listed(t: &Traffic, colour: impl Fn(&Graph) -> Vec<u32>) -> Result<Found, String> {
    let graph = &t.list()?.graph;
    let steps = colour(graph);
    let certificate = Certificate::count(graph, &steps);
    let order = ByMessage::new(graph, [&t.from, &t.to], &steps);
    Ok(Found { steps: Some(steps), ..Found::direct(order, certificate) })
}

fn matched(t: &Traffic, strategy: Strategy) -> Result<Found, String> {
    if t.ports() > SLOW {
        return Err(format!("looks at {SLOW} ports at most"));
    }
    listed(t, |graph| matching::colour(graph, strategy))
}

#[cfg(test)]
mod tests;
