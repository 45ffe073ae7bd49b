//! Plans redistributions between 131,072 ranks on 1,024 nodes, without MPI. Measures time and memory of planning one
//! rank's part, counts the messages that leave or enter a node, and prices three ways to send these messages.
//!
//!     cargo bench --no-default-features --features bench --bench schedule -- nodes

use super::problems::{block, check, cyclic, uneven};
use super::targets::{Case, measured, median, planned, ranks};
use reblock::plan::rank_plan::{RankPlan, machine_and_budget};
use reblock::system::settings::Settings;
use reblock_plan::layout::distribution::Dist;
use reblock_plan::machine::Proximity;
use reblock_plan::schedule::chooser::choose;
use reblock_plan::schedule::course::Course;
use reblock_plan::schedule::nodes::{NodePort, Placement, PlacementOrder, Price, Tally, prices};
use reblock_plan::schedule::traffic::Traffic;
use std::time::{Duration, Instant};

const PER_NODE: u32 = 128;
const RANKS: u32 = 1024 * PER_NODE;
/// Assumed maximum bytes of an early message. The library sends no early messages between more than 512 nodes.
const EARLY: u64 = 2048;
/// Target for the planning time of a rank.
const TIME: Duration = Duration::from_millis(10);

pub fn cases() -> Vec<Case> {
    let ranks = u64::from(RANKS);
    let case = |name: &str, from: Vec<Dist>, to: Vec<Dist>, len: u64| {
        let mut case = Case::new(from, to, len, TIME);
        case.name = format!("nodes: {name}");
        case
    };
    let square = |block: u64, rows: u32| vec![cyclic(block, rows), cyclic(block, RANKS / rows)];
    let all = |len| cyclic(len, 1);
    let mut rng = fastrand::Rng::with_seed(43);
    vec![
        case(
            "BLOCK to CYCLIC, 1000 elements a rank",
            vec![block(1000 * ranks, RANKS)],
            vec![cyclic(1, RANKS)],
            1000 * ranks,
        ),
        case(
            "BLOCK to CYCLIC, 1 element a pair",
            vec![block(ranks * ranks, RANKS)],
            vec![cyclic(1, RANKS)],
            ranks * ranks,
        ),
        case(
            "rows to columns, 1 element a pair",
            vec![block(ranks, RANKS), all(ranks)],
            vec![all(ranks), block(ranks, RANKS)],
            ranks,
        ),
        case(
            "pencils along x to pencils along y, 4096^3",
            vec![all(4096), block(4096, 256), block(4096, 512)],
            vec![block(4096, 256), all(4096), block(4096, 512)],
            4096,
        ),
        case(
            "matrix of 10,000, blocks of 16 on 256x512 to 32 on 512x256",
            square(16, 256),
            square(32, 512),
            10_000,
        ),
        case(
            "matrix of 100,000, blocks of 64 on 256x512 to 96 on 512x256",
            square(64, 256),
            square(96, 512),
            100_000,
        ),
        case(
            "matrix of 1,000,000, blocks of 64 on 256x512 to 96 on 512x256",
            square(64, 256),
            square(96, 512),
            1_000_000,
        ),
        case(
            "GEN_BLOCK to GEN_BLOCK, 1000 elements a rank",
            vec![uneven(&mut rng, 1000 * ranks, RANKS)],
            vec![uneven(&mut rng, 1000 * ranks, RANKS)],
            1000 * ranks,
        ),
    ]
}

