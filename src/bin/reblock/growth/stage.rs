//! WHAT does every rival do at one number of ranks? It is counted message by message if that is quick. If not, schedules
//! that are products are counted dimension by dimension, and others are left out, with the reason.

use super::tally::{Tally, by_dimension, tally};
use crate::columns::grouped;
use crate::redistribution::Redistribution;
use crate::report::affordable;
use reblock::schedule::course::Course;
use reblock::schedule::dimension::Dimension;
use reblock::schedule::order::Order;
use reblock::schedule::router::{found, route};
use reblock::schedule::table::{Scheduler, TABLE};
use reblock::schedule::traffic::Traffic;
use reblock::system::machine::Machine;
use serde::Serialize;

/// Messages that are counted one by one, at the most.
const COUNTED: u64 = 1 << 26;

/// Messages whose lengths are looked up block by block, at the most.
const LOOKED_UP: u64 = 1 << 22;

/// One number of ranks.
#[derive(Serialize, Debug)]
pub struct Stage {
    /// Where the array lies.
    pub from: String,
    /// Where it goes.
    pub to: String,
    /// Elements in each dimension.
    pub shape: Vec<u64>,
    /// Ranks of the larger side.
    pub ranks: u64,
    /// Messages with what ranks keep for themselves; where nothing can be counted, pairs of ranks.
    pub messages: u64,
    /// The rival that the router takes.
    pub taken: &'static str,
    /// All rivals.
    pub rivals: Vec<Counted>,
}

/// What was counted of a rival.
#[derive(Serialize, Debug)]
pub struct Counted {
    /// Its name.
    pub name: &'static str,
    /// Its figures.
    pub count: Option<Count>,
    /// Why there are none.
    pub left_out: Option<String>,
}

/// Figures of a rival; of a chain, sums over its phases, and the most contention.
#[derive(Serialize, Clone, Copy, PartialEq, Eq, Debug)]
pub struct Count {
    /// Steps that carry a message.
    pub steps: u64,
    /// The sum over the steps of the most bytes that one port has to move in it.
    pub cost_bytes: u64,
    /// The most messages of one port in one step.
    pub contention: u64,
    /// Whether messages were looked at dimension by dimension, with what ranks keep, and not one by one.
    pub by_dimension: bool,
}

/// The figures of `traffic`, which is that of `subject`.
pub fn stage(subject: &Redistribution, traffic: &Traffic, machine: &Machine) -> Stage {
    let counted = |rival: &'static Scheduler| {
        let (count, left_out) = match count(rival, traffic, machine) {
            Ok(count) => (Some(count), None),
            Err(why) => (None, Some(why)),
        };
        Counted { name: rival.name, count, left_out }
    };
    Stage {
        from: subject.from.to_string(),
        to: subject.to.to_string(),
        shape: subject.shape.clone(),
        ranks: traffic.ports(),
        messages: traffic.messages(),
        taken: route(traffic, machine, None).expect("there is always a way").rival.name,
        rivals: TABLE.iter().map(counted).collect(),
    }
}

fn count(rival: &'static Scheduler, traffic: &Traffic, machine: &Machine) -> Result<Count, String> {
    affordable(rival, traffic)?;
    // What needs no list of messages.
    if let Some(order) = rival.unlisted {
        return counted(traffic, order(traffic).as_ref());
    }
    let schedule = found(rival, traffic, machine)?;
    match schedule.course {
        Course::Direct(order) => counted(traffic, order.as_ref()),
        Course::Chain(phases) => {
            let mut sum = Count { steps: 0, cost_bytes: 0, contention: 0, by_dimension: false };
            for phase in phases {
                let one = counted(&phase.traffic, phase.order.as_ref())?;
                sum.steps += one.steps;
                sum.cost_bytes += one.cost_bytes;
                sum.contention = sum.contention.max(one.contention);
                sum.by_dimension |= one.by_dimension;
            }
            Ok(sum)
        }
    }
}

/// Whether lengths of messages have to be looked up block by block, and there are many.
fn slow(dim: &Dimension) -> bool {
    let exact = dim.classes().is_some_and(|classes| classes.periods().1);
    dim.messages() > LOOKED_UP && !exact && !dim.overlap.is_on_a_line()
}

fn counted(traffic: &Traffic, order: &dyn Order) -> Result<Count, String> {
    let figures = |tally: Tally, by_dimension| Count {
        steps: tally.steps,
        cost_bytes: tally.cost,
        contention: tally.contention,
        by_dimension,
    };
    if traffic.dims.iter().any(|dim| slow(dim)) {
        return Err(format!(
            "lengths of more than {} messages to look up block by block",
            grouped(LOOKED_UP)
        ));
    }
    let too_many = || format!("more than {} messages to count", grouped(COUNTED));
    if traffic.messages() <= COUNTED {
        return tally(traffic, order)
            .map(|tally| figures(tally, false))
            .ok_or_else(|| "too many steps to count".into());
    }
    let factors = order.factors();
    if factors.is_empty() || traffic.dims.iter().any(|dim| dim.messages() > COUNTED) {
        return Err(too_many());
    }
    by_dimension(traffic, factors).map(|tally| figures(tally, true)).ok_or_else(too_many)
}
