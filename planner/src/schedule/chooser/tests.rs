//! Tests of the chooser: pins its choices, and compares steps and costs with the examples of papers.

use super::super::certificate::Certificate;
use super::super::course::Course;
use super::super::limits::EQUAL_PRICES;
use super::*;
use crate::layout::distribution::{Axis, Cyclic, GenBlock, Grid};
use crate::layout::intersect::Overlap;

fn axis(block: u64, procs: u32) -> Axis {
    Axis::new(Cyclic::new(block, procs, 0).unwrap(), 0)
}

/// Builds one period of a redistribution from cyclic(r) on P ranks to cyclic(s) on Q other ranks. Elements have one
/// byte.
fn example(p: u32, r: u64, q: u32, s: u64) -> Traffic {
    use num_integer::Integer;
    let len = (r * u64::from(p)).lcm(&(s * u64::from(q)));
    let to = Grid::affine(&[q], i64::from(p), &[1]);
    Traffic::new(vec![Overlap { from: axis(r, p), to: axis(s, q), len }], 1, Grid::row_major(&[p]), to)
}

fn figures(traffic: &Traffic, name: &str) -> (u64, u64) {
    let Certificate { steps, cost, .. } =
        choose(traffic, &Machine::NETWORK, Some(name)).unwrap().certificate.unwrap();
    (steps, cost)
}

#[test]
fn all_schedulers_on_the_examples_of_desprez_et_al() {
    // (P, r, Q, s); (steps, cost) of the caterpillar by differences, of the caterpillar by sums, and in the paper.
    let rows = [
        ((16, 3, 16, 5), (16, 48), (14, 30), (7, 15)),
        ((16, 7, 16, 11), (16, 112), (16, 112), (16, 77)),
        ((15, 3, 15, 5), (15, 45), (15, 45), (10, u64::MAX)),
        ((12, 4, 8, 3), (6, 18), (12, 30), (4, u64::MAX)),
        ((15, 2, 6, 3), (15, 30), (15, 30), (10, 20)),
    ];
    for ((p, r, q, s), difference, sum, paper) in rows {
        let t = example(p, r, q, s);
        assert_eq!(figures(&t, "caterpillar"), difference);
        assert_eq!(figures(&t, "caterpillar-sum"), sum);
        for name in ["classes", "edge-colouring", "stepwise", "drc"] {
            let (steps, cost) = figures(&t, name);
            println!("P={p} r={r} Q={q} s={s} {name}: {steps} steps, cost {cost}");
            assert!(steps == paper.0, "{name}");
        }
        let price = |name| choose(&t, &Machine::NETWORK, name).unwrap().price;
        assert!(price(None) <= price(Some("classes")) * (1.0 + EQUAL_PRICES));
        let (steps, cost) = figures(&t, "classes");
        assert!(steps == paper.0 && cost <= paper.1);
        println!("greedy: {:?}", figures(&t, "greedy"));
    }
}

#[test]
fn with_equal_prices_the_fewest_steps_win() {
    // A byte takes almost no time, so all schedules take equally long. The scheduler `first` is asked before the
    // others, and its schedule has more steps.
    for ((p, r), (q, s), len, first) in
        [((10, 1000), (10, 64), 10_000, "classes"), ((10, 1000), (10, 1), 10_000, "circulant")]
    {
        let dim = Overlap { from: axis(r, p), to: axis(s, q), len };
        let t = Traffic::new(vec![dim], 8, Grid::row_major(&[p]), Grid::row_major(&[q]));
        let machine = Machine { byte: 1e-15, ..Machine::NETWORK };
        let t = t.with_budget_for(&machine);
        let chosen = choose(&t, &machine, None).unwrap();
        let other = choose(&t, &machine, Some(first)).unwrap();
        let (chosen_has, other_has) = (chosen.certificate.unwrap(), other.certificate.unwrap());
        assert!((chosen.price / other.price - 1.0).abs() <= EQUAL_PRICES, "{} {}", chosen.price, other.price);
        assert!(chosen_has.fewest_steps() && chosen_has.steps < other_has.steps);
    }
}

#[test]
fn greedy_takes_no_more_than_in_the_paper() {
    // Desprez et al., section 4.5, have 12 steps and cost 18.
    assert_eq!(figures(&example(15, 2, 6, 3), "greedy"), (11, 16));
}

fn square(n: u64, from: (u64, [u32; 2]), to: (u64, [u32; 2])) -> Traffic {
    let dim = |d: usize| Overlap { from: axis(from.0, from.1[d]), to: axis(to.0, to.1[d]), len: n };
    Traffic::new(vec![dim(0), dim(1)], 8, Grid::row_major(&from.1), Grid::row_major(&to.1))
}

