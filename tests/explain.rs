//! Tests the command `reblock explain` from outside: its text, JSON, drawings and errors.
//!
//!     cargo test --no-default-features --features cli --test explain
#![allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)]

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::{Command, Output};

fn run(arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_reblock"));
    for name in ["SCHEDULER", "NETWORK", "NODE", "COPY", "WINDOW", "EARLY", "BUFFER", "TRANSPORT"] {
        command.env_remove(format!("REBLOCK_{name}"));
    }
    command.arg("explain").args(arguments).envs(variables.iter().copied()).output().expect("it can be run")
}

fn good(arguments: &[&str]) -> String {
    let output = run(arguments, &[]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stderr.is_empty());
    String::from_utf8(output.stdout).expect("text")
}

fn bad(arguments: &[&str], variables: &[(&str, &str)]) -> String {
    let output = run(arguments, variables);
    // The command reports an error; a panic would have status 101.
    assert!(matches!(output.status.code(), Some(1 | 2)), "{:?} {arguments:?}", output.status);
    assert!(output.stdout.is_empty());
    let text = String::from_utf8(output.stderr).expect("text");
    assert!(!text.is_empty());
    text
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&good(&[arguments, &["--json"]].concat())).expect("JSON")
}

fn figures_of<'a>(report: &'a Value, name: &str) -> &'a Value {
    let schedulers = report["rivals"].as_array().expect("a list");
    schedulers.iter().find(|entry| entry["name"] == name).expect("all schedulers are listed")
}