/// Prints the table of the cases whose names begin with `part`.
pub fn nodes(part: &str) {
    let settings = Settings::read(|_| None).expect("no setting is unusable");
    println!(
        "\n{} nodes with {PER_NODE} ranks each. Assumes that messages of at most {EARLY} bytes travel together, as on up to 512 nodes.",
        RANKS / PER_NODE
    );
    println!(
        "Columns: planning time without and with early messages; peak memory of planning; messages of the busiest rank."
    );
    println!(
        "Then, for each placement of ranks, messages of the busiest node and prices in microseconds of three ways:"
    );
    println!(
        "each message alone; each message of each phase alone; one message for each pair of nodes that has data."
    );
    println!(
        "{:<64} {:<10} {:>9} {:>9} {:>9} {:>8} {:>5} {:>12} {:>9} {:>9} {:>10} {:>10} {:>12}",
        "",
        "scheduler",
        "plan",
        "early",
        "memory",
        "messages",
        "place",
        "alone",
        "phases",
        "together",
        "us alone",
        "us phases",
        "us together"
    );
    for case in cases().iter().filter(|case| case.name.trim_start_matches("nodes: ").starts_with(part)) {
        rows(case, &settings);
    }
}

/// Prints the figures of a case, for ranks that are placed by slot and by node.
fn rows(case: &Case, settings: &Settings) {
    let ranks = ranks(&case.problem);
    let (mut slowest, mut most, mut scheduler) = ([Duration::ZERO; 2], 0, "");
    for rank in [0, ranks / 3, ranks - 1] {
        let plan = |early| planned(case, rank, settings, early);
        let one = plan(0);
        check(&one, &case.name);
        most = most.max(messages(&one));
        scheduler = one.phases.scheduler;
        for (slowest, early) in slowest.iter_mut().zip([0, EARLY]) {
            *slowest = (*slowest).max(median(|| drop(plan(early))));
        }
    }
    let memory = measured(case).map_or_else(|| "?".into(), |bytes| format!("{} KiB", bytes >> 10));
    let traffic = Traffic::of(&case.problem, 8);
    let (machine, _) =
        machine_and_budget(settings, case.problem.bytes(8) / u64::from(ranks), Proximity::Nodes { early: 0 });
    let traffic = traffic.with_budget_for(&machine);
    let schedule = choose(&traffic, &machine, None).expect("a way");
    let mut name = case.name.trim_start_matches("nodes: ");
    for order in [PlacementOrder::BySlot, PlacementOrder::ByNode] {
        let placement = Placement::new(ranks, PER_NODE, order);
        let price = |traffic: &Traffic| {
            let tally = Tally::new(traffic, placement, EARLY).expect("few enough to count");
            prices(&tally, &machine, &NodePort::TYPICAL)
        };
        let start = Instant::now();
        let direct = price(&traffic);
        let counted = start.elapsed();
        let phases = match &schedule.course {
            Course::Direct(_) => None,
            Course::Chain(phases) => {
                Some(phases.iter().map(|phase| price(&phase.traffic).alone).collect::<Vec<_>>())
            }
        };
        let sum = |of: &dyn Fn(&Price) -> f64| match &phases {
            None => "-".into(),
            Some(phases) => format!("{:.0}", phases.iter().map(of).sum::<f64>()),
        };
        #[allow(clippy::cast_precision_loss)]
        let busiest = |price: &Price| price.busiest as f64;
        let us = |price: &Price| price.seconds * 1e6;
        println!(
            "{name:<64} {scheduler:<10} {:>9.1?} {:>9.1?} {memory:>9} {most:>8} {:>5} {:>12} {:>9} {:>9} {:>10.0} {:>10} {:>12.0}  counted in {counted:.1?}",
            slowest[0],
            slowest[1],
            if order == PlacementOrder::BySlot { "slot" } else { "node" },
            direct.alone.busiest,
            sum(&busiest),
            direct.together.busiest,
            us(&direct.alone),
            sum(&us),
            us(&direct.together),
        );
        name = "";
    }
}

/// Returns the larger of the numbers of messages that a rank sends and receives, over all phases.
fn messages(plan: &RankPlan) -> usize {
    let phases = &plan.phases.list;
    let sum =
        |of: fn(&reblock_plan::plan::RankPhase) -> usize| phases.iter().map(|phase| of(phase)).sum::<usize>();
    sum(|phase| phase.sends.messages.len()).max(sum(|phase| phase.receives.messages.len()))
}
