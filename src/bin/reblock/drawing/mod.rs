//! Drawings of redistributions, schedules, growth and times, as SVG.
//!
//! | file | contents |
//! |---|---|
//! | `movement` | owners before and after, and bytes between ranks; made of the following |
//! | `tiles`, `owners` | a plane of the array in tiles with their owners, and its drawing |
//! | `flows`, `matrix` | bytes between ranks, and their drawing |
//! | `ranks` | ranks in groups |
//! | `canvas` | elements of these drawings |
//! | `chart`, `bars` | a schedule: steps of messages, and the activity of ports |
//! | `timeline` | one measured call on all ranks |
//! | `curves`, `times` | growth; times of libraries |

mod bars;
mod canvas;
mod chart;
mod curves;
mod flows;
mod matrix;
mod movement;
mod owners;
mod ranks;
mod tiles;
mod timeline;
mod times;

pub use canvas::STYLE;
pub use movement::Movement;
pub use timeline::timeline;
pub use times::{Time, times};

use crate::columns::grouped;
use crate::growth::Growth;
use crate::layout::Layout;
use plotters::coord::Shift;
use plotters::prelude::*;
use reblock_plan::schedule::caterpillar;
use reblock_plan::schedule::chooser::Schedule;
use reblock_plan::schedule::course::Course;
use reblock_plan::schedule::traffic::Traffic;
use std::error::Error;
use std::path::Path;

/// Maximum number of messages in a drawing, and in a chart on a page.
const MAX_MESSAGES: u64 = 20_000;
const MAX_PAGE_MESSAGES: u64 = 4_000;
const FONT: &str = "sans-serif";

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), Box<dyn Error>>;

/// Draws the owners before and after, and the bytes between ranks. Dimension k of the source becomes dimension
/// `axes[k]` of the target. `chosen` is the rank to emphasise.
pub fn movement(
    file: &Path,
    traffic: &Traffic,
    layouts: [&Layout; 2],
    axes: &[usize],
    chosen: Option<u32>,
) -> Result<(), String> {
    let named = layouts.map(ToString::to_string);
    let movement = Movement::new(traffic, named.each_ref().map(String::as_str), axes, chosen);
    let movement = movement.map_err(|error| format!("--draw: {error}"))?;
    let text = movement.of_arrangements(layouts.map(Layout::ranks)).file();
    std::fs::write(file, text).map_err(|error| format!("--draw {}: {error}", file.display()))
}

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

/// Returns the chart of steps by port, for a page with its own width; the error says why it is not drawn.
pub fn steps(traffic: &Traffic, schedule: &Schedule) -> Result<String, String> {
    if traffic.messages() > MAX_PAGE_MESSAGES {
        return Err(format!("a page has charts of at most {} messages", grouped(MAX_PAGE_MESSAGES)));
    }
    let bars = chosen_bars(traffic, schedule).ok_or("the messages cannot be listed")?;
    if bars.bars.is_empty() {
        return Err("no rank sends anything to another".into());
    }
    let drawn = svg((640, 550), |area| {
        let (chart, key) = area.split_vertically(500);
        chart::ports(&chart, &bars, bars.end)?;
        chart::colour_key(&key, bars.steps)
    });
    drawn.map(|text| use_text_colour(&text)).map_err(|error| error.to_string())
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

/// Gives black parts the colour of the text around the drawing, for a page with its own colours.
fn use_text_colour(svg: &str) -> String {
    svg.replace("\"#000000\"", "\"currentColor\"")
}

#[cfg(test)]
mod tests;
