//! Compares the copy kernels with memcpy. Each measurement of `CASES` alternates with a memcpy of as many bytes. A
//! table of the medians of both times and of their ratio follows Criterion's own report. The results of "3 slots" and
//! "4 copy" are checked before they are timed. "1 pack" and "2 unpack" time the two halves of "3 slots" and have no
//! check of their own.
//!
//!     cargo bench --no-default-features --features bench --bench pack [-- '<part of a case's name>']
#![allow(clippy::cast_possible_truncation)]

mod case;
mod transposed;

use case::{Case, Job};
use criterion::{Criterion, SamplingMode};
use reblock_plan::layout::problem::Part;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::hint::black_box;
use std::sync::Barrier;
use std::time::{Duration, Instant};

const LARGE: usize = 64 << 20;
const RESIDENT: usize = 256 << 10;

const fn case(name: &'static str, element: usize, from: (u64, u32), to: (u64, u32)) -> Case {
    Case { name, element, from, to, rows: 4096, gap: 0, part: Part::Whole }
}

const fn narrow(name: &'static str, rows: u64, from: (u64, u32), to: (u64, u32)) -> Case {
    Case { name, element: 8, from, to, rows, gap: 3, part: Part::Whole }
}

const CASES: [Case; 24] = [
    case("dense", 8, (1, 1), (1, 1)),
    Case { gap: 3, ..case("dense, ld > rows", 8, (1, 1), (1, 1)) },
    case("512 -> 256", 8, (512, 2), (256, 2)),
    case("64 -> 256", 8, (64, 2), (256, 2)),
    case("128 -> 36", 8, (128, 2), (36, 2)),
    case("32 -> 64", 8, (32, 2), (64, 2)),
    case("16 -> 8", 8, (16, 2), (8, 2)),
    case("7/3 -> 11/5", 8, (7, 3), (11, 5)),
    case("block -> 1", 4, (4096, 2), (1, 2)),
    case("block -> 1", 8, (4096, 2), (1, 2)),
    case("block -> 1", 16, (4096, 2), (1, 2)),
    case("1 -> block", 4, (1, 2), (4096, 2)),
    case("1 -> block", 8, (1, 2), (4096, 2)),
    case("1 -> block", 16, (1, 2), (4096, 2)),
    case("1/2 -> 1/3", 4, (1, 2), (1, 3)),
    case("1/2 -> 1/3", 8, (1, 2), (1, 3)),
    case("1 -> 3", 8, (1, 2), (3, 2)),
    case("1 -> 256", 8, (1, 4), (256, 4)),
    case("2 -> 16", 4, (2, 4), (16, 4)),
    case("3 -> 16", 8, (3, 2), (16, 2)),
    narrow("narrow 24 rows", 24, (8, 2), (6, 2)),
    narrow("narrow 5 rows", 5, (5, 1), (1, 1)),
    narrow("one row of 64", 64, (64, 1), (1, 64)),
    Case { rows: 2048, part: Part::Upper { shift: 0 }, ..case("upper 64 -> 36", 8, (64, 1), (36, 2)) },
];

/// Seconds of (memcpy, kernel), by the name of the measurement.
type Times = RefCell<BTreeMap<String, Vec<(f64, f64)>>>;

/// A case with its buffers for memcpy and its times.
struct Measurement<'a> {
    times: &'a Times,
    name: String,
    copies: [Vec<u8>; 2],
}

impl Measurement<'_> {
    fn memcpy(copies: &mut [Vec<u8>; 2]) {
        let [from, to] = copies;
        to.copy_from_slice(black_box(from));
        black_box(to);
    }

    /// Alternates memcpy and `kernel`.
    fn alternate(&mut self, c: &mut Criterion, mut kernel: impl FnMut()) {
        let Self { times, name, copies } = self;
        let mut group = c.benchmark_group("pack");
        group.sampling_mode(SamplingMode::Flat).sample_size(10);
        group.bench_function(&*name, |b| {
            b.iter_custom(|iterations| {
                let mut spent = Duration::ZERO;
                for _ in 0..iterations {
                    let start = Instant::now();
                    Self::memcpy(copies);
                    let between = Instant::now();
                    kernel();
                    let end = between.elapsed();
                    let pair = ((between - start).as_secs_f64(), end.as_secs_f64());
                    times.borrow_mut().entry(name.clone()).or_default().push(pair);
                    spent += end;
                }
                spent
            });
        });
        group.finish();
    }
}

