//! Compares the classes and their schedules with a count over all pairs of processes.

use super::super::classes::Classes;
use super::*;
use crate::layout::distribution::Axis;
use crate::layout::distribution::Cyclic;
use crate::layout::intersect::Overlap;

fn dim(p: u32, r: u64, q: u32, s: u64, (a, b): (u64, u64), periods: u64) -> Overlap {
    let axis = |block, procs, start| Axis::new(Cyclic::new(block, procs, procs - 1).unwrap(), start);
    let (x, y) = (r * u64::from(p), s * u64::from(q));
    Overlap { from: axis(r, p, a), to: axis(s, q, b), len: x / x.gcd(&y) * y * periods }
}

/// Returns the messages, found pair by pair, and their steps in `order`.
fn explicit(dim: &Overlap, classes: &Classes, order: &BlownUp) -> (Graph, Vec<u32>) {
    let (mut edges, mut steps) = (Vec::new(), Vec::new());
    for sender in 0..dim.from.dist.procs() {
        for receiver in 0..dim.to.dist.procs() {
            let bytes = dim.shared(sender, receiver).total();
            let member = classes.member(sender, receiver);
            assert_eq!(member.is_some(), bytes > 0, "{sender} -> {receiver} {dim:?}");
            if let Some(member) = member {
                assert_eq!(
                    classes.small().edges()[member.edge].bytes,
                    bytes,
                    "{sender} -> {receiver} {dim:?}"
                );
                edges.push(Edge { sender, receiver, bytes });
                steps.push(u32::try_from(order.step(&member)).unwrap());
            }
        }
    }
    (Graph::new(dim.from.dist.procs(), dim.to.dist.procs(), edges), steps)
}

fn check(dim: &Overlap) -> Certificate {
    let classes = Classes::new(dim).unwrap_or_else(|| panic!("{dim:?}"));
    let order = BlownUp::new(classes.small(), classes.blow_up()).unwrap();
    let (graph, steps) = explicit(dim, &classes, &order);
    let counted = Certificate::count(&graph, &steps);
    let mut claimed = order.certificate.clone();
    claimed.messages *= classes.copies_per_edge();
    assert_eq!(claimed, counted, "{dim:?}");
    assert!(counted.fewest_steps(), "{dim:?} {counted:?}");
    counted
}

/// Checks one of four parts of all P, Q <= 24 with all r, s <= 12.
fn small_cases(part: u32) {
    for (p, q) in (1..=24).flat_map(|p| (1..=24).map(move |q| (p, q))).filter(|(p, q)| (p + q) % 4 == part) {
        for (r, s) in (1..=12).flat_map(|r| (1..=12).map(move |s| (r, s))) {
            check(&dim(p, r, q, s, (0, 0), 1));
        }
    }
}

#[test]
fn small_cases_have_the_fewest_steps_0() {
    small_cases(0);
}

#[test]
fn small_cases_have_the_fewest_steps_1() {
    small_cases(1);
}

#[test]
fn small_cases_have_the_fewest_steps_2() {
    small_cases(2);
}

#[test]
fn small_cases_have_the_fewest_steps_3() {
    small_cases(3);
}

#[test]
fn all_offsets_have_the_fewest_steps() {
    for (p, q, r, s) in [(4, 6, 3, 5), (6, 4, 4, 6), (1, 5, 3, 4), (5, 1, 3, 4), (8, 8, 6, 4), (9, 6, 2, 9)] {
        for (a, b) in (0..2 * r).flat_map(|a| (0..2 * s).map(move |b| (a, b))) {
            check(&dim(p, r, q, s, (a, b), 2));
        }
    }
}

#[test]
fn random_redistributions_have_the_fewest_steps() {
    let mut rng = fastrand::Rng::with_seed(9);
    for _ in 0..300 {
        let (p, q, r, s) = (rng.u32(1..60), rng.u32(1..60), rng.u64(1..40), rng.u64(1..40));
        check(&dim(p, r, q, s, (rng.u64(0..r), rng.u64(0..s)), rng.u64(1..3)));
    }
}

#[test]
fn examples_of_desprez_et_al() {
    // (P, r, Q, s); messages; most messages of a port; bytes of the busiest port; steps; the paper's cost (None: not
    // given).
    let examples = [
        ((16, 3, 16, 5), 112, 7, 15, 7, Some(15)),
        ((16, 7, 16, 11), 256, 16, 77, 16, Some(77)),
        ((15, 3, 15, 5), 105, 10, 15, 10, None),
        ((12, 4, 8, 3), 24, 4, 6, 4, None),
        ((15, 2, 6, 3), 60, 10, 15, 10, Some(20)),
    ];
    for ((p, r, q, s), messages, degree, load, steps, cost) in examples {
        let c = check(&dim(p, r, q, s, (0, 0), 1));
        println!("P={p} r={r} Q={q} s={s}: {c:?}");
        assert_eq!((c.messages, c.bounds.steps, c.bounds.load, c.steps), (messages, degree, load, steps));
        assert!(cost.is_none_or(|cost| c.cost <= cost), "{c:?}");
    }
}

#[test]
fn the_structure_does_not_grow_with_the_number_of_processes() {
    for (p, q) in [(1_000_000, 1_000_000), (1_000_000, 999_999), (999_999, 1_000_000), (1 << 20, 3 << 18)] {
        for (r, s) in [(1, 1), (3, 5), (128, 96), (100, 156), (255, 1)] {
            let dim = dim(p, r, q, s, (r / 2, 0), 1);
            let classes = Classes::new(&dim).unwrap();
            assert!(classes.small().edges().len() as u64 <= r + s, "{dim:?}");
            let order = BlownUp::new(classes.small(), classes.blow_up()).unwrap();
            assert!(order.certificate.fewest_steps(), "{dim:?} {:?}", order.certificate);
        }
    }
}

#[test]
fn an_empty_section_has_no_messages() {
    for (p, q) in [(4, 4), (4, 1), (1, 4)] {
        let dim = Overlap { len: 0, ..dim(p, 3, q, 1, (0, 0), 1) };
        assert!(Classes::new(&dim).is_none());
    }
}
