//! HOW does a run look in a browser? One page that needs no network and no script to be read: the verdict, the shapes of calls
//! in a table that a script sorts, and each shape's drawings.

use super::row::{Row, columns, row, spent, theirs};
use crate::drawing::{Time, times};
use minijinja::value::Serde;
use minijinja::{Environment, context};
use reblock::trial::{Entry, Report, Verdict, counted, duration, percent};
use serde::Serialize;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
/// Shapes that have drawings, at the most: those that took most time.
const DRAWN: usize = 24;

/// A large figure beneath the verdict.
#[derive(Serialize)]
struct Headline {
    name: &'static str,
    value: String,
    note: String,
}

/// The page.
pub fn page(report: &Report) -> Result<String, String> {
    let verdict = Verdict::of(report);
    let was_compared = verdict.scalapack.is_some();
    let mut entries: Vec<&Entry> = report.shapes.iter().collect();
    let time = |entry: &Entry| theirs(entry).unwrap_or(0.0).max(spent(entry));
    entries.sort_by(|a, b| time(b).total_cmp(&time(a)));
    let rows = entries.iter().enumerate().map(|(k, entry)| row(k + 1, entry, was_compared, k < DRAWN));
    let rows = rows.collect::<Result<Vec<Row>, String>>()?;
    let total = |colour, seconds| Time { colour, median: seconds, spread: (0.0, 0.0) };
    let totals = match verdict.scalapack {
        Some(theirs) => times(&[total(Time::SCALAPACK, theirs), total(Time::REBLOCK, verdict.reblock)])?,
        None => String::new(),
    };
    let mut environment = Environment::new();
    // The name's ending makes texts safe in HTML.
    environment.add_template("page.html", PAGE).map_err(|error| error.to_string())?;
    let template = environment.get_template("page.html").map_err(|error| error.to_string())?;
    let page = template.render(context! {
        style => STYLE,
        script => SCRIPT,
        program => program(report),
        command => report.job.command.join(" "),
        state => Serde(state(&verdict, report.job.trial.is_some())),
        headlines => Serde(headlines(&verdict)),
        columns => Serde(columns(was_compared)),
        facts => Serde(facts(report)),
        sentence => verdict.sentence,
        was_trial => report.job.trial.is_some(),
        was_compared,
        totals,
        rows => Serde(&rows),
    });
    page.map_err(|error| error.to_string())
}

/// The program's name, without its folder.
fn program(report: &Report) -> String {
    let path = report.job.command.first().map_or("a program", String::as_str);
    path.rsplit('/').next().unwrap_or(path).into()
}

/// How the verdict is marked: the word beside it, and its class.
fn state(verdict: &Verdict, was_trial: bool) -> (&'static str, &'static str) {
    match (verdict.scalapack, verdict.different) {
        (None, _) if was_trial => ("Not compared", "plain"),
        (None, _) => ("Counted", "plain"),
        (_, 0) => ("Equal", "good"),
        _ => ("Different", "bad"),
    }
}

fn headlines(verdict: &Verdict) -> Vec<Headline> {
    let headline = |name, value, note: &str| Headline { name, value, note: note.into() };
    let share =
        headline("share of the run", percent(verdict.share), &format!("of about {}", duration(verdict.run)));
    let (Some(theirs), Some(ratio), Some(saved)) = (verdict.scalapack, verdict.ratio, verdict.saved) else {
        return vec![headline("reblock", duration(verdict.reblock), "mean of the ranks"), share];
    };
    let (name, saved) = if saved < 0.0 { ("more with reblock", -saved) } else { ("saved by reblock", saved) };
    vec![
        headline("ScaLAPACK", duration(theirs), "in all calls compared"),
        headline("reblock", duration(verdict.reblock), "in the same calls"),
        headline("times as fast", format!("{ratio:.2}"), "ScaLAPACK's time by reblock's"),
        share,
        headline(name, duration(saved), &format!("{} of the run", percent(saved / verdict.run))),
        headline("calls compared", verdict.compared.to_string(), &format!("{} different", verdict.different)),
    ]
}

fn facts(report: &Report) -> Vec<(&'static str, String)> {
    let job = &report.job;
    let mut facts = vec![
        ("ranks", format!("{}, of which {} reported", job.ranks, job.reported)),
        ("the run took", duration(job.seconds)),
        ("processor", job.processor.clone()),
        ("communicators that reblock knew", job.communicators.to_string()),
        ("communicators that reblock made", job.own_communicators.text()),
        ("reblock", job.reblock.clone()),
    ];
    if let Some(trial) = &job.trial {
        facts.push(("REBLOCK_TRIAL", trial.clone()));
    }
    if !job.missing.is_empty() {
        let ranks: Vec<String> = job.missing.iter().map(u32::to_string).collect();
        facts.push(("ranks that did not report", ranks.join(", ")));
    }
    for (why, &calls) in &job.aside {
        facts.push(("not compared", format!("{}: {why}", counted(calls, "call"))));
    }
    facts
}
