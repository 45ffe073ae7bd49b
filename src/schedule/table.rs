//! The rivals, in a table.

use super::certificate::Certificate;
use super::dimension::LineOrder;
use super::graph::{Bounds, Graph};
use super::machine::Machine;
use super::matching::Strategy;
use super::multiphase::Phase;
use super::order::Order;
use super::traffic::{Listed, Traffic};
use super::{caterpillar, checkerboard, colouring, drc, gen_block, matching, multiphase, split};

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
    /// Messages for which the router asks for its price; more only by name.
    pub most: u64,
    /// Whether its steps are matchings of whole messages, for which the bounds of a certificate hold.
    pub scheduled: bool,
    /// Its schedule. Pure: same traffic and machine, same answer, on every rank. `None`: it cannot run it.
    pub build: fn(&Traffic, &Machine) -> Option<Schedule>,
}

/// Messages that a scheduler may look at one by one while a program waits.
pub const QUICK: u64 = 1 << 14;
/// The same for those that take more than linear time.
const SLOW: u64 = 1 << 9;
/// The same for those that find a heaviest matching for every step.
const FEW: u64 = 1 << 8;

/// How much longer a schedule of cut messages must be taken to last than the model says: parts fit no buffers, and a
/// window of steps already lets ports go on that would wait. So it wins where traffic is very uneven only.
const CUTTING: f64 = 1.25;

/// All rivals; of equal price the first one wins.
pub const TABLE: [Scheduler; 13] = [
    Scheduler {
        name: "circulant",
        about: "cyclic(x) to cyclic(Kx) and back, in closed form (Park, Prasanna, Raghavendra 1998)",
        most: u64::MAX,
        scheduled: true,
        build: circulant,
    },
    Scheduler {
        name: "classes",
        about: "block-cyclic in one dimension, by classes of messages (Desprez et al. 1998, section 4.3, generalised)",
        most: u64::MAX,
        scheduled: true,
        build: classes,
    },
    Scheduler {
        name: "gen_block",
        about: "messages on a line: GEN_BLOCK, BLOCK (search along the line; Yu, Tsai)",
        most: u64::MAX,
        scheduled: true,
        build: on_line,
    },
    Scheduler {
        name: "checkerboard",
        about: "grids of any dimension: dimensions combined (Sudarsan, Ribbens 2007)",
        most: u64::MAX,
        scheduled: true,
        build: combined,
    },
    Scheduler {
        name: "edge-colouring",
        about: "any messages: edge colouring, heaviest first (Koenig 1916)",
        most: QUICK,
        scheduled: true,
        build: |t, m| listed(t, m, "edge-colouring", colouring::colour),
    },
    Scheduler {
        name: "split",
        about: "messages cut so that no port waits (Gonzalez, Sahni 1976)",
        most: SLOW,
        scheduled: false,
        build: preemptive,
    },
    Scheduler {
        name: "multiphase",
        about: "through intermediate distributions, where start-ups cost most (Kaushik et al. 1994)",
        most: u64::MAX,
        scheduled: false,
        build: chained,
    },
    Scheduler { name: "unscheduled", about: "all at once", most: 0, scheduled: false, build: at_once },
    Scheduler {
        name: "drc",
        about: "degree reduction and colouring (Yu, Tsai)",
        most: SLOW,
        scheduled: true,
        build: |t, m| listed(t, m, "drc", drc::colour),
    },
    Scheduler {
        name: "stepwise",
        about: "heaviest matchings that serve the busiest ports (Desprez et al. 1998, section 4.5)",
        most: FEW,
        scheduled: true,
        build: |t, m| matched(t, m, "stepwise", Strategy::Stepwise),
    },
    Scheduler {
        name: "greedy",
        about: "heaviest matchings first (Desprez et al. 1998, section 4.5)",
        most: 0,
        scheduled: true,
        build: |t, m| matched(t, m, "greedy", Strategy::Greedy),
    },
    Scheduler {
        name: "caterpillar",
        about: "step d: port p to port p + d (Prylli, Tourancheau 1997)",
        most: 0,
        scheduled: true,
        build: |t, m| walk(t, m, "caterpillar", false),
    },
    Scheduler {
        name: "caterpillar-sum",
        about: "step d: port p to port d - p, as ScaLAPACK has it",
        most: 0,
        scheduled: true,
        build: |t, m| walk(t, m, "caterpillar-sum", true),
    },
];

fn direct(m: &Machine, name: &'static str, order: Order, certificate: Certificate) -> Option<Schedule> {
    let price = m.scheduled(&certificate);
    Some(Schedule { name, course: Course::Direct(order), certificate: Some(certificate), price })
}

