//! HOW do schedules and growth look? Drawings as SVG. It never knows how schedules are found.

mod bars;
mod chart;
mod curves;

use crate::columns::grouped;
use crate::growth::Growth;
use plotters::prelude::*;
use reblock::schedule::caterpillar;
use reblock::schedule::table::{Course, Schedule};
use reblock::schedule::traffic::Traffic;
use std::error::Error;
use std::path::Path;

/// Messages that are drawn, at the most.
const MOST: u64 = 20_000;
const FONT: &str = "sans-serif";

type Drawn = Result<(), Box<dyn Error>>;

/// Draws the schedule that is taken beside the caterpillar: who sends to whom in which step, and what each port does when.
pub fn schedule(file: &Path, traffic: &Traffic, schedule: &Schedule) -> Result<(), String> {
    let messages = traffic.messages();
    if messages > MOST {
        let (messages, most) = (grouped(messages), grouped(MOST));
        return Err(format!("--svg draws {most} messages at the most, these are {messages}"));
    }
    let taken = match &schedule.course {
        Course::Direct(order) => bars::bars(&[(traffic, order)]),
        Course::Chain(phases) => {
            let phases: Vec<_> = phases.iter().map(|phase| (&phase.traffic, &phase.order)).collect();
            bars::bars(&phases)
        }
    };
    let order = caterpillar::order(traffic, false);
    let baseline = bars::bars(&[(traffic, &order)]);
    let (Some(taken), Some(baseline)) = (taken, baseline) else {
        return Err("--svg draws messages that can be listed, these are between too many ranks".into());
    };
    let sides = [(schedule.name, &taken), ("caterpillar", &baseline)];
    write(file, (1400, 1000), |area| chart::chart(area, &sides))
}

/// Draws steps, cost and contention by ranks.
pub fn growth(file: &Path, growth: &Growth) -> Result<(), String> {
    write(file, (1400, 520), |area| curves::curves(area, growth))
}

fn write(
    file: &Path,
    size: (u32, u32),
    draw: impl FnOnce(&DrawingArea<SVGBackend<'_>, plotters::coord::Shift>) -> Drawn,
) -> Result<(), String> {
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, size).into_drawing_area();
        let drawn = area.fill(&WHITE).map_err(Into::into).and_then(|()| draw(&area));
        drawn.and_then(|()| Ok(area.present()?)).map_err(|error| format!("--svg: {error}"))?;
    }
    std::fs::write(file, text).map_err(|error| format!("--svg {}: {error}", file.display()))
}

#[cfg(test)]
mod tests;
