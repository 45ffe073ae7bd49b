//! Counts and prices of messages between nodes.

use super::{LINE, SQUARE, bad, good, json, run};
use serde_json::Value;

/// A redistribution in which each of 32 ranks sends 64 elements to each rank.
const ALL_TO_ALL: [&str; 6] = ["--shape", "65536", "--from", "BLOCK ONTO P(32)", "--to", "CYCLIC ONTO Q(32)"];

#[test]
fn messages_are_counted_by_node() {
    for placement in ["slot", "node"] {
        let report = json(&[&ALL_TO_ALL[..], &["--ranks-per-node", "8", "--placement", placement]].concat());
        let nodes = &report["nodes"];
        assert_eq!((&nodes["nodes"], &nodes["placement"]), (&4.into(), &placement.into()));
        for way in ["leave", "enter"] {
            let (busiest, all) = (&nodes["busiest"][way], &nodes["all"][way]);
            // Each of 8 ranks sends 512 bytes to each of 24 ranks of 3 other nodes.
            assert_eq!((&busiest["messages"], &busiest["bytes"]), (&192.into(), &(192 * 512).into()));
            assert_eq!((&busiest["early"], &busiest["nodes"]), (&192.into(), &3.into()));
            assert_eq!((&all["messages"], &all["early_nodes"]), (&768.into(), &12.into()));
        }
        assert_eq!(
            (&nodes["busiest"]["within"], &nodes["all"]["kept_bytes"]),
            (&56.into(), &(32 * 512).into())
        );
        assert_eq!(
            (&nodes["ways"]["alone"]["busiest"], &nodes["ways"]["together"]["busiest"]),
            (&192.into(), &3.into())
        );
        assert_eq!(
            (&nodes["taken"], &report["choice"]["scheduler"]),
            (&"together".into(), &"caterpillar".into())
        );
    }
    // The price, computed by hand: 24 messages of the busiest rank, 4 at a time; 192 start-ups and 98,304 bytes of the
    // port; 24 messages of 512 bytes packed and unpacked.
    let text = good(&[&ALL_TO_ALL[..], &["--ranks-per-node", "8"]].concat());
    let alone = 6.0 * 2.0 + 192.0 * 0.04 + 98304.0 * 1e-4 + 2.0 * 12288.0 * 1.5e-4;
    // One start-up of a rank, 3 of the port; a header for each message, and a table of 8 ranks for each node.
    let together =
        2.0 + 3.0 * 0.04 + (98304.0 + 192.0 * 8.0 + 3.0 * 8.0 * 4.0) * 1e-4 + 2.0 * 12288.0 * 1.5e-4;
    for line in [
        format!("alone 192 768 {alone:.1} each message by itself"),
        format!(
            "together 3 12 {together:.1} early messages in one for each pair of nodes, the others by themselves"
        ),
        "messages 192 192 768 most of a node, to or from other nodes".into(),
        "The library's way today: together".into(),
    ] {
        let lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
        assert!(lines.clone().any(|l| l == line), "{line}\n{text}");
    }
}

#[test]
fn ranks_that_share_ports_have_two_more_schedulers() {
    // All messages are long. If each rank has a port of its own, the schedule is the one without nodes.
    let alone = json(&SQUARE);
    let on_nodes = |ranks| {
        let mut with = json(&[&SQUARE[..], &["--ranks-per-node", ranks]].concat());
        let nodes = with.as_object_mut().expect("an object").remove("nodes").expect("nodes");
        (nodes["taken"].clone(), with)
    };
    assert_eq!(on_nodes("1"), ("alone".into(), alone.clone()));
    let (taken, shared) = on_nodes("4");
    assert_eq!((taken, &shared["messages"]), ("alone".into(), &alone["messages"]));
    let names = |report: &Value| -> Vec<Value> {
        report["rivals"].as_array().expect("a list").iter().map(|rival| rival["name"].clone()).collect()
    };
    let (shared, alone) = (names(&shared), names(&alone));
    assert_eq!(shared[..2], [Value::from("node-caterpillar"), Value::from("node-colouring")]);
    assert_eq!(shared[2..], alone[..]);
    assert!(json(&LINE).get("nodes").is_none() && !good(&LINE).contains("nodes"));
}

