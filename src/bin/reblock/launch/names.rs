//! Unused names for the page and its data, so that no report replaces another one.

use std::path::{Path, PathBuf};

/// Returns the page that the user asks for, and its data: the same name with `.json`. Checks now for errors that
/// would otherwise appear only after the job.
pub fn wanted(page: &Path) -> Result<[PathBuf; 2], String> {
    let data = std::path::absolute(page.with_extension("json")).map_err(|error| error.to_string())?;
    if page.extension().is_some_and(|extension| extension == "json") {
        return Err(format!("{}: the page would overwrite its own data: name it .html", page.display()));
    }
    if let Some(folder) = data.parent() {
        std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    Ok([page.to_path_buf(), data])
}

/// Returns `page` and `data`, with the first number for which neither file exists: `report-1.html`, `report-1.json`.
/// Creates the file for the data, empty, so that two runs that end together take different names.
pub fn free([page, data]: &[PathBuf; 2]) -> Result<[PathBuf; 2], String> {
    for number in 0.. {
        let [page, data] = [page, data].map(|path| numbered(path, number));
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

/// Removes the file for the data if it is still empty.
pub fn give_up([_, data]: &[PathBuf; 2]) {
    if data.metadata().is_ok_and(|file| file.len() == 0) {
        let _ = std::fs::remove_file(data);
    }
}

fn numbered(path: &Path, number: u64) -> PathBuf {
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
    fn numbers_go_before_the_extension() {
        let of = |path: &str, number| numbered(Path::new(path), number).display().to_string();
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
        let mut taken = Vec::new();
        for _ in 0..2 {
            taken.push(free(&wanted).unwrap());
        }
        std::fs::write(folder.join("r-2.html"), "").unwrap();
        taken.push(free(&wanted).unwrap());
        let names: Vec<_> =
            taken.iter().map(|[page, _]| page.file_name().unwrap().to_str().unwrap()).collect();
        assert_eq!(names, ["r.html", "r-1.html", "r-3.html"]);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
