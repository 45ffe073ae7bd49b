//! Progress of a trial: counts of calls, in a file beside the report. `reblock run`, which started the program, prints
//! the counts from time to time.

use std::path::{Path, PathBuf};

/// Counts of a run under way.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Progress {
    /// Calls that reblock made so far.
    pub calls: u64,
    /// Calls that both libraries made so far.
    pub compared: u64,
    /// Compared calls whose results differed.
    pub different: u64,
}

impl Progress {
    /// Returns the progress file of the run whose report goes to `report`.
    pub fn file(report: &Path) -> PathBuf {
        let mut name = report.as_os_str().to_owned();
        name.push(".progress");
        name.into()
    }

    /// Parses the text of the file; `None` if it is incomplete.
    pub fn read(text: &str) -> Option<Self> {
        let mut numbers = text.strip_suffix('\n')?.split(' ').map(|number| number.parse().ok());
        let mut next = || numbers.next().flatten();
        Some(Self { calls: next()?, compared: next()?, different: next()? })
    }

    pub(super) fn text(self) -> String {
        format!("{} {} {}\n", self.calls, self.compared, self.different)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let progress = Progress { calls: 1200, compared: 1100, different: 2 };
        assert_eq!(Progress::read(&progress.text()), Some(progress));
        for part in ["", "1200", "1200 1100", "1200 1100 2", "a b c\n"] {
            assert_eq!(Progress::read(part), None);
        }
        assert_eq!(Progress::file(Path::new("/a/b.json")), Path::new("/a/b.json.progress"));
    }
}