/// The combined schedule, if all dimensions but those that stay on one process are of the given kind.
fn of_kind(t: &Traffic, m: &Machine, name: &'static str, kind: fn(&LineOrder) -> bool) -> Option<Schedule> {
    let (order, certificate) = checkerboard::apart_only(t)?;
    let Order::Product(lines) = &order else { return None };
    let moving = || lines.iter().filter(|line| line.steps() > 1);
    if moving().count() > 1 || !moving().all(kind) {
        return None;
    }
    direct(m, name, order, certificate)
}

fn circulant(t: &Traffic, m: &Machine) -> Option<Schedule> {
    of_kind(t, m, "circulant", |line| matches!(line, LineOrder::Circulant(_)))
}

fn classes(t: &Traffic, m: &Machine) -> Option<Schedule> {
    of_kind(t, m, "classes", |line| matches!(line, LineOrder::Classes(..)))
}

fn on_line(t: &Traffic, m: &Machine) -> Option<Schedule> {
    let moving = || t.lines.iter().filter(|line| line.senders() > 1 || line.receivers() > 1);
    if moving().count() > 1 || moving().any(|line| line.dim.along_the_line().is_none()) {
        return None;
    }
    listed(t, m, "gen_block", gen_block::colour)
}

fn combined(t: &Traffic, m: &Machine) -> Option<Schedule> {
    let (order, certificate) = checkerboard::order(t)?;
    direct(m, "checkerboard", order, certificate)
}

fn listed(t: &Traffic, m: &Machine, name: &'static str, colour: fn(&Graph) -> Vec<u32>) -> Option<Schedule> {
    let list = t.listed()?;
    let steps = colour(&list.graph);
    let certificate = Certificate::count(&list.graph, &steps);
    direct(m, name, by_message(list, &steps), certificate)
}

fn matched(t: &Traffic, m: &Machine, name: &'static str, strategy: Strategy) -> Option<Schedule> {
    let list = t.listed().filter(|_| t.ports() <= 256)?;
    let steps = matching::colour(&list.graph, strategy);
    let certificate = Certificate::count(&list.graph, &steps);
    direct(m, name, by_message(list, &steps), certificate)
}

fn by_message(list: &Listed, steps: &[u32]) -> Order {
    let count = steps.iter().max().map_or(0, |&step| u64::from(step) + 1);
    let step = |edge: u32| steps.get(edge as usize).copied().unwrap_or(0);
    Order::Listed(list.at.iter().map(|(&ports, &edge)| (ports, step(edge))).collect(), count)
}

fn preemptive(t: &Traffic, m: &Machine) -> Option<Schedule> {
    let list = t.listed()?;
    let (parts, costs) = split::parts(&list.graph);
    let mut by_edge: Vec<Vec<split::Part>> = vec![Vec::new(); list.graph.edges().len()];
    for part in &parts {
        by_edge[part.edge as usize].push(*part);
    }
    let certificate = Certificate {
        steps: costs.len() as u64,
        cost: costs.iter().sum(),
        bounds: list.graph.bounds((1, 1)),
        messages: parts.len() as u64,
    };
    let of = |(&ports, &edge): (&(u32, u32), &u32)| (ports, by_edge[edge as usize].clone());
    let order = Order::Split(list.at.iter().map(of).collect(), certificate.steps);
    let price = CUTTING * m.scheduled(&certificate);
    Some(Schedule { name: "split", course: Course::Direct(order), certificate: Some(certificate), price })
}

fn chained(t: &Traffic, m: &Machine) -> Option<Schedule> {
    let phases = multiphase::chain(t, m)?;
    let certificate = multiphase::certificate(&phases);
    let price = phases.iter().map(|phase| m.scheduled(&phase.certificate)).sum();
    Some(Schedule {
        name: "multiphase",
        course: Course::Chain(phases),
        certificate: Some(certificate),
        price,
    })
}

fn at_once(t: &Traffic, m: &Machine) -> Option<Schedule> {
    let graph = &t.listed()?.graph;
    let bounds = graph.bounds((1, 1));
    let certificate = Certificate {
        steps: u64::from(!graph.edges().is_empty()),
        cost: bounds.load,
        bounds: Bounds { cost: bounds.load, ..bounds },
        messages: graph.edges().len() as u64,
    };
    let price = m.at_once(&certificate);
    let course = Course::Direct(Order::AtOnce);
    Some(Schedule { name: "unscheduled", course, certificate: Some(certificate), price })
}

fn walk(t: &Traffic, m: &Machine, name: &'static str, sum: bool) -> Option<Schedule> {
    let order = caterpillar::order(t, sum);
    match t.listed() {
        Some(list) => direct(m, name, order, caterpillar::certificate(list, t.ports(), sum)),
        None => {
            Some(Schedule { name, course: Course::Direct(order), certificate: None, price: f64::INFINITY })
        }
    }
}

#[cfg(test)]
mod tests;
