//! Compares the certificates of all schedulers on random traffic with a count over all messages.

use super::super::checkerboard::tests::{random_traffic, recount};
use super::super::chooser::{Schedule, run_scheduler};
use super::super::course::Course;
use super::super::order::Order;
use super::*;
use crate::layout::distribution::{Axis, Cyclic, Grid, Nodes};
use crate::layout::intersect::Overlap;
use std::collections::{HashMap, HashSet};

/// Compares the certificate of a schedule, or of each phase of a chain, with a count over all messages.
fn check(t: &Traffic, scheduler: &Scheduler, schedule: &Schedule) {
    let order = match &schedule.course {
        Course::Direct(order) => order,
        Course::Chain(phases) => {
            assert!(phases.len() > 1);
            for phase in phases {
                check_order(&phase.traffic, How::Whole, phase.order.as_ref(), &phase.certificate);
            }
            return;
        }
    };
    check_order(t, scheduler.how, order.as_ref(), schedule.certificate.as_ref().unwrap());
}

fn check_order(t: &Traffic, how: How, order: &dyn Order, claimed: &Certificate) {
    match how {
        How::Cut => check_parts(t, order, claimed),
        // The only step is no matching. Its cost is that of the busiest port.
        How::AtOnce => assert_eq!(claimed.bounds.load, t.listed().unwrap().graph.bounds((1, 1)).load),
        How::Whole | How::Phases => assert_eq!(recount(t, order, false), *claimed, "{order:?}"),
    }
}

fn check_parts(t: &Traffic, order: &dyn Order, claimed: &Certificate) {
    let graph = &t.listed().unwrap().graph;
    let (mut busy, mut costs) = (HashSet::new(), HashMap::new());
    for e in graph.edges() {
        let (from, to) = t.edge_coordinates(e);
        let mut at = 0;
        for part in order.parts(&from, &to) {
            assert_eq!(part.from, at, "parts follow each other");
            at += part.bytes;
            assert!(busy.insert((part.step, 0, e.sender)) && busy.insert((part.step, 1, e.receiver)));
            let cost = costs.entry(part.step).or_insert(0);
            *cost = part.bytes.max(*cost);
        }
        assert_eq!(at, e.bytes, "every byte goes once");
    }
    assert_eq!((costs.len() as u64, costs.values().sum::<u64>()), (claimed.steps, claimed.cost));
    assert_eq!(claimed.cost, claimed.bounds.load);
}

#[test]
fn certificates_equal_a_recount() {
    let mut rng = fastrand::Rng::with_seed(21);
    let mut ran = HashMap::new();
    // Start-ups are expensive enough for chains.
    let machine = Machine { start_up: 1.0, ..Machine::NETWORK };
    for _ in 0..1000 {
        let ranks = 0..128;
        let nodes = rng.u32(1..4);
        let t = random_traffic(&mut rng)
            .on_nodes(Nodes::new(&ranks.map(|rank| rank % nodes).collect::<Vec<_>>()));
        for scheduler in TABLE {
            if let Ok(schedule) = run_scheduler(scheduler, &t, &machine) {
                check(&t, scheduler, &schedule);
                *ran.entry(scheduler.name).or_insert(0) += 1;
            }
        }
    }
    println!("{ran:?}");
    assert!(
        TABLE.iter().all(|scheduler| ran.get(scheduler.name).is_some_and(|&times| times >= 5)),
        "{ran:?}"
    );
}

/// A search that is too expensive for the chooser still runs if the user names it.
#[test]
fn a_named_scheduler_is_used_for_any_length() {
    let axis = |block, procs| Axis::new(Cyclic::new(block, procs, 0).unwrap(), 0);
    // From 40 to 25 processes, without a whole period.
    let dim = Overlap { from: axis(3, 40), to: axis(7, 25), len: 2_000 };
    let grids = (Grid::row_major(&[40]), Grid::row_major(&[25]));
    let traffic = Traffic::new(vec![dim], 1, grids.0, grids.1).with_budget_for(&Machine::NETWORK);
    assert!(traffic.messages() > traffic.effort().search, "{}", traffic.messages());
    for name in ["edge-colouring", "split", "drc", "stepwise"] {
        let scheduler = find_by_name(name).unwrap();
        let schedule = run_scheduler(scheduler, &traffic, &Machine::NETWORK).unwrap();
        check(&traffic, scheduler, &schedule);
    }
}
