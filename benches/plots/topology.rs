//! Predicts the cost of resizing by the machine's model. Draws figures 4 and 6 of Sudarsan and Ribbens (2007) with the
//! predictions, and prints the table of docs/research/resize-model.md.
//!
//! ```sh
//! cargo run --example topology --no-default-features --features cli -- docs/research
//! ```
//!
//! `REBLOCK_NETWORK` describes the machine, as for the library.

use plotters::prelude::*;
use reblock::system::settings::Settings;
use reblock_plan::machine::Machine;
use reblock_plan::plan::topology::{Matrix, cheapest_grid, seconds};
use std::error::Error;
use std::path::Path;

/// A process grid: rows, columns.
type Shape = [u32; 2];
/// A curve of a figure: its name, and points of x and milliseconds.
type Curve = (String, Vec<(f64, f64)>);

/// Table 1 of the paper.
const NEARLY_SQUARE: [Shape; 13] =
    [[1, 2], [2, 2], [2, 3], [2, 4], [3, 3], [3, 4], [4, 4], [4, 5], [5, 5], [5, 6], [6, 6], [5, 8], [6, 8]];
const MORE_COLUMNS: [Shape; 13] = [
    [1, 2],
    [2, 2],
    [2, 3],
    [2, 4],
    [3, 3],
    [2, 6],
    [2, 8],
    [2, 10],
    [5, 5],
    [3, 10],
    [2, 18],
    [2, 20],
    [2, 24],
];
const MORE_ROWS: [Shape; 13] = [
    [2, 1],
    [2, 2],
    [3, 2],
    [4, 2],
    [3, 3],
    [6, 2],
    [8, 2],
    [10, 2],
    [5, 5],
    [10, 3],
    [18, 2],
    [20, 2],
    [24, 2],
];
/// The paper's sizes of square matrices. The paper does not give the block size; 100 x 100 fits all of them.
const SIZES: [u64; 8] = [2000, 4000, 6000, 8000, 12_000, 16_000, 20_000, 24_000];
const BLOCK: u64 = 100;

fn matrix(size: u64) -> Matrix {
    Matrix { extent: [size; 2], block: [BLOCK; 2], element: 8 }
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("which folder are the drawings to be in?")?;
    let folder = Path::new(&folder);
    let machine = Settings::read(|name| std::env::var(name).ok())?.network;
    let ms = |size, from, to| 1e3 * seconds(&matrix(size), from, to, &machine);
    let steps = |grids: &[Shape], backwards: bool, size| {
        let pair = |pair: &[Shape]| if backwards { (pair[1], pair[0]) } else { (pair[0], pair[1]) };
        let at = |(from, to): (Shape, Shape)| (f64::from(to[0] * to[1]), ms(size, from, to));
        grids.windows(2).map(|two| at(pair(two))).collect::<Vec<_>>()
    };

    // Figure 4 (a): from each grid to the next larger one, and back.
    let named = |size: &u64| format!("{size}");
    let both = [false, true].map(|backwards| -> Vec<Curve> {
        SIZES.iter().map(|size| (named(size), steps(&NEARLY_SQUARE, backwards, *size))).collect()
    });
    draw(
        &folder.join("resize-steps.svg"),
        [("growing to P processes", &both[0]), ("shrinking to P processes", &both[1])],
        "P",
    )?;

    // Figure 4 (b): from many processes to few and back, by size of the matrix.
    let square = reblock_plan::layout::distribution::nearly_square;
    let by_size = |pairs: &[(u32, u32)]| -> Vec<Curve> {
        let curve = |&(p, q): &(u32, u32)| {
            let at = |&size: &u64| (real(size), ms(size, square(p), square(q)));
            (format!("{p} to {q}"), SIZES.iter().map(at).collect())
        };
        pairs.iter().map(curve).collect()
    };
    let shrinking = [(50, 4), (50, 8), (50, 10), (50, 25), (50, 32), (40, 8), (40, 10), (25, 8), (25, 10)];
    let growing = shrinking.map(|(p, q)| (q, p));
    draw(
        &folder.join("resize-jumps.svg"),
        [("shrinking", &by_size(&shrinking)), ("growing", &by_size(&growing))],
        "rows and columns of the matrix",
    )?;

    // Figure 6: topologies.
    let rows: Vec<Shape> = NEARLY_SQUARE.iter().map(|grid| [1, grid[0] * grid[1]]).collect();
    let columns: Vec<Shape> = rows.iter().map(|grid| [grid[1], 1]).collect();
    let topologies: [(&str, &[Shape]); 5] = [
        ("nearly square", &NEARLY_SQUARE),
        ("skewed, more columns", &MORE_COLUMNS),
        ("skewed, more rows", &MORE_ROWS),
        ("one row", &rows),
        ("one column", &columns),
    ];
    let of = |size, backwards| -> Vec<Curve> {
        topologies.iter().map(|(name, grids)| ((*name).into(), steps(grids, backwards, size))).collect()
    };
    draw(
        &folder.join("resize-topology.svg"),
        [
            ("24000 x 24000, growing to P", &of(24_000, false)),
            ("24000 x 24000, shrinking to P", &of(24_000, true)),
        ],
        "P",
    )?;
    choices(&machine);
    Ok(())
}

