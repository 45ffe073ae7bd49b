//! Drawing of a schedule: above, the matrix of senders and receivers in the colours of the steps; below, the activity
//! of each port over time. Several schedules are drawn side by side, with one scale of time.

use super::bars::Bars;
use super::{Area, Drawn, FONT};
use crate::columns::{bytes, count, grouped};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::collections::BTreeMap;

/// Maximum number of colours in the key.
const MAX_KEY_COLOURS: u64 = 240;

/// Draws schedules, each with its name above it.
pub fn chart(area: &Area<'_>, schedules: &[(&str, &Bars)]) -> Drawn {
    let end = schedules.iter().map(|(_, bars)| bars.end).max().unwrap_or(0).max(1);
    for ((name, bars), column) in schedules.iter().zip(area.split_evenly((1, schedules.len()))) {
        let title = format!("{name}: {}, cost {}", count(bars.steps, "step"), bytes(bars.end));
        let column = column.titled(&title, (FONT, 22))?;
        let (matrices, rest) = column.split_vertically(500);
        let (key, gantt) = rest.split_vertically(50);
        let phases = matrices.split_evenly((1, bars.ports.len().max(1)));
        for (phase, area) in phases.iter().enumerate() {
            matrix(area, bars, phase)?;
        }
        colour_key(&key, bars.steps)?;
        ports(&gantt, bars, end)?;
    }
    Ok(())
}

/// Returns the colour of a step, from red for the first one to violet for the last one.
fn colour(step: u64, steps: u64) -> HSLColor {
    HSLColor(0.8 * real(step) / real(steps.max(2) - 1), 0.7, 0.5)
}

/// Pixels left of a matrix and beneath it, for its labels; then pixels above it and right of it.
const LEFT: i32 = 70;
const BENEATH: i32 = 44;
const AROUND: i32 = 10;
/// Minimum width and height, in pixels, of a cell that shows its bytes.
const MIN_TEXT_CELL: (f64, f64) = (46.0, 14.0);

/// Returns the style of a text that is centred on its place.
fn centred_style(size: i32) -> TextStyle<'static> {
    TextStyle::from((FONT, size).into_font()).pos(Pos::new(HPos::Center, VPos::Center))
}

/// Returns the distance between labelled numbers: 1 if each number has a label. A number has `each` pixels, and a
/// label needs `least`.
fn label_step(each: f64, least: f64) -> usize {
    // The quotient is positive and small: a label needs some tens of pixels, and `each` counts as at least 0.001.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let every = (least / each.max(1e-3)).ceil() as usize;
    every.max(1)
}

fn pixel(x: f64) -> i32 {
    // The number is a coordinate of a drawing, so it fits.
    #[allow(clippy::cast_possible_truncation)]
    let pixel = x.round() as i32;
    pixel
}

/// Draws the matrix of the senders (rows) and receivers (columns) of a phase. The cell of a message has the colour of
/// its step, stronger for more bytes. Data that ranks keep is grey.
pub fn matrix(area: &Area<'_>, bars: &Bars, phase: usize) -> Drawn {
    let (senders, receivers) = bars.ports.get(phase).copied().unwrap_or((1, 1));
    let (width, height) = area.dim_in_pixel();
    let room = |size: u32, taken: i32| f64::from(size) - f64::from(taken);
    let cell = (
        room(width, LEFT + AROUND) / real(receivers.max(1)),
        room(height, BENEATH + AROUND) / real(senders.max(1)),
    );
    let at = |sender: f64, receiver: f64| (LEFT + pixel(receiver * cell.0), AROUND + pixel(sender * cell.1));
    let (end_x, end_y) = at(real(senders), real(receivers));
    area.draw(&Rectangle::new([(LEFT, AROUND), (end_x, end_y)], RGBColor(150, 150, 150).stroke_width(1)))?;
    // The parts of one message share a cell, in the colour of the first one.
    let mut cells: BTreeMap<(u64, u64), (u64, RGBAColor)> = BTreeMap::new();
    let sent = bars.bars.iter().filter(|bar| bar.phase == phase);
    for bar in sent {
        let of_step = colour(bar.step, bars.steps).to_rgba();
        cells.entry((bar.sender, bar.receiver)).or_insert((0, of_step)).0 += bar.bytes;
    }
    for kept in bars.kept.get(phase).into_iter().flatten() {
        cells.insert((kept.sender, kept.receiver), (kept.bytes, RGBColor(140, 140, 140).to_rgba()));
    }
    let most = cells.values().map(|(bytes, _)| *bytes).max().unwrap_or(1).max(1);
    let gap = i32::from(cell.0 >= 6.0 && cell.1 >= 6.0);
    for (&(sender, receiver), &(size, colour)) in &cells {
        let (left, top) = at(real(sender), real(receiver));
        let (right, bottom) = at(real(sender + 1), real(receiver + 1));
        let shade = colour.mix(0.2 + 0.6 * real(size) / real(most));
        area.draw(&Rectangle::new([(left + gap, top + gap), (right, bottom)], shade.filled()))?;
        if cell.0 >= MIN_TEXT_CELL.0 && cell.1 >= MIN_TEXT_CELL.1 {
            let middle = ((left + right) / 2, (top + bottom) / 2);
            area.draw(&Text::new(short(size), middle, centred_style(11)))?;
        }
    }
    for receiver in (0..receivers).step_by(label_step(cell.0, 26.0)) {
        let (x, _) = at(0.0, real(receiver) + 0.5);
        area.draw(&Text::new(receiver.to_string(), (x, end_y + 11), centred_style(13)))?;
    }
    for sender in (0..senders).step_by(label_step(cell.1, 14.0)) {
        let (_, y) = at(real(sender) + 0.5, 0.0);
        area.draw(&Text::new(sender.to_string(), (LEFT - 18, y), centred_style(13)))?;
    }
    area.draw(&Text::new("receiver", ((LEFT + end_x) / 2, end_y + 30), centred_style(13)))?;
    let upright = TextStyle::from((FONT, 13).into_font().transform(FontTransform::Rotate270));
    let upright = upright.pos(Pos::new(HPos::Center, VPos::Center));
    area.draw(&Text::new("sender", (14, (AROUND + end_y) / 2), upright))?;
    Ok(())
}

