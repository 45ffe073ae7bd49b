//! Compares the planning of one rank's part of large redistributions with targets for its time, its memory and the
//! quality of the schedule. Prints a table of medians beside the targets. Checks every plan before timing it.
//!
//!     cargo bench --no-default-features --features bench --bench schedule -- targets

use super::nodes;
use super::problems::{block, check, cyclic, problem, uneven};
use reblock::plan::rank_plan::{RankPlan, Recent};
use reblock::system::settings::Settings;
use reblock_plan::layout::distribution::{Dist, Rank};
use reblock_plan::layout::problem::Problem;
use reblock_plan::machine::Proximity;
use reblock_plan::plan::Place;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Maximum number of repetitions of each plan. After three repetitions, a time limit for all of them holds, too.
const REPETITIONS: usize = 25;
const LONGEST: Duration = Duration::from_millis(300);

const MILLISECOND: Duration = Duration::from_millis(1);
/// Maximum memory of a plan for each message, in bytes.
const MESSAGE: u64 = 1024;
/// Number of calls that [`same_shape`] times together.
const CALLS: u32 = 1000;

pub struct Case {
    pub name: String,
    pub problem: Problem,
    /// Target of the median time.
    time: Duration,
    /// Bytes of the lists of block sizes of both sides, if the case has a target for memory.
    bytes: Option<u64>,
    /// Targets of steps and cost: their maximum ratios to the lower bounds.
    over: Option<[f64; 2]>,
}

impl Case {
    pub fn new(from: Vec<Dist>, to: Vec<Dist>, len: u64, time: Duration) -> Self {
        let format = |dists: &[Dist]| {
            let of = |dist: &Dist| match dist {
                Dist::GenBlock(_) => "GEN_BLOCK".to_string(),
                Dist::Cyclic(c) if c.block() == len.div_ceil(c.procs().into()) => "BLOCK".to_string(),
                other => other.to_string(),
            };
            let procs: Vec<String> = dists.iter().map(|dist| dist.procs().to_string()).collect();
            format!("{} on {}", dists.iter().map(of).collect::<Vec<_>>().join(","), procs.join("x"))
        };
        let name = format!("{} to {}, {len}", format(&from), format(&to));
        Self { name, problem: problem(from, to, len), time, bytes: None, over: None }
    }
}

fn one_dimension() -> Vec<Case> {
    let (million, billion) = (1_000_000, 1_000_000_000);
    let pairs = [
        (block(billion, million), cyclic(1, million), billion),
        (cyclic(1, million), block(billion, million), billion),
        (block(999_999_993, million), cyclic(1, million), 999_999_993),
        (block(billion, million), cyclic(3, million - 1), billion),
        (cyclic(3, million - 1), block(billion, million), billion),
        (block(999_999_999, million), block(999_999_999, million - 1), 999_999_999),
        (cyclic(64, million), cyclic(63, million), billion),
        (cyclic(7, million), cyclic(11, million - 1), 123_456_789),
        (cyclic(4, million), cyclic(12, 900_000), 16 * billion),
        (cyclic(127, million), cyclic(129, million), 100_000_000),
        (cyclic(128, million), cyclic(125, million), 16 * billion),
    ];
    pairs.into_iter().map(|(from, to, len)| Case::new(vec![from], vec![to], len, MILLISECOND)).collect()
}

/// Returns the cases with GEN_BLOCK. Planning may take as much memory as the lists of sizes of both sides, and
/// [`MESSAGE`] bytes for each message of the rank.
fn listed_sizes() -> Vec<Case> {
    let mut rng = fastrand::Rng::with_seed(1);
    let mut all = Vec::new();
    for (procs, time) in [(100_000, 30 * MILLISECOND), (1_000_000, 500 * MILLISECOND)] {
        let len = 1000 * u64::from(procs);
        let from = uneven(&mut rng, len, procs);
        let bytes = Some(16 * u64::from(procs));
        for to in [uneven(&mut rng, len, procs), cyclic(128, procs), cyclic(1, procs)] {
            all.push(Case { bytes, ..Case::new(vec![from.clone()], vec![to], len, time) });
        }
    }
    all
}

fn two_dimensions() -> Vec<Case> {
    let blocks = [
        (64, 96, 100_000),
        (1, 1, 100_000),
        (3, 5, 600_000),
        (37, 53, 200_000),
        (128, 36, 1_000_000),
        (64, 64, 100_000),
    ];
    let case = |(r, s, len)| {
        let (from, to) = (vec![cyclic(r, 1000), cyclic(r, 1000)], vec![cyclic(s, 500), cyclic(s, 2000)]);
        Case { over: Some([1.25, 2.0]), ..Case::new(from, to, len, 50 * MILLISECOND) }
    };
    blocks.into_iter().map(case).collect()
}

fn cases() -> Vec<Case> {
    let billion = 1_000_000_000;
    let mut all = one_dimension();
    all.push(Case::new(vec![block(billion, 1448)], vec![cyclic(1, 1448)], billion, 10 * MILLISECOND));
    all.extend(listed_sizes());
    all.extend(two_dimensions());
    all
}

fn plan(case: &Case, rank: u32, settings: &Settings) -> RankPlan {
    planned(case, rank, settings, 0)
}

/// Plans the part of `rank`; messages of at most `early` bytes are early.
pub fn planned(case: &Case, rank: u32, settings: &Settings, early: u64) -> RankPlan {
    let me = Place::of(&case.problem, Rank(rank), ranks(&case.problem));
    RankPlan::new(case.problem.clone(), me, 8, settings, Proximity::Nodes { early }).expect("a way")
}

