//! The page of a run: the verdict, the shapes of calls in a table, and drawings of the first shapes. The page needs no
//! network, and only the sorting of the table needs a script.

use super::row::{Row, columns, different, reblock_seconds, row, scalapack_seconds};
use crate::drawing::{STYLE as DRAWINGS, Time, times};
use minijinja::value::{Serde, Value};
use minijinja::{Environment, context};
use reblock::trial::{Entry, Origin, Report, Verdict, count_text, duration, percent};
use serde::Serialize;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
/// Maximum number of shapes with drawings on a page, divided evenly among the launches: the first rows of each.
const MAX_DRAWN_SHAPES: usize = 24;
/// Maximum number of rows on a page, divided evenly among the launches: first the shapes whose results differ, then
/// those with the longest times.
const MAX_ROWS: usize = 1000;
/// Minimum share of each launch in [`MAX_ROWS`]. A page with many launches may have more rows in all.
const MIN_ROWS: usize = 20;

const MAX_NAMED_NODES: usize = 8;

/// A large figure below the verdict.
#[derive(Serialize)]
struct Headline {
    name: &'static str,
    value: String,
    note: String,
}

#[derive(Serialize)]
struct Launch {
    /// Prefix of the HTML ids of this launch; empty for the first launch.
    prefix: String,
    program: String,
    command: String,
    state: (&'static str, &'static str),
    sentence: String,
    headlines: Vec<Headline>,
    columns: Vec<&'static str>,
    facts: Vec<(&'static str, String)>,
    was_trial: bool,
    was_compared: bool,
    /// Drawing of the total times, as bars; empty if nothing was compared.
    totals: String,
    rows: Vec<Row>,
    /// Summary of the shapes without a row.
    rest: String,
}

pub fn page(reports: &[Report]) -> Result<String, String> {
    let many = reports.len().max(1);
    let launch = |(k, report): (usize, &Report)| {
        let prefix = if k == 0 { String::new() } else { format!("{}-", k + 1) };
        launch(report, prefix, (MAX_ROWS / many).max(MIN_ROWS), MAX_DRAWN_SHAPES / many)
    };
    let launches = reports.iter().enumerate().map(launch).collect::<Result<Vec<Launch>, String>>()?;
    let mut environment = Environment::new();
    // The suffix `.html` of the template's name switches escaping on.
    environment.add_filter("breakable", |text: String| Value::from_safe_string(breakable(&text)));
    environment.add_template("page.html", PAGE).map_err(|error| error.to_string())?;
    let template = environment.get_template("page.html").map_err(|error| error.to_string())?;
    let page = template.render(
        context! { style => [STYLE, DRAWINGS].concat(), script => SCRIPT, launches => Serde(&launches) },
    );
    page.map_err(|error| error.to_string())
}

/// Returns a text as HTML with a possible line break after each comma.
fn breakable(text: &str) -> String {
    let escaped = text.chars().map(|c| match c {
        '&' => "&amp;".into(),
        '<' => "&lt;".into(),
        '>' => "&gt;".into(),
        '"' => "&quot;".into(),
        '\'' => "&#x27;".into(),
        ',' => ",<wbr>".into(),
        other => other.to_string(),
    });
    escaped.collect()
}

/// Returns the contents of the page for a launch: at most `most` rows, and drawings for the first `drawn` rows.
fn launch(report: &Report, prefix: String, most: usize, drawn: usize) -> Result<Launch, String> {
    let verdict = Verdict::of(report);
    let was_compared = verdict.scalapack.is_some();
    let mut entries: Vec<&Entry> = report.shapes.iter().collect();
    let time = |entry: &Entry| scalapack_seconds(entry).unwrap_or(0.0).max(reblock_seconds(entry));
    // Shapes whose results differ come first.
    entries.sort_by(|a, b| (different(b) > 0).cmp(&(different(a) > 0)).then(time(b).total_cmp(&time(a))));
    let (shown, others) = entries.split_at(most.min(entries.len()));
    let rows = shown.iter().enumerate().map(|(k, entry)| row(k + 1, entry, was_compared, k < drawn));
    let total = |colour, seconds| Time { colour, median: seconds, spread: (0.0, 0.0) };
    Ok(Launch {
        prefix,
        program: program(report),
        command: report.job.command.join(" "),
        state: state(&verdict, report.job.trial.is_some()),
        headlines: headlines(&verdict),
        columns: columns(was_compared),
        facts: facts(report),
        was_trial: report.job.trial.is_some(),
        was_compared,
        totals: match verdict.scalapack {
            Some(theirs) => times(&[total(Time::SCALAPACK, theirs), total(Time::REBLOCK, verdict.reblock)])?,
            None => String::new(),
        },
        sentence: verdict.sentence,
        rows: rows.collect::<Result<_, String>>()?,
        rest: rest(others),
    })
}

fn rest(others: &[&Entry]) -> String {
    if others.is_empty() {
        return String::new();
    }
    let in_all = duration(others.iter().map(|entry| reblock_seconds(entry)).sum());
    let differ = others.iter().filter(|entry| different(entry) > 0).count() as u64;
    format!(
        "{} more took reblock {in_all} in all; results differ in {differ} of them. The text of reblock report lists all.",
        count_text(others.len() as u64, "shape"),
    )
}

fn program(report: &Report) -> String {
    let path = report.job.command.first().map_or("a program", String::as_str);
    path.rsplit('/').next().unwrap_or(path).into()
}

/// Returns the words beside the verdict, and their CSS class.
fn state(verdict: &Verdict, was_trial: bool) -> (&'static str, &'static str) {
    match (verdict.scalapack, verdict.different) {
        (None, _) if was_trial => ("Not compared", "plain"),
        (None, _) => ("Counted", "plain"),
        (_, 0) => match (verdict.shown, verdict.saved) {
            (Some(false), _) => ("Equal; no difference in time shown", "good"),
            (_, Some(saved)) if saved < 0.0 => ("Equal, but slower", "plain"),
            _ => ("Equal, and faster", "good"),
        },
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
        match verdict.shown {
            Some(false) => headline("times as fast", "not shown".into(), "this run can show no difference"),
            _ => headline("times as fast", format!("{ratio:.2}"), "ScaLAPACK's time by reblock's"),
        },
        share,
        match verdict.shown {
            Some(false) => headline("saved by reblock", "not shown".into(), ""),
            _ => headline(name, duration(saved), &format!("{} of the run", percent(saved / verdict.run))),
        },
        headline("calls compared", verdict.compared.to_string(), &comparison_text(verdict)),
    ]
}

/// Returns the number of compared calls whose results differ, and the number of elements that were rounded differently.
fn comparison_text(verdict: &Verdict) -> String {
    match verdict.rounded {
        0 => format!("{} different", verdict.different),
        n => format!("{} different; {} rounded differently", verdict.different, count_text(n, "element")),
    }
}

/// Returns ranks, cores and load, and the reason why times may vary, if there is one.
fn conditions(origin: &Origin) -> String {
    origin.room() + &origin.unreliable_reason().map_or(String::new(), |why| format!(": {why}"))
}

fn facts(report: &Report) -> Vec<(&'static str, String)> {
    let (job, origin) = (&report.job, &report.job.origin);
    let nodes: Vec<&str> = origin.nodes.keys().map(String::as_str).take(MAX_NAMED_NODES).collect();
    let more = origin.nodes.len().saturating_sub(MAX_NAMED_NODES);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let known = [
        ("date", origin.format_time()),
        ("nodes", nodes.join(", ") + &more),
        ("cores and load", conditions(origin)),
        ("MPI", origin.mpi.clone()),
        ("ScaLAPACK", origin.scalapack.clone()),
        ("launched by", origin.launcher.join(" ")),
    ];
    let mut facts: Vec<_> = known.into_iter().filter(|(_, text)| !text.is_empty()).collect();
    facts.extend([
        ("ranks", format!("{}, of which {} reported", job.ranks, job.reported)),
        ("the run took", duration(job.seconds)),
        ("processor", job.processor.clone()),
        ("communicators of the program with calls of reblock", job.communicators.to_string()),
        ("communicators that reblock made", job.own_communicators.text()),
        ("REBLOCK_ARRAYS", job.arrays.map_or_else(|| "not set".into(), |arrays| arrays.text())),
        ("reblock", job.reblock.clone()),
    ]);
    if let Some(trial) = &job.trial {
        facts.push(("REBLOCK_TRIAL", trial.clone()));
    }
    if !job.missing.is_empty() {
        let ranks: Vec<String> = job.missing.iter().map(u32::to_string).collect();
        facts.push(("ranks that did not report", ranks.join(", ")));
    }
    for (why, &calls) in &job.aside {
        facts.push(("not compared", format!("{}: {why}", count_text(calls, "call"))));
    }
    facts
}
