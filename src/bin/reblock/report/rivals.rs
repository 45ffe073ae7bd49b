//! WHAT does each rival take? Its figures, how they compare with what no schedule can do without, or why there are none.
//!
//! Figures are those of what is sent, wherever messages can be listed; else closed forms, in which what ranks keep counts.

use crate::columns::grouped;
use reblock::schedule::certificate::Certificate;
use reblock::schedule::course::Course;
use reblock::schedule::graph::Bounds;
use reblock::schedule::multiphase;
use reblock::schedule::price::How;
use reblock::schedule::router::{Schedule, asks, found};
use reblock::schedule::table::{Scheduler, TABLE};
use reblock::schedule::traffic::Traffic;
use reblock::system::machine::Machine;
use serde::Serialize;

/// One rival.
#[derive(Serialize, Debug)]
pub struct Rival {
    /// For `--scheduler` and `REBLOCK_SCHEDULER`.
    pub name: &'static str,
    /// What it does, and whose it is.
    pub about: &'static str,
    /// Whether the router asks for its price at so many messages; otherwise it runs by name only.
    pub asked_by_router: bool,
    /// Whether its steps are matchings of whole messages, so that no port is twice in a step.
    pub matchings: bool,
    /// The same in full.
    #[serde(skip)]
    pub how: How,
    /// Why there are no figures.
    pub why_not: Option<String>,
    /// Figures.
    pub figures: Option<Figures>,
}

/// Figures of a rival's schedule. Those of a chain are sums over its phases.
#[derive(Serialize, Debug)]
pub struct Figures {
    /// Steps that carry a message.
    pub steps: u64,
    /// No schedule of the rival's own messages has fewer; null where there are no steps.
    pub steps_at_least: Option<u64>,
    /// The sum of each step's longest message; of what is sent at once, the bytes of the busiest port.
    pub cost_bytes: u64,
    /// No schedule of the rival's own messages costs less: whole ones, or where it cuts them, cut ones; null where there
    /// are no steps.
    pub cost_at_least_bytes: Option<u64>,
    /// Messages, or parts of messages where it cuts them; with what ranks keep if not exact.
    pub messages: u64,
    /// Whether the figures are those of the messages as they are. If not, there are too many to count them: steps, cost and
    /// messages are no more, and what no schedule can do without is no less than told; what ranks keep counts as messages.
    pub exact: bool,
    /// What it takes by the machine's model; null if that cannot be reckoned.
    pub price_us: Option<f64>,
    /// Proven: no schedule of the redistribution has fewer steps.
    pub fewest_steps: bool,
    /// Proven: no schedule of the redistribution costs less; whole messages, or where it cuts them, cut ones.
    pub least_cost: bool,
    /// The distributions that a chain goes through, the last one being the target.
    pub through: Vec<String>,
}

/// Whether a rival takes seconds at the most; or what it takes long with.
pub fn affordable(rival: &Scheduler, traffic: &Traffic) -> Result<(), String> {
    let (messages, ports) = rival.bearable;
    if traffic.messages() > messages {
        Err(format!("takes long with more than {} messages", grouped(messages)))
    } else if traffic.ports() > ports {
        Err(format!("takes long with more than {} ports", grouped(ports)))
    } else {
        Ok(())
    }
}

/// All rivals on `traffic`, whose graph has `bounds`; the one called `wish` whatever it takes.
pub fn rivals(
    traffic: &Traffic,
    machine: &Machine,
    bounds: Option<Bounds>,
    wish: Option<&str>,
) -> Vec<Rival> {
    let rival = |rival: &'static Scheduler| {
        let built = match affordable(rival, traffic) {
            Err(why) if wish != Some(rival.name) => Err(format!("{why}: by name only")),
            _ => found(rival, traffic, machine),
        };
        let figures = built.and_then(|schedule| {
            figures(traffic, &schedule, bounds)
                .ok_or_else(|| "always applies; too many messages to count".into())
        });
        let (figures, why_not) = match figures {
            Ok(figures) => (Some(figures), None),
            Err(why) => (None, Some(why)),
        };
        Rival {
            name: rival.name,
            about: rival.about,
            asked_by_router: asks(rival, traffic, machine),
            matchings: rival.how == How::Whole,
            how: rival.how,
            why_not,
            figures,
        }
    };
    TABLE.iter().map(rival).collect()
}

fn figures(traffic: &Traffic, schedule: &Schedule, bounds: Option<Bounds>) -> Option<Figures> {
    let told = schedule.certificate.as_ref()?;
    let counted = match &schedule.course {
        Course::Direct(order) if schedule.rival.how == How::Whole => Certificate::of(traffic, order.as_ref()),
        _ => None,
    };
    let c = counted.as_ref().unwrap_or(told);
    let least = match &schedule.course {
        Course::Direct(_) => c.sent(traffic),
        Course::Chain(phases) => multiphase::sent(phases),
    };
    let how = schedule.rival.how;
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

/// The distribution that a traffic leads to.
fn target(traffic: &Traffic) -> String {
    let formats: Vec<String> = traffic.dims.iter().map(|dim| dim.overlap.to.dist.to_string()).collect();
    format!("({})", formats.join(","))
}
