//! Whole redistributions, all ranks in this process, against a naive program that deals elements one by one.

mod case;

use super::*;
use crate::layout::{Axis, Cyclic, Grid, Rank};
use crate::overlap::Overlap;
use crate::plan::{Place, Route};
use crate::problem::Problem;
use crate::schedule::machine::Machine;
use crate::schedule::table::TABLE;
use crate::transport::loopback;
use crate::transport::tests::shared;
use case::{Array, Case, place};
use std::collections::{HashMap, HashSet};
use std::fmt::Debug;

fn seed() -> u64 {
    let seed = std::env::var("REBLOCK_TEST_SEED").ok().and_then(|s| s.parse().ok());
    let seed = seed.unwrap_or_else(|| fastrand::u64(..));
    println!("REBLOCK_TEST_SEED={seed}");
    seed
}

/// Everything about one case: arrays before and after.
fn check(case: &Case, rng: &mut fastrand::Rng, machine: &Machine, scheduler: Option<&str>) -> bool {
    let Some(routes) = case.routes(machine, scheduler) else { return false };
    let element = case.element;
    let mut memory = |array: &Array| -> Vec<Vec<u8>> {
        (0..case.ranks).map(|rank| array.memory(Rank(rank), element, || rng.u8(..))).collect()
    };
    let (a, mut got) = (memory(&case.from), memory(&case.to));
    let mut want = got.clone();
    for (i, j) in (0..case.section[0]).flat_map(|i| (0..case.section[1]).map(move |j| (i, j))) {
        if case.moves(i, j) {
            let ((p, x), (q, y)) = (case.from.at(i, j, element), case.to.at(i, j, element));
            want[q.0 as usize][y..y + element].copy_from_slice(&a[p.0 as usize][x..x + element]);
        }
    }
    let (window, capacity) = ([1, 2, 8][rng.usize(0..3)], [16, 64, 1000, 1 << 20][rng.usize(0..4)]);
    if rng.bool() {
        case.run(&routes, &a, &mut got, &mut loopback::connect(case.ranks, window, capacity));
    } else {
        let ranks: Vec<u32> = (0..case.ranks).collect();
        case.run(&routes, &a, &mut got, &mut shared(&ranks, window, capacity));
    }
    assert!(got == want, "{:?} window={window} capacity={capacity} {scheduler:?}", case.problem);
    true
}

#[test]
fn random_redistributions_equal_dealing_element_by_element() {
    let mut rng = fastrand::Rng::with_seed(seed());
    for _ in 0..1500 {
        let case = Case::random(&mut rng);
        assert!(check(&case, &mut rng, &Machine::NETWORK, None), "there is always a way");
    }
}

#[test]
fn every_scheduler_moves_the_same() {
    let mut rng = fastrand::Rng::with_seed(seed());
    let patient = Machine { start_up: 1.0, ..Machine::NETWORK };
    for scheduler in &TABLE {
        let mut ran = 0;
        for _ in 0..400 {
            let case = Case::random(&mut rng);
            ran += u32::from(check(&case, &mut rng, &patient, Some(scheduler.name)));
        }
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
            let Some(routes) = case.routes(&patient, Some(scheduler.name)) else { continue };
            for leg in 0..routes[0].legs.len() {
                let plans: Vec<&Plan> = routes.iter().map(|route| &route.legs[leg].plan).collect();
                contention_free(&case, &plans, scheduler.name);
            }
        }
    }
}

fn contention_free(case: &Case, plans: &[&Plan], name: &str) {
    let volume =
        |side: &Side, m: &Message| side.rectangle(m).elements(&side.positions(m), &case.problem.part);
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
        if let Some((rows, cols)) = &plan.copy {
            let all = Piece { rows: 0..rows.local.total(), cols: 0..cols.local.total() };
            kept += Rectangle { rows, cols }.elements(&all, &case.problem.part);
        }
    }
    assert_eq!(sent, received);
    let whole: u64 = sent.values().sum::<u64>() + kept;
    let all = (0..case.section[0]).flat_map(|i| (0..case.section[1]).map(move |j| (i, j)));
    assert_eq!(
        whole,
        all.filter(|&(i, j)| case.moves(i, j)).count() as u64,
        "each element moves once, {name}"
    );
}

#[test]
fn a_redistribution_onto_the_same_layout_has_no_message() {
    let axis = Axis::new(Cyclic::new(3, 2, 1).unwrap(), 4);
    let dim = Overlap { from: axis.clone(), to: axis, len: 50 };
    let grid = Grid::row_major(&[2, 2]);
    let problem =
        Problem { rows: dim.clone(), cols: dim, from: grid.clone(), to: grid.clone(), part: Part::Whole };
    for rank in 0..4 {
        let at = place(&grid, Rank(rank));
        let me = Place { rank: Rank(rank), from: at, to: at, ranks: 4 };
        let route = Route::new(&problem, &me, 8, &Machine::NETWORK, None).unwrap();
        let plan = &route.legs[0].plan;
        assert!(plan.sends.messages.is_empty() && plan.receives.messages.is_empty() && plan.copy.is_some());
    }
}
