//! Times the search for a schedule, and the planning of one rank's part. Each result is checked before it is timed. A
//! table of medians and ratios follows Criterion's own report.
//!
//!     cargo bench --no-default-features --features bench --bench schedule
//!
//! With an argument, prints one table alone: `-- targets` or `-- nodes`, optionally with the beginning of the names of
//! cases, or `-- survey` or `-- regret`, optionally with a seed. To measure the memory of a case, `targets` and `nodes`
//! start this program with `memory` and the name of the case.

mod nodes;
mod plans;
mod problems;
mod random;
mod regret;
mod schedulers;
mod survey;
mod targets;

use criterion::{BenchmarkId, Criterion};
use num_integer::Integer;
use reblock_plan::layout::distribution::{Axis, Cyclic, GenBlock};
use reblock_plan::layout::intersect::Overlap;
use reblock_plan::schedule::blown_up::BlownUp;
use reblock_plan::schedule::certificate::Certificate;
use reblock_plan::schedule::circulant::Circulant;
use reblock_plan::schedule::classes::Classes;
use reblock_plan::schedule::colouring;
use reblock_plan::schedule::graph::{Edge, Graph};
use reblock_plan::schedule::order::Order;
use std::hint::black_box;
use std::time::Duration;

/// Returns one period of the redistribution from cyclic(r) on p processes to cyclic(s) on q.
fn dim((r, p): (u64, u32), (s, q): (u64, u32)) -> Overlap {
    let axis = |block, procs| Axis::new(Cyclic::new(block, procs, 0).expect("a valid distribution"), 0);
    let len = (r * u64::from(p)).lcm(&(s * u64::from(q)));
    Overlap { from: axis(r, p), to: axis(s, q), len }
}

fn graph(dim: &Overlap) -> Graph {
    let message = |sender, receiver| Edge { sender, receiver, bytes: dim.shared(sender, receiver).total() };
    let row = |sender| dim.destinations(sender).into_iter().map(move |receiver| message(sender, receiver));
    let procs = (dim.from.dist.procs(), dim.to.dist.procs());
    Graph::new(procs.0, procs.1, (0..procs.0).flat_map(row).collect())
}

/// Returns step and destination of rank 0's messages, in the order in which a call sends them.
fn circulant_row(dim: &Overlap) -> Vec<(u64, u32)> {
    let circulant = Circulant::new(dim).expect("cyclic(x) to cyclic(Kx)");
    let step = |q| (circulant.step(&[0], &[q]).expect("a message"), q);
    let mut row: Vec<(u64, u32)> = dim.destinations(0).into_iter().map(step).collect();
    row.sort_unstable();
    row
}

/// Park, Prasanna and Raghavendra 1998, table 6: cyclic(1) on P to cyclic(K) on P.
fn table_6(c: &mut Criterion) {
    let mut group = c.benchmark_group("table-6");
    for (p, k) in [16, 32, 64, 128].into_iter().flat_map(|p| [1, 2, 3].map(|quarters| (p, p / 4 * quarters)))
    {
        let dim = dim((1, p), (k.into(), p));
        let graph = graph(&dim);
        let name = format!("P=Q={p} K={k}");
        let row = circulant_row(&dim);
        let mut to: Vec<u32> = row.iter().map(|&(_, q)| q).collect();
        to.sort_unstable();
        assert_eq!(to, dim.destinations(0), "{name}");
        let mut scanned: Vec<u32> = schedulers::by_scanning(&dim, 0).into_iter().map(|(q, _)| q).collect();
        scanned.sort_unstable();
        assert_eq!(scanned, to, "{name}");
        assert!(Certificate::count(&graph, &schedulers::by_matchings(&graph)).fewest_steps(), "{name}");

        group.sample_size(50);
        group.bench_function(BenchmarkId::new("circulant", &name), |b| {
            b.iter(|| circulant_row(black_box(&dim)))
        });
        group.bench_function(BenchmarkId::new("scanning", &name), |b| {
            b.iter(|| schedulers::by_scanning(black_box(&dim), 0));
        });
        group.sample_size(10);
        group.bench_function(BenchmarkId::new("matchings", &name), |b| {
            b.iter(|| schedulers::by_matchings(black_box(&graph)));
        });
    }
    group.finish();
}

/// Computes the steps of rank 0's messages by classes of processes. Returns the number of messages.
fn classes_row(dim: &Overlap) -> usize {
    let classes = Classes::new(dim).expect("whole periods");
    let order = BlownUp::new(classes.small(), classes.blow_up()).expect("few classes");
    let member = |q| classes.member(0, q).expect("a message");
    let destinations = dim.destinations(0);
    for &q in &destinations {
        black_box(order.step(&member(q)));
    }
    destinations.len()
}