/// Returns the path of a file for this test alone.
fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// Checks that tags are closed in order; returns the number of tags called `tag`.
fn well_formed(svg: &str, tag: &str) -> usize {
    let (mut open, mut count) = (Vec::new(), 0);
    for piece in svg.split('<').skip(1) {
        let (inside, text) = piece.split_once('>').expect("a tag ends");
        assert!(!text.contains('>') && inside.matches('"').count() % 2 == 0, "{piece}");
        let name = inside.trim_start_matches('/').split([' ', '/']).next().expect("a tag has a name");
        count += usize::from(name == tag && !inside.starts_with('/'));
        if inside.starts_with('/') {
            assert_eq!(open.pop(), Some(name));
        } else if !inside.ends_with('/') {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?}");
    count
}

const SQUARE: [&str; 6] = [
    "--shape",
    "4096,4096",
    "--from",
    "CYCLIC(128),CYCLIC(128) ONTO P(4,4)",
    "--to",
    "CYCLIC(36),CYCLIC(36) ONTO Q(2,8)",
];
const LINE: [&str; 8] = [
    "--shape",
    "240",
    "--from",
    "CYCLIC(3) ONTO P(16)",
    "--to",
    "CYCLIC(5) ONTO Q(16) AT 16",
    "--element",
    "1",
];

#[test]
fn the_text_has_the_figures() {
    let text = good(&LINE);
    let squeezed: Vec<String> =
        text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    for line in [
        "from (CYCLIC(3)) ONTO P(16) ranks 0 to 15",
        "to (CYCLIC(5)) ONTO P(16) AT 16 ranks 16 to 31",
        "messages 112 and 0 local copies taken out",
        "of a sender 7 each",
        "steps 7 messages of the busiest port",
        "* classes 7 7 15 15 3.5 optimal: fewest steps, least cost",
        "caterpillar 16 7 48 15 3.5",
        "circulant neither of 3 and 5 divides the other",
        "Taken: classes, 3.5 µs",
    ] {
        assert!(squeezed.iter().any(|l| l == line), "{line}\n{text}");
    }
}

#[test]
fn the_json_has_the_figures() {
    let report = json(&SQUARE);
    assert_eq!(report["version"], 1);
    assert_eq!(
        (&report["messages"]["messages"], &report["messages"]["local_copies"]),
        (&240.into(), &16.into())
    );
    assert_eq!(report["bounds"]["steps"], 15);
    let moved = report["messages"]["bytes_moved"].as_u64().expect("a number");
    let kept = report["messages"]["bytes_kept"].as_u64().expect("a number");
    assert_eq!(moved + kept, 4096 * 4096 * 8);
    let figures = &figures_of(&report, "edge-colouring")["figures"];
    assert_eq!((&figures["steps"], &figures["fewest_steps"]), (&15.into(), &true.into()));
    assert_eq!(figures_of(&report, "ring")["why_not"], "it is for one dimension, but 2 change");
    let chosen = figures_of(&report, report["choice"]["scheduler"].as_str().expect("a name"));
    let price = |of: &Value| of["price_us"].as_f64().expect("a price");
    // A better order of its steps may be cheaper.
    assert!(price(&report["choice"]) <= price(&chosen["figures"]));
}

#[test]
fn scalapacks_numbers_mean_the_same() {
    let numbers = [
        "--shape",
        "4096,4096",
        "--from",
        "MB=128 NB=128 NPROW=4 NPCOL=4 RSRC=0 CSRC=0 IA=1 JA=1",
        "--to",
        "mb=36 nb=36 nprow=2 npcol=8",
    ];
    assert_eq!(good(&numbers), good(&SQUARE));
}

#[test]
fn owners_one_by_one_mean_the_same() {
    let messages = |from: &str| {
        let report = json(&["--shape", "240", "--from", from, "--to", "CYCLIC(7) ONTO Q(3)"]);
        (report["messages"].clone(), report["bounds"].clone())
    };
    let blocks = messages("GEN_BLOCK(/60,50,0,130/) ONTO P(4)");
    assert_eq!(blocks, messages("GEN_BLOCK(60,50,0,130) ONTO P(4)"));
    assert_eq!(blocks, messages("INDIRECT(/60*0,50*1,129*3,3/) ONTO P(4)"));
    assert_ne!(blocks, messages("INDIRECT(/60*0,50*1,129*3,2/) ONTO P(4)"));
}

#[test]
fn the_machine_comes_from_the_environment() {
    let price = |variables: &[(&str, &str)], more: &[&str]| {
        let output = run(&[&LINE, more, &["--json"]].concat(), variables);
        let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        (report["machine"]["start_up_us"].as_f64(), report["choice"]["scheduler"].clone())
    };
    assert_eq!(price(&[], &[]), (Some(2.0), "classes".into()));
    assert_eq!(price(&[("REBLOCK_NETWORK", "8,1")], &[]).0, Some(8.0));
    assert_eq!(price(&[("REBLOCK_NETWORK", "8,1")], &["--node"]).0, Some(0.5));
    assert_eq!(price(&[("REBLOCK_SCHEDULER", "drc")], &[]).1, "drc");
    assert_eq!(price(&[("REBLOCK_SCHEDULER", "drc")], &["--scheduler", "greedy"]).1, "greedy");
    assert!(bad(&LINE, &[("REBLOCK_NODE", "fast")]).contains("REBLOCK_NODE is fast, expected"));
    assert!(
        bad(&LINE, &[("REBLOCK_SCHEDULER", "fast")]).contains("REBLOCK_SCHEDULER is fast, expected one of")
    );
}

/// 32 ranks, each of which sends 64 elements to each.
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
    // The price by hand: 24 messages of the busiest rank, 4 at a time; 192 start-ups and 98,304 bytes of the port; 24
    // messages of 512 bytes packed and unpacked.
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
    // All messages are long, so each rank with a port of its own has the schedule without nodes.
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
    starts(way(&["8"], &[]), ("together", "no message between nodes has more than 4,096 bytes", 4096));
    // Half of a small budget, for the messages to and from 32 ranks with their headers.
    starts(way(&["1"], &[]), ("together", "no message between nodes has more than 8,184 bytes", 8184));
    starts(way(&["8"], &[("REBLOCK_EARLY", "500")]), ("alone", "all messages between nodes", 496));
    starts(way(&["8"], &[("REBLOCK_EARLY", "0")]), ("alone", "REBLOCK_EARLY is 0", 4096));
    starts(way(&["8"], &[("REBLOCK_TRANSPORT", "mpi")]), ("alone", "REBLOCK_TRANSPORT is mpi", 4096));
    starts(way(&["8"], &[("REBLOCK_TRANSPORT", "shm")]), ("", "REBLOCK_TRANSPORT is shm", 4096));
    // 64 KiB: half of them hold the messages to and from 32 ranks.
    starts(way(&["8"], &[("REBLOCK_BUFFER", "65536")]), ("alone", "all messages between nodes", 504));
    starts(way(&["99"], &[]), ("memory", "all ranks are on one node", 4096));
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

#[test]
fn drawings_are_well_formed() {
    let path = file("schedule.svg");
    let name = path.to_str().expect("a name");
    good(&[&LINE[..], &["--svg", name]].concat());
    let svg = std::fs::read_to_string(&path).expect("a drawing");
    // For both schedules: a cell and two bars for each message, and the frame of the matrix; keys of 7 and 16 colours; the background.
    assert_eq!(well_formed(&svg, "rect"), 2 * (3 * 112 + 1) + 7 + 16 + 1);
    assert!(svg.contains("classes: 7 steps, cost 15 B") && svg.contains("caterpillar: 16 steps, cost 48 B"));
    // A chain has one matrix for each phase.
    let small = ["--shape", "256,256", "--from", "CYCLIC,CYCLIC ONTO P(16,16)", "--to"];
    good(&[&small[..], &["CYCLIC(8),CYCLIC(8) ONTO Q(16,16)", "--svg", name]].concat());
    let svg = std::fs::read_to_string(&path).expect("a drawing");
    well_formed(&svg, "rect");
    assert!(svg.contains("multiphase: 16 steps"));
}

#[test]
fn a_drawing_has_the_bytes_of_the_report() {
    let path = file("movement.svg");
    let name = path.to_str().expect("a name");
    let cube = ["--shape", "30,40,50", "--from", "BLOCK,*,CYCLIC(4) ONTO P(2,3)"];
    let cube = [&cube[..], &["--to", "*,GEN_BLOCK(10,0,30),* ONTO P(3) AT 2"]].concat();
    for arguments in [&SQUARE[..], &LINE, &cube] {
        let report: Value = json(&[arguments, &["--draw", name]].concat());
        let svg = std::fs::read_to_string(&path).expect("a drawing");
        well_formed(&svg, "rect");
        let (mut moved, mut kept, mut messages) = (0, 0, 0);
        for title in svg.split("<title>").skip(1).filter_map(|piece| Some(piece.split_once("</title>")?.0)) {
            let number = |text: &str| text.replace(',', "").parse::<u64>().expect("a number");
            if let Some((_, sent)) = title.split_once(" → ") {
                let (_, bytes) = sent.split_once(": ").expect("bytes");
                let words: Vec<&str> = bytes.split(' ').collect();
                (moved, messages) = (moved + number(words[0]), messages + number(words[3]));
            } else if let Some((_, bytes)) = title.split_once(" keeps ") {
                kept += number(bytes.split(' ').next().expect("a number"));
            }
        }
        let wanted = &report["messages"];
        assert_eq!(
            (&wanted["bytes_moved"], &wanted["bytes_kept"]),
            (&moved.into(), &kept.into()),
            "{arguments:?}"
        );
        assert_eq!(wanted["messages"], messages, "{arguments:?}");
    }
    let drawn = |more: &[&str]| {
        good(&[&LINE, &["--draw", name][..], more].concat());
        std::fs::read_to_string(&path).expect("a drawing")
    };
    assert!(drawn(&["--rank", "20"]).contains("Emphasised: rank 20 with 0 B sent, "));
    assert!(drawn(&[]).contains("Emphasised: rank 0 with "));
    let refused = bad(&[&LINE, &["--draw", name, "--rank", "32"][..]].concat(), &[]);
    assert!(refused.contains("--draw: rank 32 has no part of the array, before or after"), "{refused}");
    for wrong in [&["--draw", name, "--simulate"][..], &["--rank", "1"], &["--draw", "/nowhere/at/all.svg"]] {
        bad(&[&LINE[..], wrong].concat(), &[]);
    }
    let refused = bad(&[&cube[..], &["--axes", "3,1,1"]].concat(), &[]);
    assert!(refused.contains("--axes is [3, 1, 1], expected each of 1 to 3 once"), "{refused}");
    for copies in
        ["BLOCK,*,* ONTO P(2,2)", "TEMPLATE T(9); ALIGN A(*,*,*) WITH T(3); DISTRIBUTE T(BLOCK) ONTO P(2)"]
    {
        let refused = bad(&["--shape", "4,4,4", "--from", copies, "--to", copies, "--simulate"], &[]);
        assert!(refused.contains("--simulate is for layouts without alignments and copies"), "{refused}");
    }
}

/// A layout as text, and the ranks that have each element of the array, which has these extents.
struct Drawn {
    text: String,
    ranks: Vec<BTreeSet<u32>>,
}

/// Returns all indices, from 1, of an array in row-major order.
fn indices(shape: &[u64]) -> Vec<Vec<i64>> {
    shape.iter().fold(vec![Vec::new()], |all, &len| {
        let longer =
            |index: &Vec<i64>| (1..=len as i64).map(|i| [&index[..], &[i]].concat()).collect::<Vec<_>>();
        all.iter().flat_map(longer).collect()
    })
}

/// One axis of a template: which indices the array has there, and how they are dealt.
struct TemplateAxis {
    /// Subscript of an element: (axis of the array, stride, offset); `Err`: a fixed index, or all of them.
    subscript: Result<(usize, i64, i64), Option<i64>>,
    extent: i64,
    format: String,
    /// Number of processes, and their blocks, if the axis is distributed.
    dealt: Option<(i64, i64)>,
}

/// Deals the elements of an array one by one: returns the ranks of each. Processes along an axis of the arrangement that
/// is fixed by no index have copies.
fn deal(shape: &[u64], axes: &[TemplateAxis], further: &[i64], at: u32) -> Vec<BTreeSet<u32>> {
    let ranks = |index: &Vec<i64>| {
        let mut ranks = BTreeSet::from([0]);
        let coordinates = axes.iter().filter_map(|axis| {
            let (procs, block) = axis.dealt?;
            let owner = |x: i64| (x - 1) / block % procs;
            Some(match axis.subscript {
                Ok((k, stride, offset)) => (procs, vec![owner(stride * index[k] + offset)]),
                Err(Some(x)) => (procs, vec![owner(x)]),
                Err(None) => (procs, (0..procs).collect()),
            })
        });
        for (procs, coordinates) in coordinates.chain(further.iter().map(|&n| (n, (0..n).collect()))) {
            ranks = ranks.iter().flat_map(|rank| coordinates.iter().map(move |c| rank * procs + c)).collect();
        }
        ranks.into_iter().map(|rank: i64| rank as u32 + at).collect()
    };
    indices(shape).iter().map(ranks).collect()
}

/// Returns a random layout: dealt axis by axis, or aligned with a template that has strides, offsets, axes in another
/// order, and an axis without one of the array. Both may have copies.
fn any_layout(rng: &mut fastrand::Rng, shape: &[u64]) -> Drawn {
    let aligned = rng.bool();
    let mut subscripts: Vec<Result<(usize, i64, i64), Option<i64>>> = Vec::new();
    let mut sources = Vec::new();
    for (k, &len) in shape.iter().enumerate() {
        let name = ["I", "J", "K"][k];
        if aligned && rng.u8(0..5) == 0 {
            sources.push("*".to_string());
            continue;
        }
        sources.push(name.into());
        let stride = if aligned { *rng.choice(&[1, 1, 2, 3, -1, -2]).expect("a stride") } else { 1 };
        let first = if aligned { rng.i64(1..4) } else { 1 };
        let offset = if stride > 0 { first - stride } else { first - stride * len as i64 };
        subscripts.push(Ok((k, stride, offset)));
    }
    if aligned {
        if rng.bool() {
            subscripts.push(Err(rng.bool().then(|| rng.i64(1..9))));
        }
        rng.shuffle(&mut subscripts);
    }
    let mut axes = Vec::new();
    for subscript in subscripts {
        let needed = match subscript {
            Ok((k, stride, offset)) => (stride + offset).max(stride * shape[k] as i64 + offset),
            Err(_) => 9,
        };
        let extent = needed + if aligned { rng.i64(0..5) } else { 0 };
        let procs = rng.i64(1..4);
        let (format, dealt) = match rng.u8(0..4) {
            0 => ("*".to_string(), None),
            1 => ("BLOCK".into(), Some((procs, (extent + procs - 1) / procs))),
            _ => {
                let block = rng.i64(1..5);
                (format!("CYCLIC({block})"), Some((procs, block)))
            }
        };
        axes.push(TemplateAxis { subscript, extent, format, dealt });
    }
    let further: Vec<i64> = if rng.u8(0..3) == 0 { vec![rng.i64(2..4)] } else { Vec::new() };
    let list = |all: Vec<String>| all.join(",");
    let mut procs: Vec<i64> = axes.iter().filter_map(|axis| Some(axis.dealt?.0)).collect();
    procs.extend(&further);
    let further = if procs.is_empty() { vec![2] } else { further };
    let procs = if procs.is_empty() { vec![2] } else { procs };
    let formats = list(axes.iter().map(|axis| axis.format.clone()).collect());
    let (onto, at) = (list(procs.iter().map(i64::to_string).collect()), rng.u32(0..3));
    let text = if aligned && !axes.is_empty() {
        let subscript = |axis: &TemplateAxis| match axis.subscript {
            Ok((k, stride, offset)) => format!("{stride}*{}{offset:+}", ["I", "J", "K"][k]),
            Err(Some(index)) => index.to_string(),
            Err(None) => "*".into(),
        };
        format!(
            "TEMPLATE T({}); ALIGN A({}) WITH T({}); DISTRIBUTE T({formats}) ONTO P({onto}) AT {at}",
            list(axes.iter().map(|axis| axis.extent.to_string()).collect()),
            sources.join(","),
            list(axes.iter().map(subscript).collect())
        )
    } else if axes.len() == shape.len() {
        format!("({formats}) ONTO P({onto}) AT {at}")
    } else {
        return any_layout(rng, shape);
    };
    Drawn { text, ranks: deal(shape, &axes, &further, at) }
}

/// Returns the attribute of an element whose text begins with its name.
fn attribute<'a>(element: &'a str, name: &str) -> &'a str {
    let (_, rest) = element.split_once(&format!(" {name}=\"")).expect("an attribute");
    rest.split_once('"').expect("its end").0
}

