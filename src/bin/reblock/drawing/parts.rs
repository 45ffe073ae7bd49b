//! Drawings for a page with its own colours and width: the matrix of messages, and the chart of steps by port. Text
//! and axes have the colour of the page's text.

use super::chart::{colour_key, matrix, ports};
use super::{chosen_bars, svg};
use crate::columns::grouped;
use reblock_plan::schedule::chooser::Schedule;
use reblock_plan::schedule::traffic::Traffic;

/// Maximum number of messages in a drawing on a page.
const MAX_MESSAGES: u64 = 4_000;

/// Returns the matrix of messages and the chart of steps by port; the error says why they are not drawn.
pub fn parts(traffic: &Traffic, schedule: &Schedule) -> Result<[String; 2], String> {
    let messages = traffic.messages();
    if messages > MAX_MESSAGES {
        return Err(format!("a page has drawings of at most {} messages", grouped(MAX_MESSAGES)));
    }
    let bars = chosen_bars(traffic, schedule).ok_or("the messages cannot be listed")?;
    if bars.bars.is_empty() {
        return Err("no rank sends anything to another".into());
    }
    let who = svg((520, 500), |area| {
        let (matrices, key) = area.split_vertically(450);
        let phases = matrices.split_evenly((1, bars.ports.len()));
        for (phase, area) in phases.iter().enumerate() {
            matrix(area, &bars, phase)?;
        }
        colour_key(&key, bars.steps)
    });
    let when = svg((640, 500), |area| ports(area, &bars, bars.end));
    let text = |drawn: Result<String, Box<dyn std::error::Error>>| drawn.map_err(|error| error.to_string());
    Ok([inked(&text(who)?), inked(&text(when)?)])
}

/// Gives black parts the colour of the text around the drawing.
pub(super) fn inked(svg: &str) -> String {
    svg.replace("\"#000000\"", "\"currentColor\"")
}
