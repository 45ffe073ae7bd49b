//! Data that `reblock run` passes to the library. In each process of the job, the command sets `REBLOCK_RUN` and then
//! executes the program in its place (`exec`). When the program exits, the library in rank 0's process starts the
//! command again, which shows the report.

use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Value of `REBLOCK_RUN`, as JSON.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Run {
    /// Executable of the command `reblock`.
    pub command: PathBuf,
    /// Identifier of the process that executes the program. Child processes inherit `REBLOCK_RUN`, but have other
    /// identifiers.
    pub process: u32,
    /// True in rank 0's process, by the launcher's variables. If rank 0 makes no call, its process shows the reports of
    /// other ranks, or says why there is none.
    pub speaks: bool,
    /// Path of the report's page. Its data goes to the path in `REBLOCK_TRACE`.
    pub page: PathBuf,
    /// Value of `LD_PRELOAD` for the program.
    pub preload: String,
    /// Begin of the run, written as in [`super::Origin`].
    pub began: String,
}

impl Run {
    /// Parses the value of `REBLOCK_RUN`; `None` if a user has set it.
    pub fn read(value: &str) -> Option<Self> {
        serde_json::from_str(value).ok()
    }

    /// Returns the value of `REBLOCK_RUN`.
    pub fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// Adds a number to the names of `page` and `data`, if one of these files exists: `report-1.html`, `report-1.json`.
/// Takes the first number without either file, and creates the data file, empty, so that runs that end at the same time
/// take different names.
pub fn free_names([page, data]: [&Path; 2]) -> Result<[PathBuf; 2], String> {
    for number in 0.. {
        let [page, data] = [page, data].map(|path| numbered_name(path, number));
        if page.exists() {
            continue;
        }
        match std::fs::File::create_new(&data) {
            Ok(_) => return Ok([page, data]),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(format!("{}: {error}", data.display())),
        }
    }
    unreachable!("some number is free")
}

/// Returns `path` with `number` before its extension, or unchanged for 0.
pub fn numbered_name(path: &Path, number: u64) -> PathBuf {
    if number == 0 {
        return path.to_path_buf();
    }
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!("-{number}"));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_reads_what_the_command_has_written() {
        let run = Run {
            command: "/opt/b in/reblock".into(),
            process: 7,
            speaks: true,
            page: "/x/r.html".into(),
            preload: "/l.so:/m.so".into(),
            began: "2026-11-23T11:55:25Z".into(),
        };
        assert_eq!(Run::read(&run.text()), Some(run));
        assert_eq!(["1", "", "{}"].map(Run::read), [None, None, None]);
    }

    #[test]
    fn numbers_go_before_the_extension() {
        let of = |path: &str, number| numbered_name(Path::new(path), number).display().to_string();
        assert_eq!(of("a/report.html", 0), "a/report.html");
        assert_eq!(of("a/report.html", 1), "a/report-1.html");
        assert_eq!(of("report", 12), "report-12");
        assert_eq!(of("my.six.html", 2), "my.six-2.html");
    }

    #[test]
    fn names_that_are_taken_are_left_alone() {
        let folder = std::env::temp_dir().join(format!("reblock-names-{}", std::process::id()));
        std::fs::create_dir(&folder).unwrap();
        let wanted = ["r.html", "r.json"].map(|name| folder.join(name));
        let free = || free_names([&wanted[0], &wanted[1]]).unwrap();
        let mut taken = Vec::new();
        for _ in 0..2 {
            taken.push(free());
        }
        std::fs::write(folder.join("r-2.html"), "").unwrap();
        taken.push(free());
        let names: Vec<_> =
            taken.iter().map(|[page, _]| page.file_name().unwrap().to_str().unwrap()).collect();
        assert_eq!(names, ["r.html", "r-1.html", "r-3.html"]);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
