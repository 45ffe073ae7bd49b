//! Chart of steps by port for a page with its own colours and width. Text and axes have the colour of the page's text.

use super::chart::{colour_key, ports};
use super::{chosen_bars, svg};
use crate::columns::grouped;
use reblock_plan::schedule::chooser::Schedule;
use reblock_plan::schedule::traffic::Traffic;

/// Maximum number of messages in a chart on a page.
const MAX_MESSAGES: u64 = 4_000;

/// Returns the chart of steps by port; the error says why it is not drawn.
pub fn steps(traffic: &Traffic, schedule: &Schedule) -> Result<String, String> {
    let messages = traffic.messages();
    if messages > MAX_MESSAGES {
        return Err(format!("a page has charts of at most {} messages", grouped(MAX_MESSAGES)));
    }
    let bars = chosen_bars(traffic, schedule).ok_or("the messages cannot be listed")?;
    if bars.bars.is_empty() {
        return Err("no rank sends anything to another".into());
    }
    let drawn = svg((640, 550), |area| {
        let (chart, key) = area.split_vertically(500);
        ports(&chart, &bars, bars.end)?;
        colour_key(&key, bars.steps)
    });
    drawn.map(|text| inked(&text)).map_err(|error| error.to_string())
}

/// Gives black parts the colour of the text around the drawing.
pub(super) fn inked(svg: &str) -> String {
    svg.replace("\"#000000\"", "\"currentColor\"")
}