pub fn ranks(problem: &Problem) -> u32 {
    u32::try_from(problem.from.size().max(problem.to.size())).expect("fewer than 2^32")
}

/// Prints the table of the cases whose names begin with `part`. The time of a case is the longest of the medians of
/// three ranks.
pub fn targets(part: &str) {
    let settings = Settings::read(|_| None).expect("no setting is unusable");
    println!("\nTime and memory for one rank to plan; steps and cost divided by their lower bounds.");
    println!(
        "{:<62} {:>9} {:>9} {:>10} {:>8} {:>7} {:>7}  {:<14} met",
        "", "target", "median", "memory", "messages", "steps", "cost", "scheduler"
    );
    let mut missed = 0;
    for case in cases().iter().filter(|case| case.name.starts_with(part)) {
        missed += u32::from(!row(case, &settings));
    }
    missed += u32::from(!same_shape(&settings));
    println!("{missed} missed");
}

/// Prints the figures of a case; returns whether they meet the targets.
fn row(case: &Case, settings: &Settings) -> bool {
    let (mut slowest, mut most, mut made) = (Duration::ZERO, 0, None);
    let ranks = ranks(&case.problem);
    for rank in [0, ranks / 3, ranks - 1] {
        let one = plan(case, rank, settings);
        check(&one, &case.name);
        most = one.phases.list.iter().fold(most, |most: usize, phase| {
            most.max(phase.sends.messages.len()).max(phase.receives.messages.len())
        });
        slowest = slowest.max(median(|| drop(plan(case, rank, settings))));
        made = Some(one.phases);
    }
    let made = made.expect("planned");
    #[allow(clippy::cast_precision_loss)]
    let over = |of: u64, least: u64| of as f64 / least.max(1) as f64;
    let over = made
        .certificate
        .map_or([f64::NAN; 2], |c| [over(c.steps, c.bounds.steps), over(c.cost, c.bounds.cost)]);
    let bytes = measured(case);
    let met = slowest <= case.time
        && case.bytes.is_none_or(|sizes| bytes.is_some_and(|bytes| bytes <= sizes + MESSAGE * most as u64))
        && case.over.is_none_or(|most| over[0] <= most[0] && over[1] <= most[1]);
    println!(
        "{:<62} {:>9.1?} {slowest:>9.1?} {:>10} {most:>8} {:>7.3} {:>7.3}  {:<14} {}",
        case.name,
        case.time,
        bytes.map_or_else(|| "?".into(), |bytes| format!("{} KiB", bytes >> 10)),
        over[0],
        over[1],
        made.scheduler,
        if met { "yes" } else { "no" }
    );
    met
}

/// Times the search for the plan of a call among the kept plans of 32 calls, whose keys differ only in the last number.
/// Prints the time; returns whether it meets the target.
fn same_shape(settings: &Settings) -> bool {
    let case = Case::new(vec![cyclic(64, 1000)], vec![cyclic(96, 1000)], 100_000, Duration::from_micros(1));
    let kept = Arc::new(plan(&case, 0, settings));
    let mut plans = Recent::default();
    let keys: Vec<Vec<i64>> = (0..32).map(|last| (0..47).chain([last]).collect()).collect();
    keys.iter().for_each(|key| plans.keep(key, kept.clone()));
    let took = median(|| {
        for call in 0..CALLS {
            let found = plans.find(std::hint::black_box(&keys[call as usize % keys.len()]));
            assert!(found.is_some_and(|found| Arc::ptr_eq(&found, &kept)));
        }
    }) / CALLS;
    let met = took <= case.time;
    let name = "a call of the same shape as one of the last 32";
    println!("{name:<62} {:>9.1?} {took:>9.1?} {:>62}", case.time, if met { "yes" } else { "no" });
    met
}

pub fn median(mut work: impl FnMut()) -> Duration {
    let (start, mut times) = (Instant::now(), Vec::new());
    while times.len() < REPETITIONS && (times.len() < 3 || start.elapsed() < LONGEST) {
        let before = Instant::now();
        work();
        times.push(before.elapsed());
    }
    times.sort_unstable();
    times[times.len() / 2]
}

/// Returns the peak memory of planning in bytes. Measures it in a new process, which has no freed memory to reuse.
pub fn measured(case: &Case) -> Option<u64> {
    let this = std::env::current_exe().ok()?;
    // With this setting, malloc maps blocks of 64 KiB or more, and unmaps them at once when they are freed.
    let child =
        Command::new(this).args(["memory", &case.name]).env("MALLOC_MMAP_THRESHOLD_", "65536").output();
    String::from_utf8(child.ok()?.stdout).ok()?.trim().parse().ok()
}

/// Prints the growth of this process's peak resident memory, in bytes, while it plans the case `name`.
pub fn memory(name: &str) {
    let settings = Settings::read(|_| None).expect("no setting is unusable");
    let case = cases().into_iter().chain(nodes::cases()).find(|case| case.name == name).expect("a case");
    let peak = || {
        let status = std::fs::read_to_string("/proc/self/status").ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        line.split_whitespace().next()?.parse::<u64>().ok()
    };
    // Resets the peak to the memory that is resident now.
    let reset = std::fs::write("/proc/self/clear_refs", "5");
    let before = peak();
    drop(plan(&case, ranks(&case.problem) / 3, &settings));
    if let (Ok(()), Some(before), Some(after)) = (reset, before, peak()) {
        println!("{}", (after - before) << 10);
    }
}
