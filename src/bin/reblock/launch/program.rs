//! Reads the libraries that a program links, as `ldd` reports them. Detects statically linked ScaLAPACK, which a
//! preloaded library cannot replace.

use super::Mpi;
use object::{Object, ObjectSymbol};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(Clone, Debug, Default)]
pub struct Links {
    pub mpi: Option<Mpi>,
    /// File name of its ScaLAPACK.
    pub scalapack: Option<String>,
    /// The file name of its BLACS, if that is a separate library, as in MKL.
    pub blacs: Option<String>,
    /// Set if ScaLAPACK and BLACS have integers of 64 bits, by their names.
    pub ilp64: bool,
    /// Set for a static executable: it runs without the loader, so nothing can be preloaded.
    is_static: bool,
    /// Set if ScaLAPACK is linked statically.
    has_own: bool,
}

impl Links {
    /// Reads the executable at `path`. A script links nothing.
    pub fn of(path: &Path) -> Result<Self, String> {
        let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let Ok(file) = object::File::parse(&*bytes) else { return Ok(Self::default()) };
        let mut symbols = file.symbols().chain(file.dynamic_symbols());
        let has_own = symbols.any(|s| s.is_definition() && s.name().is_ok_and(is_routine));
        let is_library = path.file_name().is_some_and(|name| name.to_string_lossy().contains(".so"));
        let is_static = !is_library && file.section_by_name(".interp").is_none();
        let names: Vec<String> = match is_static {
            true => Vec::new(),
            false => loaded(path)?.into_iter().map(|library| library.name).collect(),
        };
        Ok(Self { is_static, has_own, ..Self::recognize(&names) })
    }

    /// Recognizes libraries by their file names.
    pub fn recognize(names: &[String]) -> Self {
        let of_scalapack = |name: &&String| name.contains("scalapack") || name.contains("blacs");
        let found: Vec<_> = names.iter().filter(of_scalapack).map(String::as_str).collect();
        let scalapack = (!found.is_empty()).then(|| found.join(", "));
        let ilp64 = found.iter().any(|name| has_wide_integers(name));
        let blacs = names.iter().find(|name| name.contains("blacs")).cloned();
        Self { mpi: names.iter().find_map(|name| Mpi::of(name)), scalapack, blacs, ilp64, ..Self::default() }
    }

    /// Returns whether the program links an MPI or contains ScaLAPACK's routines.
    pub fn is_of_mpi(&self) -> bool {
        self.mpi.is_some() || self.has_own
    }

    /// Returns the file name of its BLACS if that is MKL's for another MPI than the program links.
    pub fn mismatched_blacs(&self) -> Option<&str> {
        let (blacs, mpi) = (self.blacs.as_deref()?, self.mpi.as_ref().filter(|mpi| !mpi.is_standard())?);
        let is_open_mpi = match blacs {
            name if name.contains("mkl_blacs_openmpi") => true,
            name if name.contains("mkl_blacs_intelmpi") => false,
            _ => return None,
        };
        (is_open_mpi == mpi.is_of_mpich()).then_some(blacs)
    }

    /// Returns the reason why the program cannot be tried, if there is one.
    pub fn obstacle(&self) -> Option<&'static str> {
        if self.has_own {
            return Some(
                "it has ScaLAPACK linked statically, which a preloaded library cannot replace: link it again with \
                 -L/where/reblock/is -lreblock before ScaLAPACK (and -Wl,-u,blacs_gridinfo_,-u,blacs_get_ if BLACS is an \
                 archive)",
            );
        }
        self.is_static
            .then_some("it is linked statically, so nothing can be preloaded: link it with libreblock.a")
    }
}

/// Returns whether ScaLAPACK or BLACS has integers of 64 bits by its file name, as in `libscalapack64.so.2` and
/// `libmkl_scalapack_ilp64.so`. In `lp64` and in names of processors, 64 does not stand for integers.
fn has_wide_integers(name: &str) -> bool {
    const OTHER_WORDS: [&str; 9] =
        ["x86_", "x86-", "amd", "aarch", "arm", "ppc", "riscv", "mips", "loongarch"];
    let stem = name.split(".so").next().unwrap_or(name);
    stem.match_indices("64").any(|(at, _)| {
        let before = &stem[..at];
        let is_narrow = before.ends_with("lp") && !before.ends_with("ilp");
        !is_narrow && !OTHER_WORDS.iter().any(|word| before.ends_with(word))
    })
}

