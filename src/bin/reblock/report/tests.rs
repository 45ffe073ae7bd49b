//! Figures of the papers in the report, and its text.

use super::*;
use crate::notation::read;
use reblock_plan::schedule::limits::EQUAL_PRICES;

fn report_on(
    shape: &[u64],
    element: u64,
    from: &str,
    to: &str,
    wish: Option<RequestedScheduler<'_>>,
) -> Result<Report, String> {
    let side = |text| read(text, "", shape).unwrap();
    let subject = Redistribution {
        shape: shape.into(),
        element,
        from: side(from),
        to: side(to),
        axes: (0..shape.len()).collect(),
    };
    let traffic = subject.traffic()?;
    report(&subject, &traffic, &Machine::NETWORK, wish.as_ref()).map(|(report, _)| report)
}

fn figures<'a>(report: &'a Report, name: &str) -> &'a schedulers::Figures {
    let scheduler = report.schedulers.iter().find(|scheduler| scheduler.name == name).unwrap();
    scheduler.figures.as_ref().unwrap_or_else(|| panic!("{name}: {:?}", scheduler.why_not))
}

fn cost(report: &Report, name: &str) -> (u64, u64) {
    let f = figures(report, name);
    (f.steps, f.cost_bytes)
}

fn price(of: Option<f64>) -> f64 {
    of.expect("a price")
}

#[test]
fn examples_of_desprez_et_al() {
    // (P, r), (Q, s), elements; messages; lower bounds of steps and load; cost in the fewest steps.
    type Case = ((u32, u64), (u32, u64), u64, u64, (u64, u64), u64);
    let cases: [Case; 5] = [
        ((16, 3), (16, 5), 240, 112, (7, 15), 15),
        ((16, 7), (16, 11), 1232, 256, (16, 77), 77),
        ((15, 3), (15, 5), 225, 105, (10, 15), 26),
        ((12, 4), (8, 3), 48, 24, (4, 6), 8),
        ((15, 2), (6, 3), 90, 60, (10, 15), 20),
    ];
    for ((p, r), (q, s), n, messages, (steps, load), cost) in cases {
        let (from, to) = (format!("CYCLIC({r}) ONTO P({p})"), format!("CYCLIC({s}) ONTO Q({q}) AT {p}"));
        let report = report_on(&[n], 1, &from, &to, None).unwrap();
        let bounds = report.bounds.unwrap();
        assert_eq!((report.messages.messages, bounds.steps, bounds.load_bytes), (messages, steps, load));
        let f = figures(&report, "classes");
        assert!(price(report.choice.price_us) <= price(f.price_us) * (1.0 + EQUAL_PRICES), "{from} {to}");
        println!("{from} -> {to}: bound {}, {} steps, cost {}", bounds.cost_bytes, f.steps, f.cost_bytes);
        assert!(f.fewest_steps && f.steps == steps);
        assert_eq!(f.cost_bytes, cost, "{from} {to}");
        assert_eq!(f.least_cost, cost == bounds.cost_bytes);
    }
}

#[test]
fn examples_of_park_and_of_yu_and_tsai() {
    // 28 processes with blocks of 2, 36 with blocks of 28: a period has 1008 elements and takes 18 steps; half a period
    // takes fewer.
    let park = report_on(&[504], 1, "CYCLIC(2) ONTO P(28)", "CYCLIC(28) ONTO Q(36) AT 28", None).unwrap();
    let f = figures(&park, park.choice.scheduler);
    assert!(f.exact && f.fewest_steps && f.steps < 18, "{f:?}");
    let park = report_on(&[1008], 1, "CYCLIC(2) ONTO P(28)", "CYCLIC(28) ONTO Q(36) AT 28", None).unwrap();
    assert_eq!((park.choice.scheduler, figures(&park, "circulant").steps), ("circulant", 18));
    assert_eq!(figures(&park, "caterpillar").steps, 36);
    let sizes = ["GEN_BLOCK(7,27,32,15,15,7,14) ONTO P(7)", "GEN_BLOCK(16,12,14,17,27,23,8) ONTO Q(7) AT 7"];
    let line = report_on(&[117], 1 << 20, sizes[0], sizes[1], None).unwrap();
    assert_eq!(cost(&line, "drc"), (3, 33 << 20));
    assert!(price(line.choice.price_us) <= price(figures(&line, "drc").price_us) * (1.0 + EQUAL_PRICES));
    assert_eq!(line.bounds.unwrap().load_bytes, 32 << 20);
}

