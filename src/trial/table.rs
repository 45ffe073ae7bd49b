//! Formats a report as text for a terminal: a few short lines for each shape, the longest total time first.

use super::units::{bytes, count_text, duration, ratio};
use super::{Entry, Origin, Report, Scheduled, Versus};
use crate::system::one_line::one_line;
use std::fmt::Write;

/// Formats a report: a few lines for the job, and up to six for each shape.
pub fn table(report: &Report) -> String {
    let job = &report.job;
    let mut text = format!(
        "reblock: {} on {}, {:.1} s: {} of calls\n",
        one_line(job.command.first().map_or("a program", |path| path.rsplit('/').next().unwrap_or(path))),
        count_text(job.ranks.into(), "rank"),
        job.seconds,
        count_text(report.shapes.len() as u64, "shape"),
    );
    text += &origin_lines(&job.origin);
    if !job.missing.is_empty() {
        let _ = writeln!(text, "reblock: ranks that did not report: {}", join_ranks(&job.missing));
    }
    for (why, &calls) in &job.aside {
        let were = if calls == 1 { "was" } else { "were" };
        let _ = writeln!(text, "reblock: {} {were} not compared: {why}", count_text(calls, "call"));
    }
    let own = &job.own_communicators;
    if own.most > 0 {
        let _ = writeln!(text, "reblock: communicators that it made: {}", own.text());
    }
    if let Some(arrays) = &job.arrays {
        let _ = writeln!(text, "reblock: {}", arrays.text());
    } else if job.trial.is_some() && report.shapes.iter().any(|shape| shape.figures.transports.memory > 0) {
        text += "reblock: ranks of a node copied each element twice; a trial with REBLOCK_ARRAYS=node shows what once would bring\n";
    }
    let mut shapes: Vec<&Entry> = report.shapes.iter().collect();
    shapes.sort_by(|a, b| total_seconds(b).total_cmp(&total_seconds(a)));
    for entry in shapes {
        text += &lines(entry);
    }
    text
}

/// Formats date, nodes, MPI, ScaLAPACK and launcher of the run in up to two lines.
fn origin_lines(origin: &Origin) -> String {
    let nodes = match origin.nodes.len() {
        0 => String::new(),
        1 => origin.nodes.keys().cloned().collect(),
        n => format!(
            "{} and {}",
            origin.nodes.keys().next().map_or("", String::as_str),
            count_text(n as u64 - 1, "other node")
        ),
    };
    let mut text = String::new();
    for line in [
        [origin.format_time(), nodes, origin.room()],
        [origin.mpi.clone(), origin.scalapack.clone(), origin.launcher.join(" ")],
    ] {
        let parts: Vec<&str> = line.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
        if !parts.is_empty() {
            let _ = writeln!(text, "reblock: {}", one_line(&parts.join("; ")));
        }
    }
    text
}

/// Returns the seconds spent in calls of a shape: the first call on the slowest rank, and later calls on all ranks
/// together.
fn total_seconds(entry: &Entry) -> f64 {
    entry.figures.time.total() + entry.figures.first
}

fn lines(entry: &Entry) -> String {
    let Entry { shape, figures } = entry;
    let mut text = format!("  {shape}\n");
    let mut line = |words: String| {
        if !words.is_empty() {
            let _ = writeln!(text, "    {words}");
        }
    };
    line(times_line(entry));
    line(format!(
        "a call sends {} in {} and keeps {}; buffers take at most {} on a rank",
        bytes(figures.sent),
        count_text(figures.messages, "message"),
        bytes(figures.kept),
        bytes(figures.buffers)
    ));
    line(figures.schedule.as_ref().map_or(String::new(), Scheduled::text));
    let ways = [figures.transports.text(), figures.ways.text()];
    let ways: Vec<&str> = ways.iter().map(String::as_str).filter(|text| !text.is_empty()).collect();
    line(ways.join("; "));
    line(figures.versus.as_ref().map_or(String::new(), trial_line));
    text
}

/// Formats the number and times of a shape's calls.
fn times_line(entry: &Entry) -> String {
    let figures = &entry.figures;
    let (time, all) = (&figures.time, total_seconds(entry));
    let mut text = format!("{}, first {}", count_text(figures.calls, "call"), duration(figures.first));
    if time.count() > 0 {
        let [median, p99] = [0.5, 0.99].map(|share| duration(time.quantile(share)));
        let least = duration(time.least());
        let _ = write!(text, ", then median {median} (least {least}, p99 {p99})");
    }
    if all > 0.0 {
        let share = 100.0 * (figures.waiting / all).min(1.0);
        let _ = write!(text, "; {} on all ranks, {share:.0} % of it waiting for others", duration(all));
    }
    text
}

