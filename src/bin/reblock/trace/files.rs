//! Reads and writes files with the reports of a run, and adds up the reports of each launch. If a file with the name of
//! a report exists, the library writes the report to a file with a number after the name, from 1 on. The reports of
//! ranks that shared no call with rank 0 always have a number. A file may hold the reports of several launches, as a
//! list.

use reblock::trial::Report;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Returns `path` if it exists, then the files named `path` with a number after it, in ascending order.
pub fn numbered_files(path: &Path) -> Vec<PathBuf> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let beside = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let ranked = beside.filter_map(|entry| {
        let found = entry.file_name();
        let suffix = found.to_str()?.strip_prefix(&name)?.strip_prefix('.')?;
        // reblock writes no leading zeros.
        let number = suffix.parse().ok().filter(|n: &u64| *n > 0 && n.to_string() == suffix)?;
        Some((number, path.with_file_name(found)))
    });
    let ranked: BTreeMap<u64, PathBuf> = ranked.collect();
    path.exists().then(|| path.to_path_buf()).into_iter().chain(ranked.into_values()).collect()
}

pub fn read(path: &Path) -> Result<Vec<Report>, String> {
    let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let text = String::from_utf8(bytes).map_err(|_| {
        format!(
            "{}: not a report of reblock: it is not text. Reports are JSON, as written by REBLOCK_TRACE=FILE",
            path.display()
        )
    })?;
    let reports = match text.trim_start().starts_with('[') {
        true => parse_reports(&text),
        false => Report::read(&text).map(|one| vec![one]),
    };
    reports.map_err(|why| format!("{}: {why}", path.display()))
}

fn parse_reports(text: &str) -> Result<Vec<Report>, String> {
    let all: Vec<serde_json::Value> =
        serde_json::from_str(text).map_err(|why| format!("not a list of reports of reblock: {why}"))?;
    all.into_iter().map(|one| Report::read(&one.to_string())).collect()
}

/// Reads the reports in the files `paths` and in the numbered files beside them, each file once. Prints a message for
/// each numbered file that `paths` does not name, and leaves out such a file if it cannot be read.
pub fn read_all(paths: &[PathBuf]) -> Result<Vec<Report>, String> {
    let (mut reports, mut seen) = (Vec::new(), BTreeSet::new());
    let named: BTreeSet<PathBuf> = paths.iter().filter_map(|path| path.canonicalize().ok()).collect();
    for path in paths {
        let all = numbered_files(path);
        let all = if all.is_empty() { vec![path.clone()] } else { all };
        for file in all {
            let whole = file.canonicalize().unwrap_or_else(|_| file.clone());
            let is_named = file == *path || named.contains(&whole);
            if !seen.insert(whole) {
                continue;
            }
            match read(&file) {
                Ok(found) => {
                    if !is_named {
                        eprintln!("reblock: {} is read, too", file.display());
                    }
                    reports.extend(found);
                }
                Err(why) if is_named => return Err(why),
                Err(why) => eprintln!("reblock: left out: {why}"),
            }
        }
    }
    Ok(reports)
}

/// Returns one report for each launch: the sum of the reports of ranks that shared no call.
pub fn launches(reports: Vec<Report>) -> Vec<Report> {
    let mut launches: Vec<(Report, BTreeSet<u32>)> = Vec::new();
    for report in reports {
        let (job, rank) = (&report.job, report.job.origin.rank);
        let same = launches.iter_mut().find(|(other, ranks)| {
            let other = &other.job;
            let is_known = !job.origin.launch.is_empty();
            job.origin.launch == other.origin.launch
                && job.ranks == other.ranks
                // Reports of former versions have neither the launch nor the rank.
                && if is_known { !ranks.contains(&rank) } else { job.command == other.command }
                && job.reported.saturating_add(other.reported) <= job.ranks
        });
        match same {
            Some((whole, ranks)) => {
                whole.add(&report);
                ranks.insert(rank);
            }
            None => launches.push((report, [rank].into())),
        }
    }
    launches.into_iter().map(|(report, _)| report).collect()
}

/// Writes the reports of a run to `path`: a single report by itself, several as a list.
pub fn write(reports: &[Report], path: &Path) -> Result<(), String> {
    let listed = || {
        // Writes another file and renames it, so that `path` never has an incomplete list.
        let beside = path.with_extension(format!("json.{}.part", std::process::id()));
        let text = serde_json::to_string_pretty(reports)? + "\n";
        let written = std::fs::write(&beside, text).and_then(|()| std::fs::rename(&beside, path));
        written.inspect_err(|_| drop(std::fs::remove_file(&beside)))
    };
    let written = if let [one] = reports { one.write(path) } else { listed() };
    written.map_err(|error: std::io::Error| format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(launch: &str, rank: u32, [reported, ranks]: [u32; 2]) -> Report {
        let mut report = Report::read(include_str!("../../../../tests/report/sample.json")).unwrap();
        report.job.origin.launch = launch.into();
        (report.job.origin.rank, report.job.reported, report.job.ranks) = (rank, reported, ranks);
        report
    }

    #[test]
    fn reports_of_one_launch_are_added_up() {
        for (reports, want) in [
            (vec![report("a", 0, [2, 4]), report("a", 2, [2, 4])], vec![4]),
            (vec![report("a", 0, [2, 4]), report("b", 0, [2, 4]), report("a", 1, [1, 4])], vec![3, 2]),
            // Two reports of the same rank are from different programs, and so are reports that have more ranks
            // together than the job.
            (vec![report("a", 0, [2, 4]), report("a", 0, [2, 4])], vec![2, 2]),
            (vec![report("", 0, [4, 4]), report("", 0, [4, 4])], vec![4, 4]),
            (vec![report("", 0, [2, 4]), report("", 0, [2, 4])], vec![4]),
        ] {
            let reported: Vec<u32> = launches(reports).iter().map(|report| report.job.reported).collect();
            assert_eq!(reported, want);
        }
    }
}