/// Measures one thread: `kernel` against memcpy of as many bytes.
fn single(
    c: &mut Criterion,
    times: &Times,
    case: &Case,
    what: &str,
    job: &mut Job,
    bytes: usize,
    mut kernel: impl FnMut(&mut Job),
) {
    let copies = [vec![1; bytes], vec![2; bytes]];
    Measurement { times, name: case.title(what), copies }.alternate(c, || kernel(black_box(job)));
}

/// Measures two threads in step, each with arrays of its own.
fn both_cores(c: &mut Criterion, times: &Times, case: &Case, job: &mut Job) {
    let mut other = case.job(LARGE, 2);
    let mut copies = [vec![1; job.bytes()], vec![2; job.bytes()]];
    let (barrier, done) = (Barrier::new(2), std::sync::atomic::AtomicBool::new(false));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            loop {
                barrier.wait();
                if done.load(std::sync::atomic::Ordering::Relaxed) {
                    break;
                }
                Measurement::memcpy(&mut copies);
                barrier.wait();
                other.slots();
                barrier.wait();
            }
        });
        let mine = [vec![1; job.bytes()], vec![2; job.bytes()]];
        let mut measurement = Measurement { times, name: case.title("5 slots, 2 cores"), copies: mine };
        let Measurement { times, name, copies } = &mut measurement;
        let mut group = c.benchmark_group("pack");
        group.sampling_mode(SamplingMode::Flat).sample_size(10);
        group.bench_function(&*name, |b| {
            b.iter_custom(|iterations| {
                let mut spent = Duration::ZERO;
                for _ in 0..iterations {
                    barrier.wait();
                    let start = Instant::now();
                    Measurement::memcpy(copies);
                    barrier.wait();
                    let between = Instant::now();
                    job.slots();
                    barrier.wait();
                    let end = between.elapsed();
                    let pair = ((between - start).as_secs_f64(), end.as_secs_f64());
                    times.borrow_mut().entry(name.clone()).or_default().push(pair);
                    spent += end;
                }
                spent
            });
        });
        done.store(true, std::sync::atomic::Ordering::Relaxed);
        barrier.wait();
    });
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() {
    let times = Times::default();
    let mut criterion = Criterion::default()
        .without_plots()
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(400));
    let filter = std::env::args().skip(1).find(|a| !a.starts_with('-')).unwrap_or_default();
    for case in CASES.iter().filter(|case| case.title("").contains(&filter)) {
        let mut small = case.job(RESIDENT, 1);
        let piece = small.first();
        let bytes = small.pack(0, &piece);
        if case.part == Part::Whole {
            let pack = |job: &mut Job| {
                black_box(job.pack(0, &piece));
            };
            single(&mut criterion, &times, case, "1 pack", &mut small, bytes, pack);
            let unpack = |job: &mut Job| job.unpack(0, &piece);
            single(&mut criterion, &times, case, "2 unpack", &mut small, bytes, unpack);
        }
        let mut large = case.job(LARGE, 2);
        large.slots();
        large.check(case.name);
        large.copy();
        large.check(case.name);
        let bytes = large.bytes();
        single(&mut criterion, &times, case, "3 slots", &mut large, bytes, Job::slots);
        single(&mut criterion, &times, case, "4 copy", &mut large, bytes, Job::copy);
        both_cores(&mut criterion, &times, case, &mut large);
    }
    transposed::rows(&filter);
    criterion.final_summary();
    println!("\n{:<40}{:>12}{:>12}{:>18}", "", "memcpy us", "us", "times memcpy");
    for (name, pairs) in times.into_inner() {
        let of = |f: fn(&(f64, f64)) -> f64| median(pairs.iter().map(f).collect());
        println!(
            "{name:<40}{:>12.2}{:>12.2}{:>18.2}",
            of(|p| p.0) * 1e6,
            of(|p| p.1) * 1e6,
            of(|p| p.1 / p.0)
        );
    }
}