/// Returns the owners that a panel of a drawing shows: for the middle of each element of a plane with `rows` and `columns`
/// indices, the ranks in the title of the tile there; then the number of elements in that title.
fn shown(panel: &str, rows: u64, columns: u64) -> Vec<(BTreeSet<u32>, u64)> {
    let frame = panel.split("<rect").nth(1).expect("a frame");
    let [x, y, width, height] =
        ["x", "y", "width", "height"].map(|name| attribute(frame, name).parse::<f64>().expect("a number"));
    let mut shown = vec![None; (rows * columns) as usize];
    for path in panel.split("<path").skip(1) {
        let title = path.split_once("<title>").expect("a title").1.split_once("</title>").expect("its end").0;
        let (title, elements) = title.trim().rsplit_once(": ").expect("elements");
        let elements =
            elements.split(' ').next().expect("a number").replace(',', "").parse().expect("a number");
        let ranks = title.rsplit([':', 'k']).next().expect("ranks").split(',');
        let ranks = ranks.filter(|rank| *rank != " …");
        let ranks: BTreeSet<u32> = ranks.map(|rank| rank.trim().parse().expect("a rank")).collect();
        for tile in attribute(path, "d").split('z').filter(|tile| !tile.is_empty()) {
            let numbers: Vec<f64> = tile
                .split(['M', ' ', 'h', 'v'])
                .filter(|number| !number.is_empty())
                .map(|number| number.parse().expect("a number"))
                .collect();
            let inside = |at: f64, start: f64, length: f64| at > start && at < start + length;
            for i in 0..rows {
                for j in 0..columns {
                    let middle = |k: u64, count: u64, start: f64, length: f64| {
                        start + length * (k as f64 + 0.5) / count as f64
                    };
                    if inside(middle(j, columns, x, width), numbers[0], numbers[2])
                        && inside(middle(i, rows, y, height), numbers[1], numbers[3])
                    {
                        let place = &mut shown[(i * columns + j) as usize];
                        assert!(place.replace((ranks.clone(), elements)).is_none(), "two tiles in one place");
                    }
                }
            }
        }
    }
    shown.into_iter().map(|one| one.expect("a tile everywhere")).collect()
}

