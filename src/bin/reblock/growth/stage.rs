//! Figures of all schedulers at one number of ranks. Messages are counted one by one. If there are too many, schedules
//! that are products of one order per dimension are counted by dimension, and all others are left out, with the reason.

use super::tally::{Tally, by_dimension, tally};
use crate::columns::grouped;
use crate::redistribution::Redistribution;
use crate::report::affordable;
use reblock_plan::machine::Machine;
use reblock_plan::schedule::chooser::{choose, run_scheduler};
use reblock_plan::schedule::course::Course;
use reblock_plan::schedule::dimension::Dimension;
use reblock_plan::schedule::order::Order;
use reblock_plan::schedule::table::{self, Scheduler};
use reblock_plan::schedule::traffic::Traffic;
use serde::Serialize;

const MAX_COUNTED_MESSAGES: u64 = 1 << 26;

/// Maximum number of messages of one dimension whose lengths are computed block by block.
const MAX_LOOKED_UP_MESSAGES: u64 = 1 << 22;

#[derive(Serialize, Debug)]
pub struct Stage {
    pub from: String,
    pub to: String,
    pub shape: Vec<u64>,
    /// Number of ranks of the larger side.
    pub ranks: u64,
    /// Number of messages and self copies; an upper bound if counting would take too long.
    pub messages: u64,
    /// Name of the scheduler that the chooser takes.
    pub taken: &'static str,
    #[serde(rename = "rivals")]
    pub schedulers: Vec<Counted>,
}

#[derive(Serialize, Debug)]
pub struct Counted {
    pub name: &'static str,
    pub count: Option<Count>,
    /// Reason why there are no figures.
    pub left_out: Option<String>,
}

/// Counts of a schedule. For a chain, sums over its phases, and the maximum of the contention.
#[derive(Serialize, Clone, Copy, PartialEq, Eq, Debug)]
pub struct Count {
    /// Number of steps that carry a message.
    pub steps: u64,
    /// Sum over the steps of the maximum bytes that one port moves in the step.
    pub cost_bytes: u64,
    /// Maximum number of messages of one port in one step.
    pub contention: u64,
    /// Set if messages were counted dimension by dimension. These counts include the data that ranks keep.
    pub by_dimension: bool,
}

/// Counts the schedules of all schedulers for `traffic`, the traffic of `subject`.
pub fn stage(subject: &Redistribution, traffic: &Traffic, machine: &Machine) -> Stage {
    let counted = |scheduler: &'static Scheduler| {
        let (count, left_out) = match count(scheduler, traffic, machine) {
            Ok(count) => (Some(count), None),
            Err(why) => (None, Some(why)),
        };
        Counted { name: scheduler.name, count, left_out }
    };
    Stage {
        from: subject.from.to_string(),
        to: subject.to.to_string(),
        shape: subject.shape.clone(),
        ranks: traffic.ports(),
        messages: traffic.messages(),
        taken: choose(traffic, machine, None).expect("there is always a way").scheduler.name,
        schedulers: table::schedulers(traffic).map(counted).collect(),
    }
}

fn count(scheduler: &'static Scheduler, traffic: &Traffic, machine: &Machine) -> Result<Count, String> {
    affordable(scheduler, traffic)?;
    // The scheduler makes this order without a list of messages.
    if let Some(order) = scheduler.unlisted {
        return counted(traffic, order(traffic).as_ref());
    }
    let schedule = run_scheduler(scheduler, traffic, machine)?;
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

/// Returns whether more than [`MAX_LOOKED_UP_MESSAGES`] lengths would have to be computed block by block.
fn needs_long_search(dim: &Dimension) -> bool {
    let exact = dim.classes().is_some_and(|classes| classes.periods().1);
    dim.messages() > MAX_LOOKED_UP_MESSAGES && !exact && !dim.overlap.has_single_blocks()
}

fn counted(traffic: &Traffic, order: &dyn Order) -> Result<Count, String> {
    let figures = |tally: Tally, by_dimension| Count {
        steps: tally.steps,
        cost_bytes: tally.cost,
        contention: tally.contention,
        by_dimension,
    };
    if traffic.dims.iter().any(|dim| needs_long_search(dim)) {
        return Err(format!(
            "lengths of more than {} messages to look up block by block",
            grouped(MAX_LOOKED_UP_MESSAGES)
        ));
    }
    let too_many = || format!("more than {} messages to count", grouped(MAX_COUNTED_MESSAGES));
    if traffic.messages() <= MAX_COUNTED_MESSAGES {
        return tally(traffic, order)
            .map(|tally| figures(tally, false))
            .ok_or_else(|| "too many steps to count".into());
    }
    let factors = order.factors();
    if factors.is_empty() || traffic.dims.iter().any(|dim| dim.messages() > MAX_COUNTED_MESSAGES) {
        return Err(too_many());
    }
    by_dimension(traffic, factors).map(|tally| figures(tally, true)).ok_or_else(too_many)
}