#[test]
fn kept_elements_are_left_out() {
    // Sudarsan and Ribbens, 8 -> 16: 8 local copies, 8 messages. Without the copies one step is enough.
    let grow = report_on(&[4, 4], 8, "CYCLIC,CYCLIC ONTO P(2,4)", "CYCLIC,CYCLIC ONTO Q(4,4)", None).unwrap();
    let m = &grow.messages;
    assert_eq!((m.messages, m.local_copies, m.ranks), (8, Some(8), 16));
    assert_eq!((m.senders, m.receivers), (Some(8), Some(8)));
    assert_eq!((m.bytes_moved, m.bytes_kept), (Some(64), Some(64)));
    assert!(figures(&grow, "circulant").steps <= 2);
    let f = figures(&grow, "edge-colouring");
    assert_eq!((f.steps, f.fewest_steps, f.least_cost), (1, true, true));
}

#[test]
fn every_rival_has_figures_or_a_reason() {
    let cases = [
        report_on(
            &[4096, 4096],
            8,
            "CYCLIC(128),CYCLIC(128) ONTO P(4,4)",
            "CYCLIC(36),CYCLIC(36) ONTO Q(2,8)",
            None,
        ),
        report_on(
            &[1 << 20, 1 << 20],
            8,
            "CYCLIC(128),CYCLIC(128) ONTO P(64,64)",
            "CYCLIC(36),CYCLIC(36) ONTO Q(64,64)",
            None,
        ),
        report_on(&[30_000], 8, "CYCLIC(7) ONTO P(3000)", "CYCLIC(5) ONTO Q(2999)", None),
        report_on(&[10], 8, "CYCLIC(3) ONTO P(1)", "CYCLIC(5) ONTO Q(1)", None),
    ];
    for report in cases {
        let report = report.unwrap();
        assert!(
            report
                .schedulers
                .iter()
                .all(|scheduler| scheduler.figures.is_some() != scheduler.why_not.is_some())
        );
        let text = text(&report);
        assert!(report.schedulers.iter().all(|scheduler| text.contains(scheduler.name)), "{text}");
        assert!(text.contains(&format!("Taken: {}", report.choice.scheduler)), "{text}");
    }
}

#[test]
fn reasons_fit_the_redistribution() {
    let why = |report: &Report, name: &str| {
        report
            .schedulers
            .iter()
            .find(|scheduler| scheduler.name == name)
            .unwrap()
            .why_not
            .clone()
            .unwrap_or_default()
    };
    let report = report_on(&[240], 1, "CYCLIC(3) ONTO P(16)", "CYCLIC(5) ONTO Q(16)", None).unwrap();
    assert_eq!(why(&report, "circulant"), "neither of 3 and 5 divides the other");
    assert_eq!(
        why(&report, "multiphase"),
        "no other block size is between those of the one dimension that changes"
    );
    let report = report_on(&[200], 1, "CYCLIC(3) ONTO P(16)", "CYCLIC(5) ONTO Q(16) AT 1", None).unwrap();
    assert!(figures(&report, "classes").exact, "less than a period, 240 elements");
    assert_eq!(why(&report, "multiphase"), "the grids of both arrays differ in shape or ranks");
    let report = report_on(&[8, 8], 1, "BLOCK,BLOCK ONTO P(2,2)", "CYCLIC,CYCLIC ONTO Q(2,2)", None).unwrap();
    assert_eq!(why(&report, "circulant"), "2 dimensions change, expected at most one");
    let large = report_on(
        &[1 << 24, 1 << 14],
        8,
        "CYCLIC,CYCLIC(2) ONTO P(2,2)",
        "CYCLIC(8),CYCLIC(4) ONTO Q(2,2)",
        None,
    );
    assert!(why(&large.unwrap(), "multiphase").starts_with("intermediate arrays take "));
}