#[test]
fn drawings_of_copies_alignments_and_permutations_are_right() {
    let path = file("owners.svg");
    let name = path.to_str().expect("a name");
    for seed in 0..150 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let shape: Vec<u64> = (0..rng.usize(1..4)).map(|_| rng.u64(1..13)).collect();
        let mut order: Vec<usize> = (0..shape.len()).collect();
        if rng.bool() {
            rng.shuffle(&mut order);
        }
        let mut target = vec![0; shape.len()];
        order.iter().zip(&shape).for_each(|(&k, &len)| target[k] = len);
        let sides = [any_layout(&mut rng, &shape), any_layout(&mut rng, &target)];
        let list = |numbers: Vec<String>| numbers.join(",");
        let [extents, axes] = [
            list(shape.iter().map(u64::to_string).collect()),
            list(order.iter().map(|k| (k + 1).to_string()).collect()),
        ];
        let arguments = ["--shape", &extents, "--from", &sides[0].text, "--to", &sides[1].text];
        let arguments = [&arguments[..], &["--axes", &axes, "--element", "1", "--draw", name]].concat();
        let report = json(&arguments);
        let what = format!("seed {seed}: {arguments:?}");
        let svg = std::fs::read_to_string(&path).expect("a drawing");
        well_formed(&svg, "rect");
        // Which planes are drawn, in dimensions of each side.
        let mut planes = match &order[..] {
            [_] => [[None, Some(0)]; 2],
            _ => [[Some(0), Some(1)]; 2],
        };
        let note = svg.split_once("dimensions ").map(|(_, note)| ("permuted", note));
        let note = note.or(svg.split_once("Rows: dimension ").map(|(_, note)| ("straight", note)));
        if let Some((kind, note)) = note {
            let words: Vec<&str> =
                note.split('<').next().expect("a text").split([' ', ',', ';', '(', '.']).collect();
            let numbers: Vec<usize> = words.iter().filter_map(|word| word.parse().ok()).collect();
            planes = match (kind, &numbers[..]) {
                ("straight", &[a, b, ..]) => [[Some(a - 1), Some(b - 1)]; 2],
                (_, &[a, b, c, c_before, d, d_before, ..]) => {
                    assert_eq!([order[c_before - 1] + 1, order[d_before - 1] + 1], [c, d], "{what}");
                    assert_eq!(BTreeSet::from([a, b]), BTreeSet::from([c_before, d_before]), "{what}");
                    [[Some(a - 1), Some(b - 1)], [Some(c - 1), Some(d - 1)]]
                }
                other => panic!("{other:?} {what}"),
            };
        } else {
            assert!(shape.len() < 3 && order.is_sorted(), "the drawing does not name its plane: {what}");
        }
        let panels: Vec<&str> = svg.split("<g stroke-width").skip(1).collect();
        assert_eq!(panels.len(), 2, "{what}");
        for (k, (extents, side)) in [&shape, &target].into_iter().zip(&sides).enumerate() {
            let [rows, columns] = planes[k];
            let lengths = [rows.map_or(1, |dim| extents[dim]), columns.map_or(1, |dim| extents[dim])];
            let panel =
                panels[k].split("<text").next().expect("tiles").split("stripe").next().expect("tiles");
            let all = indices(extents);
            let mut held: BTreeMap<u32, u64> = BTreeMap::new();
            side.ranks.iter().flatten().for_each(|&rank| *held.entry(rank).or_default() += 1);
            let in_plane = |index: &Vec<i64>| {
                (0..extents.len()).all(|dim| index[dim] == 1 || Some(dim) == rows || Some(dim) == columns)
            };
            let drawn = shown(panel, lengths[0], lengths[1]);
            for (index, ranks) in all.iter().zip(&side.ranks).filter(|(index, _)| in_plane(index)) {
                let at = |dim: Option<usize>| dim.map_or(0, |dim| index[dim] as u64 - 1);
                let (owners, elements) = &drawn[(at(rows) * lengths[1] + at(columns)) as usize];
                // A title lists at most 8 ranks.
                let is_right = owners.is_subset(ranks) && owners.len() == ranks.len().min(8);
                assert!(is_right, "side {k}, {index:?}: {owners:?}, expected {ranks:?}: {what}");
                let rank = ranks.first().expect("an owner");
                assert_eq!(*elements, held[rank], "elements of rank {rank} on side {k}: {what}");
            }
            let most = side.ranks[0].len();
            assert_eq!(
                svg.contains(&format!("is on {most} ranks")) || svg.contains(&format!("on {most} ranks ")),
                most > 1,
                "{what}"
            );
            assert_eq!(report[["from", "to"][k]]["copies"], most, "{what}");
        }
        the_flows_are(&svg, &flows(&shape, &target, &order, &sides), &what);
    }
}

