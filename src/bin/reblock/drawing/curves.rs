//! Drawing of growth: steps, cost and contention by the number of ranks, on logarithmic scales. The curves are the
//! chosen schedule, the caterpillars, and all messages at once.

use super::chart::{real, whole};
use super::{Area, Drawn, FONT};
use crate::growth::{Count, Growth, Stage};
use plotters::prelude::*;

/// The figure that a panel shows.
type Figure = fn(&Count) -> u64;
/// A curve: title, colour, and scheduler (`None` for the chosen one).
type Curve = (&'static str, RGBColor, Option<&'static str>);

/// Later curves are drawn over earlier ones.
const CURVES: [Curve; 4] = [
    ("unscheduled", RGBColor(150, 150, 150), Some("unscheduled")),
    ("caterpillar, p + q = d", RGBColor(230, 150, 40), Some("caterpillar-sum")),
    ("caterpillar, q - p = d", RGBColor(200, 50, 50), Some("caterpillar")),
    ("reblock's choice", RGBColor(30, 90, 180), None),
];

/// Draws a panel for each figure.
pub fn curves(area: &Area<'_>, growth: &Growth) -> Drawn {
    let panels: [(&str, Figure); 3] = [
        ("steps", |count| count.steps),
        ("cost in bytes", |count| count.cost_bytes),
        ("most messages of a port in a step", |count| count.contention),
    ];
    for ((title, figure), area) in panels.into_iter().zip(area.split_evenly((1, 3))) {
        panel(&area, growth, title, figure)?;
    }
    Ok(())
}

fn panel(area: &Area<'_>, growth: &Growth, title: &str, figure: Figure) -> Drawn {
    let lists = CURVES.map(|(.., scheduler)| points(&growth.stages, scheduler, figure));
    let most = lists.iter().flatten().map(|&(_, y)| y).fold(1.0, f64::max);
    let least = lists.iter().flatten().map(|&(_, y)| y).fold(most, f64::min);
    let ranks = |stage: Option<&Stage>| stage.map_or(1.0, |stage| real(stage.ranks));
    let (first, last) = (ranks(growth.stages.first()), ranks(growth.stages.last()));
    let mut chart = ChartBuilder::on(area)
        .margin(12)
        .margin_right(34)
        .caption(title, (FONT, 20))
        .x_label_area_size(44)
        .y_label_area_size(90)
        .build_cartesian_2d(
            (first / 1.2..last * 1.2).log_scale(),
            // Room for the key at the top.
            (least / 1.5..most * (most / least).powf(0.4).max(3.0)).log_scale(),
        )?;
    chart
        .configure_mesh()
        .x_desc("ranks")
        .x_labels(6)
        .y_labels(8)
        .light_line_style(WHITE)
        .x_label_formatter(&whole)
        .y_label_formatter(&whole)
        .label_style((FONT, 13))
        .draw()?;
    for ((name, colour, _), list) in CURVES.into_iter().zip(lists) {
        let line = LineSeries::new(list.clone(), colour.stroke_width(2));
        chart
            .draw_series(line)?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 22, y)], colour.stroke_width(2)));
        chart.draw_series(list.into_iter().map(|at| Circle::new(at, 3, colour.filled())))?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE)
        .border_style(RGBColor(200, 200, 200))
        .label_font((FONT, 13))
        .draw()?;
    Ok(())
}

/// Returns a point (ranks, figure) for each stage that counted the figure.
fn points(stages: &[Stage], scheduler: Option<&str>, figure: Figure) -> Vec<(f64, f64)> {
    let count = |stage: &Stage| {
        let name = scheduler.unwrap_or(stage.taken);
        stage.schedulers.iter().find(|scheduler| scheduler.name == name)?.count
    };
    let at = |stage: &Stage| Some((real(stage.ranks), real(figure(&count(stage)?))));
    // Zero has no place on a logarithmic scale.
    stages.iter().filter_map(at).filter(|&(_, y)| y > 0.0).collect()
}