/// Prints a table of the resizes from each grid of Table 1 to the next number of processes: the time to the nearly
/// square grid, the cheapest grid with a ratio of sides of at most 2 : 1, and the cheapest of all grids.
fn choices(machine: &Machine) {
    let text = |grid: Shape| format!("{}x{}", grid[0], grid[1]);
    println!("| processes | nearly square | ms | at most 2 : 1 | ms | any | ms |");
    println!("|---|---|---|---|---|---|---|");
    let matrix = matrix(24_000);
    for two in NEARLY_SQUARE.windows(2) {
        let procs = two[1][0] * two[1][1];
        let nearly = 1e3 * seconds(&matrix, two[0], two[1], machine);
        let choose = |skew| cheapest_grid(procs, &[matrix], two[0], skew, machine);
        let (bounded, any) = (choose(2), choose(u32::MAX));
        println!(
            "| {} to {procs} | {} | {nearly:.1} | {} | {:.1} | {} | {:.1} |",
            two[0][0] * two[0][1],
            text(two[1]),
            text(bounded.grid),
            1e3 * bounded.seconds,
            text(any.grid),
            1e3 * any.seconds
        );
    }
}

/// Draws two panels of curves side by side, both with the same scale.
fn draw(file: &Path, panels: [(&str, &Vec<Curve>); 2], axis: &str) -> Result<(), Box<dyn Error>> {
    let root = SVGBackend::new(file, (1100, 420)).into_drawing_area();
    root.fill(&WHITE)?;
    let points = || panels.iter().flat_map(|(_, curves)| curves.iter()).flat_map(|(_, points)| points);
    let right = points().map(|&(x, _)| x).fold(0.0, f64::max);
    let top = points().map(|&(_, y)| y).fold(0.0, f64::max);
    // Put the names on the side on which the curves are low.
    let rises = panels[0]
        .1
        .iter()
        .any(|(_, points)| points.last().zip(points.first()).is_some_and(|(b, a)| b.1 > a.1));
    let key = if rises { SeriesLabelPosition::UpperLeft } else { SeriesLabelPosition::UpperRight };
    for ((title, curves), area) in panels.into_iter().zip(root.split_evenly((1, 2))) {
        let mut chart = ChartBuilder::on(&area)
            .margin(10)
            .caption(title, ("sans-serif", 18))
            .x_label_area_size(40)
            .y_label_area_size(60)
            .build_cartesian_2d(0.0..right * 1.02, 0.0..top * 1.05)?;
        chart
            .configure_mesh()
            .x_desc(axis)
            .y_desc("milliseconds")
            .x_label_formatter(&whole)
            .y_label_formatter(&whole)
            .light_line_style(WHITE)
            .draw()?;
        for (k, (name, points)) in curves.iter().enumerate() {
            let colour = Palette99::pick(k).to_rgba();
            chart
                .draw_series(LineSeries::new(points.iter().copied(), colour.stroke_width(2)).point_size(2))?
                .label(name.as_str())
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(2)));
        }
        chart.configure_series_labels().position(key.clone()).background_style(WHITE).draw()?;
    }
    root.present()?;
    Ok(())
}

fn whole(x: &f64) -> String {
    format!("{x:.0}")
}

fn real(n: u64) -> f64 {
    #[allow(clippy::cast_precision_loss)]
    let n = n as f64;
    n
}
