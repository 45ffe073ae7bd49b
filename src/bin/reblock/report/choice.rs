//! The choice of a schedule, with its reason: a comparison with the cheapest schedule of the other schedulers that the
//! chooser asks.

use super::SchedulerFigures;
use crate::columns::{bytes, count, microseconds};
use reblock_plan::machine::Machine;
use reblock_plan::schedule::chooser::{Refusal, Schedule, choose, choose_with_reason, is_much_worse};
use reblock_plan::schedule::cost_model::are_equal_prices;
use reblock_plan::schedule::limits::PRICE_ACCURACY;
use reblock_plan::schedule::traffic::Traffic;
use reblock_plan::schedule::why::Why;
use serde::Serialize;

#[derive(Clone, Copy, Debug)]
pub struct RequestedScheduler<'a> {
    pub name: &'a str,
    /// The option or variable with its name.
    pub by: &'static str,
}

#[derive(Serialize, Debug)]
pub struct Choice {
    pub scheduler: &'static str,
    /// Its time by the machine's model; null if that cannot be computed.
    pub price_us: Option<f64>,
    /// The option or variable that asked for it; null if the chooser took it.
    pub asked_for_by: Option<&'static str>,
    /// The cheapest other scheduler that the chooser asks.
    pub next_best: Option<&'static str>,
    pub next_best_price_us: Option<f64>,
    pub why: String,
}

pub fn choice(
    traffic: &Traffic,
    machine: &Machine,
    schedulers: &[SchedulerFigures],
    wish: Option<&RequestedScheduler<'_>>,
) -> Result<(Choice, Schedule), String> {
    let (schedule, why) = choose_with_reason(traffic, machine, wish.map(|wish| wish.name))
        .map_err(|refusal| explain_refusal(&refusal, wish))?;
    // Price of the chosen schedule: below the price in the scheduler's figures if a better order of steps was found.
    let priced_at = |schedule: &Schedule| {
        let scheduler = schedulers.iter().find(|scheduler| scheduler.name == schedule.scheduler.name)?;
        let price = Some(schedule.price * 1e6).filter(|price| price.is_finite());
        price.or(scheduler.figures.as_ref()?.price_us)
    };
    let asked = schedulers
        .iter()
        .filter(|scheduler| scheduler.asked_by_chooser && scheduler.name != schedule.scheduler.name);
    let priced = asked.filter_map(|scheduler| Some((scheduler, scheduler.figures.as_ref()?.price_us?)));
    let next = priced.min_by(|a, b| a.1.total_cmp(&b.1));
    let why = match (wish, why) {
        (Some(wish), _) => {
            let other = choose(traffic, machine, None).map_err(|refusal| explain_refusal(&refusal, None))?;
            if other.scheduler.name == schedule.scheduler.name {
                format!("{} asks for it, and reblock would take it, too", wish.by)
            } else {
                format!("{} asks for it; reblock would take {}", wish.by, other.scheduler.name)
            }
        }
        (None, Why::FewRanks | Why::AnyOrder | Why::Early) => why.to_string(),
        (None, _) => cheapest(&schedule, schedulers, priced_at(&schedule), next),
    };
    let choice = Choice {
        scheduler: schedule.scheduler.name,
        price_us: priced_at(&schedule),
        asked_for_by: wish.map(|wish| wish.by),
        next_best: next.map(|(scheduler, _)| scheduler.name),
        next_best_price_us: next.map(|(_, price)| price),
        why,
    };
    Ok((choice, schedule))
}

fn explain_refusal(refusal: &Refusal, wish: Option<&RequestedScheduler<'_>>) -> String {
    match wish {
        Some(wish) => refusal.to_string().replacen("REBLOCK_SCHEDULER", wish.by, 1),
        None => refusal.to_string(),
    }
}

fn cheapest(
    schedule: &Schedule,
    schedulers: &[SchedulerFigures],
    price: Option<f64>,
    next: Option<(&SchedulerFigures, f64)>,
) -> String {
    let mine = schedulers
        .iter()
        .find(|scheduler| scheduler.name == schedule.scheduler.name)
        .and_then(|scheduler| scheduler.figures.as_ref());
    let Some(mine) = mine else { return "no other scheduler applies, and this one always does".into() };
    let (Some(price), Some((next, other))) = (price, next) else {
        return "no other scheduler that the chooser asks applies".into();
    };
    let Some(theirs) = next.figures.as_ref() else { return "no other scheduler has figures".into() };
    let differences = [
        difference(theirs.steps, mine.steps, |n| count(n, "step")),
        difference(theirs.cost_bytes, mine.cost_bytes, |n| bytes(n) + " of cost"),
    ];
    let differences: Vec<String> = differences.into_iter().flatten().collect();
    let long = "more time to find than it would save";
    if are_equal_prices(other, price) {
        return match mine.steps <= theirs.steps {
            true => format!("as cheap as {}, with no more steps", next.name),
            false => format!("as cheap as {}, which takes {long}", next.name),
        };
    }
    let much = is_much_worse((theirs.steps, theirs.cost_bytes), (mine.steps, mine.cost_bytes));
    if other < price && price <= other * (1.0 + PRICE_ACCURACY) && much {
        let less = (1.0 - other / price) * 100.0;
        return format!("{} takes {less:.1} % less, but more than twice the steps or the cost", next.name);
    }
    if other < price {
        return format!("{} takes {:.1} % less, but {long}", next.name, (1.0 - other / price) * 100.0);
    }
    let because =
        if differences.is_empty() { String::new() } else { format!(": {}", differences.join(", ")) };
    let percent = (other / price - 1.0) * 100.0;
    format!("cheapest; {} takes {} µs, {percent:.1} % more{because}", next.name, microseconds(other))
}

fn difference(theirs: u64, mine: u64, text: impl Fn(u64) -> String) -> Option<String> {
    match theirs.cmp(&mine) {
        std::cmp::Ordering::Greater => Some(format!("{} more", text(theirs - mine))),
        std::cmp::Ordering::Less => Some(format!("{} less", text(mine - theirs))),
        std::cmp::Ordering::Equal => None,
    }
}