fn trial_line(versus: &Versus) -> String {
    let equal = match versus.different {
        0 if versus.rounded > 0 => {
            format!("equal but for {} rounded differently", count_text(versus.rounded, "element"))
        }
        0 => "equal bit for bit".into(),
        n => format!("DIFFERENT in {n} of {} calls", versus.compared),
    };
    let (ours, theirs) = match versus.ours.count() {
        0 => (versus.first[0], versus.first[1]),
        _ => (versus.ours.quantile(0.5), versus.theirs.quantile(0.5)),
    };
    let difference = match versus.shows_difference() {
        Some(false) => format!("no difference that {} can show", count_text(versus.compared, "call")),
        _ => format!("{} times as fast", ratio(theirs / ours.max(1e-9))),
    };
    format!("ScaLAPACK {}, reblock {}: {difference}, {equal}", duration(theirs), duration(ours))
}

fn join_ranks(ranks: &[u32]) -> String {
    ranks.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::super::call_shape::tests::problem;
    use super::super::{CallShape, Made, Quantiles, Statistics, TracedJob, Transports, Ways};
    use super::*;
    use crate::system::machine::Machine;

    fn spread(seconds: f64) -> Quantiles {
        let mut spread = Quantiles::default();
        spread.record(seconds);
        spread
    }

    #[test]
    fn the_table_says_what_a_reader_asks() {
        let figures = Statistics {
            calls: 2,
            participants: 2,
            first: 0.25,
            time: spread(0.125),
            waiting: 0.1875,
            sent: 40_000,
            kept: 50_000,
            messages: 2,
            buffers: 33_554_432,
            transports: Transports { memory: 4, ..Transports::default() },
            ways: Ways { written_out: 3, by_message: 1, ..Ways::default() },
            timeline: Vec::new(),
            schedule: Some(Scheduled {
                scheduler: "circulant".into(),
                why: "fewest steps".into(),
                steps: Some([1, 1]),
                cost: Some([12_000, 10_000]),
                machine: Machine::NODE,
                nodes: None,
            }),
            versus: Some(Versus {
                ours: spread(0.125),
                theirs: spread(0.5),
                compared: 2,
                ..Versus::default()
            }),
        };
        let own = Made { duplicates: 1, most: 2, left: 0 };
        let command = vec!["/bin/solve".into()];
        let job =
            TracedJob { command, ranks: 2, seconds: 9.0, own_communicators: own, ..TracedJob::default() };
        let shape = CallShape::of("PDGEMR2D", &problem(0), 8, 2);
        let mut report = Report::of(job, &[(shape, figures)]);
        let text = table(&report);
        assert_eq!(
            text,
            "reblock: solve on 2 ranks, 9.0 s: 1 shape of calls\n\
             reblock: communicators that it made: 1 duplicate; at most 2 at a time, 0 at the end\n  \
             PDGEMR2D 200x100, CYCLIC(64),* on 2x1 -> *,CYCLIC(16) on 1x2\n    \
             2 calls, first 250.000 ms, then median 125.305 ms (least 124.781 ms, p99 125.305 ms); \
             375.000 ms on all ranks, 50 % of it waiting for others\n    \
             a call sends 40.0 kB in 2 messages and keeps 50.0 kB; buffers take at most 33.6 MB on a rank\n    \
             circulant (fewest steps), 1 of at least 1 step, cost 12.0 kB of at least 10.0 kB\n    \
             shared memory 4; by message 1, written out 3\n    \
             ScaLAPACK 501.219 ms, reblock 125.305 ms: 4.0 times as fast, equal bit for bit\n"
        );
        report.job.missing = vec![3, 5];
        report.job.ranks = 1;
        report.job.aside = [("too large".to_string(), 1), ("no memory".to_string(), 2)].into();
        report.shapes[0].figures.calls = 1;
        report.shapes[0].figures.messages = 1;
        report.shapes[0].figures.versus.as_mut().unwrap().different = 1;
        let text = table(&report);
        assert!(text.contains("ranks that did not report: 3, 5\n"), "{text}");
        assert!(text.contains("on 1 rank, ") && text.contains("    1 call, "), "{text}");
        assert!(text.contains("sends 40.0 kB in 1 message and "), "{text}");
        assert!(text.contains("1 call was not compared: too large\n"), "{text}");
        assert!(text.contains("2 calls were not compared: no memory\n"), "{text}");
        assert!(text.contains("DIFFERENT in 1 of 2 calls"), "{text}");
    }
}
