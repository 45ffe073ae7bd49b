//! Counts compared with the schedules' own figures, and the growth of layouts.

use super::ports::Ports;
use super::tally::{by_dimension, tally};
use super::*;
use crate::notation::read;
use reblock_plan::schedule::chooser::run_scheduler;
use reblock_plan::schedule::cost_model::How;
use reblock_plan::schedule::course::Course;
use reblock_plan::schedule::table::{TABLE, find_by_name};
use reblock_plan::schedule::traffic::Traffic;

fn subject(shape: &[u64], from: &str, to: &str) -> Redistribution {
    let side = |text| read(text, "", shape).unwrap();
    Redistribution {
        shape: shape.into(),
        element: 4,
        from: side(from),
        to: side(to),
        axes: (0..shape.len()).collect(),
    }
}

const CASES: [(&[u64], &str, &str); 8] = [
    (&[240], "CYCLIC(3) ONTO P(16)", "CYCLIC(5) ONTO Q(16) AT 16"),
    (&[240], "CYCLIC(3) ONTO P(16)", "CYCLIC(5) ONTO Q(16)"),
    (&[100], "CYCLIC(7) ONTO P(5) AT 2", "CYCLIC(4) ONTO Q(6)"),
    (&[117], "GEN_BLOCK(7,27,32,15,15,7,14) ONTO P(7)", "BLOCK ONTO Q(9)"),
    (&[40, 60], "CYCLIC(2),CYCLIC(3) ONTO P(2,4)", "CYCLIC(5),CYCLIC(3) ONTO Q(4,2)"),
    (&[24, 24], "MB=2 NB=3 NPROW=2 NPCOL=2 RSRC=1 IA=4", "CYCLIC,* ONTO Q(3)"),
    (&[12, 5, 12], "CYCLIC,*,CYCLIC(2) ONTO P(2,3)", "*,BLOCK,CYCLIC ONTO Q(2,2) AT 3"),
    (&[64, 64], "CYCLIC,CYCLIC ONTO P(4,4)", "CYCLIC(8),CYCLIC(8) ONTO Q(4,4)"),
];

#[test]
fn every_message_is_seen_from_both_ends() {
    for (shape, from, to) in CASES {
        let traffic = subject(shape, from, to).traffic().unwrap();
        let list = traffic.listed().unwrap();
        let ends = |sending| {
            let mut seen = Vec::new();
            Ports::new(&traffic, sending).each(|port| {
                for (other, elements) in port.messages() {
                    let (p, q) = if sending { (port.mine, other) } else { (other, port.mine) };
                    let port = |grid, at| u32::try_from(Traffic::port(grid, at)).unwrap();
                    seen.push((port(&traffic.from, p), port(&traffic.to, q), elements * traffic.element));
                }
            });
            seen.sort_unstable();
            seen
        };
        let mut want: Vec<_> = list.graph.edges().iter().map(|e| (e.sender, e.receiver, e.bytes)).collect();
        want.sort_unstable();
        assert_eq!(ends(true), want, "{from} -> {to}");
        assert_eq!(ends(false), want, "{from} -> {to}");
    }
}

#[test]
fn counts_equal_the_schedules_certificates() {
    let mut counted = 0;
    for (shape, from, to) in CASES {
        let traffic = subject(shape, from, to).traffic().unwrap();
        for scheduler in TABLE {
            let Ok(schedule) = run_scheduler(scheduler, &traffic, &Machine::NETWORK) else { continue };
            let (Course::Direct(order), Some(c)) = (&schedule.course, &schedule.certificate) else {
                continue;
            };
            let tally = tally(&traffic, order.as_ref()).unwrap();
            let name = scheduler.name;
            let degree = traffic.listed().unwrap().graph.bounds((1, 1)).steps;
            assert_eq!(
                tally.contention,
                if scheduler.how == How::AtOnce { degree } else { 1 },
                "{name} {from} -> {to}"
            );
            match c.exact && !c.kept {
                true => assert_eq!((tally.steps, tally.cost), (c.steps, c.cost), "{name} {from} -> {to}"),
                // These certificates include the data that ranks keep, and the whole last period.
                false => assert!(tally.steps <= c.steps && tally.cost <= c.cost, "{name} {from} -> {to}"),
            }
            counted += 1;
        }
    }
    assert!(counted > 60, "{counted}");
}