/// Returns whether `symbol` names a routine that reblock replaces, in C or as a Fortran compiler writes it.
pub fn is_routine(symbol: &str) -> bool {
    let name = symbol.strip_prefix('C').filter(|rest| rest.starts_with('p')).unwrap_or(symbol);
    let name = name.trim_end_matches('_').to_ascii_lowercase();
    let mut letters = name.strip_prefix('p').unwrap_or_default().chars();
    let (Some(letter), family) = (letters.next(), letters.as_str()) else { return false };
    let letters = match family {
        "gemr2d" | "gemr2do" | "trmr2d" | "trmr2do" => "isdcz",
        "geadd" | "tradd" | "lacpy" => "sdcz",
        "tran" => "sd",
        "tranu" | "tranc" => "cz",
        _ => "",
    };
    letters.contains(letter)
}

/// A library that the loader would load.
#[derive(PartialEq, Eq, Debug)]
pub struct Library {
    /// File name under which it is needed (DT_NEEDED).
    pub name: String,
    /// Its file; `None` if the loader does not find it.
    pub path: Option<PathBuf>,
}

/// Returns all libraries that the loader would load for the program or library at `path`.
pub fn loaded(path: &Path) -> Result<Vec<Library>, String> {
    let output = Command::new("ldd").arg(path).output().map_err(|error| format!("ldd: {error}"))?;
    Ok(parse_ldd(&String::from_utf8_lossy(&output.stdout)))
}

/// Reads the output of `ldd`: lines such as `libmpi.so.40 => /usr/lib/libmpi.so.40 (0x0)`, `libmpi.so.40 => not found`
/// and `/usr/lib/libmpi.so.40 (0x0)`.
fn parse_ldd(text: &str) -> Vec<Library> {
    let library = |line: &str| {
        let mut words = line.split_whitespace();
        let first = words.next()?;
        let file = if words.next() == Some("=>") { words.next().unwrap_or_default() } else { first };
        let name = first.rsplit('/').next().unwrap_or(first).into();
        Some(Library { name, path: file.contains('/').then(|| file.into()) })
    };
    text.lines().filter_map(library).collect()
}

