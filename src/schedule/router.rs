//! WHICH rival is to run? The cheapest, by the machine's model; or the one that was asked for.

use super::arrange;
use super::caterpillar;
use super::certificate::Certificate;
use super::clock;
use super::delays;
use super::effort;
use super::machine::{Machine, alike};
use super::order::Order;
use super::table::{Asked, Course, Schedule, Scheduler, TABLE, named};
use super::traffic::{Listed, Traffic};
use super::why::Why;
use super::without;
use std::fmt;

/// What a schedule must save, as a part of its price, to take more than twice the cost or the steps of another one.
pub const WORTH: f64 = 0.01;

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
    let worth = machine.contends() || rival.looks.is_none();
    let asked = match rival.asked {
        Asked::Always => true,
        Asked::UpTo(most) => traffic.messages() <= most.min(traffic.effort().search),
        Asked::OrFewer(_) => traffic.messages() <= traffic.effort().search,
        Asked::Never => false,
    };
    asked && worth && !any_order_does(traffic, machine) && !without::is_out(rival.name)
}

/// Whether `one` is to be taken rather than `other`: it is cheaper, or as cheap, with fewer steps or as many at a lower cost.
pub fn beats(one: &Schedule, other: &Schedule) -> bool {
    if alike(one.price, other.price) { figures(one) < figures(other) } else { one.price < other.price }
}

/// Whether so many steps and such a cost are more than twice the others: (steps, cost).
pub fn wasteful(one: (u64, u64), other: (u64, u64)) -> bool {
    one.0 > other.0.saturating_mul(2) || one.1 > other.1.saturating_mul(2)
}

/// Steps and cost.
fn figures(schedule: &Schedule) -> (u64, u64) {
    schedule.certificate.as_ref().map_or((u64::MAX, u64::MAX), |c| (c.steps, c.cost))
}

/// Which of these to take, whose prices differ by no more than what is [`WORTH`] twice the cost: of those that take at most twice
/// the least cost of any, and then at most twice the fewest steps of any that is left, the one that beats the others.
fn preferred(found: &[Schedule]) -> Option<&Schedule> {
    let cost = |of: &&Schedule| figures(of).1;
    let least = found.iter().map(|of| cost(&of)).min()?;
    let frugal = || found.iter().filter(move |of| cost(of) <= least.saturating_mul(2));
    let fewest = frugal().map(|of| figures(of).0).min()?;
    let quick = frugal().filter(|of| figures(of).0 <= fewest.saturating_mul(2));
    quick.reduce(|best, next| if beats(next, best) { next } else { best })
}

/// Adds `schedule`, and leaves those whose price is that of the cheapest, or no more above it than what is [`WORTH`] twice the cost.
fn add(found: &mut Vec<Schedule>, schedule: Schedule) {
    found.push(schedule);
    let least = found.iter().map(|of| of.price).fold(f64::INFINITY, f64::min);
    found.retain(|of| of.price <= least * (1.0 + WORTH));
}

/// The cheapest schedule of all rivals that the router asks, or that of the rival called `forced`. Pure: every rank that
/// asks the same gets the same.
pub fn route(traffic: &Traffic, machine: &Machine, forced: Option<&str>) -> Result<Schedule, Refusal> {
    chosen(traffic, machine, forced).map(|(schedule, _)| schedule)
}

