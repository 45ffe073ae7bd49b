//! Drawings of data that moves, of schedules and of growth.

use super::{LINE, SQUARE, bad, figures_of, file, good, json, well_formed};
use serde_json::Value;

#[test]
fn drawings_are_well_formed() {
    let path = file("schedule.svg");
    let name = path.to_str().expect("a name");
    good(&[&LINE[..], &["--svg", name]].concat());
    let svg = std::fs::read_to_string(&path).expect("a drawing");
    // Each schedule has a cell and two bars per message, and the frame of the matrix. The keys have 7 and 16 colours.
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
