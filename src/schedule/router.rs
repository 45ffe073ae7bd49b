//! WHICH rival is to run? The cheapest, by the machine's model; or the one that was asked for.

use super::caterpillar;
use super::certificate::Certificate;
use super::dimension::QUICK;
use super::machine::Machine;
use super::table::{Course, Schedule, Scheduler, TABLE, named};
use super::traffic::{Listed, Traffic};
use std::fmt;

/// No schedule of the name that was asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// There is no such scheduler.
    Unknown(String),
    /// It cannot run this traffic, and why.
    Unfit(&'static str, String),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(name) => {
                let names: Vec<&str> = TABLE.iter().map(|s| s.name).collect();
                write!(f, "REBLOCK_SCHEDULER is {name}, expected one of {}", names.join(", "))
            }
            Self::Unfit(name, why) => {
                write!(f, "REBLOCK_SCHEDULER is {name}, which cannot run this redistribution: {why}")
            }
        }
    }
}

impl std::error::Error for Refusal {}

/// Whether one order of the messages is as good as any other. So it is where each rank has one message each way at the
/// most. So it is, too, where messages do not contend for ports and so few ranks take part that all of their messages are
/// under way within two windows of steps: several phases would take as many start-ups at least.
pub fn any_order_does(traffic: &Traffic, machine: &Machine) -> bool {
    let ports = traffic.ports();
    ports <= 2 || (!machine.contends() && ports <= 2 * u64::from(machine.window))
}

/// Whether the router asks `rival` for its price. Where messages do not contend for ports, no time is spent on fewer or
/// shorter steps than a schedule has that is found quickly.
pub fn asks(rival: &Scheduler, traffic: &Traffic, machine: &Machine) -> bool {
    let worth = machine.contends() || !rival.thorough;
    rival.asked.contains(&traffic.messages()) && worth && !any_order_does(traffic, machine)
}

/// The cheapest schedule of all rivals that the router asks, or that of the rival called `forced`. Pure: every rank that
/// asks the same gets the same.
pub fn route(traffic: &Traffic, machine: &Machine, forced: Option<&str>) -> Result<Schedule, Refusal> {
    if let Some(name) = forced {
        let rival = named(name).ok_or_else(|| Refusal::Unknown(name.into()))?;
        return (rival.build)(traffic, machine).map_err(|why| Refusal::Unfit(rival.name, why));
    }
    if any_order_does(traffic, machine) {
        // Nor is there a reason to list the messages and count.
        let course = Course::Direct(caterpillar::order(traffic, false));
        return Ok(Schedule { name: "caterpillar", course, certificate: None, price: f64::INFINITY });
    }
    let messages = traffic.messages();
    let least =
        if messages <= QUICK { traffic.listed().map_or(messages, Listed::messages) } else { messages };
    let mut best: Option<Schedule> = None;
    for rival in TABLE.iter().filter(|rival| asks(rival, traffic, machine)) {
        // Nothing scheduled can beat what has the fewest steps and costs no more than its busiest port has bytes, unless it
        // counts what ranks keep. Where steps do not overlap, the least cost of whole messages will do; where costs are not
        // known exactly, fewest steps.
        let overlap = machine.contends() && messages <= QUICK;
        let cheapest = |c: &Certificate| if overlap { c.cost == c.bounds.load } else { c.least_cost() };
        let best_possible = |c: &Certificate| {
            c.fewest_steps() && if c.exact { cheapest(c) && c.messages == least } else { least > QUICK }
        };
        let settled = best.as_ref().is_some_and(|s| s.certificate.as_ref().is_some_and(best_possible));
        if settled && rival.scheduled {
            continue;
        }
        if let Ok(schedule) = (rival.build)(traffic, machine) {
            if best.as_ref().is_none_or(|best| schedule.price < best.price) {
                best = Some(schedule);
            }
        }
    }
    best.map_or_else(|| route(traffic, machine, Some("caterpillar")), Ok)
}

#[cfg(test)]
mod tests;
