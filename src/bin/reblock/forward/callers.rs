//! Detects programs that look up ScaLAPACK's routines by a handle, and advises their users.

use object::{Object, ObjectSymbol};
use std::path::{Path, PathBuf};

/// Names of ScaLAPACK's libraries and of a Python package that opens them.
const LIBRARIES: [&[u8]; 3] = [b"libscalapack", b"libmkl_scalapack", b"scalapack4py"];
/// Words in scripts that open libraries.
const OPENING: [&[u8]; 4] = [b"CDLL", b"cdll", b"dlopen", b"scalapack4py"];

/// Returns whether the file at `path` seems to open ScaLAPACK itself: it contains the name of a ScaLAPACK library, and
/// is a program that calls `dlopen` or a script that opens libraries.
pub fn asks_by_handle(path: &Path) -> bool {
    let Ok(bytes) = std::fs::read(path) else { return false };
    let has = |word: &[u8]| bytes.windows(word.len()).any(|part| part == word);
    if !LIBRARIES.into_iter().any(has) {
        return false;
    }
    match object::File::parse(&*bytes) {
        Ok(file) => {
            let mut undefined = file.dynamic_symbols().filter(|symbol| symbol.is_undefined());
            undefined.any(|symbol| symbol.name() == Ok("dlopen"))
        }
        Err(_) => OPENING.into_iter().any(has),
    }
}

/// Returns the advice for a program that opens ScaLAPACK itself. `library`: the libreblock that fits the program.
/// `scalapack`: the file of its ScaLAPACK.
pub fn advice(library: Option<&Path>, scalapack: Option<&str>) -> String {
    match library.and_then(find_beside) {
        Some(made) => format!("let it open {} instead", made.display()),
        None => {
            let scalapack = scalapack.unwrap_or("/path/of/libscalapack.so");
            format!(
                "make a forwarding library, reblock forward {scalapack}, and let it open that one instead"
            )
        }
    }
}

/// Returns the forwarding library that `make install` made beside `library`, if there is one.
fn find_beside(library: &Path) -> Option<PathBuf> {
    let (stem, _) = library.file_name()?.to_str()?.split_once(".so")?;
    let path = library.with_file_name(format!("libreblock_scalapack{}.so", stem.strip_prefix("libreblock")?));
    path.exists().then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("reblock-{name}-{}", std::process::id()));
        std::fs::create_dir(&folder).unwrap();
        folder
    }

    #[test]
    fn scripts_that_open_scalapack_are_recognized() {
        let folder = folder("callers");
        let asks = |text: &str| {
            let path = folder.join("script.py");
            std::fs::write(&path, text).unwrap();
            asks_by_handle(&path)
        };
        assert!(asks("import ctypes\nlib = ctypes.CDLL('libscalapack-openmpi.so.2.2')\n"));
        assert!(asks("from scalapack4py import ScaLAPACK4py\n"));
        assert!(asks("lib = ctypes.cdll.LoadLibrary(root + '/libmkl_scalapack_lp64.so')\n"));
        assert!(!asks("import ctypes\nlib = ctypes.CDLL('libm.so.6')\n"));
        assert!(!asks("echo libscalapack.so\n"));
        assert!(!asks_by_handle(&std::env::current_exe().unwrap().with_file_name("none")));
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn the_library_beside_is_advised() {
        let folder = folder("advice");
        let library = folder.join("libreblock-mpich.so.0.2.0");
        let made = folder.join("libreblock_scalapack-mpich.so");
        let advised = |scalapack| advice(Some(&library), scalapack);
        assert!(advised(Some("/x/libscalapack.so.2")).contains("reblock forward /x/libscalapack.so.2, "));
        assert!(advised(None).contains("reblock forward /path/of/"));
        std::fs::write(&made, "").unwrap();
        assert_eq!(advised(None), format!("let it open {} instead", made.display()));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
