//! Finds the libreblock that fits a program: a libreblock that links the program's MPI and has integers of the same
//! width. Searches the folders beside this command, as built or installed, then the folders of the loader.

use super::{Links, Mpi};
use std::path::{Path, PathBuf};

#[derive(Clone, Debug)]
pub struct Library {
    pub path: PathBuf,
    pub mpi: Mpi,
    /// Set if the file name says that integers have 64 bits.
    pub ilp64: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fit {
    /// The path of a library that fits.
    Found(PathBuf),
    /// No library fits. The text lists the libraries that were found and how to build one.
    None(String),
}

/// Returns the folders to search, in order. Relative to the folder of this command, as installed: `../lib`, `../lib64`,
/// `../lib/*-linux-gnu`; as built: `../*/lib`, `../../*/lib`. Then those of LD_LIBRARY_PATH, `/usr/local/lib` and
/// `/usr/lib`.
pub fn folders() -> Vec<PathBuf> {
    let mut folders = Vec::new();
    if let Some(own) = std::env::current_exe().ok().as_deref().and_then(Path::parent) {
        folders.extend(["../lib", "../lib64"].map(|lib| own.join(lib)));
        folders.extend(
            inside(&own.join("../lib"))
                .into_iter()
                .filter(|folder| folder.to_string_lossy().ends_with("-linux-gnu")),
        );
        for up in ["..", "../.."] {
            folders.extend(inside(&own.join(up)).iter().map(|folder| folder.join("lib")));
        }
    }
    if let Some(list) = std::env::var_os("LD_LIBRARY_PATH") {
        folders.extend(std::env::split_paths(&list));
    }
    folders.extend(["/usr/local/lib", "/usr/lib"].map(PathBuf::from));
    folders
}

fn inside(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    found.sort();
    found
}

/// Returns the libraries in `folders` that link a known MPI, each once.
pub fn libraries(folders: &[PathBuf]) -> Vec<Library> {
    let mut found: Vec<Library> = Vec::new();
    for folder in folders {
        for (path, ilp64) in inside(folder).iter().filter_map(|path| Some((path, width(path)?))) {
            let Ok(path) = path.canonicalize() else { continue };
            let mpi = Links::of(&path).ok().and_then(|links| links.mpi);
            if let Some(mpi) = mpi.filter(|_| found.iter().all(|other| other.path != path)) {
                found.push(Library { path, mpi, ilp64 });
            }
        }
    }
    found
}

/// Returns the version at the end of library names, as in build.rs.
pub fn abi() -> &'static str {
    let version = env!("CARGO_PKG_VERSION");
    let numbers = if version.starts_with("0.") { 2 } else { 1 };
    version.match_indices('.').nth(numbers - 1).map_or(version, |(at, _)| &version[..at])
}

/// Returns whether the file name is that of a libreblock with 64-bit integers; `None` if the file is another library or
/// another version. A packager may put the MPI after `libreblock`: `libreblock-mpich.so.0.2`.
fn width(path: &Path) -> Option<bool> {
    let (name, version) = path.file_name()?.to_str()?.split_once(".so")?;
    let wanted = version.is_empty() || version.strip_prefix('.') == Some(abi());
    let rest = name.strip_prefix("libreblock").filter(|_| wanted)?;
    let is_other = ["_core", "_arrays", "_scalapack"].iter().any(|other| rest.starts_with(other));
    (!is_other).then(|| rest.ends_with("_ilp64"))
}

/// Returns the first of `libraries` with the MPI `wanted` and integers of the wanted width.
pub fn choose(libraries: &[Library], wanted: &Mpi, ilp64: bool) -> Fit {
    let wide = |library: &&Library| library.ilp64 == ilp64;
    let same = libraries.iter().filter(wide).find(|library| library.mpi.library == wanted.library);
    // If only the launcher is known, any library with its MPI's ABI fits.
    let like =
        || libraries.iter().filter(wide).find(|library| wanted.guessed && library.mpi.has_abi_of(wanted));
    if let Some(library) = same.or_else(like) {
        return Fit::Found(library.path.clone());
    }
    let there: Vec<String> = libraries
        .iter()
        .map(|library| format!("{} ({})", library.path.display(), library.mpi.library))
        .collect();
    let there =
        if there.is_empty() { "none was found".into() } else { format!("found: {}", there.join(", ")) };
    let option = if ilp64 { " ILP64=1" } else { "" };
    let mpicc = if wanted.is_standard() { "mpicc_abi" } else { "mpicc" };
    Fit::None(format!(
        "no reblock fits {} ({}){}: {there}. Build one with that MPI's compiler, make MPICC={mpicc}{option}, or name it with \
         --library",
        wanted.library,
        wanted.name(),
        if ilp64 { " with 64-bit integers" } else { "" },
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_go_by_several_names() {
        let width = |name: String| width(Path::new(&name));
        for (stem, wide) in [("libreblock", false), ("libreblock-mpich", false), ("libreblock_ilp64", true)] {
            for name in [format!("/x/{stem}.so"), format!("{stem}.so.{}", abi())] {
                assert_eq!(width(name), Some(wide));
            }
            assert_eq!(width(format!("{stem}.so.7.1")), None);
        }
        for name in [
            "libreblock_core.so",
            "libreblock_arrays.so",
            "libreblock_scalapack.so",
            "libreblock_scalapack-mpich.so",
            "libreblock_core-mpich.so",
            "libreblock.a",
            "libc.so",
        ] {
            assert_eq!(width(name.into()), None);
        }
    }

    #[test]
    fn mpi_and_width_decide() {
        let library =
            |path: &str, mpi: &str, ilp64| Library { path: path.into(), mpi: Mpi::of_name(mpi), ilp64 };
        let all = [
            library("/a", "libmpich.so.12", false),
            library("/b", "libmpi.so.40", true),
            library("/c", "libmpi.so.40", false),
        ];
        let choose = |mpi: &str, ilp64| choose(&all, &Mpi::of_name(mpi), ilp64);
        assert_eq!(choose("libmpi.so.40", false), Fit::Found("/c".into()));
        assert_eq!(choose("libmpi.so.40", true), Fit::Found("/b".into()));
        assert_eq!(choose("libmpich.so.12", false), Fit::Found("/a".into()));
        let guessed = Mpi { guessed: true, ..Mpi::of_name("libmpi.so.12") };
        assert_eq!(super::choose(&all, &guessed, false), Fit::Found("/a".into()));
        assert!(matches!(choose("libmpi.so.12", false), Fit::None(_)));
        let Fit::None(why) = choose("libmpi.so.12", false) else { panic!("there is none") };
        assert!(why.contains("Intel MPI") && why.contains("/c (libmpi.so.40)"), "{why}");
    }
}