/// What each rank has after a redistribution: elements that it had before, and others.
fn flows(shape: &[u64], target: &[u64], order: &[usize], sides: &[Drawn; 2]) -> BTreeMap<u32, (u64, u64)> {
    let places: BTreeMap<Vec<i64>, usize> = indices(target).into_iter().zip(0..).collect();
    let mut flows: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
    for (index, before) in indices(shape).iter().zip(&sides[0].ranks) {
        let mut there = vec![0; index.len()];
        order.iter().zip(index).for_each(|(&k, &i)| there[k] = i);
        for &rank in &sides[1].ranks[places[&there]] {
            let (kept, received) = flows.entry(rank).or_default();
            *(if before.contains(&rank) { kept } else { received }) += 1;
        }
    }
    flows
}

/// Compares the cells of the matrix with what each rank keeps and receives.
fn the_flows_are(svg: &str, wanted: &BTreeMap<u32, (u64, u64)>, what: &str) {
    let mut drawn: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
    let number = |text: &str| text.trim().replace(',', "").parse::<u64>().expect("a number");
    for title in svg.split("<title>").skip(1).filter_map(|piece| Some(piece.split_once("</title>")?.0.trim()))
    {
        let (rank, kept, received) = if let Some((_, rest)) = title.split_once(" → rank ") {
            let (rank, bytes) = rest.split_once(": ").expect("bytes");
            (rank, 0, bytes.split(' ').next().expect("bytes"))
        } else if let Some((rank, bytes)) = title.split_once(" keeps ") {
            (rank.trim_start_matches("rank "), number(bytes.trim_end_matches(" bytes")), "0")
        } else {
            continue;
        };
        let entry = drawn.entry(u32::try_from(number(rank)).expect("a rank")).or_default();
        *entry = (entry.0 + kept, entry.1 + number(received));
    }
    assert_eq!(&drawn, wanted, "kept and received: {what}");
}

