//! Tests the text, JSON, page and errors of the command `reblock report` from outside, on the trace of a real trial
//! (tests/report/sample.json: examples/demo.c on 4 ranks).
//!
//!     cargo test --no-default-features --features cli --test report

use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/report/sample.json");

fn run(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_reblock"));
    command.arg("report").args(arguments).output().expect("it can be run")
}

/// Returns the output for a report whose results differ.
fn differing(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

fn good(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

fn bad(arguments: &[&str]) -> String {
    let output = run(arguments);
    // The command reports an error; a panic would have status 101.
    assert!(matches!(output.status.code(), Some(1 | 2)), "{:?} {arguments:?}", output.status);
    assert!(output.stdout.is_empty());
    String::from_utf8(output.stderr).expect("text")
}

/// Returns the path of a file for this test alone.
fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

fn sample() -> Value {
    serde_json::from_str(&std::fs::read_to_string(SAMPLE).expect("the sample")).expect("JSON")
}

/// Returns the page of the sample after `change`; `show` checks how the command ends.
fn page_of(name: &str, show: fn(&[&str]) -> String, change: impl FnOnce(&mut Value)) -> String {
    let (trace, html) = (file(&format!("{name}.json")), file(&format!("{name}.html")));
    let mut report = sample();
    change(&mut report);
    std::fs::write(&trace, report.to_string()).expect("it can be written");
    show(&[text(&trace), "-o", text(&html)]);
    std::fs::read_to_string(html).expect("the page")
}

fn page(name: &str, change: impl FnOnce(&mut Value)) -> String {
    page_of(name, good, change)
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

#[test]
fn the_text_has_the_verdict_and_all_shapes() {
    let text = good(&[SAMPLE]);
    assert!(text.starts_with("ScaLAPACK spent "), "{text}");
    assert!(text.contains("All results are equal bit for bit."), "{text}");
    let shapes = sample()["shapes"].as_array().expect("a list").len();
    for part in [
        "  PDGEMR2D ",
        "    8 calls, first ",
        " and keeps ",
        "    caterpillar (few ranks of a node: the order does not matter), ",
        " steps, cost ",
        "    shared memory 32; ",
    ] {
        assert_eq!(text.matches(part).count(), shapes, "{part}: {text}");
    }
    assert!(text.contains("communicators that it made: 1 duplicate; at most"), "{text}");
}

#[test]
fn the_json_adds_up() {
    let digest: Value = serde_json::from_str(&good(&[SAMPLE, "--json"])).expect("JSON");
    let shapes = digest["shapes"].as_array().expect("a list");
    let sum = |name: &str| shapes.iter().filter_map(|shape| shape[name].as_f64()).sum::<f64>();
    for name in ["scalapack", "reblock", "calls", "compared", "different"] {
        let total = digest["verdict"][name].as_f64().expect("a number");
        assert!((total - sum(name)).abs() <= 1e-9 * total, "{name}: {total} and {}", sum(name));
    }
    assert_eq!(digest["verdict"]["different"], 0);
}

#[test]
fn the_page_has_the_verdict_the_shapes_and_their_drawings() {
    let page = page("whole", |_| ());
    let verdict: Value = serde_json::from_str(&good(&[SAMPLE, "--json"])).expect("JSON");
    assert!(page.contains(verdict["verdict"]["sentence"].as_str().expect("text")));
    let shapes = sample()["shapes"].as_array().expect("a list").len();
    assert_eq!(page.matches("<tr role=\"row\">\n<th scope=\"row\"").count(), shapes);
    assert_eq!(page.matches("<details ").count(), shapes);
    // Each shape has drawings of the owners, the messages, the steps and the times; the total has bars. One shape moves
    // nothing.
    assert_eq!(page.matches("Not drawn: no rank sends anything to another").count(), 1);
    assert_eq!(page.matches("<svg ").count(), 4 * shapes + 1 - 1);
    // The page must load no other file.
    for link in ["src=", "@import", "url(", "http:", "https:"] {
        let found = page.replace("http://www.w3.org/2000/svg", "").contains(link);
        assert!(!found, "{link}");
    }
}

#[test]
fn a_measured_call_shows_who_came_last() {
    let calls = |numbers: [u64; 4]| {
        let begins = [500_000_000, 500_250_000, 502_000_000, 500_000_100];
        let call = |rank: usize| {
            let begin = 1_800_000_000_000_000_000u64 + begins[rank];
            serde_json::json!({ "number": numbers[rank], "rank": rank, "begin_ns": begin, "seconds": 0.004, "waits": [[0.001, 0.0005]] })
        };
        (0..4).map(call).collect::<Vec<Value>>()
    };
    let page = page("timeline", |report| report["shapes"][0]["timeline"] = calls([2, 2, 2, 2]).into());
    assert!(page.contains("call 2 on 4 ranks: rank 2 came last, 2.000 ms after rank 0"), "{page}");
    // The last sender begins 2000 - 250 µs after rank 1.
    let about = "rank 1: began 250.000 µs after the first rank, took 4.000 ms, of which it waited 500.000 µs; of the ranks that send \
                 to it, rank 2 came last, 1.750 ms after it";
    assert!(page.contains(about), "{page}");
    // A rank that made only one call is left out.
    let page = page_of("one", good, |report| report["shapes"][0]["timeline"] = calls([2, 1, 2, 2]).into());
    assert!(page.contains("call 2 on 3 ranks: rank 2 came last"));
    let page = page_of("odd", good, |report| {
        report["shapes"][0]["timeline"] = calls([2, 2, 2, 2]).into();
        report["shapes"][0]["timeline"][1]["waits"] = serde_json::json!([[-1e300, 1e300], [1.0, -1.0]]);
        report["shapes"][0]["timeline"][2]["seconds"] = (-1.0).into();
    });
    assert!(page.contains("call 2 on 4 ranks"));
}

#[test]
fn a_difference_is_the_first_thing_that_the_page_says() {
    let page =
        page_of("different", differing, |report| report["shapes"][0]["versus"]["different"] = 2.into());
    assert!(page.contains("<section class=\"verdict bad\"") && page.contains("RESULTS DIFFER in 2 of "));
    assert!(page.contains("class=\"result differs\">DIFFERENT in 2 of "));
    // The shape with the difference has the first row, although other shapes took more time.
    let last = page_of("last", differing, |report| {
        let shapes = report["shapes"].as_array_mut().expect("a list");
        shapes.last_mut().expect("one")["versus"]["different"] = 1.into();
    });
    assert!(last.contains(
        "<tbody role=\"rowgroup\">\n<tr class=\"different\" role=\"row\">\n<th scope=\"row\" data-key=\"1\""
    ));
    assert_eq!(last.matches("<tr class=\"different\" role=\"row\">").count(), 1);
}

#[test]
fn what_a_trace_says_is_no_markup() {
    let page = page("markup", |report| {
        report["job"]["command"] = vec!["/bin/<script>alert(1)</script>", "\"&"].into();
        report["shapes"][0]["call"] = "<img>".into();
    });
    assert!(!page.contains("<script>alert") && !page.contains("<img>"));
    assert!(page.contains("&lt;script&gt;alert(1)&lt;&#x2f;script&gt;"), "{}", &page[..9000]);
}

#[test]
fn other_runs_have_pages() {
    let counted = page("counted", |report| {
        report["job"]["trial"] = Value::Null;
        report["job"]["missing"] = vec![3].into();
        for shape in report["shapes"].as_array_mut().expect("a list") {
            shape["versus"] = Value::Null;
        }
    });
    assert!(counted.contains("reblock spent ") && counted.contains("99 % within"));
    assert!(counted.contains("<dt>ranks that did not report</dt><dd>3</dd>"));
    let none = page("aside", |report| {
        let calls = report["shapes"].as_array().expect("a list").len();
        report["job"]["aside"] = serde_json::json!({ "there is no other ScaLAPACK": calls });
        report["shapes"].as_array_mut().expect("a list").iter_mut().for_each(|s| s["versus"] = Value::Null);
    });
    for part in
        ["trial of", "Not compared</span>", "No call could be compared: there is no other ScaLAPACK ("]
    {
        assert!(none.contains(part), "{part}");
    }
    assert!(none.contains("reblock spent ") && !none.contains("REBLOCK_TRIAL=1"));
    let nothing = page("nothing", |report| report["shapes"] = Value::Array(Vec::new()));
    assert!(nothing.contains("The program made no redistributions"));
    let partial = page("partial", |report| report["shapes"][0]["from"]["digest"] = 5.into());
    assert_eq!(partial.matches("Not drawn: the trace lacks parts of a long list").count(), 1);
}

#[test]
fn copies_and_alignments_are_drawn() {
    // Rows 1, 3, ... of an array of 40 x 6 elements, each on two ranks, become single blocks of rows.
    let change = |report: &mut Value, change: &dyn Fn(&mut Value)| {
        let shape = &mut report["shapes"][0];
        (shape["extents"], shape["schedule"]["nodes"]) = (json!([20, 6]), json!([0, 0, 0, 1]));
        shape["from"] = json!({
            "formats": ["CYCLIC(3)", "*"], "firsts": [0, 0], "starts": [1, 0], "aligns": [[1, 2, 2], [0, 1, 1]],
            "grid": [2, 1, 2], "ranks": [0, 1, 0, 2], "list": [], "digest": 0
        });
        shape["to"] = json!({
            "formats": ["CYCLIC(5)", "*"], "firsts": [0, 0], "starts": [0, 0],
            "grid": [4, 1], "ranks": [0, 1, 0], "list": [], "digest": 0
        });
        change(shape);
    };
    let drawn = page("copies", |report| change(report, &|_| ()));
    assert_eq!(drawn.matches("Not drawn").count(), 1, "only the shape that stays where it is");
    // Row i of the section is row 1 + 2*i of the array, and 3 + 4*i of the template. A rank reads its own copy if it
    // has the row, otherwise the copy on its node: of rank 0 or 2, or of rank 1 or 3.
    let part = |row: u64| (3 + 4 * row) / 3 % 2;
    let (mut kept, mut moved) = (0, 0);
    for row in 0..20 {
        if part(row) == row / 5 % 2 { kept += 6 * 8 } else { moved += 6 * 8 }
    }
    let title = format!("{moved} B move in 4 messages, {kept} B stay");
    assert!(drawn.contains(&title), "{title}");
    for text in
        ["dimension 1 aligned with 2*i+1", "step 2 in dimension 1", "2 copies", "copies on 2 ranks: 0, 2"]
    {
        assert!(drawn.contains(text), "{text}");
    }
    let without = |name: &str, set: &dyn Fn(&mut Value), why: &str| {
        let page = page(name, |report| change(report, set));
        assert_eq!(page.matches(&format!("Not drawn: {why}")).count(), 1, "{why}");
    };
    let no_nodes = |shape: &mut Value| shape["schedule"]["nodes"] = Value::Null;
    without(
        "no-nodes",
        &no_nodes,
        "the source has copies, and the trace does not say which ranks share a node",
    );
    without("boxes", &|shape| shape["to"]["boxes"] = true.into(), "the array is in boxes");
    without("spread", &|shape| shape["spread"] = json!([0]), "the source is repeated");
    without("all", &|shape| shape["all_copies"] = true.into(), "all copies of the source are read");
}

/// Sets every count to the largest possible number.
fn forge(value: &mut Value) {
    match value {
        Value::Object(all) => all.values_mut().for_each(forge),
        Value::Array(all) => all.iter_mut().for_each(forge),
        Value::Number(n) if n.is_u64() => *value = u64::MAX.into(),
        _ => {}
    }
}

#[test]
fn a_forged_trace_does_not_overflow() {
    const COUNTS: [&str; 9] =
        ["calls", "participants", "sent", "kept", "messages", "buffers", "transports", "versus", "time"];
    let forged = page_of("forged", differing, |report| {
        report["job"]["aside"] = serde_json::json!({ "a": u64::MAX, "b": u64::MAX });
        for shape in report["shapes"].as_array_mut().expect("a list") {
            COUNTS.iter().for_each(|name| forge(&mut shape[*name]));
        }
    });
    let most = u64::MAX;
    assert!(forged.contains(&format!("RESULTS DIFFER in {most} of {most} redistributions")));
    let digest: Value =
        serde_json::from_str(&differing(&[text(&file("forged.json")), "--json"])).expect("JSON");
    for name in ["calls", "compared", "different", "aside"] {
        assert_eq!(digest["verdict"][name], most, "{name}");
    }
}

#[test]
fn mistakes_are_errors() {
    assert!(bad(&["/nowhere/trace.json"]).starts_with("reblock: /nowhere/trace.json: "));
    assert!(bad(&[SAMPLE, "-o", "/nowhere/page.html"]).starts_with("reblock: /nowhere/page.html: "));
    let other = file("other.json");
    for (content, why) in [
        ("{}", "not a report of reblock"),
        ("", "not a report of reblock"),
        (&sample().to_string().replace("\"version\":2", "\"version\":1"), "has version 1, expected 2"),
    ] {
        std::fs::write(&other, content).expect("it can be written");
        assert!(bad(&[text(&other)]).contains(why), "{content}");
    }
    assert!(bad(&[]).contains("TRACE"));
}

/// A change that makes another report from the sample.
type Change = fn(&mut Value);

/// Returns a folder with a copy of the sample for each of `names`, each with its change.
fn several(folder: &str, names: &[(&str, Change)]) -> PathBuf {
    let folder = file(folder);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir(&folder).expect("it can be made");
    for (name, change) in names {
        let mut report = sample();
        change(&mut report);
        std::fs::write(folder.join(name), report.to_string()).expect("it can be written");
    }
    folder
}

fn launched(report: &mut Value, launch: &str, rank: u32, reported: u32) {
    report["job"]["origin"] =
        serde_json::json!({ "launch": launch, "rank": rank, "date": "2026-11-23T11:55:25Z" });
    report["job"]["reported"] = reported.into();
}

#[test]
fn files_beside_the_report_are_read_too() {
    let folder = several(
        "several",
        &[
            ("x.json", |report| launched(report, "a", 0, 3)),
            ("x.json.1", |report| launched(report, "a", 3, 1)),
            ("x.json.2", |report| {
                launched(report, "b", 0, 4);
                report["job"]["command"] = vec!["other"].into();
                report["shapes"][1]["versus"]["different"] = 1.into();
            }),
            ("x.json.03", |_| ()),
            ("x.json.old", |_| ()),
        ],
    );
    std::fs::write(folder.join("x.json.4"), "{").expect("it can be written");
    let at = |name: &str| folder.join(name).to_str().expect("UTF-8").to_string();
    let output = run(&[&at("x.json"), "--json", "-o", &at("page.html")]);
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{err}");
    assert!(
        err.contains("x.json.1 is read, too") && err.contains("left out: ") && err.contains("x.json.4"),
        "{err}"
    );
    let all: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let reported: Vec<_> =
        all["launches"].as_array().expect("a list").iter().map(|l| &l["job"]["reported"]).collect();
    assert_eq!(reported, [4, 4]);
    let page = std::fs::read_to_string(folder.join("page.html")).expect("a page");
    for part in [
        "<ol class=\"launches\">",
        "id=\"shape-1\"",
        "id=\"shape-2-1\"",
        "Equal, and faster</span>",
        "Different</span>",
        "11:55:25Z",
    ] {
        assert!(page.contains(part), "{part}");
    }
    // Two reports by their names, and one that has no numbered report beside it.
    let text = differing(&[&at("x.json.1"), &at("x.json.2")]);
    assert!(text.starts_with("Launch 1 of 2: ") && text.contains("\nLaunch 2 of 2: other\n"), "{text}");
    assert!(good(&[&at("x.json.1")]).starts_with("ScaLAPACK spent "));
    // `reblock run` writes a list for several launches.
    let list = Value::Array(vec![
        sample(),
        serde_json::from_slice(&std::fs::read(at("x.json.2")).expect("it is there")).expect("JSON"),
    ]);
    std::fs::write(folder.join("list.json"), list.to_string()).expect("it can be written");
    assert!(differing(&[&at("list.json")]).contains("Launch 2 of 2: other"));
    let page = bad(&[&at("x.json"), "-o", &at("x.json.2")]);
    assert!(page.contains("would overwrite the report"), "{page}");
}

#[test]
fn a_page_has_so_many_rows_and_says_of_the_others() {
    let page = page("many", |report| {
        let shapes = report["shapes"].as_array_mut().expect("a list");
        let one = shapes[0].clone();
        for k in 0..1500u32 {
            shapes.push(one.clone());
            shapes.last_mut().expect("one")["extents"][0] = (4000 + k).into();
        }
    });
    assert_eq!(page.matches("<th scope=\"row\"").count(), 1000);
    assert!(page.contains("results differ in 0 of them"));
}
