//! Damaged reports: each value of a report in turn is replaced by null or by a value of another type or size. The
//! command must show or refuse each of them, without a panic.

use super::*;
use serde_json::{Value, json};
use std::panic::{AssertUnwindSafe, catch_unwind};

const SAMPLE: &str = include_str!("../../../../tests/report/sample.json");

/// Makes text, digest and page of a report.
fn shown(report: &str) -> Result<(), String> {
    let report = [Report::read(report)?];
    text(&report);
    json(&digest::digest(&report[0]))?;
    page::page(&report).map(drop)
}

/// Returns whether the report was shown; panics with `what` if that panics.
fn survived(report: &str, what: &str) -> bool {
    let ended = catch_unwind(AssertUnwindSafe(|| shown(report)));
    ended.unwrap_or_else(|_| panic!("{what}")).is_ok()
}

/// Lists the path of every value in `value`; of long lists only the first two.
fn paths(value: &Value, at: &str, all: &mut Vec<String>) {
    let mut inside = |name: &str, value| paths(value, &format!("{at}/{name}"), all);
    match value {
        Value::Object(map) => map.iter().for_each(|(name, value)| inside(name, value)),
        Value::Array(list) => {
            list.iter().take(2).enumerate().for_each(|(k, value)| inside(&k.to_string(), value))
        }
        _ => {}
    }
    all.push(at.into());
}

#[test]
fn reports_with_a_wrong_value_are_shown_or_refused() {
    let mut sample: Value = serde_json::from_str(SAMPLE).unwrap();
    // One shape has all fields, and its test takes less time than that of all shapes.
    sample["shapes"].as_array_mut().unwrap().truncate(1);
    sample["shapes"][0]["from"]["aligns"] = json!([[0, 1, 1], [0, 1, 1]]);
    sample["shapes"][0]["schedule"]["nodes"] = json!([]);
    let mut all = Vec::new();
    paths(&sample, "", &mut all);
    let values = [
        json!(null),
        json!(0),
        json!(1),
        json!(3),
        json!(-1),
        json!(u64::MAX),
        json!(i64::MIN),
        json!(1u64 << 40),
        json!(1.5),
        json!(1e308),
        json!(""),
        json!("*"),
        json!("CYCLIC(0)"),
        json!("CYCLIC(18446744073709551615)"),
        json!("BLOCK"),
        json!([]),
        json!([0]),
        json!([0, 0]),
        json!([1u64 << 31, 1u64 << 31]),
        json!([u32::MAX, u32::MAX]),
        json!({}),
        json!(true),
    ];
    let mut good = 0;
    for path in &all {
        for value in &values {
            let mut wrong = sample.clone();
            *wrong.pointer_mut(path).unwrap() = value.clone();
            good += u32::from(survived(&wrong.to_string(), &format!("{path} is {value}")));
        }
    }
    assert!(good > 200, "{good} of {} were shown", all.len() * values.len());
}

#[test]
fn reports_with_several_wrong_values_are_shown_or_refused() {
    let mut sample: Value = serde_json::from_str(SAMPLE).unwrap();
    sample["shapes"].as_array_mut().unwrap().truncate(1);
    let numbers: Vec<String> = {
        let mut all = Vec::new();
        paths(&sample, "", &mut all);
        all.into_iter().filter(|path| sample.pointer(path).is_some_and(Value::is_number)).collect()
    };
    let values = [
        0,
        1,
        2,
        3,
        5,
        64,
        1000,
        1 << 20,
        1 << 31,
        u64::from(u32::MAX),
        1 << 40,
        1 << 53,
        u64::MAX / 2,
        u64::MAX,
    ];
    for seed in 0..400 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut wrong = sample.clone();
        for _ in 0..rng.usize(1..6) {
            *wrong.pointer_mut(rng.choice(&numbers).unwrap()).unwrap() = json!(*rng.choice(&values).unwrap());
        }
        survived(&wrong.to_string(), &format!("seed {seed}"));
    }
}

#[test]
fn reports_that_are_cut_are_refused() {
    let whole = serde_json::from_str::<Value>(SAMPLE).unwrap().to_string();
    for end in (0..whole.len()).step_by(37) {
        assert!(!survived(&whole[..end], &format!("{end} bytes")), "{end} bytes");
    }
    for garbage in ["null", "[]", "3", "\"\"", "{\"shapes\":[]}", "\u{feff}{}", &"[".repeat(100_000)] {
        assert!(!survived(garbage, garbage.get(..9).unwrap_or(garbage)), "{:.9}", garbage);
    }
}