#[test]
fn choices_are_pinned() {
    let cases = [
        // With one or two processes there is nothing to choose.
        (square(100, (4, [1, 1]), (8, [1, 1])), "caterpillar"),
        (square(100, (4, [1, 2]), (8, [2, 1])), "caterpillar"),
        // Equal and unequal blocks on the same small grid. Self copies are not messages.
        (square(4096, (128, [2, 2]), (36, [2, 2])), "checkerboard"),
        (square(4096, (64, [4, 4]), (256, [4, 4])), "caterpillar"),
        (square(4096, (64, [2, 8]), (64, [4, 4])), "complete"),
        // A growing grid: half of the messages that `Traffic::messages` counts are self copies.
        (square(4096, (64, [2, 4]), (64, [4, 4])), "circulant"),
        // Too many messages to list: closed forms.
        (square(1 << 20, (128, [32, 32]), (36, [64, 16])), "classes"),
        // Little data on many processes: start-ups dominate.
        (square(256, (1, [16, 16]), (8, [16, 16])), "multiphase"),
        // One dimension.
        (example(28, 2, 36, 28), "circulant"),
        (example(16, 3, 16, 5), "classes"),
    ];
    let chosen =
        |(traffic, _): &(Traffic, _)| choose(traffic, &Machine::NETWORK, None).unwrap().scheduler.name;
    let (names, want): (Vec<_>, Vec<_>) = cases.iter().map(|case| (chosen(case), case.1)).unzip();
    assert_eq!(names, want);
    let sizes = |s: &[u64]| Axis::new(GenBlock::new(s).unwrap(), 0);
    let (from, to) = (sizes(&[7, 27, 32, 15, 15, 7, 14]), sizes(&[16, 12, 14, 17, 27, 23, 8]));
    let apart = Grid::affine(&[7], 7, &[1]);
    let line = Traffic::new(vec![Overlap { from, to, len: 117 }], 1 << 20, Grid::row_major(&[7]), apart);
    assert_eq!(figures(&line, "drc"), (3, 33 << 20));
    let price = |name| choose(&line, &Machine::NETWORK, name).unwrap().price;
    assert!(price(None) <= price(Some("drc")) * (1.0 + EQUAL_PRICES));
}

#[test]
fn within_a_node_few_ranks_have_nothing_to_choose() {
    let chosen = |ranks: [u32; 2], machine: &Machine, name| {
        choose(&square(4096, (64, ranks), (36, ranks)), machine, name).unwrap().scheduler.name
    };
    assert_eq!(chosen([2, 4], &Machine::NODE, None), "caterpillar");
    assert_eq!(chosen([3, 3], &Machine::NODE, None), "edge-colouring");
    assert_eq!(chosen([2, 4], &Machine::NODE, Some("split")), "split");
    // Between nodes, schedules have prices.
    assert!(
        choose(&square(4096, (64, [2, 4]), (36, [2, 4])), &Machine::NETWORK, None).unwrap().price.is_finite()
    );
    // With a window of one step, a chain of phases among 8 ranks may take fewer start-ups, so there is a choice.
    let narrow = Machine { window: 1, ..Machine::NODE };
    assert_ne!(chosen([2, 4], &narrow, None), "caterpillar");
}

#[test]
fn slow_searches_run_if_messages_contend() {
    let traffic = square(256, (16, [4, 4]), (3, [4, 4]));
    let asked = |machine: &Machine| {
        let asked = TABLE.iter().filter(|scheduler| is_considered(scheduler, &traffic, machine));
        asked.map(|scheduler| scheduler.name).collect::<Vec<_>>()
    };
    let quick =
        ["circulant", "checkerboard", "classes", "ring", "stars", "complete", "edge-colouring", "multiphase"];
    assert_eq!(asked(&Machine::NODE), quick);
    assert_eq!(
        asked(&Machine::NETWORK),
        [&quick[..6], &["caterpillar"], &quick[6..7], &["split", "multiphase", "drc", "stepwise"]].concat()
    );
}

