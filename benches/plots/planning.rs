//! Times the planning of one rank's part, from 10 to 1,000,000 ranks, for pairs of formats. Prints a table, and draws a
//! figure if the command line names a file. Needs no MPI, because planning sends nothing.
//!
//! ```sh
//! cargo run --release --example planning --no-default-features --features cli -- docs/research/planning.svg
//! ```
//!
//! Each rank has 1,000 elements of 8 bytes. The measured rank is the middle one. `REBLOCK_NETWORK` describes the
//! machine, as for the library.

use plotters::prelude::*;
use reblock::plan::rank_plan::RankPlan;
use reblock::system::settings::Settings;
use reblock_plan::layout::distribution::{Axis, Cyclic, Dist, GenBlock, Grid, Rank};
use reblock_plan::layout::intersect::Overlap;
use reblock_plan::layout::problem::Problem;
use reblock_plan::machine::Proximity;
use reblock_plan::plan::Place;
use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

const EACH: u64 = 1000;
/// Rows and columns of a rank's part of a matrix.
const SIDE: u64 = 32;
const RANKS: [u32; 11] = [10, 32, 100, 316, 1000, 3162, 10_000, 31_623, 100_000, 316_228, 1_000_000];
/// Maximum time for a point, and maximum number of repetitions.
const LONGEST: Duration = Duration::from_millis(200);
const REPETITIONS: usize = 101;

