//! The chooser: prices the schedules of the schedulers in the [`table`](super::table) and picks the cheapest, or runs
//! the scheduler that the user named. Schedulers of products and chains use the chooser for the smaller redistributions
//! that a product or chain consists of.

use super::caterpillar;
use super::certificate::Certificate;
use super::cost_model::{How, are_equal_prices, busy, overlapped, price};
use super::course::{Course, FoundSchedule};
use super::jitter;
use super::limits::{MAX_STEP_EXCESS, PRICE_ACCURACY};
use super::order::{ByMessage, Order};
use super::planning_budget;
use super::reorder;
use super::simulate;
use super::table::{AskCondition, Scheduler, TABLE, find_by_name};
use super::traffic::{Listed, Traffic};
use super::why::Why;
use super::without;
use crate::machine::{Machine, real};
use std::fmt;
use std::sync::Arc;

/// Schedule of a traffic, with its figures and price.
#[derive(Debug)]
pub struct Schedule {
    /// Scheduler that found this schedule.
    pub scheduler: &'static Scheduler,
    /// The redistributions and their orders.
    pub course: Course,
    /// Figures, summed over the phases of a chain; `None` if there are too many messages to count or no figures are
    /// needed.
    pub certificate: Option<Certificate>,
    /// Predicted time on the machine, in seconds; infinite if no price was computed.
    pub price: f64,
    /// True if the price comes from a simulation, false if it comes from the linear model.
    pub simulated: bool,
}

/// Error: the scheduler that the user named cannot be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// No scheduler has this name.
    Unknown(String),
    /// The scheduler cannot run this traffic, and the reason.
    Unfit(&'static str, String),
}

impl Refusal {
    /// Returns the error text; `setting` is the setting that holds the name.
    pub fn of(&self, setting: &str) -> String {
        match self {
            Self::Unknown(name) => {
                let names: Vec<&str> = TABLE.iter().map(|s| s.name).collect();
                format!("{setting} is {name}, expected one of {}", names.join(", "))
            }
            Self::Unfit(name, why) => {
                format!("{setting} is {name}, which cannot run this redistribution: {why}")
            }
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.of("REBLOCK_SCHEDULER"))
    }
}

impl std::error::Error for Refusal {}

/// Returns the reason if the order of messages hardly matters, so that no schedule is sought:
/// - Each side has at most two ranks, so a rank sends at most two messages.
/// - Messages do not contend for ports, and each side has at most as many ranks as two windows have steps. All messages
///   are then under way within two windows, and a chain of phases takes at least as many start-ups.
/// - All messages are early.
pub fn no_order_needed(traffic: &Traffic, machine: &Machine) -> Option<Why> {
    let ports = traffic.ports();
    if ports <= 2 {
        Some(Why::FewRanks)
    } else if !machine.contends() && ports <= 2 * u64::from(machine.window) {
        Some(Why::AnyOrder)
    } else {
        traffic.is_early(machine).then_some(Why::Early)
    }
}

/// Returns true if the order of messages hardly matters; see [`no_order_needed`].
pub fn order_does_not_matter(traffic: &Traffic, machine: &Machine) -> bool {
    no_order_needed(traffic, machine).is_some()
}

/// Returns true if the chooser asks `scheduler` for its price before any schedule is found. If messages do not contend
/// for ports, schedulers with a long search are not asked.
pub fn is_considered(scheduler: &Scheduler, traffic: &Traffic, machine: &Machine) -> bool {
    !order_does_not_matter(traffic, machine) && is_asked(scheduler, traffic, machine, None)
}

/// Returns true if the chooser asks `scheduler` for its price, given the best schedule found so far.
fn is_asked(scheduler: &Scheduler, traffic: &Traffic, machine: &Machine, best: Option<&Schedule>) -> bool {
    let worth = machine.contends() || scheduler.looks.is_none();
    let (messages, effort) = (traffic.messages(), traffic.effort());
    // Returns true if the best schedule may take more than `times` the fewest steps.
    let takes = |times: f64| {
        let over = |c: &Certificate| real(c.steps) > times * real(c.bounds.steps);
        best.is_none_or(|best| best.certificate.as_ref().is_none_or(over))
    };
    let asked = match scheduler.condition {
        AskCondition::Always => true,
        AskCondition::ForFewerSteps => takes(1.0),
        AskCondition::UpTo(most) => messages <= most.min(effort.search),
        AskCondition::Coloured(most) => {
            messages <= effort.search
                || messages <= effort.list && takes(1.0)
                || messages <= most && best.is_some() && takes(MAX_STEP_EXCESS)
        }
        AskCondition::Never => false,
    };
    asked && worth && scheduler.applies_to(traffic) && !without::is_left_out(scheduler.name)
}