/// Formats bytes in few characters.
fn short(bytes: u64) -> String {
    reblock::trial::bytes(bytes)
}

/// Draws the key: the colours of the steps, with their numbers.
pub fn colour_key(area: &Area<'_>, steps: u64) -> Drawn {
    let (width, height) = area.dim_in_pixel();
    let (room, colours) = (f64::from(width) - f64::from(LEFT + AROUND), steps.clamp(1, MAX_KEY_COLOURS));
    let bottom = i32::try_from(height).unwrap_or(0) - 34;
    let x = |part: f64, of: u64| LEFT + pixel(room * part / real(of));
    for k in 0..colours {
        let corners = [(x(real(k), colours), 0), (x(real(k + 1), colours), bottom.max(4))];
        area.draw(&Rectangle::new(corners, colour(k, colours).filled()))?;
    }
    for step in (0..steps).step_by(label_step(room / real(steps.max(1)), 26.0)) {
        let place = (x(real(step) + 0.5, steps), bottom.max(4) + 9);
        area.draw(&Text::new(step.to_string(), place, centred_style(13)))?;
    }
    area.draw(&Text::new("step", (LEFT + pixel(room / 2.0), bottom.max(4) + 26), centred_style(13)))?;
    Ok(())
}

/// Returns the number of labels on an axis from 0 to `numbers`: 2 to 11, and at most one for each whole number unless
/// `numbers` is 0.
fn labels(numbers: u64) -> usize {
    usize::try_from(numbers + 1).map_or(11, |labels| labels.clamp(2, 11))
}

/// Draws the activity of each port on an axis from 0 to `end` bytes.
pub fn ports(area: &Area<'_>, bars: &Bars, end: u64) -> Drawn {
    let senders = bars.ports.iter().map(|ports| ports.0).max().unwrap_or(1);
    let receivers = bars.ports.iter().map(|ports| ports.1).max().unwrap_or(1);
    // A gap between senders and receivers.
    let gap = real(senders + receivers) / 20.0;
    let bottom = real(senders) + gap + real(receivers);
    let mut chart = ChartBuilder::on(area)
        .margin(10)
        .x_label_area_size(40)
        .y_label_area_size(60)
        .build_cartesian_2d(0.0..real(end), bottom..0.0)?;
    chart
        .configure_mesh()
        .disable_mesh()
        .x_desc("bytes that a port has sent or received, if every step waits for the one before")
        .y_desc("receivers | senders")
        .y_labels(0)
        .x_labels(labels(end).min(6))
        .x_label_formatter(&whole)
        .label_style((FONT, 13))
        .draw()?;
    let bar = |row: f64, start: u64, length: u64, step: u64| {
        let (x, y) = (real(start), row + 0.9);
        Rectangle::new([(x, row + 0.1), (x + real(length), y)], colour(step, bars.steps).filled())
    };
    chart.draw_series(bars.bars.iter().flat_map(|b| {
        let receiver = real(senders) + gap + real(b.receiver);
        [bar(real(b.sender), b.start.0, b.bytes, b.step), bar(receiver, b.start.1, b.bytes, b.step)]
    }))?;
    // Numbers of the ports, left of their rows.
    let (across, down) = area.get_pixel_range();
    let place = |row: f64| {
        let (x, y) = chart.backend_coord(&(0.0, row + 0.5));
        (x - across.start - 6, y - down.start)
    };
    let style = TextStyle::from((FONT, 12).into_font()).pos(Pos::new(HPos::Right, VPos::Center));
    let step = label_step(f64::from(place(1.0).1 - place(0.0).1), 12.0);
    for sender in (0..senders).step_by(step) {
        area.draw(&Text::new(format!("{sender} →"), place(real(sender)), style.clone()))?;
    }
    for receiver in (0..receivers).step_by(step) {
        let row = real(senders) + gap + real(receiver);
        area.draw(&Text::new(format!("→ {receiver}"), place(row), style.clone()))?;
    }
    Ok(())
}

/// Formats a whole number as a label.
pub fn whole(n: &f64) -> String {
    if *n < 0.0 {
        return String::new();
    }
    // Labels are values on axes of counts, which are of type u64.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let whole = n.round() as u64;
    grouped(whole)
}

pub fn real(n: u64) -> f64 {
    #[allow(clippy::cast_precision_loss)]
    let n = n as f64;
    n
}
