//! Drawings of schedules, growth and times, as SVG.

mod bars;
mod chart;
mod curves;
mod parts;
mod times;

pub use parts::parts;
pub use times::{Time, times};

use crate::columns::grouped;
use crate::growth::Growth;
use plotters::coord::Shift;
use plotters::prelude::*;
use reblock_plan::schedule::caterpillar;
use reblock_plan::schedule::chooser::Schedule;
use reblock_plan::schedule::course::Course;
use reblock_plan::schedule::traffic::Traffic;
use std::error::Error;
use std::path::Path;

/// Maximum number of messages in a drawing.
const MAX_MESSAGES: u64 = 20_000;
const FONT: &str = "sans-serif";

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), Box<dyn Error>>;

/// Draws the chosen schedule beside the caterpillar: sender, receiver and step of each message, and the activity of
/// each port.
pub fn schedule(file: &Path, traffic: &Traffic, schedule: &Schedule) -> Result<(), String> {
    let messages = traffic.messages();
    if messages > MAX_MESSAGES {
        let (messages, most) = (grouped(messages), grouped(MAX_MESSAGES));
        return Err(format!("--svg draws at most {most} messages, but this redistribution has {messages}"));
    }
    let taken = chosen_bars(traffic, schedule);
    let order = caterpillar::order(traffic, false);
    let baseline = bars::bars(&[(traffic, order.as_ref())]);
    let (Some(taken), Some(baseline)) = (taken, baseline) else {
        return Err("--svg cannot list the messages: there are too many ranks".into());
    };
    let sides = [(schedule.scheduler.name, &taken), ("caterpillar", &baseline)];
    write(file, (1400, 1000), |area| chart::chart(area, &sides))
}

fn chosen_bars(traffic: &Traffic, schedule: &Schedule) -> Option<bars::Bars> {
    match &schedule.course {
        Course::Direct(order) => bars::bars(&[(traffic, order.as_ref())]),
        Course::Chain(phases) => {
            let phases: Vec<_> = phases.iter().map(|phase| (&phase.traffic, phase.order.as_ref())).collect();
            bars::bars(&phases)
        }
    }
}

/// Draws steps, cost and contention by the number of ranks.
pub fn growth(file: &Path, growth: &Growth) -> Result<(), String> {
    write(file, (1400, 520), |area| curves::curves(area, growth))
}

fn write(file: &Path, size: (u32, u32), draw: impl FnOnce(&Area<'_>) -> Drawn) -> Result<(), String> {
    let text = svg(size, |area| area.fill(&WHITE).map_err(Into::into).and_then(|()| draw(area)));
    let text = text.map_err(|error| format!("--svg: {error}"))?;
    std::fs::write(file, text).map_err(|error| format!("--svg {}: {error}", file.display()))
}

/// Returns a drawing without a background.
fn svg(size: (u32, u32), draw: impl FnOnce(&Area<'_>) -> Drawn) -> Result<String, Box<dyn Error>> {
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, size).into_drawing_area();
        draw(&area)?;
        area.present()?;
    }
    Ok(text)
}

#[cfg(test)]
mod tests;