/// Returns the schedule of `scheduler` and its price, or the reason why it cannot run this traffic.
pub fn run_scheduler(
    scheduler: &'static Scheduler,
    traffic: &Traffic,
    machine: &Machine,
) -> Result<Schedule, String> {
    let found = (scheduler.find)(traffic, machine, fewest_steps)?;
    let (price, simulated) = price(traffic, machine, scheduler.how, &found);
    let FoundSchedule { course, certificate, .. } = found;
    Ok(Schedule { scheduler, course, certificate, price, simulated })
}

/// Returns the price of `schedule` on `machine`, which may differ from the machine that it was chosen for.
#[cfg(feature = "bench")]
pub fn repriced(traffic: &Traffic, machine: &Machine, schedule: Schedule) -> f64 {
    let Schedule { scheduler, course, certificate, .. } = schedule;
    price(traffic, machine, scheduler.how, &FoundSchedule { course, certificate, steps: None }).0
}

/// Returns the schedule with the fewest steps, and the lowest cost among equals, for a part of a larger traffic. The
/// recursion ends: products ask for single dimensions, which ask for nothing else, and there are no chains on
/// [`Machine::STEPS`].
fn fewest_steps(traffic: &Traffic) -> Option<(Arc<dyn Order>, Certificate)> {
    let best = cheapest_schedule(traffic, &Machine::STEPS)?.0;
    match best {
        Schedule { course: Course::Direct(order), certificate: Some(certificate), .. } => {
            Some((order, certificate))
        }
        _ => None,
    }
}

/// Returns true if `one` has a lower price than `other`, or an equal price and fewer steps, or as many at a lower cost.
pub fn is_better(one: &Schedule, other: &Schedule) -> bool {
    if are_equal_prices(one.price, other.price) {
        figures(one) < figures(other)
    } else {
        one.price < other.price
    }
}

/// Returns true if `one` has more than twice the steps or more than twice the cost of `other`; both are (steps, cost).
pub fn is_much_worse(one: (u64, u64), other: (u64, u64)) -> bool {
    one.0 > other.0.saturating_mul(2) || one.1 > other.1.saturating_mul(2)
}

/// Returns (steps, cost); the maximum if there are no figures.
fn figures(schedule: &Schedule) -> (u64, u64) {
    schedule.certificate.as_ref().map_or((u64::MAX, u64::MAX), |c| (c.steps, c.cost))
}

/// Drops schedules with more than twice the lowest cost, then schedules with more than twice the fewest steps. Returns
/// the best of the others, by [`is_better`]. The prices of `found` are within [`PRICE_ACCURACY`] of the lowest.
fn choose_preferred(found: &[Schedule]) -> Option<&Schedule> {
    let cost = |of: &&Schedule| figures(of).1;
    let least = found.iter().map(|of| cost(&of)).min()?;
    let frugal = || found.iter().filter(move |of| cost(of) <= least.saturating_mul(2));
    let fewest = frugal().map(|of| figures(of).0).min()?;
    let quick = frugal().filter(|of| figures(of).0 <= fewest.saturating_mul(2));
    quick.reduce(|best, next| if is_better(next, best) { next } else { best })
}

/// Adds `schedule`, and drops schedules that are not within [`PRICE_ACCURACY`] of the lowest price.
fn add_near_cheapest(found: &mut Vec<Schedule>, schedule: Schedule) {
    found.push(schedule);
    let least = found.iter().map(|of| of.price).fold(f64::INFINITY, f64::min);
    found.retain(|of| of.price <= least * (1.0 + PRICE_ACCURACY));
}

/// Returns the schedule of the scheduler called `forced`, or the best schedule of all schedulers that the chooser asks.
/// Pure: all ranks with the same arguments get the same schedule.
pub fn choose(traffic: &Traffic, machine: &Machine, forced: Option<&str>) -> Result<Schedule, Refusal> {
    choose_with_reason(traffic, machine, forced).map(|(schedule, _)| schedule)
}

/// Like [`choose`], and returns the reason of the choice.
pub fn choose_with_reason(
    traffic: &Traffic,
    machine: &Machine,
    forced: Option<&str>,
) -> Result<(Schedule, Why), Refusal> {
    if let Some(name) = forced {
        let scheduler = find_by_name(name).ok_or_else(|| Refusal::Unknown(name.into()))?;
        let schedule =
            run_scheduler(scheduler, traffic, machine).map_err(|why| Refusal::Unfit(scheduler.name, why))?;
        return Ok((schedule, Why::Forced));
    }
    let baseline = find_by_name("caterpillar").expect("a row of the table");
    if let Some(why) = no_order_needed(traffic, machine) {
        // Nothing is compared, so messages need not be listed and counted.
        let course = Course::Direct(caterpillar::order(traffic, false));
        let (certificate, price, simulated) = (None, f64::INFINITY, false);
        let schedule = Schedule { scheduler: baseline, course, certificate, price, simulated };
        return Ok((schedule, why));
    }
    let Some((best, next)) = cheapest_schedule(traffic, machine) else {
        let schedule = run_scheduler(baseline, traffic, machine).expect("it is always possible");
        return Ok((schedule, Why::Only));
    };
    let own = best.price;
    let best = reorder_steps(best, traffic, machine);
    // The bounds of a chain are sums over its own phases, so they prove nothing about other schedules.
    let direct = matches!(best.course, Course::Direct(_));
    let known = best.certificate.as_ref().filter(|_| direct && is_settled(&best, traffic, machine));
    let proven = known.map(|c| (c, c.sent_bounds(traffic))).filter(|(c, least)| c.steps == least.steps);
    let why = match (proven, next) {
        (Some((c, least)), _) if c.exact && c.cost == least.cost => Why::Optimal,
        (Some(_), _) => Why::FewestSteps,
        (None, None) if known.is_some() => Why::FewestOfAll,
        (_, Some((next, price))) if price < own && !are_equal_prices(price, own) => {
            Why::Frugal { than: next, times: own / price }
        }
        (_, Some((next, price))) => Why::Cheapest { next, times: price / best.price },
        (_, None) => Why::Only,
    };
    Ok((best, why))
}

