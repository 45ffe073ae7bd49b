//! Tests the command `reblock explain` from outside: its text, JSON, drawings and errors.
//!
//!     cargo test --no-default-features --features cli --test explain
//!
//! | file | subject |
//! |---|---|
//! | `drawings` | drawings of data that moves, of schedules and of growth |
//! | `nodes` | counts and prices of messages between nodes |
//! | `owners` | owners in drawings, compared with a program that deals elements one by one |
//! | `schedules` | schedulers against each other, and schedules message by message |
#![allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)]

mod drawings;
mod nodes;
mod owners;
mod schedules;

use serde_json::Value;
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
        "messages 112 besides 0 local copies",
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
    assert_eq!(figures_of(&report, "ring")["why_not"], "2 dimensions change, expected at most one");
    let chosen = figures_of(&report, report["choice"]["scheduler"].as_str().expect("a name"));
    let price = |of: &Value| of["price_us"].as_f64().expect("a price");
    // The choice may have a cheaper order of the scheduler's steps.
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
