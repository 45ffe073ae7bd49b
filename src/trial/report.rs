//! Report of a program's run: the job, and its calls by shape, added up over ranks. The file is JSON, with the name and
//! the version of its schema. Later releases of reblock only add fields.

use super::{CallShape, Statistics, TracedJob};
use crate::system::one_line::one_line;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

const SCHEMA: &str = "reblock trace";
const VERSION: u32 = 2;

/// Report of a program's run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Report {
    /// Name of the schema, `reblock trace`.
    pub schema: String,
    /// Version of the schema, 2.
    pub version: u32,
    /// Description and totals of the job.
    pub job: TracedJob,
    /// Shapes of calls with their counts.
    pub shapes: Vec<Entry>,
}

/// Calls of one shape, as a record of the report.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Entry {
    /// Shape that the calls share.
    #[serde(flatten)]
    pub shape: CallShape,
    /// Counts and times of these calls.
    #[serde(flatten)]
    pub figures: Statistics,
}

impl Report {
    /// Builds the report of one rank.
    pub fn of(job: TracedJob, entries: &[(CallShape, Statistics)]) -> Self {
        let entry = |(shape, figures): &(CallShape, Statistics)| Entry {
            shape: shape.clone(),
            figures: figures.clone(),
        };
        let shapes = entries.iter().map(entry).collect();
        Self { schema: SCHEMA.into(), version: VERSION, job, shapes }
    }

    /// Adds the report of another rank.
    pub fn add(&mut self, other: &Self) {
        self.job.add(&other.job);
        let mut places: BTreeMap<CallShape, usize> =
            self.shapes.iter().enumerate().map(|(at, entry)| (entry.shape.clone(), at)).collect();
        for entry in &other.shapes {
            match places.get(&entry.shape) {
                Some(&at) => self.shapes[at].figures.add(&entry.figures),
                None => {
                    places.insert(entry.shape.clone(), self.shapes.len());
                    self.shapes.push(entry.clone());
                }
            }
        }
    }

    /// Parses a report. Escapes control characters in its strings, because the text is not trusted and may reach a
    /// terminal.
    pub fn read(text: &str) -> Result<Self, String> {
        let not = |why: serde_json::Error| format!("not a report of reblock: {why}");
        let mut value: serde_json::Value = serde_json::from_str(text).map_err(not)?;
        escape(&mut value);
        let report: Self = serde_json::from_value(value).map_err(not)?;
        match (report.schema.as_str(), report.version) {
            (SCHEMA, VERSION) => Ok(report),
            (SCHEMA, other) => Err(format!("the report has version {other}, expected {VERSION}")),
            (other, _) => Err(format!("the schema is {other:?}, expected {SCHEMA:?}")),
        }
    }

    /// Writes the report as JSON to `path`, and replaces an existing file.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        self.write_beside(path, |beside| std::fs::rename(beside, path))
    }

    /// Writes the report as JSON and returns its path. Never replaces a file: tries `path` if `number` is 0, then
    /// `path.n` for n from `number`, at least 1, on.
    pub fn write_new(&self, path: &Path, number: u32) -> io::Result<PathBuf> {
        let numbered = |number: u32| match number {
            0 => path.to_path_buf(),
            n => PathBuf::from(format!("{}.{n}", path.display())),
        };
        self.write_beside(path, |beside| {
            for place in (number..=u32::MAX).map(numbered) {
                // Only one process can create a file; its report replaces that empty file.
                match std::fs::File::create_new(&place) {
                    Ok(_) => {
                        let moved = std::fs::rename(beside, &place);
                        return moved.inspect_err(|_| drop(std::fs::remove_file(&place))).map(|()| place);
                    }
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                    Err(error) => return Err(error),
                }
            }
            Err(io::ErrorKind::AlreadyExists.into())
        })
    }

    /// Writes the report to a temporary file beside `path`, which `take` renames, so that no incomplete report has the
    /// final name.
    fn write_beside<R>(&self, path: &Path, take: impl FnOnce(&Path) -> io::Result<R>) -> io::Result<R> {
        let mut beside = path.as_os_str().to_owned();
        // The name does not end in a number, as names of reports do. It has the name of the node, because processes of
        // other nodes may have the same number.
        beside.push(format!(
            ".{}.{}.part",
            self.job.origin.nodes.keys().next().map_or("", String::as_str),
            std::process::id()
        ));
        let beside = PathBuf::from(beside);
        let written = (|| {
            let mut text = serde_json::to_vec_pretty(self)?;
            text.push(b'\n');
            if text.len() as u64 > largest_file() {
                let why = format!(
                    "it has {} bytes, but this process may make files of {} only",
                    text.len(),
                    largest_file()
                );
                return Err(io::Error::new(io::ErrorKind::FileTooLarge, why));
            }
            let mut file = std::fs::File::create(&beside)?;
            file.write_all(&text)?;
            file.sync_all()?;
            take(&beside)
        })();
        written.inspect_err(|_| drop(std::fs::remove_file(&beside)))
    }
}

