//! Fills shadow elements from their owners' elements, or combines them into these, and compares with an oracle.

mod case;

use super::ranks::{at_once, by_turns, in_place};
use super::*;
use crate::pack::Number;
use case::ShadowCase;

/// Fills or combines the shadows of all arrays together, on a random transport, and compares whole storages.
fn check(cases: &[ShadowCase], rng: &mut fastrand::Rng) {
    let updates: Vec<_> = cases.iter().map(|case| update_of(case, rng)).collect();
    // Small cases have listed runs from the second time on.
    for _ in 0..rng.u32(1..4) {
        check_once(cases, &updates, rng);
    }
}

fn check_once(cases: &[ShadowCase], updates: &[Option<Update>], rng: &mut fastrand::Rng) {
    let ranks = cases[0].ranks;
    let before: Vec<_> = cases.iter().map(|case| case.arrays(rng)).collect();
    let mut got = before.clone();
    let mut all: Vec<Vec<Load>> = (0..ranks).map(|_| Vec::new()).collect();
    for ((case, update), arrays) in cases.iter().zip(updates).zip(&mut got) {
        for (rank, array) in arrays.iter_mut().enumerate() {
            let planned = case.planned[rank].clone();
            let shape = case.shape(rank);
            let (source, to) = shape.map(|shape| in_place(array, shape)).unzip();
            let destination = to.map(|to| match update {
                Some(update) => to.updated_by(*update),
                None => to,
            });
            all[rank].push(Load { plan: planned, source, destination, update: *update });
        }
    }
    let in_order = cases.iter().any(|case| case.planned[0].in_order);
    let order = if in_order || rng.bool() { PieceOrder::ByMessage } else { PieceOrder::ByRegion };
    let workers = Workers::new([1, 1, 3][rng.usize(0..3)]).oversubscribed(rng.bool());
    let mut executions: Vec<PhaseExecution> =
        all.into_iter().map(|loads| PhaseExecution::new(loads, 0, order, workers)).collect();
    let (window, capacity) = ([1, 2, 8, 20][rng.usize(0..4)], [16, 64, 1000, 1 << 17][rng.usize(0..4)]);
    match rng.u8(0..3) {
        0 => {
            let early = [0, 100, 1 << 20][rng.usize(0..3)];
            let ends = loopback::connect(ranks, window, capacity).into_iter();
            by_turns(&mut executions, &mut ends.map(|end| end.with_early(early)).collect::<Vec<_>>());
        }
        1 => by_turns(&mut executions, &mut shared(&(0..ranks).collect::<Vec<_>>(), window, capacity)),
        _ => at_once(&mut executions, &mut shared(&(0..ranks).collect::<Vec<_>>(), window, capacity)),
    }
    drop(executions);
    for (((case, before), got), update) in cases.iter().zip(&before).zip(&got).zip(updates) {
        let want = case.moved(before, update.as_ref());
        assert!(*got == want, "{case} window={window} capacity={capacity} {order:?} {update:?}");
    }
}

/// Returns a random update, often a sum of doubles, whose result depends on the order; `None` for a copy.
fn update_of(case: &ShadowCase, rng: &mut fastrand::Rng) -> Option<Update> {
    let back = case.planned[0].in_order;
    if !back && rng.bool() {
        return None;
    }
    let number = match case.element {
        8 => Number::Double,
        4 => Number::Int32,
        _ => return None,
    };
    let combine = [Combine::Add, Combine::Add, Combine::Minimum, Combine::Maximum][rng.usize(0..4)];
    let beta = if back { 1 } else { [0, 1][rng.usize(0..2)] };
    Update::new(number, combine, false, [number.scalar(1), number.scalar(beta)])
}

#[test]
fn filled_shadows_equal_a_search_for_each_element() {
    let mut rng = fastrand::Rng::with_seed(seed());
    for _ in 0..if cfg!(sanitized) { 150 } else { 800 } {
        let ranks = rng.u32(1..=9);
        let case = ShadowCase::random(&mut rng, ranks, false);
        check(&[case], &mut rng);
    }
}

#[test]
fn elements_are_combined_with_shadows_in_one_order() {
    let mut rng = fastrand::Rng::with_seed(seed());
    for _ in 0..if cfg!(sanitized) { 150 } else { 800 } {
        let ranks = rng.u32(1..=9);
        let case = ShadowCase::random(&mut rng, ranks, true);
        check(&[case], &mut rng);
    }
}

#[test]
fn shadows_of_several_arrays_share_messages() {
    let mut rng = fastrand::Rng::with_seed(seed());
    for _ in 0..150 {
        let ranks = rng.u32(1..=9);
        let random = |rng: &mut fastrand::Rng| {
            let back = rng.bool();
            ShadowCase::random(rng, ranks, back)
        };
        let cases: Vec<_> = (0..rng.usize(2..5)).map(|_| random(&mut rng)).collect();
        check(&cases, &mut rng);
    }
}
