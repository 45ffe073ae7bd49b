//! WHICH rival is to run? The cheapest, by the machine's model; or the one that was asked for. Products and chains ask the same for the
//! smaller redistributions that they are made of.

use super::arrange;
use super::caterpillar;
use super::certificate::Certificate;
use super::clock;
use super::course::{Course, Found};
use super::delays;
use super::effort;
use super::limits::{EXCESS, WORTH};
use super::order::{ByMessage, Order};
use super::price::{How, alike, busy, overlapped, price};
use super::table::{Asked, Scheduler, TABLE, named};
use super::traffic::{Listed, Traffic};
use super::why::Why;
use super::without;
use crate::system::machine::{Machine, real};
use std::fmt;
use std::sync::Arc;

/// How a traffic is to travel.
#[derive(Debug)]
pub struct Schedule {
    /// The rival that made it.
    pub rival: &'static Scheduler,
    /// How messages go.
    pub course: Course,
    /// Figures; of a chain, the sums over its phases. `None`: there are too many messages to count, or no need to.
    pub certificate: Option<Certificate>,
    /// What it takes on the machine that was asked about, in seconds; infinite where that was not reckoned.
    pub price: f64,
    /// Whether that is when the last port is done, by a simulation; else it is that of the linear model.
    pub simulated: bool,
}

/// No schedule of the name that was asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// There is no such scheduler.
    Unknown(String),
    /// It cannot run this traffic, and why.
    Unfit(&'static str, String),
}