/// Returns the maximum size of a file in bytes. Writing a larger file would end the process by a signal.
fn largest_file() -> u64 {
    #[cfg(feature = "mpi")]
    return crate::system::room::Room::largest_file();
    #[cfg(not(feature = "mpi"))]
    u64::MAX
}

/// Escapes control characters in all strings of `value`, keys included: names of nodes and reasons are keys.
fn escape(value: &mut serde_json::Value) {
    use serde_json::Value;
    match value {
        Value::String(text) => *text = one_line(text).into_owned(),
        Value::Array(all) => all.iter_mut().for_each(escape),
        Value::Object(all) => {
            for (key, mut value) in std::mem::take(all) {
                escape(&mut value);
                all.insert(one_line(&key).into_owned(), value);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::super::call_shape::tests::problem;
    use super::*;
    use crate::trial::Made;

    fn report(start: u64, calls: u64) -> Report {
        let shape = CallShape::of("PDGEMR2D", &problem(start), 8, 2);
        let figures = Statistics { calls, participants: 1, ..Statistics::default() };
        Report::of(TracedJob { reported: 1, ..TracedJob::default() }, &[(shape, figures)])
    }

    #[test]
    fn control_characters_of_a_foreign_report_are_escaped() {
        let mut forged = report(0, 1);
        forged.job.command = vec!["\u{1b}[2Jprogram\n".into()];
        forged.job.aside.insert("\u{7}why".into(), 1);
        let text = serde_json::to_string(&forged).unwrap();
        let read = Report::read(&text).unwrap();
        assert_eq!(read.job.command, ["\\u{1b}[2Jprogram\\n"]);
        assert_eq!(read.job.aside.keys().next().unwrap(), "\\u{7}why");
        assert_eq!(read.shapes[0].shape.call, forged.shapes[0].shape.call);
    }

    #[test]
    fn ranks_add_up_by_shape() {
        let mut all = report(0, 4);
        all.job.own_communicators = Made { duplicates: 2, most: 1, left: 0 };
        let mut other = report(0, 4);
        other.job.own_communicators = Made { duplicates: 1, most: 2, left: 1 };
        all.add(&other);
        let own = "2 duplicates; at most 2 at a time, 1 at the end";
        assert_eq!(all.job.own_communicators.text(), own);
        all.add(&report(64, 1));
        let counted: Vec<_> = all.shapes.iter().map(|e| (e.figures.calls, e.figures.participants)).collect();
        assert_eq!((counted, all.job.reported), (vec![(4, 2), (1, 1)], 3));
    }

    #[test]
    fn what_is_written_is_read_again() {
        let folder = std::env::temp_dir().join(format!("reblock-report-{}", std::process::id()));
        std::fs::create_dir(&folder).unwrap();
        let path = folder.join("trace.json");
        let written = report(0, 3);
        written.write(&path).unwrap();
        let read = Report::read(&std::fs::read_to_string(&path).unwrap()).unwrap();
        assert_eq!((&read.shapes[0].shape, read.shapes[0].figures.calls), (&written.shapes[0].shape, 3));
        // Further reports of the same name are numbered.
        let places = [0, 0, 3, 0, 2].map(|number| report(0, 3).write_new(&path, number).unwrap());
        assert_eq!(places, [1, 2, 3, 4, 5].map(|n| folder.join(format!("trace.json.{n}"))));
        assert!(places.iter().all(|place| Report::read(&std::fs::read_to_string(place).unwrap()).is_ok()));
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 6);
        let missing = folder.join("nowhere/trace.json");
        assert!(written.write(&missing).is_err());
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn other_files_are_refused() {
        assert!(Report::read("{}").unwrap_err().starts_with("not a report of reblock: missing field"));
        let mut other = report(0, 1);
        other.version = 1;
        let text = serde_json::to_string(&other).unwrap();
        assert_eq!(Report::read(&text).unwrap_err(), "the report has version 1, expected 2");
    }
}