fn large(c: &mut Criterion) {
    let mut group = c.benchmark_group("large");
    group.sample_size(10);
    for (r, s) in [(3, 5), (128, 96), (128, 125), (127, 129)] {
        let dim = dim((r, 1_000_000), (s, 1_000_000));
        let count = classes_row(&dim);
        let name = format!("classes, P=Q=1000000, cyclic({r}) -> cyclic({s}), {count} messages a rank");
        group.bench_function(name, |b| b.iter(|| classes_row(black_box(&dim))));
    }
    let mut rng = fastrand::Rng::with_seed(1);
    let edge = |sender, receiver, bytes| Edge { sender, receiver, bytes };
    let dense = (0..1024).flat_map(|p| (0..1024).map(move |q| (p, q)));
    let dense = Graph::new(1024, 1024, dense.map(|(p, q)| edge(p, q, rng.u64(1..1000))).collect());
    assert!(Certificate::count(&dense, &colouring::colour(&dense)).fewest_steps());
    group.bench_function("edge colouring, 1024 x 1024 dense", |b| {
        b.iter(|| colouring::colour(black_box(&dense)));
    });
    let mut sizes =
        || GenBlock::new(&(0..100_000).map(|_| rng.u64(1..200)).collect::<Vec<_>>()).expect("sizes");
    let axes = (Axis::new(sizes(), 0), Axis::new(sizes(), 0));
    let overlap = Overlap { from: axes.0, to: axes.1, len: 9_000_000 };
    let single_blocks = |dim: &Overlap| {
        let messages = dim.single_block_messages().expect("one block a process");
        let edges = messages.into_iter().map(|(p, q, elements)| edge(p, q, elements)).collect();
        let graph = Graph::new(100_000, 100_000, edges);
        let steps = colouring::colour(&graph);
        (graph, steps)
    };
    let (graph, steps) = single_blocks(&overlap);
    assert!(Certificate::count(&graph, &steps).fewest_steps());
    group.bench_function("GEN_BLOCK, 100000 ranks", |b| b.iter(|| single_blocks(black_box(&overlap))));
    group.finish();
}

/// Returns Criterion's median of a benchmark, in microseconds.
fn median(path: &str) -> Option<f64> {
    let root = std::env::var("CARGO_TARGET_DIR").unwrap_or_else(|_| "target".into());
    let text = std::fs::read_to_string(format!("{root}/criterion/{path}/new/estimates.json")).ok()?;
    let value: serde_json::Value = serde_json::from_str(&text).ok()?;
    Some(value["median"]["point_estimate"].as_f64()? / 1e3)
}

fn summary() {
    println!(
        "\nMicroseconds to find the schedule of cyclic(1) on P to cyclic(K) on P; circulant and scanning: of one rank."
    );
    println!(
        "{:<16} {:>10} {:>12} {:>14} {:>14} {:>14}",
        "", "circulant", "scanning", "matchings", "/ scanning", "/ matchings"
    );
    for (p, k) in [16, 32, 64, 128].into_iter().flat_map(|p| [1, 2, 3].map(|quarters| (p, p / 4 * quarters)))
    {
        let of = |what: &str| median(&format!("table-6/{what}/P=Q={p} K={k}"));
        if let (Some(circulant), Some(scanning), Some(matchings)) =
            (of("circulant"), of("scanning"), of("matchings"))
        {
            let ratio = |other: f64| other / circulant;
            println!(
                "P=Q={p:<4} K={k:<4} {circulant:>10.2} {scanning:>12.1} {matchings:>14.0} {:>13.0}x {:>13.0}x",
                ratio(scanning),
                ratio(matchings)
            );
        }
    }
}

fn main() {
    let mut words = std::env::args().skip(1).filter(|arg| !arg.starts_with('-'));
    let (table, of) = (words.next(), words.next().unwrap_or_default());
    match table.as_deref() {
        Some("targets") => targets::targets(&of),
        Some("nodes") => nodes::nodes(&of),
        Some("survey") => survey::survey(&of),
        Some("regret") => regret::regret(&of),
        Some("memory") => targets::memory(&of),
        _ => all(),
    }
}

/// Runs all benchmarks, and prints the table of their times and the table of targets.
fn all() {
    let mut criterion = Criterion::default()
        .without_plots()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .configure_from_args();
    table_6(&mut criterion);
    large(&mut criterion);
    plans::plans(&mut criterion);
    criterion.final_summary();
    summary();
    targets::targets("");
}
