//! WHICH schedules are there where steps are weighed against cost? Of listed messages, and of classes of messages, whatever the
//! number of processes.

use super::super::checkerboard;
use super::super::levels;
use super::super::machine::Machine;
use super::super::traffic::Traffic;
use super::Schedule;
use super::build::{Built, by_colours, direct, list};

/// Schedules of which none has both no more steps and a lower cost, fewest steps first; or why there are none.
pub fn front(t: &Traffic, m: &Machine) -> Result<Vec<Schedule>, String> {
    if t.messages() <= levels::MOST {
        let list = list(t)?;
        let schedule = |steps: Vec<u32>| by_colours(t, m, "levels", list, &steps);
        return Ok(levels::front(&list.graph).into_iter().map(schedule).collect());
    }
    let orders = checkerboard::front(t).into_iter();
    let front: Vec<Schedule> = orders.map(|order| direct(t, m, "levels", order, None)).collect();
    if front.is_empty() {
        return Err(format!("for {} messages at the most, or whole periods of few classes", levels::MOST));
    }
    Ok(front)
}

/// The cheapest of them.
pub fn cheapest(t: &Traffic, m: &Machine) -> Built {
    let cheaper = |a: &Schedule, b: &Schedule| a.price.total_cmp(&b.price);
    front(t, m)?.into_iter().min_by(cheaper).ok_or_else(|| "there are no messages".into())
}
