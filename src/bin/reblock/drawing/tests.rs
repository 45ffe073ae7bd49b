//! Bars compared with the schedule, labels of axes, and errors of drawings.

use super::bars::bars;
use super::*;
use crate::notation::read;
use crate::redistribution::Redistribution;
use reblock_plan::machine::Machine;
use reblock_plan::schedule::chooser::choose;

fn traffic(shape: &[u64], from: &str, to: &str) -> Traffic {
    let side = |text| read(text, "", shape).unwrap();
    Redistribution { shape: shape.into(), element: 1, from: side(from), to: side(to) }.traffic().unwrap()
}

#[test]
fn bars_of_a_port_do_not_overlap() {
    let t = traffic(&[240], "CYCLIC(3) ONTO P(16)", "CYCLIC(5) ONTO Q(16) AT 16");
    for (name, steps, end) in
        [("classes", 7, 15), ("caterpillar", 16, 48), ("unscheduled", 1, 15), ("split", 14, 15)]
    {
        let schedule = choose(&t, &Machine::NETWORK, Some(name)).unwrap();
        let Course::Direct(order) = &schedule.course else { panic!("{name}") };
        let drawn = bars(&[(&t, order.as_ref())]).unwrap();
        assert_eq!((drawn.steps, drawn.end), (steps, end), "{name}");
        assert_eq!(drawn.bars.iter().map(|bar| bar.bytes).sum::<u64>(), 240, "{name}");
        for port in 0..16 {
            for side in [|b: &bars::Bar| (b.sender, b.start.0), |b: &bars::Bar| (b.receiver, b.start.1)] {
                let mut busy: Vec<(u64, u64)> = drawn
                    .bars
                    .iter()
                    .filter(|bar| side(bar).0 == port)
                    .map(|bar| (side(bar).1, side(bar).1 + bar.bytes))
                    .collect();
                busy.sort_unstable();
                assert!(busy.windows(2).all(|w| w[0].1 <= w[1].0), "{name} port {port}: {busy:?}");
                assert!(busy.iter().all(|&(_, to)| to <= end), "{name} port {port}");
            }
        }
    }
}

#[test]
fn too_many_messages_are_not_drawn() {
    let t = traffic(&[1 << 16], "CYCLIC(1) ONTO P(256)", "BLOCK ONTO Q(256) AT 256");
    let chosen = choose(&t, &Machine::NETWORK, None).unwrap();
    let error = schedule(Path::new("/nowhere/at/all.svg"), &t, &chosen).unwrap_err();
    assert_eq!(error, "--svg draws at most 20,000 messages, but this redistribution has 65,536");
}

#[test]
fn a_file_that_cannot_be_written_is_an_error() {
    let t = traffic(&[24], "CYCLIC(1) ONTO P(2)", "BLOCK ONTO Q(3)");
    let chosen = choose(&t, &Machine::NETWORK, None).unwrap();
    let error = schedule(Path::new("/nowhere/at/all.svg"), &t, &chosen).unwrap_err();
    assert!(error.starts_with("--svg /nowhere/at/all.svg: "), "{error}");
}

#[test]
fn labels_of_an_axis_are_distinct() {
    for (shape, from, to) in [
        (24, "BLOCK ONTO P(2)", "BLOCK ONTO Q(2)"),
        (2, "CYCLIC ONTO P(2)", "CYCLIC ONTO Q(2) AT 2"),
        (7, "BLOCK ONTO P(2)", "BLOCK ONTO Q(3)"),
    ] {
        let t = traffic(&[shape], from, to);
        let drawn = chosen_bars(&t, &choose(&t, &Machine::NETWORK, None).unwrap()).unwrap();
        let text = svg((640, 500), |area| chart::ports(area, &drawn, drawn.end)).unwrap();
        let labels: Vec<&str> = text
            .split("<text ")
            .filter_map(|piece| piece.split_once(">")?.1.split_once("</text>"))
            .map(|(label, _)| label.trim())
            .filter(|label| label.parse::<u64>().is_ok())
            .collect();
        let mut once = labels.clone();
        once.dedup();
        assert!(!labels.is_empty() && labels == once, "{shape} {from}: {labels:?}");
    }
}
