//! Figures of each scheduler, compared with lower bounds, or the reason why a scheduler has no figures.
//!
//! If the messages can be listed, the figures are counted from them. Otherwise they are closed forms, which count data
//! that ranks keep as messages.

use crate::columns::grouped;
use reblock_plan::machine::Machine;
use reblock_plan::schedule::certificate::Certificate;
use reblock_plan::schedule::chooser::{Schedule, is_considered, run_scheduler};
use reblock_plan::schedule::cost_model::How;
use reblock_plan::schedule::course::Course;
use reblock_plan::schedule::graph::Bounds;
use reblock_plan::schedule::multiphase;
use reblock_plan::schedule::table::{self, Scheduler};
use reblock_plan::schedule::traffic::Traffic;
use serde::Serialize;

#[derive(Serialize, Debug)]
pub struct SchedulerFigures {
    /// Name for `--scheduler` and `REBLOCK_SCHEDULER`.
    pub name: &'static str,
    /// Method, with the paper that describes it, if there is one.
    pub about: &'static str,
    /// Set if the chooser asks the scheduler for a price of this traffic. Otherwise the scheduler runs only if the user
    /// names it.
    #[serde(rename = "asked_by_router")]
    pub asked_by_chooser: bool,
    /// Set if its steps are matchings of whole messages: each port has at most one message in a step.
    pub matchings: bool,
    #[serde(skip)]
    pub how: How,
    pub why_not: Option<String>,
    pub figures: Option<Figures>,
}

/// Figures of a scheduler's schedule; for a chain, sums over its phases.
#[derive(Serialize, Debug)]
pub struct Figures {
    /// Number of steps that carry a message.
    pub steps: u64,
    /// Lower bound of the number of steps for the scheduler's own messages; null if the scheduler sends all messages at
    /// once.
    pub steps_at_least: Option<u64>,
    /// Sum of each step's longest message; if all messages are sent at once, the bytes of the busiest port.
    pub cost_bytes: u64,
    /// Lower bound of the cost for the scheduler's own messages, which are cut if the scheduler cuts messages,
    /// otherwise whole. Null if the scheduler sends all messages at once.
    pub cost_at_least_bytes: Option<u64>,
    /// Number of messages, or of parts of cut messages.
    pub messages: u64,
    /// Set if the figures were counted from the sent messages. Otherwise steps, cost and messages are upper bounds,
    /// which may count data that ranks keep as messages. The lower bounds hold in both cases.
    pub exact: bool,
    /// Time by the machine's model; null if that cannot be computed.
    pub price_us: Option<f64>,
    /// Proven: no schedule of the redistribution has fewer steps.
    pub fewest_steps: bool,
    /// Proven: no schedule of the redistribution costs less, with whole messages, or with cut ones if the scheduler
    /// cuts them.
    pub least_cost: bool,
    /// The distributions of a chain's phases; the last one is the target.
    pub through: Vec<String>,
}

/// Checks that a scheduler takes seconds at most; the error says why it would take longer.
pub fn affordable(scheduler: &Scheduler, traffic: &Traffic) -> Result<(), String> {
    let (messages, ports) = scheduler.max_problem;
    if traffic.messages() > messages {
        Err(format!("takes long with more than {} messages", grouped(messages)))
    } else if traffic.ports() > ports {
        Err(format!("takes long with more than {} ports", grouped(ports)))
    } else {
        Ok(())
    }
}

/// Returns the figures of all schedulers on `traffic`, whose graph has `bounds`. A scheduler that takes long has
/// figures only if it is called `wish`.
pub fn schedulers(
    traffic: &Traffic,
    machine: &Machine,
    bounds: Option<Bounds>,
    wish: Option<&str>,
) -> Vec<SchedulerFigures> {
    let scheduler = |scheduler: &'static Scheduler| {
        let built = match affordable(scheduler, traffic) {
            Err(why) if wish != Some(scheduler.name) => Err(format!("{why}: by name only")),
            _ => run_scheduler(scheduler, traffic, machine),
        };
        let figures = built.and_then(|schedule| {
            figures(traffic, &schedule, bounds)
                .ok_or_else(|| "always applies; too many messages to count".into())
        });
        let (figures, why_not) = match figures {
            Ok(figures) => (Some(figures), None),
            Err(why) => (None, Some(why)),
        };
        SchedulerFigures {
            name: scheduler.name,
            about: scheduler.about,
            asked_by_chooser: is_considered(scheduler, traffic, machine),
            matchings: scheduler.how == How::Whole,
            how: scheduler.how,
            why_not,
            figures,
        }
    };
    let named = wish.and_then(table::find_by_name).filter(|named| !named.applies_to(traffic));
    named.into_iter().chain(table::schedulers(traffic)).map(scheduler).collect()
}

fn figures(traffic: &Traffic, schedule: &Schedule, bounds: Option<Bounds>) -> Option<Figures> {
    let certified = schedule.certificate.as_ref()?;
    let counted = match &schedule.course {
        Course::Direct(order) if schedule.scheduler.how == How::Whole => {
            Certificate::of(traffic, order.as_ref())
        }
        _ => None,
    };
    let c = counted.as_ref().unwrap_or(certified);
    let least = match &schedule.course {
        Course::Direct(_) => c.sent_bounds(traffic),
        Course::Chain(phases) => multiphase::sent_bounds(phases),
    };
    let how = schedule.scheduler.how;
    let (whole, cut, stepped) = (how == How::Whole, how == How::Cut, how != How::AtOnce);
    Some(Figures {
        steps: c.steps,
        steps_at_least: stepped.then_some(least.steps),
        cost_bytes: c.cost,
        cost_at_least_bytes: stepped.then_some(if cut { least.load } else { least.cost }),
        messages: c.messages,
        exact: c.exact && !c.kept,
        price_us: Some(schedule.price * 1e6).filter(|price| price.is_finite()),
        fewest_steps: (whole || cut) && bounds.is_some_and(|b| c.steps == b.steps),
        least_cost: bounds.is_some_and(|b| whole && c.cost == b.cost || cut && c.cost == b.load),
        through: match &schedule.course {
            Course::Direct(_) => Vec::new(),
            Course::Chain(phases) => phases.iter().map(|phase| target(&phase.traffic)).collect(),
        },
    })
}

/// Returns the distribution after `traffic`, as text.
fn target(traffic: &Traffic) -> String {
    let formats: Vec<String> = traffic.dims.iter().map(|dim| dim.overlap.to.dist.to_string()).collect();
    format!("({})", formats.join(","))
}
