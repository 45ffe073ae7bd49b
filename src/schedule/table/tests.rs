//! Every rival on random traffic, against a recount by brute force.

use super::super::checkerboard::tests::{random_traffic, recount};
use super::super::lookup::Lookup;
use super::super::order::Order;
use super::super::split;
use super::*;
use crate::layout::{Axis, Cyclic, Grid};
use crate::overlap::Overlap;
use std::collections::{HashMap, HashSet};

/// Steps, messages and busiest port that a rival's order has, counted port by port.
fn check(t: &Traffic, rival: &Scheduler, schedule: &Schedule) {
    let order = match &schedule.course {
        Course::Direct(order) => order,
        Course::Chain(phases) => {
            assert!(phases.len() > 1);
            for phase in phases {
                check_order(&phase.traffic, rival, &phase.order, &phase.certificate);
            }
            return;
        }
    };
    check_order(t, rival, order, schedule.certificate.as_ref().unwrap());
}

fn check_order(t: &Traffic, rival: &Scheduler, order: &Order, told: &Certificate) {
    match order {
        Order::Split(parts, _) => check_parts(t, parts, told),
        // No matching: the figures are those of the busiest port.
        Order::AtOnce => assert_eq!(told.bounds.load, t.listed().unwrap().graph.bounds((1, 1)).load),
        _ => assert_eq!(recount(t, order, false), *told, "{}", rival.name),
    }
}

fn check_parts(t: &Traffic, parts: &HashMap<(u32, u32), Vec<split::Part>>, told: &Certificate) {
    let list = t.listed().unwrap();
    let at: Lookup = list.lookup(0..);
    let (mut busy, mut costs) = (HashSet::new(), HashMap::new());
    for (&(sender, receiver), parts) in parts {
        let bytes = list.graph.edges()[at.get(sender, receiver).unwrap() as usize].bytes;
        let mut at = 0;
        for part in parts {
            assert_eq!(part.from, at, "parts follow each other");
            at += part.bytes;
            assert!(busy.insert((part.step, 0, sender)) && busy.insert((part.step, 1, receiver)));
            let cost = costs.entry(part.step).or_insert(0);
            *cost = part.bytes.max(*cost);
        }
        assert_eq!(at, bytes, "every byte goes once");
    }
    assert_eq!(parts.len(), list.graph.edges().len());
    assert_eq!((costs.len() as u64, costs.values().sum::<u64>()), (told.steps, told.cost));
    assert_eq!(told.cost, told.bounds.load);
}

#[test]
fn every_rival_is_what_its_certificate_says() {
    let mut rng = fastrand::Rng::with_seed(21);
    let mut ran = HashMap::new();
    // Start-ups cost so much that chains are worth while.
    let machine = Machine { start_up: 1.0, ..Machine::NETWORK };
    for _ in 0..1000 {
        let t = random_traffic(&mut rng);
        for rival in &TABLE {
            if let Ok(schedule) = (rival.build)(&t, &machine) {
                check(&t, rival, &schedule);
                *ran.entry(rival.name).or_insert(0) += 1;
            }
        }
    }
    println!("{ran:?}");
    assert!(TABLE.iter().all(|rival| ran.get(rival.name).is_some_and(|&times| times >= 5)), "{ran:?}");
}

/// What a router may not ask because it takes long for what it saves is there for who asks for it.
#[test]
fn who_asks_for_a_rival_by_name_gets_it_however_short_the_redistribution() {
    let axis = |block, procs| Axis::new(Cyclic::new(block, procs, 0).unwrap(), 0);
    // 40 to 25 processes, and no whole period.
    let dim = Overlap { from: axis(3, 40), to: axis(7, 25), len: 2_000 };
    let grids = (Grid::row_major(&[40]), Grid::row_major(&[25]));
    let traffic = Traffic::new(vec![dim], 1, grids.0, grids.1).within(&Machine::NETWORK);
    assert!(traffic.messages() > traffic.effort().search, "{}", traffic.messages());
    for name in ["edge-colouring", "split", "drc", "stepwise"] {
        let rival = named(name).unwrap();
        let schedule = (rival.build)(&traffic, &Machine::NETWORK).unwrap();
        check(&traffic, rival, &schedule);
    }
}