#[test]
fn the_librarys_way_follows_from_settings_and_sizes() {
    let way = |more: &[&str], variables: &[(&str, &str)]| {
        let output = run(&[&ALL_TO_ALL[..], &["--json", "--ranks-per-node"], more].concat(), variables);
        let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let nodes = &report["nodes"];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
        (text(&nodes["taken"]), text(&nodes["why"]), nodes["early_limit_bytes"].as_u64().expect("a limit"))
    };
    let starts = |(taken, why, limit): (String, String, u64), expected: (&str, &str, u64)| {
        assert!(
            taken == expected.0 && why.starts_with(expected.1) && limit == expected.2,
            "{taken} {why} {limit}"
        );
    };
    starts(way(&["8"], &[]), ("together", "no message between nodes has more than 8,192 bytes", 8192));
    // Half of a small budget suffices for the messages to and from 32 ranks.
    starts(way(&["1"], &[]), ("together", "no message between nodes has more than 8,192 bytes", 8192));
    starts(way(&["8"], &[("REBLOCK_EARLY", "500")]), ("alone", "all messages between nodes", 496));
    starts(way(&["8"], &[("REBLOCK_EARLY", "0")]), ("alone", "REBLOCK_EARLY is 0", 8192));
    starts(way(&["8"], &[("REBLOCK_TRANSPORT", "mpi")]), ("alone", "REBLOCK_TRANSPORT is mpi", 8192));
    starts(way(&["8"], &[("REBLOCK_TRANSPORT", "shm")]), ("", "REBLOCK_TRANSPORT is shm", 8192));
    // Half of the budget of 64 KiB suffices for the messages to and from 32 ranks.
    starts(
        way(&["8"], &[("REBLOCK_BUFFER", "65536")]),
        ("together", "no message between nodes has more than 512 bytes", 512),
    );
    starts(way(&["99"], &[]), ("memory", "all ranks are on one node", 8192));
    let wide =
        ["--shape", "4356", "--from", "BLOCK ONTO P(66)", "--to", "CYCLIC ONTO Q(66)", "--ranks-per-node"];
    let nodes = |per_node| json(&[&wide[..], &[per_node]].concat())["nodes"].clone();
    assert_eq!(nodes("2")["taken"], "together");
    let nodes = nodes("1");
    assert_eq!((&nodes["nodes"], &nodes["taken"]), (&66.into(), &"phases".into()));
    assert!(nodes["why"].as_str().expect("text").ends_with("more than 31 messages for its node"), "{nodes}");
    let messages = |way: &str| nodes["ways"][way]["busiest"].as_u64().expect("a number");
    assert!(messages("phases") < messages("alone") && messages("together") == 65);
    let far = ["--shape", "8", "--from", "BLOCK ONTO P(2)", "--to", "CYCLIC ONTO Q(2) AT 2000000000"];
    let nodes = json(&[&far[..], &["--ranks-per-node", "1"]].concat())["nodes"].clone();
    assert_eq!((&nodes["nodes"], &nodes["all"]), (&2_000_000_002.into(), &Value::Null));
    // Messages of 8 to 10,400 bytes, so some are early.
    let uneven =
        ["--shape", "4000", "--from", "GEN_BLOCK(1,1399,1,2599) ONTO P(4)", "--to", "CYCLIC ONTO Q(2)"];
    let nodes = json(&[&uneven[..], &["--ranks-per-node", "1"]].concat())["nodes"].clone();
    assert_eq!(nodes["taken"], "both");
    assert!(nodes["why"].as_str().expect("text").contains("ScaLAPACK's routines"), "{nodes}");
}

#[test]
fn options_of_nodes_are_checked() {
    for (more, expected) in [
        (&["--ranks-per-node", "0"][..], "ranks-per-node"),
        (&["--ranks-per-node", "8", "--node"], "cannot be used with"),
        (&["--ranks-per-node", "8", "--simulate"], "cannot be used with"),
        (&["--placement", "node"], "ranks-per-node"),
        (&["--ranks-per-node", "8", "--placement", "socket"], "possible values: slot, node"),
        (&["--ranks-per-node", "8", "--port-start-up=-1"], "port-start-up"),
        (&["--ranks-per-node", "8", "--port-start-up", "fast"], "is not a number from 0"),
    ] {
        assert!(bad(&[&LINE[..], more].concat(), &[]).contains(expected), "{more:?}");
    }
}
