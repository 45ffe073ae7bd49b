//! Drawing of one measured call on all ranks: start, end and waiting times of each rank, by the clocks of the nodes.

use super::canvas::{Anchor, Frame, drawing, element, rectangle, text, with_title};
use super::chart::real;
use crate::columns::count;
use reblock::trial::{RankCall, duration};
use reblock_plan::schedule::traffic::Traffic;
use std::collections::BTreeMap;
use svg::node::Node;
use svg::node::element::Element;

/// Width of the drawing, and of the labels of the rows, in units.
const WIDTH: f64 = 440.0;
const LABELS: f64 = 34.0;
/// Minimum and maximum height of a row. `HEIGHT` is the height of all rows together, unless a row would then exceed
/// these limits.
const ROW: (f64, f64) = (4.0, 18.0);
const HEIGHT: f64 = 330.0;

/// Draws the calls of all ranks, and names the rank that came last. `traffic` has the senders of each rank. The error
/// says why there is no drawing.
pub fn timeline(calls: &[RankCall], traffic: &Traffic) -> Result<String, String> {
    let calls = calls_with_common_number(calls);
    let (Some(first), Some(last)) = (
        calls.iter().min_by_key(|call| (call.begin_ns, call.rank)),
        calls.iter().max_by_key(|call| (call.begin_ns, call.rank)),
    ) else {
        return Err("the trace has no times of a single call".into());
    };
    let seconds =
        |call: &RankCall| call.waits.iter().flatten().copied().chain([call.seconds]).all(f64::is_finite);
    if !calls.iter().all(|call| seconds(call)) {
        return Err("the trace has impossible times".into());
    }
    let start = |call: &RankCall| real(call.begin_ns - first.begin_ns) * 1e-9;
    let end = calls.iter().map(|call| start(call) + call_seconds(call)).fold(0.0, f64::max).max(1e-9);
    let row = (HEIGHT / real(calls.len() as u64)).clamp(ROW.0, ROW.1);
    let scale = (WIDTH - LABELS) / end;
    let awaited = last_senders(&calls, traffic);
    let (top, mut parts) = (22.0, Vec::new());
    let bottom = top + row * real(calls.len() as u64);
    parts.push(rectangle(Frame { x: LABELS, y: top, width: WIDTH - LABELS, height: bottom - top }, "blank"));
    let step = (12.0 / row).ceil().max(1.0);
    for (k, call) in calls.iter().enumerate() {
        let y = top + row * real(k as u64);
        let bar = |start: f64, length: f64, class| {
            let (x, width) = (LABELS + scale * start, (scale * length).max(0.3));
            rectangle(Frame { x, y: y + 0.1 * row, width, height: 0.8 * row }, class)
        };
        let mut whole = Element::new("g");
        whole.append(bar(start(call), call_seconds(call), "flow"));
        let mut waited = 0.0;
        for &[from, length] in &call.waits {
            let from = from.clamp(0.0, call_seconds(call));
            let length = length.clamp(0.0, call_seconds(call) - from);
            waited += length;
            whole.append(bar(start(call) + from, length, "kept"));
        }
        let mut about = format!(
            "rank {}: began {} after the first rank, took {}",
            call.rank,
            duration(start(call)),
            duration(call_seconds(call))
        );
        about += &format!(", of which it waited {}", duration(waited));
        if let Some(&(sender, later)) = awaited.get(&call.rank) {
            about += &format!(
                "; of the ranks that send to it, rank {sender} came last, {} after it",
                duration(later)
            );
        }
        parts.push(with_title(whole, about));
        if real(k as u64) % step == 0.0 || call.rank == last.rank {
            let class = if call.rank == last.rank { "bold" } else { "quiet" };
            parts.push(text(
                call.rank.to_string(),
                (LABELS - 4.0, y + row / 2.0 + 3.6),
                10.0,
                Anchor::End,
                class,
            ));
        }
    }
    for (part, anchor) in [(0.0, Anchor::Start), (0.5, Anchor::Middle), (1.0, Anchor::End)] {
        let place = (LABELS + part * (WIDTH - LABELS), bottom + 13.0);
        parts.push(text(
            if part == 0.0 { "0".into() } else { duration(part * end) },
            place,
            10.0,
            anchor,
            "quiet",
        ));
    }
    let number = calls[0].number;
    let came = match calls.len() {
        1 => String::new(),
        _ => format!(": rank {} came last, {} after rank {}", last.rank, duration(start(last)), first.rank),
    };
    let title = format!("call {number} on {}{came}", count(calls.len() as u64, "rank"));
    parts.push(text(title.clone(), (0.0, 12.0), 11.0, Anchor::Start, ""));
    let mut shifted = element("g", "", &[("transform", "translate(8 4)".into())]);
    parts.into_iter().for_each(|part| shifted.append(part));
    Ok(drawing(
        (WIDTH + 16.0, bottom + 30.0),
        &title,
        "Times of one call by rank; grey: the rank waited",
        false,
        vec![shifted],
    ))
}

/// Returns the seconds of a call, or 0 if the trace has a negative number.
fn call_seconds(call: &RankCall) -> f64 {
    call.seconds.max(0.0)
}

/// Returns the calls with the most frequent call number, in ascending order of the ranks. If two numbers are equally
/// frequent, the higher number counts.
fn calls_with_common_number(calls: &[RankCall]) -> Vec<&RankCall> {
    let mut counts: BTreeMap<u64, usize> = BTreeMap::new();
    calls.iter().for_each(|call| *counts.entry(call.number).or_default() += 1);
    let number = counts.iter().max_by_key(|(number, count)| (**count, **number)).map(|(number, _)| *number);
    let mut same: Vec<&RankCall> = calls.iter().filter(|call| Some(call.number) == number).collect();
    same.sort_by_key(|call| call.rank);
    same.dedup_by_key(|call| call.rank);
    same
}

/// Returns, for each rank that began before one of its senders, the sender that began last, and the seconds between the
/// start of the rank and that of the sender.
fn last_senders(calls: &[&RankCall], traffic: &Traffic) -> BTreeMap<u32, (u32, f64)> {
    let mut awaited: BTreeMap<u32, (u32, f64)> = BTreeMap::new();
    let Some(list) = traffic.listed() else { return awaited };
    let begins: BTreeMap<u32, u64> = calls.iter().map(|call| (call.rank, call.begin_ns)).collect();
    for edge in list.graph.edges() {
        let (from, to) = traffic.edge_coordinates(edge);
        let (sender, receiver) = (traffic.from.rank(&from).0, traffic.to.rank(&to).0);
        let (Some(&sent), Some(&expected)) = (begins.get(&sender), begins.get(&receiver)) else { continue };
        let later = real(sent.saturating_sub(expected)) * 1e-9;
        let known = awaited.get(&receiver).map_or(0.0, |(_, later)| *later);
        if later > known {
            awaited.insert(receiver, (sender, later));
        }
    }
    awaited
}
