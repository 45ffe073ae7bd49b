//! WHICH reports did a run write? The first one, and those of other launches and of ranks that never shared a call with rank 0, with a
//! number after the name. A file that existed before counts only if it has been written again.

use crate::trace;
use reblock::trial::Report;
use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// What tells a file from one that takes its place.
type Stamp = (u64, i64, i64);

/// The reports that were there before a run.
pub struct Before<'a> {
    trace: &'a Path,
    reports: BTreeMap<u64, (PathBuf, Stamp)>,
}

impl<'a> Before<'a> {
    /// Those that are there now, of runs that write to `trace`: what a former run left there makes way, as reports take no other
    /// one's place.
    pub fn run(trace: &'a Path) -> Self {
        // Where it cannot be removed, the report has a number.
        let _ = std::fs::remove_file(trace);
        Self { trace, reports: reports(trace) }
    }

    /// Those that were written since then, by their ranks.
    pub fn written(&self) -> Vec<PathBuf> {
        let now = reports(self.trace).into_iter();
        now.filter(|(rank, found)| self.reports.get(rank) != Some(found)).map(|(_, (path, _))| path).collect()
    }
}

/// All of `written` together.
pub fn together(written: &[PathBuf]) -> Result<Option<Report>, String> {
    let mut whole: Option<Report> = None;
    for path in written {
        let report = trace::read(path)?;
        match &mut whole {
            Some(whole) => whole.add(&report),
            None => whole = Some(report),
        }
    }
    Ok(whole)
}

/// Reports at `trace` and beside it, by the ranks that write them.
fn reports(trace: &Path) -> BTreeMap<u64, (PathBuf, Stamp)> {
    let name = trace.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let beside =
        trace.parent().and_then(|folder| std::fs::read_dir(folder).ok()).into_iter().flatten().flatten();
    let ranked = beside.filter_map(|entry| {
        let (name, of) = (entry.file_name(), name.as_str());
        let suffix = name.to_str()?.strip_prefix(of)?.strip_prefix('.')?;
        // Rank 0 writes without a number, and nobody writes one with zeros before it.
        let rank = suffix.parse().ok().filter(|rank: &u64| *rank > 0 && rank.to_string() == suffix)?;
        Some((rank, entry.path()))
    });
    let stamped = |(rank, path): (u64, PathBuf)| {
        let it = std::fs::metadata(&path).ok()?;
        Some((rank, (path, (it.ino(), it.mtime(), it.mtime_nsec()))))
    };
    std::iter::once((0, trace.to_path_buf())).chain(ranked).filter_map(stamped).collect()
}
