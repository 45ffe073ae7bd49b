//! Whole redistributions, all ranks in this process, compared with a naive program that copies element by element.

mod boxes;
mod case;
mod next_send;
mod ranks;
mod resized;
mod shadows;

use super::*;
use crate::layout::distribution::{Axis, Cyclic, Grid, Rank};
use crate::layout::intersect::Overlap;
use crate::layout::problem::{Part, Problem};
use crate::pack::Combine;
use crate::pack::{Destination, Source, Update};
use crate::plan::rank_plan::RankPlan;
use crate::plan::{Message, PhaseRuns, PhaseSide, Phases, Piece, Place, RankPhase};
use crate::schedule::table::TABLE;
use crate::system::machine::Machine;
use crate::transport::loopback;
use crate::transport::tests::shared;
use case::Case;
use ranks::{at_once, by_turns, run};
use std::collections::{HashMap, HashSet};
use std::fmt::Debug;
use std::sync::Arc;

fn seed() -> u64 {
    let seed = std::env::var("REBLOCK_TEST_SEED").ok().and_then(|s| s.parse().ok());
    let seed = seed.unwrap_or_else(|| fastrand::u64(..));
    println!("REBLOCK_TEST_SEED={seed}");
    seed
}

/// Runs cases together, on a random transport, and compares whole local arrays. Returns how many ranks gathered them,
/// and how many had listed runs.
fn check_together(
    cases: &[Case],
    all_phases: &[Vec<Phases>],
    rng: &mut fastrand::Rng,
    what: &str,
) -> [usize; 2] {
    let ranks = cases[0].ranks;
    let arrays: Vec<_> = cases.iter().map(|case| case.arrays(rng)).collect();
    let mut got: Vec<_> = arrays.iter().map(|[_, before, _]| before.clone()).collect();
    let parts: Vec<_> =
        cases.iter().zip(all_phases).zip(&arrays).map(|((c, r), [a, ..])| (c, &r[..], &a[..])).collect();
    let (window, capacity) = ([1, 2, 8, 9][rng.usize(0..4)], [16, 64, 1000, 1 << 17][rng.usize(0..4)]);
    let order = [PieceOrder::ByMessage, PieceOrder::ByRegion, PieceOrder::ByRegion][rng.usize(0..3)];
    let workers = Workers::new([1, 1, 1, 3][rng.usize(0..4)]).oversubscribed(rng.bool());
    // All ranks have listed runs, or none, or some.
    let listing = [0, 0, u64::MAX, rng.u64(..)][rng.usize(0..4)];
    let how = (order, workers, listing == 0 && rng.u8(0..4) > 0, listing);
    let ways = if rng.bool() {
        // No message is early, or some, or all. Arrays are not gathered from early messages.
        let early = match (order, window) {
            (PieceOrder::ByMessage, 1) => 1 << 20,
            (PieceOrder::ByMessage, 2) => 100,
            _ => 0,
        };
        let ends = loopback::connect(ranks, window, capacity).into_iter().map(|end| end.with_early(early));
        run(&parts, &mut got, &mut ends.collect::<Vec<_>>(), how, by_turns)
    } else {
        let all: Vec<u32> = (0..ranks).collect();
        run(&parts, &mut got, &mut shared(&all, window, capacity), how, by_turns)
    };
    for ((case, [_, _, want]), got) in cases.iter().zip(&arrays).zip(&got) {
        assert!(got == want, "{:?} window={window} capacity={capacity} {how:?} {what}", case.problem);
    }
    ways
}

/// Runs one case and compares its arrays. Returns how many ranks gathered, and how many had listed runs; `None` if this
/// scheduler cannot run it.
fn check(
    case: Case,
    rng: &mut fastrand::Rng,
    machine: &Machine,
    scheduler: Option<&str>,
) -> Option<[usize; 2]> {
    let all_phases = case.all_phases(machine, scheduler)?;
    Some(check_together(&[case], &[all_phases], rng, scheduler.unwrap_or("the cheapest")))
}

/// Returns how often `play` took each path, over all cases of a seed.
fn counted(seed: u64, cases: usize, play: impl Fn(&mut fastrand::Rng) -> [usize; 2]) -> [usize; 2] {
    let mut rng = fastrand::Rng::with_seed(seed);
    (0..cases).map(|_| play(&mut rng)).fold([0; 2], |sum, taken| [0, 1].map(|k| sum[k] + taken[k]))
}

