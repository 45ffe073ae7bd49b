//! HOW does a schedule look on a page that has its own colours and width? The matrix of messages and the chart of steps by port,
//! each by itself, text and axes in the colour of the page's text.

use super::chart::{colour_key, matrix, ports};
use super::{svg, taken};
use crate::columns::grouped;
use reblock::schedule::router::Schedule;
use reblock::schedule::traffic::Traffic;

/// Messages that are drawn on a page, at the most.
const MOST: u64 = 4_000;

/// The matrix of messages, and the chart of steps by port; or why they are not drawn.
pub fn parts(traffic: &Traffic, schedule: &Schedule) -> Result<[String; 2], String> {
    let messages = traffic.messages();
    if messages > MOST {
        return Err(format!("a page has drawings of at most {} messages", grouped(MOST)));
    }
    let bars = taken(traffic, schedule).ok_or("the messages cannot be listed")?;
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

/// What is black takes the colour of the text around the drawing.
pub(super) fn inked(svg: &str) -> String {
    svg.replace("\"#000000\"", "\"currentColor\"")
}