#[test]
fn the_reason_is_given() {
    let why = |traffic: &Traffic, machine: &Machine, name| {
        choose_with_reason(traffic, machine, name).unwrap().1.to_string()
    };
    let (pair, few) = (square(100, (4, [1, 2]), (8, [2, 1])), square(4096, (64, [2, 4]), (36, [2, 4])));
    assert_eq!(why(&pair, &Machine::NETWORK, None), "at most two ranks on each side: nothing to choose");
    assert_eq!(why(&few, &Machine::NODE, None), "few ranks of a node: the order does not matter");
    assert_eq!(why(&few, &Machine::NODE, Some("drc")), "asked for by name");
    assert_eq!(why(&example(16, 3, 16, 5), &Machine::NETWORK, None), "fewest steps, least cost");
    // There are too many messages to list, so costs are bounds.
    let many = square(1 << 20, (1, [64, 64]), (64, [64, 128]));
    assert_eq!(
        why(&many, &Machine::NETWORK, None),
        "fewest steps, if data that ranks keep counts as messages"
    );
    let small = square(256, (1, [16, 16]), (8, [16, 16]));
    let claimed = why(&small, &Machine::NETWORK, None);
    let rest = claimed.strip_prefix("cheapest: ").and_then(|rest| rest.strip_suffix(" % more")).unwrap();
    let (next, more) = rest.split_once(" takes ").unwrap();
    let price = |name| choose(&small, &Machine::NETWORK, name).unwrap().price;
    let percent = (price(Some(next)) / price(None) - 1.0) * 100.0;
    assert_eq!(more, format!("{percent:.1}"));
    let asked = TABLE.iter().filter(|scheduler| is_considered(scheduler, &small, &Machine::NETWORK));
    // The price is the lowest of the schedulers that were asked. Once a schedule is known to be optimal, the chooser
    // asks no others.
    assert!(asked.filter(|scheduler| scheduler.name != "multiphase").all(|scheduler| {
        run_scheduler(scheduler, &small, &Machine::NETWORK).map_or(true, |other| other.price >= price(None))
    }));
}

#[test]
fn volume_decides_between_one_phase_and_several() {
    let chosen = |n: u64| {
        choose(&square(n, (1, [16, 16]), (8, [16, 16])), &Machine::NETWORK, None).unwrap().scheduler.name
    };
    assert_eq!([chosen(256), chosen(1 << 14)], ["multiphase", "checkerboard"]);
}

#[test]
fn uneven_traffic_is_split_if_steps_wait() {
    // Messages of 10, 5, 5 and 10 units; each shares a port with the next. They take at least 20 if steps wait for each
    // other, and 15 if messages are cut or steps do not wait.
    let sizes = |s: &[u64]| Axis::new(GenBlock::new(s).unwrap(), 0);
    let dim = Overlap { from: sizes(&[15, 15]), to: sizes(&[10, 10, 10]), len: 30 };
    let traffic = Traffic::new(vec![dim], 1 << 16, Grid::row_major(&[2]), Grid::affine(&[3], 2, &[1]));
    let machine = Machine { start_up: 1e-12, copy: 1e-15, byte: 1.0, ..Machine::NETWORK };
    let price = |name| choose(&traffic, &machine, name).unwrap().price;
    // In the simulation some messages take up to a tenth longer.
    assert!([None, Some("split")].iter().all(|&name| price(name) < 16.5 * f64::from(1 << 16)));
    let split = choose(&traffic, &machine, Some("split")).unwrap();
    let c = split.certificate.unwrap();
    assert!(
        matches!(split.course, Course::Direct(_)) && split.scheduler.how == How::Cut,
        "{}",
        split.scheduler.name
    );
    assert_eq!((c.cost, c.bounds.load), (15 << 16, 15 << 16));
    assert_eq!(figures(&traffic, "drc"), (2, 20 << 16));
}

#[test]
fn schedulers_that_cannot_run_are_refused() {
    let t = example(16, 3, 16, 5);
    let refused = |name| choose(&t, &Machine::NETWORK, Some(name)).unwrap_err().to_string();
    assert_eq!(
        refused("circulant"),
        "REBLOCK_SCHEDULER is circulant, which cannot run this redistribution: neither of 3 and 5 divides the other"
    );
    assert!(refused("fastest").starts_with(
        "REBLOCK_SCHEDULER is fastest, expected one of node-caterpillar, node-colouring, circulant, "
    ));
}

#[test]
fn a_section_of_few_blocks_has_a_schedule_in_closed_form() {
    // Less than a period, and many pairs of processes.
    let (p, q) = (3000, 2999);
    let dim = Overlap { from: axis(7, p), to: axis(5, q), len: 30_000 };
    let t = Traffic::new(vec![dim], 8, Grid::row_major(&[p]), Grid::row_major(&[q]));
    let steps_wait = Machine { contention: 0.0, ..Machine::NETWORK };
    let chosen = choose(&t, &steps_wait, None).unwrap();
    let c = chosen.certificate.unwrap();
    assert!(c.fewest_steps() && c.exact, "{} {c:?}", chosen.scheduler.name);
}