/// Seed of cases whose paths are counted: a random one might take some path too seldom.
const COUNTED: u64 = 1;

#[test]
fn random_redistributions_equal_dealing_element_by_element() {
    let play = |rng: &mut fastrand::Rng| {
        check(Case::random(rng), rng, &Machine::NETWORK, None).expect("there is always a way")
    };
    // Each case takes ten times as long under a sanitizer.
    let cases = if cfg!(sanitized) { 350 } else { 1250 };
    counted(seed(), cases, play);
    let ways = counted(COUNTED, cases, play);
    let enough = cases * 2 / 25;
    assert!(ways.iter().all(|&taken| taken > enough), "{ways:?} ranks gathered, and had runs written out");
}

#[test]
fn random_updates_equal_updating_element_by_element() {
    let play = |rng: &mut fastrand::Rng| {
        let case = Case::random(rng).updated(rng);
        check(case, rng, &Machine::NETWORK, None).expect("there is always a way")
    };
    let [_, written_out] = counted(seed(), if cfg!(sanitized) { 350 } else { 1000 }, play);
    assert!(written_out > 20, "{written_out} ranks had runs written out");
}

#[test]
fn updates_without_a_source_need_no_message() {
    let mut rng = fastrand::Rng::with_seed(seed());
    for _ in 0..200 {
        let case = Case::random(&mut rng).updated(&mut rng);
        let Some(update) = case.update else { continue };
        let factors = [update.number().scalar(0), *update.beta()];
        let update = Update::new(update.number(), Combine::Add, false, factors);
        let case = Case { update, ..case };
        let Some(all_phases) = case.all_phases(&Machine::NETWORK, None) else { continue };
        let [_, mut got, want] = case.arrays(&mut rng);
        ranks::alone(&case, &all_phases, &mut got);
        assert!(got == want, "{:?} {:?}", case.problem, case.update);
    }
}

#[test]
fn several_arrays_share_messages() {
    let patient = Machine { start_up: 1.0, ..Machine::NETWORK };
    let play = |rng: &mut fastrand::Rng| {
        let ranks = rng.u32(1..=9);
        let one = |_| {
            let case = Case::within(rng, ranks);
            if rng.u8(0..4) == 0 { case.updated(rng) } else { case }
        };
        let cases: Vec<Case> = (0..4).map(one).take(2 + ranks as usize % 4).collect();
        let machine = if rng.bool() { &patient } else { &Machine::NODE };
        let all_phases: Vec<_> = cases.iter().map(|case| case.all_phases(machine, None).unwrap()).collect();
        check_together(&cases, &all_phases, rng, "together")
    };
    counted(seed(), 200, play);
    let ways = counted(COUNTED, 200, play);
    assert!(ways.iter().all(|&taken| taken > 20), "{ways:?} ranks gathered, and had runs written out");
}

#[test]
fn ranks_that_run_at_the_same_time_do_not_wait_for_each_other() {
    let mut rng = fastrand::Rng::with_seed(seed());
    for _ in 0..4 {
        // A receiver waits for one sender while others send to it: a slot holds a column or two, and a block has 28.
        let ranks = rng.u32(3..=5);
        let case = Case::columns_to_rows(ranks, [35 * u64::from(ranks), 886], [4, 28]);
        let [a, mut got, want] = case.arrays(&mut rng);
        let all_phases = case.all_phases(&Machine::NODE, None).unwrap();
        let mut ends = shared(&(0..ranks).collect::<Vec<u32>>(), 2 * ranks as usize, 1024);
        let how = (PieceOrder::ByRegion, Workers::new(1), true, 0);
        let parts = [(&case, &all_phases[..], &a[..])];
        let gathered = run(&parts, std::slice::from_mut(&mut got), &mut ends, how, at_once);
        assert!(got == want && gathered == [ranks as usize, 0], "{:?}", case.problem);
    }
}

#[test]
fn every_scheduler_moves_the_same_elements() {
    let patient = Machine { start_up: 1.0, ..Machine::NETWORK };
    for scheduler in TABLE {
        let play = |rng: &mut fastrand::Rng| {
            let case = Case::random(rng);
            let case = if rng.bool() { case.updated(rng) } else { case };
            let ran = check(case, rng, &patient, Some(scheduler.name)).is_some();
            [usize::from(ran), 0]
        };
        counted(seed(), 200, play);
        let [ran, _] = counted(COUNTED, 200, play);
        assert!(ran > 3, "{} ran {ran} cases", scheduler.name);
    }
}