/// A pair of formats: its name, and the problem for a number of ranks.
type Pair = (&'static str, fn(u32) -> Problem);

/// A curve of the figure: points of ranks and microseconds.
type Curve = (&'static str, Vec<(f64, f64)>);

const PAIRS: [Pair; 8] = [
    ("CYCLIC(64) to CYCLIC(96)", |p| line(cyclic(64, p), cyclic(96, p), p)),
    ("CYCLIC(4) to CYCLIC(64)", |p| line(cyclic(4, p), cyclic(64, p), p)),
    ("BLOCK to BLOCK on one less", |p| {
        line(cyclic(EACH, p), cyclic((EACH * u64::from(p)).div_ceil((p - 1).into()), p - 1), p)
    }),
    ("BLOCK to CYCLIC(64)", |p| line(cyclic(EACH, p), cyclic(64, p), p)),
    ("BLOCK to CYCLIC(1)", |p| line(cyclic(EACH, p), cyclic(1, p), p)),
    ("GEN_BLOCK to GEN_BLOCK", |p| line(uneven(1, p), uneven(2, p), p)),
    ("GEN_BLOCK to CYCLIC(64)", |p| line(uneven(1, p), cyclic(64, p), p)),
    ("CYCLIC(8),CYCLIC(8) to CYCLIC(12),CYCLIC(12)", |p| {
        let (rows, columns) = sides(p);
        let from = [cyclic(8, rows), cyclic(8, columns)];
        let to = [cyclic(12, columns), cyclic(12, rows)];
        let len = SIDE * u64::from(rows.max(columns));
        problem(from.into(), to.into(), len)
    }),
];

fn cyclic(block: u64, procs: u32) -> Dist {
    Cyclic::new(block, procs, 0).expect("a valid distribution").into()
}

/// Blocks of 500 to 1,500 elements.
fn uneven(seed: u64, procs: u32) -> Dist {
    let mut rng = fastrand::Rng::with_seed(seed);
    let cut = |p: u32| EACH * u64::from(p);
    let mut cuts: Vec<u64> = (1..procs).map(|p| cut(p) + rng.u64(0..EACH / 2) - EACH / 4).collect();
    cuts.insert(0, 0);
    cuts.push(cut(procs));
    let sizes: Vec<u64> = cuts.windows(2).map(|ends| ends[1] - ends[0]).collect();
    GenBlock::new(&sizes).expect("sizes").into()
}

/// Returns two factors of about `procs`, as equal as possible.
fn sides(procs: u32) -> (u32, u32) {
    let rows = (1..=procs).take_while(|rows| rows * rows <= procs).last().unwrap_or(1);
    (rows, procs / rows)
}

fn line(from: Dist, to: Dist, procs: u32) -> Problem {
    problem(vec![from], vec![to], EACH * u64::from(procs))
}

fn problem(from: Vec<Dist>, to: Vec<Dist>, len: u64) -> Problem {
    let grid = |dists: &[Dist]| Grid::row_major(&dists.iter().map(Dist::procs).collect::<Vec<_>>());
    let grids = (grid(&from), grid(&to));
    let dim = |(p, q)| Overlap { from: Axis::new(p, 0), to: Axis::new(q, 0), len };
    Problem::whole(from.into_iter().zip(to).map(dim).collect(), grids.0, grids.1)
}

/// Returns the median planning time in microseconds, the rank's messages, and the scheduler that was chosen.
fn plan(problem: &Problem, settings: &Settings) -> (f64, usize, &'static str) {
    let ranks = u32::try_from(problem.from.size()).expect("a million at the most");
    let me = Place::of(problem, Rank(ranks / 2), ranks);
    let plan = || {
        RankPlan::new(problem.clone(), me.clone(), 8, settings, Proximity::Nodes { early: 0 }).expect("a way")
    };
    let (start, mut times) = (Instant::now(), Vec::new());
    while times.len() < REPETITIONS && (times.len() < 3 || start.elapsed() < LONGEST) {
        let before = Instant::now();
        drop(plan());
        times.push(before.elapsed());
    }
    times.sort_unstable();
    let phases = plan().phases;
    let messages = phases.list.iter().map(|phase| phase.sends.messages.len()).sum();
    (times[times.len() / 2].as_secs_f64() * 1e6, messages, phases.scheduler)
}

fn main() -> Result<(), Box<dyn Error>> {
    let settings = Settings::read(|name| std::env::var(name).ok())?;
    println!("{:<46} {:>9} {:>12} {:>9}  scheduler", "", "ranks", "plan, us", "messages");
    let mut curves: Vec<Curve> = Vec::new();
    for (name, problem) in PAIRS {
        let mut points = Vec::new();
        for ranks in RANKS {
            let (time, messages, scheduler) = plan(&problem(ranks), &settings);
            println!("{name:<46} {ranks:>9} {time:>12.1} {messages:>9}  {scheduler}");
            points.push((f64::from(ranks), time));
        }
        curves.push((name, points));
    }
    std::env::args().nth(1).map_or(Ok(()), |file| draw(Path::new(&file), &curves))
}

fn draw(file: &Path, curves: &[Curve]) -> Result<(), Box<dyn Error>> {
    let root = SVGBackend::new(file, (900, 700)).into_drawing_area();
    root.fill(&WHITE)?;
    // Put the names of the curves below, in the area without curves.
    let (root, names) = root.split_vertically(560);
    let times = || curves.iter().flat_map(|(_, points)| points).map(|&(_, time)| time);
    let (low, high) = (times().fold(f64::MAX, f64::min), times().fold(0.0, f64::max));
    let mut chart = ChartBuilder::on(&root)
        .margin(10)
        .margin_right(40)
        .caption("time for one rank to plan", ("sans-serif", 18))
        .x_label_area_size(40)
        .y_label_area_size(80)
        .build_cartesian_2d((10.0..1e6).log_scale(), (low / 2.0..high * 2.0).log_scale())?;
    let mut mesh = chart.configure_mesh();
    mesh.x_desc("ranks").y_desc("microseconds").light_line_style(WHITE);
    mesh.x_label_formatter(&|x| format!("{x:.0}")).y_label_formatter(&|y| format!("{y}")).draw()?;
    let font = ("sans-serif", 14).into_font();
    for (k, (name, points)) in curves.iter().enumerate() {
        let colour = Palette99::pick(k).to_rgba();
        let line = LineSeries::new(points.iter().copied(), colour.stroke_width(2)).point_size(2);
        chart.draw_series(line)?;
        let at = i32::try_from(k)?;
        let (x, y) = (80 + at % 2 * 400, 15 + at / 2 * 28);
        names.draw(&PathElement::new([(x, y), (x + 24, y)], colour.stroke_width(2)))?;
        names.draw(&Text::new(*name, (x + 32, y - 6), font.clone()))?;
    }
    root.present()?;
    Ok(())
}