/// Returns the executable that `word` names: by its path if it contains a slash, otherwise found in PATH.
pub fn find_executable(word: &str) -> Option<PathBuf> {
    let executable = |path: PathBuf| {
        let file = std::fs::metadata(&path).ok()?;
        (file.is_file() && file.permissions().mode() & 0o111 != 0).then_some(path)
    };
    if word.contains('/') {
        return executable(word.into());
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).find_map(|folder| executable(folder.join(word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn among(names: &[&str]) -> Links {
        Links::recognize(&names.iter().map(|name| name.to_string()).collect::<Vec<_>>())
    }

    #[test]
    fn names_of_libraries_identify_mpi_and_width() {
        let debian =
            among(&["libscalapack-openmpi.so.2.2", "libmpi_mpifh.so.40", "libmpi.so.40", "libc.so.6"]);
        assert_eq!((debian.mpi.unwrap().name(), debian.ilp64), ("Open MPI", false));
        assert_eq!(debian.scalapack.as_deref(), Some("libscalapack-openmpi.so.2.2"));
        for (width, ilp64) in [("lp64", false), ("ilp64", true)] {
            let mkl =
                [format!("libmkl_scalapack_{width}.so.2"), format!("libmkl_blacs_intelmpi_{width}.so.2")];
            let both = mkl.join(", ");
            let mkl = among(&[&mkl[0], &mkl[1], "libmpi.so.12"]);
            assert_eq!(mkl.scalapack.as_deref(), Some(&*both));
            assert_eq!(mkl.blacs, Some(format!("libmkl_blacs_intelmpi_{width}.so.2")));
            assert_eq!(mkl.mismatched_blacs(), None);
            assert_eq!((mkl.ilp64, mkl.mpi.unwrap().library), (ilp64, "libmpi.so.12".into()));
        }
        for wide in [
            "libscalapack64-openmpi.so.2.2",
            "libscalapack_64.so",
            "libscalapack-openmpi64.so.2",
            "libscalapack-x86_64-ilp64.so",
        ] {
            assert!(among(&[wide]).ilp64, "{wide}");
        }
        for narrow in [
            "libscalapack-x86_64.so",
            "libscalapack-amd64.so.2",
            "libblacs-aarch64.so",
            "libscalapack_x86_64_lp64.so",
            "libscalapack.so.64",
        ] {
            assert!(!among(&[narrow, "libmpi_usempi64.so"]).ilp64, "{narrow}");
        }
        let blacs = "libmkl_blacs_openmpi_lp64.so.2";
        assert_eq!(among(&[blacs, "libmpi.so.12"]).mismatched_blacs(), Some(blacs));
        assert_eq!(among(&[blacs, "libmpi.so.40"]).mismatched_blacs(), None);
    }

    #[test]
    fn the_loader_is_asked() {
        let text = "\tlinux-vdso.so.1 (0x7)\n\tlibmpi.so.40 => /x/libmpi.so.40 (0x7)\n\tlibsci.so => not found\n\t/lib64/ld-linux.so.2 (0x7)\n";
        let listed = parse_ldd(text);
        let listed: Vec<_> =
            listed.iter().map(|library| (library.name.as_str(), library.path.as_deref())).collect();
        let [mpi, loader] = ["/x/libmpi.so.40", "/lib64/ld-linux.so.2"].map(|path| Some(Path::new(path)));
        assert_eq!(
            listed,
            [
                ("linux-vdso.so.1", None),
                ("libmpi.so.40", mpi),
                ("libsci.so", None),
                ("ld-linux.so.2", loader)
            ]
        );
        let own = Links::of(&std::env::current_exe().unwrap()).unwrap();
        assert!(own.obstacle().is_none() && own.mpi.is_none() && own.scalapack.is_none());
    }

    #[test]
    fn routines_have_many_names() {
        for element in ["i", "s", "d", "c", "z"] {
            for routine in ["gemr2d", "trmr2d"] {
                let name = format!("p{element}{routine}");
                for name in
                    [format!("{name}_"), format!("C{name}"), format!("{name}o_"), name.to_uppercase(), name]
                {
                    assert!(is_routine(&name), "{name}");
                }
            }
        }
        for name in ["pdtran_", "PSTRAN", "pctranu__", "pztranc_", "pdgeadd_", "PCTRADD_", "pzlacpy"] {
            assert!(is_routine(name), "{name}");
        }
        for other in [
            "pdtranu_",
            "pztran_",
            "pigeadd_",
            "pdlacp2_",
            "pdgemm_",
            "gemr2d",
            "pxgemr2d_",
            "Cpdgemr2d_wrapper",
            "my_pdgemr2d_",
            "",
        ] {
            assert!(!is_routine(other), "{other}");
        }
    }

    fn compiled(name: &str, source: &str, options: &[&str]) -> Links {
        let folder = std::env::temp_dir().join(format!("reblock-{name}-{}", std::process::id()));
        std::fs::create_dir(&folder).unwrap();
        let (file, program) = (folder.join("program.c"), folder.join("program"));
        std::fs::write(&file, source).unwrap();
        let built = Command::new("cc").args(options).arg(&file).arg("-o").arg(&program).status().unwrap();
        assert!(built.success(), "{name}");
        let links = Links::of(&program).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        links
    }

    #[test]
    fn what_cannot_be_replaced_is_an_obstacle() {
        let plain = compiled("plain", "int main(void) { return 0; }", &[]);
        assert_eq!(plain.obstacle(), None);
        for routine in ["pctrmr2d_", "Cpigemr2d"] {
            let source = format!("void {routine}(void) {{}} int main(void) {{ {routine}(); return 0; }}");
            let own = compiled(routine, &source, &[]).obstacle().unwrap();
            assert!(own.contains("linked statically"), "{routine}: {own}");
        }
        let alone = ["-static", "-nostdlib", "-ffreestanding"];
        let alone = compiled("alone", "void _start(void) { for (;;) {} }", &alone).obstacle().unwrap();
        assert!(alone.contains("linked statically"), "{alone}");
    }

    #[test]
    fn programs_are_found_along_the_path() {
        assert!(find_executable("sh").is_some());
        assert!(find_executable("/bin/sh").is_some());
        assert!(find_executable("/etc/passwd").is_none() && find_executable("no-such-program").is_none());
    }
}