#[test]
fn plans_are_contention_free_and_both_ends_agree() {
    let mut rng = fastrand::Rng::with_seed(seed());
    let patient = Machine { start_up: 1.0, ..Machine::NETWORK };
    for scheduler in TABLE.iter().filter(|s| s.name != "unscheduled") {
        for _ in 0..60 {
            let case = Case::random(&mut rng);
            let Some(all_phases) = case.all_phases(&patient, Some(scheduler.name)) else { continue };
            for phase in 0..all_phases[0].list.len() {
                let plans: Vec<&RankPhase> = all_phases.iter().map(|phases| &*phases.list[phase]).collect();
                contention_free(&case, &plans, scheduler.name);
            }
        }
    }
}

fn contention_free(case: &Case, plans: &[&RankPhase], name: &str) {
    let volume = |side: &PhaseSide, m: &Message| {
        let mut piece = Piece::default();
        side.positions(m, &mut piece);
        side.product(m).elements(&piece, &case.problem.part)
    };
    let (mut sent, mut received) = (HashMap::new(), HashMap::new());
    let (mut senders, mut receivers) = (HashSet::new(), HashSet::new());
    let mut kept = 0;
    for (me, plan) in (0..case.ranks).map(Rank).zip(plans) {
        for m in &plan.sends.messages {
            assert!(senders.insert((m.step, me)), "{me:?} sends twice in step {} of {name}", m.step);
            assert!(sent.insert((me, m.peer, m.step), volume(&plan.sends, m)).is_none());
        }
        for m in &plan.receives.messages {
            assert!(receivers.insert((m.step, me)), "{me:?} receives twice in step {} of {name}", m.step);
            assert!(received.insert((m.peer, me, m.step), volume(&plan.receives, m)).is_none());
        }
        if let Some(copy) = &plan.copy {
            let product = copy.product(0);
            kept += product.elements(&Piece::of(product.whole()), &case.problem.part);
        }
    }
    assert_eq!(sent, received);
    let whole: u64 = sent.values().sum::<u64>() + kept;
    let moving = case.indices().iter().filter(|index| case.moves(index)).count() as u64;
    assert_eq!(whole, moving * case.copies(), "each element moves once to each copy, {name}");
}

#[test]
fn a_redistribution_onto_the_same_layout_has_no_message() {
    let axis = Axis::new(Cyclic::new(3, 2, 1).unwrap(), 4);
    let dim = Overlap { from: axis.clone(), to: axis, len: 50 };
    let grid = Grid::row_major(&[2, 2]);
    let problem = Problem::whole(vec![dim.clone(), dim], grid.clone(), grid);
    for rank in 0..4 {
        let me = Place::of(&problem, Rank(rank), 4);
        let phases = Phases::new(&problem, &me, 8, &Machine::NETWORK, None).unwrap();
        let plan = &phases.list[0];
        assert!(plan.sends.messages.is_empty() && plan.receives.messages.is_empty() && plan.copy.is_some());
    }
}

#[test]
fn elements_that_every_rank_has_are_not_sent() {
    // From a copy on each rank to blocks: each rank already has its block.
    let one = || Axis::new(Cyclic::new(1, 1, 0).unwrap(), 0);
    let block = || Axis::new(Cyclic::new(25, 4, 0).unwrap(), 0);
    let (copies, blocks) = (Grid::row_major(&[1, 4]), Grid::row_major(&[4]));
    let gather =
        Problem::whole(vec![Overlap { from: block(), to: one(), len: 100 }], blocks.clone(), copies.clone());
    let scatter = Problem::whole(vec![Overlap { from: one(), to: block(), len: 100 }], copies, blocks);
    for (problem, messages) in [(scatter, 0), (gather, 3)] {
        for rank in 0..4 {
            let me = Place::of(&problem, Rank(rank), 4);
            let phases = Phases::new(&problem, &me, 8, &Machine::NETWORK, None).unwrap();
            let plan = &phases.list[0];
            assert_eq!([&plan.sends, &plan.receives].map(|side| side.messages.len()), [messages; 2]);
        }
    }
}
