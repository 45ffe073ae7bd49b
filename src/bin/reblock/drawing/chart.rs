//! HOW does a schedule look? Above, the matrix of senders and receivers, in the colours of the steps; below, what each
//! port does when. Schedules stand side by side, on one scale of time.

use super::bars::Bars;
use super::{Drawn, FONT};
use crate::columns::{bytes, count, grouped};
use plotters::coord::Shift;
use plotters::prelude::*;

type Area<'a, 'b> = DrawingArea<SVGBackend<'a>, Shift>;

/// Colours of the key, at the most.
const KEY: u64 = 240;

/// Draws schedules, each with its name.
pub fn chart(area: &Area<'_, '_>, schedules: &[(&str, &Bars)]) -> Drawn {
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

/// From red for the first step to violet for the last one.
fn colour(step: u64, steps: u64) -> HSLColor {
    HSLColor(0.8 * real(step) / real(steps.max(2) - 1), 0.7, 0.5)
}

/// Who sends to whom in a phase, in which step.
pub fn matrix(area: &Area<'_, '_>, bars: &Bars, phase: usize) -> Drawn {
    let (senders, receivers) = bars.ports.get(phase).copied().unwrap_or((1, 1));
    let mut chart = ChartBuilder::on(area)
        .margin(10)
        .x_label_area_size(40)
        .y_label_area_size(60)
        .build_cartesian_2d(0.0..real(receivers), real(senders)..0.0)?;
    chart
        .configure_mesh()
        .disable_mesh()
        .x_desc("receiver")
        .y_desc("sender")
        .x_labels(labels(receivers))
        .y_labels(labels(senders))
        .x_label_formatter(&|x| format!("{x:.0}"))
        .y_label_formatter(&|y| format!("{y:.0}"))
        .label_style((FONT, 13))
        .draw()?;
    let cells = bars.bars.iter().filter(|bar| bar.phase == phase).map(|bar| {
        let (x, y) = (real(bar.receiver), real(bar.sender));
        Rectangle::new([(x, y), (x + 1.0, y + 1.0)], colour(bar.step, bars.steps).filled())
    });
    chart.draw_series(cells)?;
    Ok(())
}

/// The colours of the steps.
pub fn colour_key(area: &Area<'_, '_>, steps: u64) -> Drawn {
    let mut chart = ChartBuilder::on(area)
        .margin_left(70)
        .margin_right(10)
        .x_label_area_size(34)
        .build_cartesian_2d(0.0..real(steps.max(1)), 0.0..1.0)?;
    chart
        .configure_mesh()
        .disable_mesh()
        .disable_y_axis()
        .x_desc("step")
        .x_labels(labels(steps))
        .x_label_formatter(&|x| format!("{x:.0}"))
        .label_style((FONT, 13))
        .draw()?;
    let colours = steps.clamp(1, KEY);
    let width = real(steps.max(1)) / real(colours);
    chart.draw_series((0..colours).map(|k| {
        let x = real(k) * width;
        Rectangle::new([(x, 0.0), (x + width, 1.0)], colour(k, colours).filled())
    }))?;
    Ok(())
}

/// Labels along so many whole numbers: no more than there are.
fn labels(numbers: u64) -> usize {
    usize::try_from(numbers + 1).map_or(11, |labels| labels.clamp(2, 11))
}

/// What each port does when, up to `end`.
pub fn ports(area: &Area<'_, '_>, bars: &Bars, end: u64) -> Drawn {
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
        .x_desc("time in bytes, if every step waits for the one before")
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
    Ok(())
}

/// The label of a whole number.
pub fn whole(n: &f64) -> String {
    if *n < 0.0 {
        return String::new();
    }
    // Labels are of counts that were u64 before.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let whole = n.round() as u64;
    grouped(whole)
}

/// A number to draw with.
pub fn real(n: u64) -> f64 {
    #[allow(clippy::cast_precision_loss)]
    let n = n as f64;
    n
}
