//! How long does one rank take to plan its part of large redistributions, and how good are the steps? A table of medians beside
//! what they are meant to be. Every plan is checked before it is timed: no step twice on a side, and every element once.
//!
//!     cargo bench --no-default-features --bench schedule -- targets

use reblock::layout::{Axis, Cyclic, Dist, GenBlock, Grid, Rank};
use reblock::overlap::Overlap;
use reblock::plan::{Message, Place, Plan};
use reblock::planned::Planned;
use reblock::problem::Problem;
use reblock::settings::Settings;
use std::time::{Duration, Instant};

/// Repetitions of each plan, and the time after which there are no more.
const REPETITIONS: usize = 25;
const LONGEST: Duration = Duration::from_millis(300);

const MILLISECOND: Duration = Duration::from_millis(1);

struct Case {
    name: String,
    problem: Problem,
    target: Duration,
}

fn cyclic(block: u64, procs: u32) -> Dist {
    Cyclic::new(block, procs, 0).expect("a valid distribution").into()
}

fn block(len: u64, procs: u32) -> Dist {
    cyclic(len.div_ceil(procs.into()), procs)
}

/// Blocks of 1 to 1,999 elements, `len` in all.
fn uneven(rng: &mut fastrand::Rng, len: u64, procs: u32) -> Dist {
    let most = 2 * len / u64::from(procs);
    let mut cuts: Vec<u64> = (1..u64::from(procs))
        .map(|p| p * len / u64::from(procs) + rng.u64(0..most) / 2)
        .chain([0, len])
        .collect();
    cuts.sort_unstable();
    let sizes: Vec<u64> = cuts.windows(2).map(|ends| ends[1].min(len) - ends[0].min(len)).collect();
    GenBlock::new(&sizes).expect("sizes").into()
}

fn problem(from: Vec<Dist>, to: Vec<Dist>, len: u64) -> Problem {
    let grid = |dists: &[Dist]| Grid::row_major(&dists.iter().map(Dist::procs).collect::<Vec<_>>());
    let grids = (grid(&from), grid(&to));
    let axis = |dist: Dist| Axis::new(dist, 0);
    let dims = from.into_iter().zip(to).map(|(p, q)| Overlap { from: axis(p), to: axis(q), len });
    Problem::whole(dims.collect(), grids.0, grids.1)
}

fn cases() -> Vec<Case> {
    let mut all = Vec::new();
    let mut add = |from: Vec<Dist>, to: Vec<Dist>, len: u64, target: Duration| {
        let format = |dists: &[Dist]| {
            let of = |dist: &Dist| match dist {
                Dist::GenBlock(_) => "GEN_BLOCK".to_string(),
                other => other.to_string(),
            };
            let procs: Vec<String> = dists.iter().map(|dist| dist.procs().to_string()).collect();
            format!("{} on {}", dists.iter().map(of).collect::<Vec<_>>().join(","), procs.join("x"))
        };
        let name = format!("{} to {}, {len}", format(&from), format(&to));
        all.push(Case { name, problem: problem(from, to, len), target });
    };
    let million = 1_000_000;
    for (from, to, len) in [
        (cyclic(1000, million), cyclic(1, million), 999_999_993),
        (cyclic(64, million), cyclic(63, million), 1_000_000_000),
        (cyclic(7, million), cyclic(11, million - 1), 123_456_789),
        (block(1_000_000_000, million), cyclic(1, million), 1_000_000_000),
        (block(1_000_000_000, million), cyclic(3, million - 1), 1_000_000_000),
        (cyclic(127, million), cyclic(129, million), 100_000_000),
        (cyclic(128, million), cyclic(125, million), 16_000_000_000),
        (block(999_999_999, million), block(999_999_999, million - 1), 999_999_999),
    ] {
        add(vec![from], vec![to], len, MILLISECOND);
    }
    let billion = 1_000_000_000;
    add(vec![block(billion, 1448)], vec![cyclic(1, 1448)], billion, 10 * MILLISECOND);
    let mut rng = fastrand::Rng::with_seed(1);
    for (procs, target) in [(100_000, 30 * MILLISECOND), (million, 500 * MILLISECOND)] {
        let len = 1000 * u64::from(procs);
        let from = uneven(&mut rng, len, procs);
        add(vec![from.clone()], vec![uneven(&mut rng, len, procs)], len, target);
        add(vec![from], vec![cyclic(128, procs)], len, target);
    }
    for (r, s, len) in [(64, 96, 100_000), (1, 1, 100_000), (37, 53, 200_000), (128, 36, 1_000_000)] {
        let (from, to) = (vec![cyclic(r, 1000), cyclic(r, 1000)], vec![cyclic(s, 500), cyclic(s, 2000)]);
        add(from, to, len, 50 * MILLISECOND);
    }
    all
}

