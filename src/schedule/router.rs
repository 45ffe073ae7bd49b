//! WHICH rival is to run? The cheapest, by the machine's model; or the one that was asked for.

use super::certificate::Certificate;
use super::machine::Machine;
use super::table::{QUICK, Schedule, TABLE};
use super::traffic::{Listed, Traffic};
use std::fmt;

/// No schedule of the name that was asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// There is no such scheduler.
    Unknown(String),
    /// It cannot run this traffic.
    Unfit(&'static str),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(name) => {
                let names: Vec<&str> = TABLE.iter().map(|s| s.name).collect();
                write!(f, "REBLOCK_SCHEDULER is {name}, expected one of {}", names.join(", "))
            }
            Self::Unfit(name) => {
                write!(f, "REBLOCK_SCHEDULER is {name}, which cannot run this redistribution")
            }
        }
    }
}

impl std::error::Error for Refusal {}

/// The cheapest schedule of all rivals that the router asks, or that of the rival called `forced`. Pure: every rank that
/// asks the same gets the same.
pub fn route(traffic: &Traffic, machine: &Machine, forced: Option<&str>) -> Result<Schedule, Refusal> {
    if let Some(name) = forced {
        let rival = TABLE.iter().find(|s| s.name == name).ok_or_else(|| Refusal::Unknown(name.into()))?;
        return (rival.build)(traffic, machine).ok_or(Refusal::Unfit(rival.name));
    }
    if traffic.ports() <= 2 {
        // One message each way: there is nothing to choose.
        return route(traffic, machine, Some("caterpillar"));
    }
    let messages = traffic.messages();
    let least =
        if messages <= QUICK { traffic.listed().map_or(messages, Listed::messages) } else { messages };
    let mut best: Option<Schedule> = None;
    for rival in TABLE.iter().filter(|rival| messages <= rival.most) {
        // Nothing scheduled can beat what has the fewest steps at the least cost, unless it counts what ranks keep.
        let best_possible = |c: &Certificate| c.fewest_steps() && c.least_cost() && c.messages == least;
        let settled = best.as_ref().is_some_and(|s| s.certificate.as_ref().is_some_and(best_possible));
        if settled && rival.scheduled {
            continue;
        }
        if let Some(schedule) = (rival.build)(traffic, machine) {
            if best.as_ref().is_none_or(|best| schedule.price < best.price) {
                best = Some(schedule);
            }
        }
    }
    best.map_or_else(|| route(traffic, machine, Some("caterpillar")), Ok)
}

#[cfg(test)]
mod tests;
