//! Drawing of the bytes that ranks send to each other: a matrix of groups of ranks, shaded by bytes. Data that stays on
//! its rank is grey. Bars show the sums of the senders at the right, of the receivers beneath.

use super::canvas::{Anchor, Frame, element, rectangle, short, text, width, with_title};
use super::chart::real;
use super::flows::{Cell, Flows, Sums};
use super::owners::Ranks;
use crate::columns::{count, grouped};
use std::collections::{BTreeMap, BTreeSet};
use svg::node::Node;
use svg::node::element::Element;

/// Units for the labels of rows, and for the bars of the sums.
const LABELS: f64 = 34.0;
const BARS: f64 = 78.0;
/// Largest cell, smallest cell with a number, and smallest cell with a title and a gap, in units.
const MAX_CELL: f64 = 44.0;
const NUMBERED_CELL: f64 = 20.0;
const SINGLE_CELL: f64 = 7.0;

/// Draws the matrix at `(x, y)` in `room` units. Returns the drawing and its height.
pub fn matrix(flows: &Flows, (x, y): (f64, f64), room: f64, ranks: Ranks<'_>) -> (Element, f64) {
    let sides = Sides::of(flows);
    let (rows, columns) = (&sides.senders, &sides.receivers);
    let side = (room - LABELS - BARS) / real(rows.len().max(columns.len()).max(1) as u64);
    let side = side.min(MAX_CELL);
    let unit = Unit::of(flows.cells.values().map(|cell| cell.moved.max(cell.kept)).max().unwrap_or(0));
    let (left, top) = (x + LABELS, y + 32.0);
    let at = |row: usize, column: usize| (left + side * real(column as u64), top + side * real(row as u64));
    let (right, bottom) = at(rows.len(), columns.len());
    let mut whole = Element::new("g");
    let title = if ranks.groups.are_single() {
        "from rank ↓ to rank →"
    } else {
        "from ranks ↓ to ranks → (the first of each group)"
    };
    whole.append(text(format!("{title}, in {}", unit.name), (x, y + 12.0), 12.0, Anchor::Start, "quiet"));
    whole.append(rectangle(Frame { x: left, y: top, width: right - left, height: bottom - top }, "blank"));
    whole.append(cells(flows, &sides, side, &at, &unit, ranks));
    let chosen = ranks.groups.contain(ranks.chosen).then(|| ranks.groups.group_of(ranks.chosen));
    let step = (12.0 / side).ceil().max(1.0);
    let is_labelled = |k: usize| real(k as u64) % step == 0.0;
    let every = |label: f64| (label / side).ceil().max(1.0);
    let column_step = every(
        width("0000", 10.0).min(width(&ranks.groups.first(ranks.groups.len() - 1).to_string(), 10.0) + 4.0),
    );
    let label = |group: usize, place: (f64, f64), anchor: Anchor| {
        let class = if Some(group) == chosen { "bold" } else { "quiet" };
        text(ranks.groups.first(group).to_string(), place, 10.0, anchor, class)
    };
    for (k, &group) in rows.iter().enumerate() {
        if is_labelled(k) || Some(group) == chosen && side >= 9.0 {
            whole.append(label(group, (left - 4.0, at(k, 0).1 + side / 2.0 + 3.6), Anchor::End));
        }
    }
    for (k, &group) in columns.iter().enumerate() {
        if real(k as u64) % column_step == 0.0 {
            whole.append(label(group, (at(0, k).0 + side / 2.0, top - 4.0), Anchor::Middle));
        }
    }
    let most =
        flows.sums.iter().map(|sums| sums.sent.max(sums.received) + sums.kept).max().unwrap_or(0).max(1);
    let thick = (0.7 * side).min(16.0);
    let scale = 44.0 / real(most);
    // The bar of a group and the end of the bar.
    let bar = |group: usize, (start, across): (f64, f64), is_row: bool| {
        let Sums { sent, received, kept } = flows.sums[group];
        let (moved, how) = if is_row { (sent, "sent") } else { (received, "received") };
        let name = ranks.groups.name(group);
        let title = format!("{name}: {} {how}, {} kept", in_bytes(moved), in_bytes(kept));
        let bar = Bar { start: start + 6.0, across: across + (side - thick) / 2.0, thick, scale, is_row };
        (bar.draw(moved, kept, title), unit.format(moved))
    };
    for (k, &group) in rows.iter().enumerate() {
        let (_, top) = at(k, 0);
        let ((drawn, end), sum) = bar(group, (right, top), true);
        whole.append(drawn);
        if side >= 10.0 {
            whole.append(text(sum, (end + 3.0, top + side / 2.0 + 3.2), 9.0, Anchor::Start, ""));
        }
    }
    for (k, &group) in columns.iter().enumerate() {
        let (left, _) = at(0, k);
        let ((drawn, end), sum) = bar(group, (bottom, left), false);
        whole.append(drawn);
        if side >= NUMBERED_CELL {
            whole.append(text(sum, (left + side / 2.0, end + 9.0), 9.0, Anchor::Middle, ""));
        }
    }
    if let Some(group) = chosen {
        let edge = |frame| {
            let mut edge = rectangle(frame, "edge label");
            edge.assign("stroke-width", if side < SINGLE_CELL { "0.8" } else { "1.4" });
            edge
        };
        if let Some(row) = sides.row(group) {
            whole.append(edge(Frame { x: left, y: at(row, 0).1, width: right - left, height: side }));
        }
        if let Some(column) = sides.column(group) {
            whole.append(edge(Frame { x: at(0, column).0, y: top, width: side, height: bottom - top }));
        }
    }
    (whole, bottom + 64.0 - y)
}

/// The groups that have a row, and the groups that have a column.
struct Sides {
    senders: Vec<usize>,
    receivers: Vec<usize>,
}

