//! Schedulers against each other, and schedules message by message.

use super::{LINE, bad, good, json, run};
use serde_json::Value;

#[test]
fn more_steps_at_a_lower_cost_are_shown() {
    // Desprez et al. 1998, example 5: `greedy` has an additional step.
    let arguments = ["--shape", "90", "--from", "CYCLIC(2) ONTO P(15)", "--to", "CYCLIC(3) ONTO Q(6) AT 15"];
    let report = json(&arguments);
    let front = report["front"].as_array().expect("a list");
    let point = |point: &Value| (point["steps"].as_u64(), point["cost_bytes"].as_u64());
    let want = [(10, 20), (11, 16)].map(|(steps, cost)| (Some(steps), Some(8 * cost)));
    assert_eq!(front.iter().map(point).collect::<Vec<_>>(), want);
    assert!(good(&arguments).contains("Steps against cost"));
}

#[test]
fn a_schedule_is_listed_message_by_message() {
    type Case = (&'static str, &'static str, &'static str, &'static [&'static str]);
    let cases: [Case; 6] = [
        (
            "40,48",
            "CYCLIC(4),CYCLIC(4) ONTO P(2,3)",
            "CYCLIC(6),CYCLIC(3) ONTO Q(3,2)",
            &["checkerboard", "edge-colouring", "split", "caterpillar"],
        ),
        (
            "61",
            "GEN_BLOCK(11,0,30,20) ONTO P(4)",
            "CYCLIC(3) ONTO Q(5) AT 2",
            &["ring", "edge-colouring", "split"],
        ),
        ("12", "INDIRECT(5*0,3*2,1,0,2*1) ONTO P(3)", "BLOCK ONTO Q(4)", &["edge-colouring", "drc"]),
        (
            "12,10,9",
            "CYCLIC,*,BLOCK ONTO P(3,2)",
            "BLOCK,CYCLIC(2),* ONTO Q(2,3)",
            &["checkerboard", "stepwise"],
        ),
        ("192", "BLOCK ONTO P(8)", "CYCLIC(3) ONTO Q(8)", &["multiphase", "circulant", "greedy"]),
        ("70", "CYCLIC(3) ONTO P(4)", "CYCLIC(5) ONTO Q(3) AT 1", &["classes", "drc", "caterpillar-sum"]),
    ];
    let mut checked = 0;
    for (shape, from, to, names) in cases {
        for name in names {
            let arguments =
                ["--shape", shape, "--from", from, "--to", to, "--scheduler", name, "--schedule", "--json"];
            let output = run(&arguments, &[]);
            if !output.status.success() {
                let text = String::from_utf8_lossy(&output.stderr);
                assert!(text.contains("cannot run this redistribution"), "{text}");
                continue;
            }
            let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
            let bytes: u64 =
                shape.split(',').map(|n| n.parse::<u64>().expect("a number")).product::<u64>() * 8;
            check(&report, name, bytes);
            checked += 1;
        }
    }
    assert!(checked >= 14, "{checked}");
    assert!(bad(&[&LINE[..], &["--schedule"]].concat(), &[]).contains("--json"));
}

/// Checks that a listed schedule moves `bytes` in each phase, and that no step uses a port twice.
fn check(report: &Value, name: &str, bytes: u64) {
    let listing = &report["schedule"];
    assert_eq!((&listing["version"], &listing["scheduler"]), (&1.into(), &name.into()));
    let list = |value: &Value| value.as_array().expect("a list").clone();
    let number = |value: &Value| value.as_u64().expect("a number");
    for phase in list(&listing["phases"]) {
        let kept: u64 = list(&phase["kept"]).iter().map(|kept| number(&kept["bytes"])).sum();
        let (mut moved, mut busy) = (0, std::collections::HashSet::new());
        for message in list(&phase["messages"]) {
            let (sender, receiver) = (number(&message["sender"]), number(&message["receiver"]));
            assert_ne!(message["sender_rank"], message["receiver_rank"]);
            let mut at = 0;
            for part in list(&message["parts"]) {
                let step = number(&part["step"]);
                assert!(
                    step < number(&phase["steps"]) && number(&part["first_byte"]) == at,
                    "{name} {phase}"
                );
                assert!(busy.insert((step, true, sender)) && busy.insert((step, false, receiver)), "{name}");
                at += number(&part["bytes"]);
            }
            assert_eq!(at, number(&message["bytes"]));
            moved += at;
        }
        assert_eq!(moved + kept, bytes, "{name}");
    }
}