impl Refusal {
    /// Returns the text, which says that `setting` has the name.
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

/// Whether one order of the messages is as good as any other. So it is where each rank has one message each way at the
/// most. So it is, too, where messages do not contend for ports and so few ranks take part that all of their messages are
/// under way within two windows of steps: several phases would take as many start-ups at least.
pub fn any_order_does(traffic: &Traffic, machine: &Machine) -> bool {
    let ports = traffic.ports();
    ports <= 2 || (!machine.contends() && ports <= 2 * u64::from(machine.window))
}

/// Whether the router asks `rival` for its price, if what was found before takes more steps than are needed. Where messages do not
/// contend for ports, no time is spent on fewer or shorter steps than a schedule has that is found quickly.
pub fn asks(rival: &Scheduler, traffic: &Traffic, machine: &Machine) -> bool {
    !any_order_does(traffic, machine) && asked(rival, traffic, machine, None)
}

/// The same where `best` was found before.
fn asked(rival: &Scheduler, traffic: &Traffic, machine: &Machine, best: Option<&Schedule>) -> bool {
    let worth = machine.contends() || rival.looks.is_none();
    let (messages, effort) = (traffic.messages(), traffic.effort());
    // Whether it takes so many times the fewest steps that there can be.
    let takes = |times: f64| {
        let over = |c: &Certificate| real(c.steps) > times * real(c.bounds.steps);
        best.is_none_or(|best| best.certificate.as_ref().is_none_or(over))
    };
    let asked = match rival.asked {
        Asked::Always => true,
        Asked::ForFewerSteps => takes(1.0),
        Asked::UpTo(most) => messages <= most.min(effort.search),
        Asked::Coloured(most) => {
            messages <= effort.search
                || messages <= effort.list && takes(1.0)
                || messages <= most && best.is_some() && takes(EXCESS)
        }
        Asked::Never => false,
    };
    asked && worth && !without::is_out(rival.name)
}

/// What `rival` finds, and its price; or why it cannot run this.
pub fn found(rival: &'static Scheduler, traffic: &Traffic, machine: &Machine) -> Result<Schedule, String> {
    let found = (rival.find)(traffic, machine, fewest)?;
    let (price, simulated) = price(traffic, machine, rival.how, &found);
    let Found { course, certificate, .. } = found;
    Ok(Schedule { rival, course, certificate, price, simulated })
}

/// What `schedule` takes, whatever it was priced by.
#[cfg(feature = "bench")]
pub fn repriced(traffic: &Traffic, machine: &Machine, schedule: Schedule) -> f64 {
    let Schedule { rival, course, certificate, .. } = schedule;
    price(traffic, machine, rival.how, &Found { course, certificate, steps: None }).0
}

/// The fewest steps for a traffic that a schedule of a larger one is made of, and of as many the least cost. This ends, as products ask
/// for single dimensions, which ask for nothing else, and chains for phases, for which there are none on [`Machine::STEPS`].
fn fewest(traffic: &Traffic) -> Option<(Arc<dyn Order>, Certificate)> {
    let best = cheapest(traffic, &Machine::STEPS)?.0;
    match best {
        Schedule { course: Course::Direct(order), certificate: Some(certificate), .. } => {
            Some((order, certificate))
        }
        _ => None,
    }
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

/// Which of these to take, whose prices are all within [`WORTH`] of the lowest. Those that cost more than twice the least cost of any are
/// left out, then those that take more than twice the fewest steps of any that remains; of the others the one that beats the rest.
fn preferred(found: &[Schedule]) -> Option<&Schedule> {
    let cost = |of: &&Schedule| figures(of).1;
    let least = found.iter().map(|of| cost(&of)).min()?;
    let frugal = || found.iter().filter(move |of| cost(of) <= least.saturating_mul(2));
    let fewest = frugal().map(|of| figures(of).0).min()?;
    let quick = frugal().filter(|of| figures(of).0 <= fewest.saturating_mul(2));
    quick.reduce(|best, next| if beats(next, best) { next } else { best })
}

/// Adds `schedule`, and keeps those within [`WORTH`] of the cheapest.
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
        let schedule = found(rival, traffic, machine).map_err(|why| Refusal::Unfit(rival.name, why))?;
        return Ok((schedule, Why::Forced));
    }
    let baseline = named("caterpillar").expect("a row of the table");
    if any_order_does(traffic, machine) {
        // Nor is there a reason to list the messages and count.
        let course = Course::Direct(caterpillar::order(traffic, false));
        let (certificate, price, simulated) = (None, f64::INFINITY, false);
        let schedule = Schedule { rival: baseline, course, certificate, price, simulated };
        return Ok((schedule, if traffic.ports() <= 2 { Why::OneMessage } else { Why::AnyOrder }));
    }
    let Some((best, next)) = cheapest(traffic, machine) else {
        let schedule = found(baseline, traffic, machine).expect("it is always possible");
        return Ok((schedule, Why::Only));
    };
    let own = best.price;
    let best = arranged(best, traffic, machine);
    // Of a chain the bounds are those of its phases.
    let direct = matches!(best.course, Course::Direct(_));
    let known = best.certificate.as_ref().filter(|_| direct && settled(&best, traffic, machine));
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

/// The cheapest schedule of all rivals that are asked, and the name and price of the next best of them.
#[allow(clippy::type_complexity)]
fn cheapest(traffic: &Traffic, machine: &Machine) -> Option<(Schedule, Option<(&'static str, f64)>)> {
    let (mut all, mut prices) = (Vec::new(), Vec::new());
    for rival in TABLE {
        let best = preferred(&all);
        // Nothing in steps can beat what is settled; and what takes long to find is not asked for where it can save little.
        let is_done = |best: &Schedule| {
            let saves = best.certificate.as_ref().map_or(f64::INFINITY, |c| best.price - busy(machine, c));
            rival.how == How::Whole && settled(best, traffic, machine)
                || rival.looks.is_some_and(|looks| !effort::pays(looks(traffic), saves))
        };
        if !asked(rival, traffic, machine, best) || best.is_some_and(is_done) {
            continue;
        }
        if let Ok(schedule) = found(rival, traffic, machine) {
            prices.push((rival.name, schedule.price));
            add(&mut all, schedule);
        }
    }
    let name = preferred(&all)?.rival.name;
    let others = prices.into_iter().filter(|&(other, price)| other != name && price.is_finite());
    let next = others.min_by(|a, b| a.1.total_cmp(&b.1));
    Some((all.into_iter().find(|of| of.rival.name == name)?, next))
}

/// Whether nothing else in steps is worth a look: it has the fewest steps at the least cost, unless it counts what ranks keep. Where costs
/// are not known exactly, fewest steps are good enough. Where steps overlap, others may be done earlier, but not worth the search where
/// the busiest port never waits.
fn settled(best: &Schedule, traffic: &Traffic, machine: &Machine) -> bool {
    let messages = traffic.messages();
    let few = messages <= traffic.effort().search;
    let least = if few { traffic.listed().map_or(messages, Listed::messages) } else { messages };
    best.certificate.as_ref().is_some_and(|c| {
        let best_possible =
            c.fewest_steps() && if c.exact { c.least_cost() && c.messages == least } else { !few };
        let waits = best.simulated && c.cost > c.bounds.load && best.price > busy(machine, c);
        best_possible && !waits
    })
}

/// `best` with its steps in the order in which the last port is done first, where looking for one pays.
fn arranged(best: Schedule, traffic: &Traffic, machine: &Machine) -> Schedule {
    let sooner = || {
        let (Course::Direct(order), Some(certificate)) = (&best.course, &best.certificate) else {
            return None;
        };
        let few = clock::suits(traffic.messages(), traffic.effort(), machine);
        if !best.simulated || !few || best.rival.how != How::Whole || without::is_out("other orders") {
            return None;
        }
        let list = traffic.listed()?;
        let looks = list.messages() * delays::simulations(list.messages());
        let tries = effort::tries(looks, best.price - busy(machine, certificate));
        let steps = if tries > 0 { Certificate::steps(traffic, order.as_ref())? } else { return None };
        let before = best.price - overlapped(machine, certificate, 0.0);
        let (steps, seconds) = arrange::sooner(&list.graph, &steps, machine, before, tries)?;
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