impl Sides {
    fn of(flows: &Flows) -> Self {
        let senders: BTreeSet<usize> = flows.cells.keys().map(|(sender, _)| *sender).collect();
        let receivers: BTreeSet<usize> = flows.cells.keys().map(|(_, receiver)| *receiver).collect();
        Self { senders: senders.into_iter().collect(), receivers: receivers.into_iter().collect() }
    }

    fn row(&self, group: usize) -> Option<usize> {
        self.senders.binary_search(&group).ok()
    }

    fn column(&self, group: usize) -> Option<usize> {
        self.receivers.binary_search(&group).ok()
    }
}

fn cells(
    flows: &Flows,
    sides: &Sides,
    side: f64,
    at: &dyn Fn(usize, usize) -> (f64, f64),
    unit: &Unit,
    ranks: Ranks<'_>,
) -> Element {
    let most = flows.cells.values().map(|cell| cell.moved).max().unwrap_or(0).max(1);
    let gap = if side >= SINGLE_CELL { 0.5 } else { 0.0 };
    let mut whole = Element::new("g");
    // Small cells are numerous, so cells of about the same shade form one path, without titles.
    let mut shades: BTreeMap<Option<u64>, String> = BTreeMap::new();
    for (&(sender, receiver), cell) in &flows.cells {
        let (Some(row), Some(column)) = (sides.row(sender), sides.column(receiver)) else { continue };
        let (x, y) = at(row, column);
        let (x, y, size) = (x + gap, y + gap, side - 2.0 * gap);
        // Height of the part that stays, which is drawn beneath the part that moves.
        let kept = size * real(cell.kept) / real((cell.kept + cell.moved).max(1));
        let moves = Frame { x, y, width: size, height: size - kept };
        let stays = Frame { x, y: y + size - kept, width: size, height: kept };
        if side < SINGLE_CELL {
            let level = u64::try_from((u128::from(cell.moved) * 8).div_ceil(most.into())).unwrap_or(8);
            for (level, frame) in [(Some(level), moves), (None, stays)] {
                if frame.height > 0.0 {
                    *shades.entry(level).or_default() += &frame.path();
                }
            }
            continue;
        }
        let mut shape = Element::new("g");
        if cell.moved > 0 {
            shape.append(shade(rectangle(moves, "flow"), real(cell.moved) / real(most)));
        }
        if cell.kept > 0 {
            shape.append(rectangle(stays, "kept"));
        }
        let shape = with_title(shape, title(*cell, &ranks.groups.name(sender), &ranks.groups.name(receiver)));
        whole.append(shape);
        if side >= NUMBERED_CELL {
            let label = unit.format(if cell.moved > 0 { cell.moved } else { cell.kept });
            let font = if side >= 30.0 { 11.0 } else { 9.0 };
            let place = (x + size / 2.0, y + size / 2.0 + 0.36 * font);
            whole.append(text(label, place, font, Anchor::Middle, "label"));
        }
    }
    for (level, path) in shades {
        whole.append(match level {
            Some(level) => shade(element("path", "flow", &[("d", path)]), real(level) / 8.0),
            None => element("path", "kept", &[("d", path)]),
        });
    }
    whole
}

/// Shades a cell. `part` is the bytes that move in it, divided by the maximum over all cells.
fn shade(mut element: Element, part: f64) -> Element {
    element.assign("fill-opacity", short(0.15 + 0.85 * part));
    element
}

fn title(cell: Cell, sender: &str, receiver: &str) -> String {
    let moved =
        format!("{sender} → {receiver}: {} in {}", in_bytes(cell.moved), count(cell.messages, "message"));
    match (cell.moved, cell.kept) {
        (_, 0) => moved,
        (0, kept) => format!("{sender} keeps {}", in_bytes(kept)),
        (_, kept) => format!("{moved}, {} kept", in_bytes(kept)),
    }
}

fn in_bytes(n: u64) -> String {
    format!("{} bytes", grouped(n))
}

/// A bar that begins at `start` and has two parts.
struct Bar {
    start: f64,
    across: f64,
    thick: f64,
    /// Units of the drawing per byte.
    scale: f64,
    is_row: bool,
}

impl Bar {
    /// Draws a bar of the bytes that move and the bytes that stay. Returns the drawing, and the end of the bar.
    fn draw(&self, moved: u64, kept: u64, title: String) -> (Element, f64) {
        let mut whole = Element::new("g");
        let mut start = self.start;
        for (size, class) in [(moved, "flow"), (kept, "kept")] {
            let length = self.scale * real(size);
            if size > 0 {
                let (x, y, width, height) = match self.is_row {
                    true => (start, self.across, length, self.thick),
                    false => (self.across, start, self.thick, length),
                };
                whole.append(rectangle(Frame { x, y, width, height }, class));
            }
            start += length;
        }
        (with_title(whole, title), start)
    }
}

/// The unit of the numbers of a matrix.
struct Unit {
    bytes: u64,
    name: &'static str,
}

impl Unit {
    /// Returns the largest unit in which `most` bytes have a whole part of at least 4.
    fn of(most: u64) -> Self {
        let names = [("PiB", 50), ("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)];
        let found = names.into_iter().find(|(_, power)| most >> power >= 4);
        found.map_or(Self { bytes: 1, name: "bytes" }, |(name, power)| Self { bytes: 1 << power, name })
    }

    /// Formats bytes in few characters.
    fn format(&self, bytes: u64) -> String {
        let value = real(bytes) / real(self.bytes);
        match value {
            _ if bytes == 0 || self.bytes == 1 => bytes.to_string(),
            v if v < 0.095 => "<0.1".into(),
            v if v < 9.95 => format!("{v:.1}"),
            v => format!("{v:.0}"),
        }
    }
}