#[test]
fn products_are_counted_by_dimension() {
    // On other ranks, so that no rank keeps anything.
    let apart =
        subject(&[120, 120], "CYCLIC(3),CYCLIC(4) ONTO P(4,6)", "CYCLIC(5),CYCLIC(2) ONTO Q(4,6) AT 24");
    let traffic = with_whole_periods(apart).unwrap().traffic().unwrap();
    let schedule = run_scheduler(find_by_name("checkerboard").unwrap(), &traffic, &Machine::NETWORK).unwrap();
    let Course::Direct(order) = &schedule.course else { panic!("{schedule:?}") };
    let c = schedule.certificate.as_ref().unwrap();
    let whole = tally(&traffic, order.as_ref()).unwrap();
    assert_eq!(by_dimension(&traffic, order.factors()).unwrap(), whole);
    assert_eq!((whole.steps, whole.cost, whole.messages, whole.contention), (c.steps, c.cost, c.messages, 1));
}

#[test]
fn both_grids_double_in_turn_and_the_array_with_them() {
    let start = subject(
        &[100, 10, 30],
        "CYCLIC(3),*,BLOCK ONTO P(2,3)",
        "*,GEN_BLOCK(4,6),BLOCK(16) ONTO Q(2,2) AT 6",
    );
    let mut here = start;
    let mut seen = Vec::new();
    for turn in 0..3 {
        seen.push((here.shape.clone(), here.from.to_string(), here.to.to_string()));
        here.traffic().unwrap();
        here = doubled(&here, turn).unwrap();
    }
    let want = [
        (
            vec![100, 10, 30],
            "(CYCLIC(3),*,BLOCK) ONTO P(2,3)",
            "(*,GEN_BLOCK(4,6),BLOCK(16)) ONTO P(2,2) AT 6",
        ),
        (
            vec![200, 20, 30],
            "(CYCLIC(3),*,BLOCK) ONTO P(4,3)",
            "(*,GEN_BLOCK(4,6,4,6),BLOCK(16)) ONTO P(4,2) AT 12",
        ),
        (
            vec![200, 20, 60],
            "(CYCLIC(3),*,BLOCK) ONTO P(4,6)",
            "(*,GEN_BLOCK(4,6,4,6),BLOCK(16)) ONTO P(4,4) AT 24",
        ),
    ];
    for (seen, (shape, from, to)) in seen.into_iter().zip(want) {
        assert_eq!(seen, (shape, from.to_string(), to.to_string()));
    }
}

#[test]
fn steps_stay_constant_while_the_caterpillars_grow() {
    let mut begun = Vec::new();
    let growth = growth(
        &subject(&[16], "CYCLIC(3) ONTO P(16)", "CYCLIC(5) ONTO Q(16) AT 16"),
        &Machine::NETWORK,
        4096,
        |ranks| begun.push(ranks),
    );
    let growth = growth.unwrap();
    assert_eq!(begun, (4..13).map(|k| 1 << k).collect::<Vec<_>>());
    assert_eq!(
        growth.stages.iter().map(|s| s.ranks).collect::<Vec<_>>(),
        (4..13).map(|k| 1 << k).collect::<Vec<_>>()
    );
    for stage in &growth.stages {
        assert_eq!(stage.taken, "classes");
        assert_eq!(u128::from(stage.shape[0]), u128::from(stage.ranks) * 15, "one period");
        let count = |name: &str| {
            let scheduler = stage.schedulers.iter().find(|scheduler| scheduler.name == name).unwrap();
            let count = scheduler.count.unwrap();
            (count.steps, count.cost_bytes / 4, count.contention)
        };
        assert_eq!(count("classes"), (7, 15, 1));
        assert_eq!(count("unscheduled"), (1, 15, 7));
        assert_eq!(count("caterpillar"), (stage.ranks, 3 * stage.ranks, 1));
        assert_eq!(count("caterpillar-sum").0, stage.ranks / 8 * 7);
        assert!(
            stage
                .schedulers
                .iter()
                .all(|scheduler| scheduler.count.is_some() != scheduler.left_out.is_some())
        );
    }
    let text = text(&growth);
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.lines().any(|line| words(line).starts_with("greedy at 256 to 1,024 ranks ")), "{text}");
}

#[test]
fn growth_ends_at_the_limits() {
    let lone = growth(&subject(&[8], "BLOCK ONTO P(1)", "BLOCK ONTO Q(2)"), &Machine::NETWORK, 8, |_| ());
    assert_eq!(lone.unwrap().stages.len(), 3);
    let too_many =
        growth(&subject(&[8], "BLOCK ONTO P(16)", "BLOCK ONTO Q(2)"), &Machine::NETWORK, 8, |_| ());
    assert_eq!(too_many.unwrap_err(), "more than 8 ranks");
    let period = growth(
        &subject(&[8], "CYCLIC(18446744073709551615) ONTO P(2)", "CYCLIC(2) ONTO Q(2)"),
        &Machine::NETWORK,
        8,
        |_| (),
    );
    assert_eq!(period.unwrap_err(), "a period of the layouts does not fit in 64 bits");
}