#[test]
fn the_drawing_in_the_pages_is_that_of_the_command() {
    let path = file("page.svg");
    let name = path.to_str().expect("a name");
    let (from, to) = ("(BLOCK,BLOCK) ONTO P(4,4)", "(CYCLIC(64),CYCLIC(64)) ONTO P(2,8)");
    good(&["--shape", "1000,600", "--from", from, "--to", to, "--draw", name]);
    let shown =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/explain.svg")).expect("a drawing");
    let drawn = std::fs::read_to_string(&path).expect("a drawing");
    assert!(
        shown == drawn,
        "docs/explain.svg is not what the command of docs/explain.md draws: run it again"
    );
}

#[test]
fn growth_is_counted_and_drawn() {
    let path = file("growth.svg");
    let name = path.to_str().expect("a name");
    let growth = json(&[&LINE[..], &["--simulate", "--ranks", "1024", "--svg", name]].concat());
    let stages = growth["stages"].as_array().expect("a list");
    assert_eq!(stages.len(), 7);
    for stage in stages {
        assert_eq!(stage["taken"], "classes");
        let count = &figures_of(stage, "classes")["count"];
        assert_eq!((&count["steps"], &count["cost_bytes"]), (&7.into(), &15.into()));
        assert_eq!(figures_of(stage, "caterpillar")["count"]["steps"], stage["ranks"]);
        assert_eq!(figures_of(stage, "unscheduled")["count"]["contention"], 7);
    }
    let svg = std::fs::read_to_string(&path).expect("a drawing");
    // Three panels of four curves, seven points each.
    assert_eq!(well_formed(&svg, "circle"), 3 * 4 * 7);
    let text = good(&[&LINE[..], &["--simulate", "--ranks", "64"]].concat());
    assert!(text.contains("Left out") && text.contains("No further: more than 64 ranks"), "{text}");
}