/// Whether no step is twice among `messages`.
fn apart(messages: &[Message]) -> bool {
    messages.windows(2).all(|two| two[0].step < two[1].step)
}

/// What comes and what is kept is all that the rank has in the end.
fn check(planned: &Planned, name: &str) {
    for leg in &planned.route.legs {
        let plan: &Plan = &leg.plan;
        assert!(apart(&plan.sends.messages) && apart(&plan.receives.messages), "{name}: a step twice");
        let Some(to) = planned.me.to.as_ref() else { continue };
        let received =
            plan.receives.messages.iter().map(|m| super::plans::elements(plan.receives.product(m)));
        let kept = plan.copy.as_ref().map_or(0, |kept| super::plans::elements(kept.product()));
        let has = leg.problem.dims.iter().zip(to).map(|(dim, &coord)| dim.receives(coord));
        assert_eq!(received.sum::<u64>() + kept, has.product::<u64>(), "{name}: every element once");
    }
}

/// The longest of the medians of three ranks.
pub fn targets() {
    let settings = Settings::read(|_| None).expect("no setting is unusable");
    println!("\nTime for one rank to plan; steps and cost over what no schedule can do without.");
    println!("{:<72} {:>12} {:>12} {:>9} {:>7} {:>7}", "", "median", "target", "messages", "steps", "cost");
    for Case { name, problem, target } in cases() {
        let ranks = u32::try_from(problem.from.size().max(problem.to.size())).expect("fewer than 2^32");
        let (mut slowest, mut most, mut made) = (Duration::ZERO, 0, None);
        for rank in [0, ranks / 3, ranks - 1] {
            let me = Place::of(&problem, Rank(rank), ranks);
            let plan = || Planned::new(problem.clone(), me.clone(), 8, &settings, false).expect("a way");
            let one = plan();
            check(&one, &name);
            most = one.route.legs.iter().fold(most, |most: usize, leg| {
                most.max(leg.plan.sends.messages.len()).max(leg.plan.receives.messages.len())
            });
            slowest = slowest.max(median(|| drop(plan())));
            made = Some(one);
        }
        let c = made.and_then(|made| made.route.certificate);
        #[allow(clippy::cast_precision_loss)]
        let over = |of: u64, least: u64| of as f64 / least.max(1) as f64;
        let (steps, cost) =
            c.map_or((f64::NAN, f64::NAN), |c| (over(c.steps, c.bounds.steps), over(c.cost, c.bounds.cost)));
        println!("{name:<72} {slowest:>12.1?} {target:>12.1?} {most:>9} {steps:>7.3} {cost:>7.3}");
    }
}

fn median(mut work: impl FnMut()) -> Duration {
    let (start, mut times) = (Instant::now(), Vec::new());
    while times.len() < REPETITIONS && (times.len() < 3 || start.elapsed() < LONGEST) {
        let before = Instant::now();
        work();
        times.push(before.elapsed());
    }
    times.sort_unstable();
    times[times.len() / 2]
}
