//! The result of a run as JSON for other programs: the verdict and a few figures of each shape. The trace has the rest.

use super::row::{reblock_seconds, scalapack_seconds};
use reblock::trial::{Report, TracedJob, Verdict};
use serde::Serialize;

/// The document of one launch. Times are in seconds; absent values are null.
#[derive(Serialize)]
pub struct Digest<'a> {
    /// Version of the format; rises when a field changes its meaning.
    version: u32,
    job: &'a TracedJob,
    verdict: Verdict,
    shapes: Vec<Line>,
}

/// The documents of several launches.
#[derive(Serialize)]
pub struct Digests<'a> {
    /// Version of the format; rises when a field changes its meaning.
    version: u32,
    launches: Vec<Digest<'a>>,
}

pub fn digests(reports: &[Report]) -> Digests<'_> {
    Digests { version: 1, launches: reports.iter().map(digest).collect() }
}

/// Figures of the calls of one shape; the longest times come first.
#[derive(Serialize)]
struct Line {
    shape: String,
    calls: u64,
    /// Seconds that reblock took, counted as in [`reblock_seconds`]: if calls were compared, only in compared calls.
    reblock: f64,
    scalapack: Option<f64>,
    compared: u64,
    different: u64,
    rounded: u64,
}

pub fn digest(report: &Report) -> Digest<'_> {
    let mut entries: Vec<_> = report.shapes.iter().collect();
    entries.sort_by(|a, b| reblock_seconds(b).total_cmp(&reblock_seconds(a)));
    let line = |entry: &&reblock::trial::Entry| Line {
        shape: entry.shape.to_string(),
        calls: entry.figures.calls,
        reblock: reblock_seconds(entry),
        scalapack: scalapack_seconds(entry),
        compared: entry.figures.versus.as_ref().map_or(0, |versus| versus.compared),
        different: entry.figures.versus.as_ref().map_or(0, |versus| versus.different),
        rounded: entry.figures.versus.as_ref().map_or(0, |versus| versus.rounded),
    };
    Digest {
        version: 1,
        job: &report.job,
        verdict: Verdict::of(report),
        shapes: entries.iter().map(line).collect(),
    }
}