#[test]
fn errors_say_where_and_what_was_expected() {
    // An error in the command line has status 2, a failure status 1.
    for (arguments, status) in [
        (["--shape", "240", "--from", "CYCLIC(3 ONTO P(16)", "--to", "BLOCK ONTO P(2)"], 2),
        (["--shape", "240", "--from", "BLOCK ONTO P(2)", "--to", "GEN_BLOCK(1) ONTO P(2)"], 2),
        (["--shape", "no", "--from", "BLOCK ONTO P(2)", "--to", "BLOCK ONTO P(2)"], 2),
        (["--shape", "9223372036854775807", "--from", "BLOCK ONTO P(2)", "--to", "BLOCK ONTO P(2)"], 1),
    ] {
        assert_eq!(run(&arguments, &[]).status.code(), Some(status), "{arguments:?}");
    }
    let with = |from: &str| bad(&["--shape", "240", "--from", from, "--to", "BLOCK ONTO Q(2)"], &[]);
    let error = with("CYCLIC(3 ONTO P(16)");
    assert!(error.contains("--from is not a layout") && error.contains("--> 1:10"), "{error}");
    assert!(
        error.contains("CYCLIC(3 ONTO P(16)\n  |          ^---") && error.contains("= expected )"),
        "{error}"
    );
    assert!(with("CYCLIC(3)").contains("expected ONTO name(p1,p2,...)"));
    assert!(with("GEN_BLOCK(1,2) ONTO P(2)").contains("the block sizes add up to 3, expected at least 240"));
    for arguments in [
        &["--shape", "0", "--from", "BLOCK ONTO P(2)", "--to", "BLOCK ONTO Q(2)"][..],
        &["--shape", "x", "--from", "BLOCK ONTO P(2)", "--to", "BLOCK ONTO Q(2)"],
        &["--shape", "99999999999999999999", "--from", "BLOCK ONTO P(2)", "--to", "BLOCK ONTO Q(2)"],
        &["--shape", "18446744073709551615", "--from", "BLOCK ONTO P(2)", "--to", "CYCLIC ONTO Q(2)"],
        &[
            "--shape",
            "8",
            "--element",
            "18446744073709551615",
            "--from",
            "BLOCK ONTO P(2)",
            "--to",
            "CYCLIC ONTO Q(2)",
        ],
        &["--shape", "8"],
        &[&LINE[..], &["--scheduler", "fastest"]].concat(),
        &[&LINE[..], &["--scheduler", "circulant"]].concat(),
        &[&LINE[..], &["--svg", "/nowhere/at/all.svg"]].concat(),
        &[&LINE[..], &["--ranks", "64"]].concat(),
    ] {
        bad(arguments, &[]);
    }
    assert!(
        bad(&[&LINE[..], &["--scheduler", "fastest"]].concat(), &[])
            .contains("possible values: node-caterpillar, node-colouring, circulant")
    );
}

#[test]
fn any_numbers_are_explained_or_refused() {
    // Sizes at the edges of what fits, in debug builds with overflow checks.
    let sizes =
        ["1", "2", "3", "7", "4294967296", "9007199254740992", "288230376151711744", "18446744073709551615"];
    for (k, n) in sizes.iter().enumerate() {
        for (j, block) in sizes.iter().enumerate() {
            let from = format!("CYCLIC({block}),* ONTO P({})", 1 + j % 3);
            let to = format!("*,CYCLIC({}) ONTO Q({}) AT 1", sizes[(j + k) % sizes.len()], 1 + k % 4);
            let shape = format!("{n},{}", sizes[(k * 3 + j) % sizes.len()]);
            for more in [&[][..], &["--simulate", "--ranks", "8"], &["--ranks-per-node", "2"]] {
                let output =
                    run(&[&["--shape", &shape, "--from", &from, "--to", &to][..], more].concat(), &[]);
                let (code, error) = (output.status.code(), String::from_utf8_lossy(&output.stderr));
                assert!(matches!(code, Some(0 | 1)), "{shape} {from} {to} {more:?}: {code:?} {error}");
            }
        }
    }
}

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
