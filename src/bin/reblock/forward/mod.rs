//! `reblock forward`: links a forwarding library, for programs that preloading does not affect. Such programs look up
//! ScaLAPACK's routines by a handle (`dlsym`, Python's `ctypes`) and so get the routines of the library that they
//! opened. A forwarding library has no code. It depends on libreblock first and on ScaLAPACK second (DT_NEEDED), and
//! the loader searches the dependencies of a handle in this order: reblock's routines are found first, all others in
//! ScaLAPACK.
//!
//! The C compiler links the library. A linker records a dependency under the dependency's own name (DT_SONAME), so this
//! command first links an empty library of each wanted name ([`Linker::empty`]). ScaLAPACK is recorded by its path if
//! the user gave a path: then the forwarding library itself may have ScaLAPACK's name, so that programs find it first.
//! libreblock is recorded by its name, so that a process with a preloaded libreblock loads no second copy.
//!
//! | file | contents |
//! |---|---|
//! | `callers` | programs that need a forwarding library, and the advice for them |
//! | `linker` | calls of the C compiler |

mod callers;
mod linker;

pub use callers::{advice, asks_by_handle};

use crate::arguments::Forward;
use crate::launch::{Fit, Library, Links, Mpi, choose, folders, is_routine, libraries, loaded};
use linker::Linker;
use object::{Object, ObjectSymbol};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Makes the forwarding library, and prints the names of its dependencies.
pub fn forward(arguments: &Forward) -> Result<ExitCode, String> {
    let output = std::path::absolute(&arguments.output)
        .map_err(|error| format!("{}: {error}", arguments.output.display()))?;
    if output.symlink_metadata().is_ok() {
        return Err(format!("{}: the file exists: remove it, or name another one with -o", output.display()));
    }
    let names = arguments.scalapack.iter().map(|word| needed_name(word)).collect::<Result<Vec<_>, _>>()?;
    let linker = Linker::create()?;
    let scalapack = Scalapack::of(&linker, &names)?;
    let library = match &arguments.library {
        Some(library) => {
            let path = library.canonicalize().map_err(|error| format!("{}: {error}", library.display()))?;
            scalapack.check_mpi(&path)?;
            path
        }
        None => scalapack.library()?,
    };
    let made = linker.forwarding(&output, &library, &names)?;
    std::fs::copy(&made, &output).map_err(|error| format!("{}: {error}", output.display()))?;
    println!("{}: forwards to {}, then to {}", output.display(), library.display(), names.join(", "));
    Ok(ExitCode::SUCCESS)
}

/// Returns the name under which the forwarding library needs the library `word`: an absolute path if `word` is a path,
/// otherwise `word` itself, which the loader finds. A machine that only runs programs may lack the file without a
/// version, such as `libscalapack.so`, so the path ends with the library's own name if that leads to the same file.
fn needed_name(word: &str) -> Result<String, String> {
    if !word.contains('/') {
        return Ok(word.into());
    }
    let failed = |error| format!("{word}: {error}");
    let file = Path::new(word).canonicalize().map_err(failed)?;
    // Resolve links in the folder, but not the file itself, which may be a link that an update changes.
    let path = std::path::absolute(word).map_err(failed)?;
    let folder = path.parent().unwrap_or(Path::new("/")).canonicalize().map_err(failed)?;
    let path = folder.join(path.file_name().unwrap_or_default());
    let own = Linker::own_name(&file)?.map(|name| path.with_file_name(name));
    let named = own.filter(|own| own.canonicalize().is_ok_and(|own| own == file)).unwrap_or(path);
    named
        .to_str()
        .map(String::from)
        .ok_or_else(|| format!("{}: a path that is not in UTF-8", named.display()))
}

/// The ScaLAPACK that a forwarding library forwards to.
struct Scalapack {
    mpi: Option<Mpi>,
    ilp64: bool,
}

impl Scalapack {
    /// Examines the libraries `names` and those that they need. Together they must have ScaLAPACK's routines and BLACS.
    fn of(linker: &Linker, names: &[String]) -> Result<Self, String> {
        let all = loaded(&linker.link_needing(names)?)?;
        let missing = all.iter().find(|library| library.path.is_none() && !is_of_kernel(library));
        if let Some(Library { name, .. }) = missing {
            return Err(format!(
                "{name}: the loader does not find it: set LD_LIBRARY_PATH, or name its file"
            ));
        }
        let has = |wanted: &dyn Fn(&str) -> bool| {
            all.iter().filter_map(|library| library.path.as_deref()).any(|path| defines(path, wanted))
        };
        let words = names.join(", ");
        if !has(&is_routine) {
            return Err(format!(
                "{words}: has no routine that reblock replaces, such as pdgemr2d_: is it ScaLAPACK?"
            ));
        }
        if !has(&|symbol| symbol == "blacs_gridinfo_" || symbol == "Cblacs_gridinfo") {
            return Err(format!("{words}: has no BLACS: name its library, too"));
        }
        let links = Links::recognize(&all.into_iter().map(|library| library.name).collect::<Vec<_>>());
        // MKL's BLACS links no MPI, but its name contains that of the MPI.
        let of_mkl = links.blacs.as_deref().and_then(|blacs| {
            let known = [("mkl_blacs_openmpi", "libmpi.so.40"), ("mkl_blacs_intelmpi", "libmpi.so.12")];
            let (_, library) = known.into_iter().find(|(name, _)| blacs.contains(name))?;
            Some(Mpi { guessed: true, ..Mpi::of_name(library) })
        });
        Ok(Self { mpi: links.mpi.or(of_mkl), ilp64: links.ilp64 })
    }

    /// Returns the libreblock for the same MPI and with integers of the same width.
    fn library(&self) -> Result<PathBuf, String> {
        let mpi = self
            .mpi
            .as_ref()
            .ok_or("ScaLAPACK links no MPI that is known: name libreblock with --library")?;
        match choose(&libraries(&folders()), mpi, self.ilp64) {
            Fit::Found(path) => Ok(path),
            Fit::None(why) => Err(why),
        }
    }

    /// Checks that `library` and ScaLAPACK are for MPIs of one ABI, if both are known.
    fn check_mpi(&self, library: &Path) -> Result<(), String> {
        let own = Links::of(library)?.mpi;
        match (&self.mpi, own) {
            (Some(mpi), Some(own)) if !mpi.has_abi_of(&own) => Err(format!(
                "{} links {} ({}), but ScaLAPACK is for {} ({})",
                library.display(),
                own.name(),
                own.library,
                mpi.name(),
                mpi.library
            )),
            _ => Ok(()),
        }
    }
}

/// Returns whether the library at `path` exports a symbol that `wanted` accepts.
fn defines(path: &Path, wanted: &dyn Fn(&str) -> bool) -> bool {
    let Ok(bytes) = std::fs::read(path) else { return false };
    let Ok(file) = object::File::parse(&*bytes) else { return false };
    file.dynamic_symbols().any(|symbol| symbol.is_definition() && symbol.name().is_ok_and(wanted))
}

/// Returns whether this is the library that the kernel maps into each process (vDSO), which has no file.
fn is_of_kernel(library: &Library) -> bool {
    library.name.starts_with("linux-vdso") || library.name.starts_with("linux-gate")
}