/// The same, and why it is taken.
pub fn chosen(
    traffic: &Traffic,
    machine: &Machine,
    forced: Option<&str>,
) -> Result<(Schedule, Why), Refusal> {
    if let Some(name) = forced {
        let rival = named(name).ok_or_else(|| Refusal::Unknown(name.into()))?;
        let schedule = (rival.build)(traffic, machine).map_err(|why| Refusal::Unfit(rival.name, why))?;
        return Ok((schedule, Why::Asked));
    }
    if any_order_does(traffic, machine) {
        // Nor is there a reason to list the messages and count.
        let course = Course::Direct(caterpillar::order(traffic, false));
        let schedule = Schedule {
            name: "caterpillar",
            course,
            certificate: None,
            price: f64::INFINITY,
            simulated: false,
        };
        return Ok((schedule, if traffic.ports() <= 2 { Why::OneMessage } else { Why::AnyOrder }));
    }
    let messages = traffic.messages();
    let few = messages <= traffic.effort().search;
    let least = if few { traffic.listed().map_or(messages, Listed::messages) } else { messages };
    // Nothing scheduled can beat what has the fewest steps at the least cost, unless it counts what ranks keep. Where
    // costs are not known exactly, fewest steps are good enough.
    let best_possible = |c: &Certificate| {
        c.fewest_steps() && if c.exact { c.least_cost() && c.messages == least } else { !few }
    };
    // Where steps overlap, others may be done earlier, but not worth the search where the busiest port never waits.
    let waits = |best: &Schedule, c: &Certificate| {
        best.simulated && c.cost > c.bounds.load && best.price > machine.busy(c)
    };
    let settled =
        |best: &Schedule| best.certificate.as_ref().is_some_and(|c| best_possible(c) && !waits(best, c));
    // Nor is what takes long to find asked for where it can save little.
    let pays = |rival: &Scheduler, best: &Schedule| {
        let saves = best.certificate.as_ref().map_or(f64::INFINITY, |c| best.price - machine.busy(c));
        rival.looks.is_none_or(|looks| effort::pays(looks(traffic), saves))
    };
    // Messages that are too many to search are coloured once where closed forms take more than twice the fewest steps.
    let needed = |rival: &Scheduler, best: Option<&Schedule>| {
        let Asked::OrFewer(most) = rival.asked else { return false };
        let many = |c: &Certificate| c.steps > 2 * c.bounds.steps;
        messages <= most && best.is_some_and(|best| best.certificate.as_ref().is_some_and(many))
    };
    let (mut found, mut prices) = (Vec::new(), Vec::new());
    for rival in &TABLE {
        let best = preferred(&found);
        if !asks(rival, traffic, machine) && !needed(rival, best)
            || best.is_some_and(|best| rival.scheduled && settled(best) || !pays(rival, best))
        {
            continue;
        }
        if let Ok(schedule) = (rival.build)(traffic, machine) {
            prices.push((schedule.name, schedule.price));
            add(&mut found, schedule);
        }
    }
    let Some(best) = preferred(&found).map(|best| best.name) else {
        return route(traffic, machine, Some("caterpillar")).map(|schedule| (schedule, Why::Only));
    };
    let others = prices.into_iter().filter(|&(name, price)| name != best && price.is_finite());
    let next = others.min_by(|a, b| a.1.total_cmp(&b.1));
    let best = found.into_iter().find(|of| of.name == best).expect("one of these");
    let own = best.price;
    let best = arranged(best, traffic, machine);
    // Of a chain the bounds are those of its phases.
    let known =
        best.certificate.as_ref().filter(|_| settled(&best) && matches!(best.course, Course::Direct(_)));
    let proven = known.map(|c| (c, c.sent(traffic))).filter(|(c, least)| c.steps == least.steps);
    let why = match (proven, next) {
        (Some((c, least)), _) if c.exact && c.cost == least.cost => Why::Optimal,
        (Some(_), _) => Why::FewestSteps,
        (None, None) if known.is_some() => Why::FewestOfAll,
        (_, Some((next, price))) if price < own && !alike(price, own) => {
            Why::Frugal { than: next, times: own / price }
        }
        (_, Some((next, price))) => Why::Cheapest { next, times: price / best.price },
        (_, None) => Why::Only,
    };
    Ok((best, why))
}

/// `best` with its steps in the order in which the last port is done first, where looking for one pays.
fn arranged(best: Schedule, traffic: &Traffic, machine: &Machine) -> Schedule {
    let sooner = || {
        let (Course::Direct(order), Some(certificate)) = (&best.course, &best.certificate) else {
            return None;
        };
        let few = clock::suits(traffic.messages(), traffic.effort(), machine);
        if !best.simulated || !few || matches!(order, Order::Split(..)) || without::is_out("other orders") {
            return None;
        }
        let list = traffic.listed()?;
        let looks = list.messages() * delays::simulations(list.messages());
        let tries = effort::tries(looks, best.price - machine.busy(certificate));
        let steps = if tries > 0 { Certificate::steps(traffic, order)? } else { return None };
        let before = best.price - machine.overlapped(certificate, 0.0);
        let (steps, seconds) = arrange::sooner(&list.graph, &steps, machine, before, tries)?;
        let count = u64::from(steps.iter().max()? + 1);
        let order = Order::Listed(list.lookup(steps.iter().copied()), count);
        Some((Course::Direct(order), machine.overlapped(certificate, seconds)))
    };
    match sooner() {
        Some((course, price)) => Schedule { course, price, ..best },
        None => best,
    }
}

#[cfg(test)]
mod tests;