/// Returns the best schedule of all schedulers asked, and the name and price of the cheapest other scheduler.
#[allow(clippy::type_complexity)]
fn cheapest_schedule(
    traffic: &Traffic,
    machine: &Machine,
) -> Option<(Schedule, Option<(&'static str, f64)>)> {
    let (mut all, mut prices) = (Vec::new(), Vec::new());
    for scheduler in TABLE {
        let best = choose_preferred(&all);
        // Another schedule of whole messages cannot beat a settled one. A scheduler with a long search is not asked if
        // it can save little.
        let is_done = |best: &Schedule| {
            let saves =
                best.certificate.as_ref().map_or(f64::INFINITY, |c| best.price - busy(traffic, machine, c));
            scheduler.how == How::Whole && is_settled(best, traffic, machine)
                || scheduler.looks.is_some_and(|looks| !planning_budget::pays_off(looks(traffic), saves))
        };
        if !is_asked(scheduler, traffic, machine, best) || best.is_some_and(is_done) {
            continue;
        }
        if let Ok(schedule) = run_scheduler(scheduler, traffic, machine) {
            prices.push((scheduler.name, schedule.price));
            add_near_cheapest(&mut all, schedule);
        }
    }
    let name = choose_preferred(&all)?.scheduler.name;
    let others = prices.into_iter().filter(|&(other, price)| other != name && price.is_finite());
    let next = others.min_by(|a, b| a.1.total_cmp(&b.1));
    Some((all.into_iter().find(|of| of.scheduler.name == name)?, next))
}

/// Returns true if no other schedule of whole messages is worth a search. `best` must have the fewest steps. If its
/// figures are exact, it must also have the lowest cost and no self copies; otherwise there must be too many messages
/// to search. If its price was simulated, the busiest port must never wait: if it waits, another order of steps might
/// finish earlier.
fn is_settled(best: &Schedule, traffic: &Traffic, machine: &Machine) -> bool {
    let messages = traffic.messages();
    let few = messages <= traffic.effort().search;
    let least = if few { traffic.listed().map_or(messages, Listed::messages) } else { messages };
    best.certificate.as_ref().is_some_and(|c| {
        let best_possible =
            c.fewest_steps() && if c.exact { c.least_cost() && c.messages == least } else { !few };
        let may_wait = c.cost > c.bounds.load || traffic.nodes().is_some();
        let waits = best.simulated && may_wait && best.price > busy(traffic, machine, c);
        best_possible && !waits
    })
}

/// Reorders the steps of `best` so that the last port finishes earlier, if the search pays off.
fn reorder_steps(best: Schedule, traffic: &Traffic, machine: &Machine) -> Schedule {
    let sooner = || {
        let (Course::Direct(order), Some(certificate)) = (&best.course, &best.certificate) else {
            return None;
        };
        let few = simulate::is_simulated(traffic.messages(), traffic.effort(), machine);
        if !best.simulated || !few || best.scheduler.how != How::Whole || without::is_left_out("other orders")
        {
            return None;
        }
        let list = traffic.listed()?;
        let looks = list.messages() * jitter::simulations(list.messages());
        let tries = planning_budget::max_simulations(looks, best.price - busy(traffic, machine, certificate));
        let steps = if tries > 0 { Certificate::steps(traffic, order.as_ref())? } else { return None };
        let before = best.price - overlapped(machine, certificate, 0.0);
        let graph = (&list.graph, list.node_ports.as_ref());
        let (steps, seconds) = reorder::find_faster_order(graph, &steps, machine, before, tries)?;
        let order = ByMessage::new(&list.graph, [&traffic.from, &traffic.to], &steps);
        Some((Course::Direct(Arc::new(order)), overlapped(machine, certificate, seconds)))
    };
    match sooner() {
        Some((course, price)) => Schedule { course, price, ..best },
        None => best,
    }
}

#[cfg(test)]
mod tests;
