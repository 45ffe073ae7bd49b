//! Arrays in boxes, as source, destination or both, compared with a naive copy of each element.

mod case;

use super::ranks::{at_once, by_turns, destination, source};
use super::*;
use crate::pack::{Combine, Number};
use case::BoxCase;

/// Runs cases together, on a random transport, and compares whole storages.
fn check_boxes(cases: &[BoxCase], rng: &mut fastrand::Rng) {
    let ranks = cases[0].ranks;
    let mut arrays: Vec<_> = cases.iter().map(|case| case.arrays(rng)).collect();
    let mut got: Vec<_> = arrays.iter().map(|[_, before, _]| before.clone()).collect();
    let mut all: Vec<Vec<Load>> = (0..ranks).map(|_| Vec::new()).collect();
    for ((case, [a, before, want]), b) in cases.iter().zip(&mut arrays).zip(&mut got) {
        let update = update_of(case, rng);
        update.inspect(|update| updated(case, update, [before, want]));
        for (rank, (a, b)) in a.iter().zip(b).enumerate() {
            let shape = |k: usize| case.sides[k].shape(rank as u32, case.element);
            all[rank].push(Load {
                plan: case.planned[rank].clone(),
                source: shape(0).map(|shape| source(a, shape)),
                destination: shape(1).map(|shape| destination(b, shape)).map(|to| match update {
                    Some(update) => to.updated_by(update),
                    None => to,
                }),
                update,
            });
        }
    }
    let order = if rng.bool() { PieceOrder::ByMessage } else { PieceOrder::ByRegion };
    let workers = Workers::new([1, 1, 3][rng.usize(0..3)]).oversubscribed(rng.bool());
    for loads in &mut all {
        loads.iter_mut().filter(|load| load.reads_no_source()).for_each(Load::update_alone);
        loads.retain(|load| !load.reads_no_source());
    }
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
    for ((case, [_, _, want]), got) in cases.iter().zip(&arrays).zip(&got) {
        assert!(got == want, "{:?} on {ranks} window={window} capacity={capacity} {order:?}", case.lens);
    }
}

/// Returns the update `to := alpha * from + 3 * to` of integers, with an alpha of 0 or 2, or none.
fn update_of(case: &BoxCase, rng: &mut fastrand::Rng) -> Option<Update> {
    let number = match case.element {
        4 => Number::Int32,
        8 => Number::Int64,
        _ => return None,
    };
    let factors = [[0, 2][rng.usize(0..2)], 3].map(|factor| number.scalar(factor));
    rng.bool().then(|| Update::new(number, Combine::Add, false, factors))?
}

/// Replaces the copies in `after`, the expected arrays, by updates of the arrays `before`.
fn updated(case: &BoxCase, update: &Update, [before, after]: [&mut Vec<Vec<u8>>; 2]) {
    let alpha = if update.ignores_source() { 0u64 } else { 2 };
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
    case.for_each_target(|rank, byte| {
        let [old, new] = [&before[rank], &after[rank]].map(|of| word(&of[byte..][..case.element]));
        let value = alpha.wrapping_mul(new).wrapping_add(old.wrapping_mul(3));
        after[rank][byte..][..case.element].copy_from_slice(&value.to_le_bytes()[..case.element]);
    });
}

#[test]
fn boxes_equal_dealing_element_by_element() {
    let mut rng = fastrand::Rng::with_seed(seed());
    for _ in 0..if cfg!(sanitized) { 150 } else { 600 } {
        let ranks = rng.u32(1..=7);
        let case = BoxCase::random(&mut rng, ranks);
        check_boxes(&[case], &mut rng);
    }
}

#[test]
fn several_arrays_in_boxes_share_messages() {
    let mut rng = fastrand::Rng::with_seed(seed());
    for _ in 0..100 {
        let ranks = rng.u32(1..=7);
        let cases: Vec<_> = (0..rng.usize(2..5)).map(|_| BoxCase::random(&mut rng, ranks)).collect();
        check_boxes(&cases, &mut rng);
    }
}

#[test]
fn messages_between_boxes_go_in_steps() {
    let mut rng = fastrand::Rng::with_seed(seed());
    for _ in 0..100 {
        let ranks = rng.u32(1..=7);
        let case = BoxCase::random(&mut rng, ranks);
        let (mut senders, mut receivers) = (HashSet::new(), HashSet::new());
        let mut sent = HashMap::new();
        for planned in &case.planned {
            let (me, phase) = (planned.me.rank, &planned.phases.list[0]);
            for messages in phase.sends.messages.chunk_by(|a, b| a.peer == b.peer) {
                assert!(senders.insert((messages[0].step, me)), "{me:?} sends twice in a step");
                assert!(sent.insert((me, messages[0].peer), messages.len()).is_none());
            }
            for messages in phase.receives.messages.chunk_by(|a, b| a.peer == b.peer) {
                assert!(receivers.insert((messages[0].step, me)), "{me:?} receives twice in a step");
            }
        }
        for planned in &case.planned {
            let (me, phase) = (planned.me.rank, &planned.phases.list[0]);
            for messages in phase.receives.messages.chunk_by(|a, b| a.peer == b.peer) {
                assert_eq!(sent.remove(&(messages[0].peer, me)), Some(messages.len()));
            }
        }
        assert!(sent.is_empty(), "what is sent is received");
    }
}
