//! The rivals, in a table.

mod build;

#[cfg(feature = "bench")]
pub use build::repriced;

use super::certificate::Certificate;
use super::machine::Machine;
use super::matching::Strategy;
use super::multiphase::Phase;
use super::order::Order;
use super::traffic::Traffic;
use super::{colouring, drc};

/// How a traffic is to travel.
#[derive(Debug)]
pub struct Schedule {
    /// The scheduler that made it.
    pub name: &'static str,
    /// The way.
    pub course: Course,
    /// Figures; of a chain, the sums over its phases. `None`: there are too many messages to count, or no need to.
    pub certificate: Option<Certificate>,
    /// What it takes on the machine that was asked about, in seconds; infinite where that was not reckoned.
    pub price: f64,
    /// Whether that is when the last port is done, by a simulation; else it is that of the linear model.
    pub simulated: bool,
}

/// One redistribution, or several through intermediate distributions.
#[derive(Debug)]
pub enum Course {
    /// In one.
    Direct(Order),
    /// Phase by phase.
    Chain(Vec<Phase>),
}

/// A rival.
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
    /// Whether its steps are matchings of whole messages, for which the bounds of a certificate hold.
    pub scheduled: bool,
    /// Its schedule, or why it cannot run this. Pure: same traffic and machine, same answer, on every rank.
    pub build: fn(&Traffic, &Machine) -> Result<Schedule, String>,
}

/// When the router asks a rival for its price.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asked {
    /// Whatever the messages.
    Always,
    /// Where messages may be looked at one by one, and are no more than these.
    UpTo(u64),
    /// Where messages may be looked at one by one; up to so many where what was found before takes more than twice the fewest steps.
    OrFewer(u64),
    /// It runs by name only.
    Never,
}

/// Messages that a scheduler may look at one by one while a program waits, if it takes more than linear time.
const SLOW: u64 = 1 << 9;
/// The same for those that find a heaviest matching for every step.
const FEW: u64 = 1 << 8;
/// Messages that are coloured once, at the most: some 0.1 s.
const COLOURED: u64 = 1 << 17;
/// However many messages and ports.
const ALL: (u64, u64) = (u64::MAX, u64::MAX);

/// All rivals; of equal price, steps and cost the first one wins.
pub static TABLE: [Scheduler; 12] = [
    Scheduler {
        name: "circulant",
        about: "cyclic(x) to cyclic(Kx) and back, in closed form (Park, Prasanna, Raghavendra 1998)",
        asked: Asked::Always,
        looks: None,
        bearable: ALL,
        scheduled: true,
        build: build::circulant,
    },
    Scheduler {
        name: "classes",
        about: "block-cyclic in one dimension, by classes of messages (Desprez et al. 1998, section 4.3, generalised)",
        asked: Asked::Always,
        looks: None,
        bearable: ALL,
        scheduled: true,
        build: build::classes,
    },
    Scheduler {
        name: "checkerboard",
        about: "grids of any dimension: dimensions combined (Sudarsan, Ribbens 2007)",
        asked: Asked::Always,
        looks: None,
        bearable: ALL,
        scheduled: true,
        build: build::combined,
    },
    Scheduler {
        name: "caterpillar",
        about: "step d: port p to port p + d (Prylli, Tourancheau 1997)",
        asked: Asked::UpTo(u64::MAX),
        looks: Some(Traffic::messages),
        bearable: ALL,
        scheduled: true,
        build: |t, m| Ok(build::walk(t, m, "caterpillar", false)),
    },
    Scheduler {
        name: "edge-colouring",
        about: "any messages: edge colouring, heaviest first (Koenig 1916)",
        asked: Asked::OrFewer(COLOURED),
        looks: None,
        bearable: (COLOURED, u64::MAX),
        scheduled: true,
        build: |t, m| build::listed(t, m, "edge-colouring", colouring::colour),
    },
    Scheduler {
        name: "split",
        about: "messages cut so that no port waits (Gonzalez, Sahni 1976)",
        asked: Asked::UpTo(SLOW),
        looks: Some(Traffic::messages),
        bearable: (1 << 12, u64::MAX),
        scheduled: false,
        build: build::preemptive,
    },
    Scheduler {
        name: "multiphase",
        about: "through intermediate distributions, where start-ups cost most (Kaushik et al. 1994)",
        asked: Asked::Always,
        looks: None,
        bearable: ALL,
        scheduled: false,
        build: build::chained,
    },
    Scheduler {
        name: "unscheduled",
        about: "all at once",
        asked: Asked::Never,
        looks: None,
        bearable: ALL,
        scheduled: false,
        build: build::at_once,
    },
    Scheduler {
        name: "drc",
        about: "degree reduction and colouring (Yu, Tsai)",
        asked: Asked::UpTo(SLOW),
        looks: Some(Traffic::messages),
        // Each step looks at all ports and at all messages that are left.
        bearable: (1 << 17, 1 << 14),
        scheduled: true,
        build: |t, m| build::listed(t, m, "drc", drc::colour),
    },
    Scheduler {
        name: "stepwise",
        about: "heaviest matchings that serve the busiest ports (Desprez et al. 1998, section 4.5)",
        asked: Asked::UpTo(FEW),
        looks: Some(|t| t.messages().max(t.ports().saturating_pow(3) / 1000)),
        // Time grows with the cube of the ports.
        bearable: (1 << 13, 1 << 7),
        scheduled: true,
        build: |t, m| build::matched(t, m, "stepwise", Strategy::Stepwise),
    },
    Scheduler {
        name: "greedy",
        about: "heaviest matchings first (Desprez et al. 1998, section 4.5)",
        asked: Asked::Never,
        looks: None,
        bearable: (1 << 13, 1 << 7),
        scheduled: true,
        build: |t, m| build::matched(t, m, "greedy", Strategy::Greedy),
    },
    Scheduler {
        name: "caterpillar-sum",
        about: "step d: port p to port d - p, as ScaLAPACK has it",
        asked: Asked::Never,
        looks: None,
        bearable: ALL,
        scheduled: true,
        build: |t, m| Ok(build::walk(t, m, "caterpillar-sum", true)),
    },
];

/// The rival called `name`.
pub fn named(name: &str) -> Option<&'static Scheduler> {
    TABLE.iter().find(|rival| rival.name == name)
}

#[cfg(test)]
mod tests;