#[test]
fn a_rival_can_be_asked_for() {
    let on = |name, from: &str| {
        let wish = RequestedScheduler { name, by: "--scheduler" };
        report_on(&[240], 1, from, "CYCLIC(5) ONTO Q(16) AT 16", Some(wish))
    };
    let report = on("greedy", "CYCLIC(3) ONTO P(16)").unwrap();
    assert_eq!((report.choice.scheduler, report.choice.asked_for_by), ("greedy", Some("--scheduler")));
    assert_eq!(report.choice.why, "--scheduler asks for it; reblock would take classes");
    let refused = |name, from| on(name, from).unwrap_err();
    assert_eq!(
        refused("circulant", "CYCLIC(3) ONTO P(16)"),
        "--scheduler is circulant, which cannot run this redistribution: neither of 3 and 5 divides the other"
    );
    assert!(
        refused("fastest", "CYCLIC(3) ONTO P(16)").starts_with("--scheduler is fastest, expected one of ")
    );
}

#[test]
fn too_large_redistributions_are_refused() {
    let refused = |shape: &[u64], from: &str, to: &str| report_on(shape, 8, from, to, None).unwrap_err();
    let huge = refused(&[u64::MAX], "BLOCK ONTO P(2)", "CYCLIC ONTO Q(2)");
    assert!(huge.starts_with("the array has more than "), "{huge}");
}

#[test]
fn plans_of_the_library_are_explained() {
    let explained = |len: u64, from: &str, to: &str| report_on(&[len], 8, from, to, None).unwrap();
    // The figures do not depend on the number of blocks.
    let even = explained(1_000_000_000, "BLOCK ONTO P(64)", "CYCLIC ONTO Q(64)");
    assert_eq!((even.messages.messages, even.messages.local_copies), (64 * 63, Some(64)));
    let uneven = explained(100_000_000, "GEN_BLOCK(40000000,60000000) ONTO P(2)", "CYCLIC ONTO Q(3)");
    assert_eq!((uneven.messages.messages, uneven.messages.local_copies), (4, Some(2)));
    // One process sends all messages: the time must be proportional to their number.
    let star = explained(100_000, "GEN_BLOCK(100000,0) ONTO P(2)", "BLOCK ONTO Q(100000)");
    assert_eq!((star.messages.messages, star.bounds.unwrap().steps), (99_999, 99_999));
    // Pairs of processes whose shared runs follow no rule are not examined one by one.
    for (from, to, len) in [
        ("CYCLIC(10000019) ONTO P(2)", "CYCLIC(10000079) ONTO Q(3)", 1 << 50),
        ("CYCLIC(1000) ONTO P(1000)", "CYCLIC(999) ONTO Q(1001)", 1_000_000_000_000),
    ] {
        let unlisted = explained(len, from, to);
        assert!(!unlisted.messages.listed && unlisted.choice.price_us.is_some());
    }
}

#[test]
fn bounds_leave_out_kept_elements() {
    let bounds = |len, from, to| {
        let report = report_on(&[len], 8, from, to, None).unwrap();
        let of: Vec<_> =
            report.schedulers.iter().filter_map(|scheduler| scheduler.figures.as_ref()).collect();
        assert!(!report.messages.listed && of.iter().all(|f| !f.fewest_steps && !f.least_cost && !f.exact));
        report.bounds.unwrap()
    };
    // Each rank sends and receives at most one message of 8 bytes.
    let one = bounds(2_200_000, "CYCLIC ONTO P(1100000)", "CYCLIC ONTO Q(1200000)");
    assert_eq!((one.steps, one.cost_bytes), (1, 8));
    // Each rank sends a message to each other rank: one step fewer than ranks.
    let all = bounds(9_000_000, "CYCLIC ONTO P(1500)", "CYCLIC(1500) ONTO Q(1500)");
    assert_eq!((all.steps, all.cost_bytes), (1499, 47_968));
}

#[test]
fn all_notations_of_one_process_are_equivalent() {
    let taken = |from: &str, to: &str| {
        let report = report_on(&[600, 4], 8, from, to, None).unwrap();
        let names = report
            .schedulers
            .iter()
            .map(|scheduler| (scheduler.name, scheduler.figures.as_ref().map(|f| f.steps)));
        (report.choice.scheduler, names.collect::<Vec<_>>())
    };
    for to in ["CYCLIC(5),* ONTO Q(12)", "BLOCK,* ONTO Q(7)", "CYCLIC(8),* ONTO Q(3) AT 1"] {
        let want = taken("*,CYCLIC ONTO P(2)", to);
        for one in
            ["CYCLIC(3),CYCLIC ONTO P(1,2)", "BLOCK,CYCLIC ONTO P(1,2)", "CYCLIC(600),CYCLIC ONTO P(1,2)"]
        {
            assert_eq!(taken(one, to), want, "{one} to {to}");
        }
    }
}