/// Checks that the chosen schedule wastes neither cost nor steps. The rivals are the schedules of nearly the lowest
/// price among the schedulers that the chooser always asks. The cost must be at most twice the lowest cost of a rival.
/// The number of steps must be at most twice the fewest of the rivals that do not waste cost either. Returns false if
/// there are no rivals.
fn check_waste(traffic: &Traffic, machine: &Machine) -> bool {
    let taken = choose(traffic, machine, None).unwrap();
    let own = choose(traffic, machine, Some(taken.scheduler.name)).unwrap();
    // The chooser asks schedulers for fewer steps only if the other schedules have more than the fewest steps.
    let may =
        |scheduler: &&Scheduler| is_considered(scheduler, traffic, machine) && scheduler.looks.is_none();
    let always = |scheduler: &&Scheduler| match scheduler.condition {
        AskCondition::ForFewerSteps => false,
        AskCondition::Coloured(_) => traffic.messages() <= traffic.effort().search,
        _ => true,
    };
    let asked = TABLE.iter().filter(|scheduler| may(scheduler) && always(scheduler));
    let others: Vec<Schedule> =
        asked.filter_map(|scheduler| run_scheduler(scheduler, traffic, machine).ok()).collect();
    let least = others.iter().map(|of| of.price).fold(own.price, f64::min);
    let near = || others.iter().filter(|of| of.price <= least * (1.0 + PRICE_ACCURACY));
    let Some(cost) = near().map(|of| super::figures(of).1).min() else { return false };
    let frugal = near().filter(|of| super::figures(of).1 <= 2 * cost);
    let steps = frugal.map(|of| super::figures(of).0).min().unwrap();
    let (has, price) = (super::figures(&own), own.price / least - 1.0);
    assert!(
        has.1 <= 2 * cost,
        "{}: cost {} of {cost}, {price} above the lowest price",
        own.scheduler.name,
        has.1
    );
    assert!(
        has.0 <= 2 * steps,
        "{}: {} steps of {steps}, {price} above the lowest price",
        own.scheduler.name,
        has.0
    );
    true
}

#[test]
fn no_percent_is_worth_twice_the_cost_or_the_steps() {
    use super::super::checkerboard::tests::random_traffic;
    let mut rng = fastrand::Rng::with_seed(41);
    let mut checked = 0;
    for case in 0..400 {
        let start_up = [1e-6, 1e-4][case % 2];
        let machine = Machine { start_up, window: [1, 4, 8][case % 3], ..Machine::NETWORK };
        let traffic = random_traffic(&mut rng).with_budget_for(&machine);
        checked += usize::from(!order_does_not_matter(&traffic, &machine) && check_waste(&traffic, &machine));
    }
    assert!(checked > 100, "{checked}");
}

#[test]
fn near_equal_blocks_take_few_steps() {
    // At a slightly lower price, the caterpillar takes 150 steps; 3 are enough.
    let (p, q) = (1700, 1850);
    let mut rng = fastrand::Rng::with_seed(42);
    let sizes: Vec<u64> = (0..p).map(|_| 1000 + rng.u64(0..5)).collect();
    let len: u64 = sizes.iter().sum();
    let from = Axis::new(GenBlock::new(&sizes).unwrap(), 0);
    let dim = Overlap { from, to: axis(len.div_ceil(q.into()), q), len };
    let machine = Machine::NETWORK;
    let grids = (Grid::row_major(&[p]), Grid::row_major(&[q]));
    let traffic = Traffic::new(vec![dim], 8192, grids.0, grids.1).with_budget_for(&machine);
    let taken = choose(&traffic, &machine, None).unwrap();
    let (price, has) = (taken.price, super::figures(&taken));
    let mut found = vec![taken];
    // A gain of 0.8 % is not worth it, a gain of 2 % is.
    for (less, name) in [(0.992, found[0].scheduler.name), (0.98, "caterpillar")] {
        let other = choose(&traffic, &machine, Some("caterpillar")).unwrap();
        let other = Schedule { price: price * less, ..other };
        assert!(is_much_worse(super::figures(&other), has) && has.0 == 3 && is_better(&other, &found[0]));
        add_near_cheapest(&mut found, other);
        assert_eq!(choose_preferred(&found).unwrap().scheduler.name, name);
    }
    assert_eq!(found.len(), 1);
}

#[test]
fn messages_are_coloured_if_closed_forms_take_more_than_twice_the_fewest_steps() {
    let dim = |from, to, len| Overlap { from, to, len };
    let rows = dim(axis(774, 978), axis(31462, 24), 755_067);
    let cols = dim(axis(125, 65), axis(3, 121), 249);
    let grids = (Grid::row_major(&[978, 65]), Grid::row_major(&[24, 121]));
    let traffic = Traffic::new(vec![rows, cols], 8, grids.0, grids.1);
    for machine in [Machine::NETWORK, Machine { start_up: 5e-5, byte: 1e-8, ..Machine::NETWORK }] {
        let traffic = Traffic::new(
            traffic.dims.iter().map(|dim| dim.overlap.clone()).collect(),
            8,
            traffic.from.clone(),
            traffic.to.clone(),
        );
        let taken = choose(&traffic.with_budget_for(&machine), &machine, None).unwrap();
        let c = taken.certificate.unwrap();
        assert_eq!((taken.scheduler.name, c.steps), ("edge-colouring", 84));
    }
}
