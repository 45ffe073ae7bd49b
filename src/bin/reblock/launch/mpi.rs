//! Identifies MPIs: that of a program or a libreblock by the name of the library that it links, that of a launcher by
//! its version text or by the variables that it sets.

use std::process::Command;

/// An MPI, identified by the file name of its library.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mpi {
    /// File name, such as `libmpi.so.40`.
    pub library: String,
    /// Set if `library` is only the usual name for its launcher, because no linked library is known.
    pub guessed: bool,
}

impl Mpi {
    /// Creates the MPI whose library is called `library`, without checking the name.
    pub fn of_name(library: &str) -> Self {
        Self { library: library.into(), guessed: false }
    }

    /// Returns the MPI whose C library has the file name `library`, if there is one.
    pub fn of(library: &str) -> Option<Self> {
        let is = |name: &str| library.strip_prefix(name).is_some_and(|rest| rest.starts_with(".so"));
        let is_any = ["libmpi", "libmpi_abi", "libmpich", "libmvapich"].into_iter().any(is);
        (is_any || is_of_cray(library)).then(|| Self::of_name(library))
    }

    /// Returns whether the launcher of one MPI starts programs of the other. MPIs with MPICH's ABI start each other's
    /// programs, and a program for the standard ABI may have any launcher.
    pub fn is_like(&self, other: &Self) -> bool {
        self.is_standard() || other.is_standard() || self.has_abi_of(other)
    }

    /// Returns whether programs built for one MPI can run with the other one's library.
    pub fn has_abi_of(&self, other: &Self) -> bool {
        (self.is_standard(), self.is_of_mpich()) == (other.is_standard(), other.is_of_mpich())
    }

    pub fn is_standard(&self) -> bool {
        self.library.starts_with("libmpi_abi.")
    }

    /// Returns whether the MPI has MPICH's ABI and a launcher like MPICH's.
    pub fn is_of_mpich(&self) -> bool {
        let starts = ["libmpich", "libmvapich"].iter().any(|name| self.library.starts_with(name));
        starts || self.library == "libmpi.so.12" || is_of_cray(&self.library)
    }

    /// Returns the name to print, such as `Open MPI`; `an MPI` if the library is unknown.
    pub fn name(&self) -> &'static str {
        match self.library.as_str() {
            library if library.starts_with("libmpi_abi.") => "an MPI with the standard ABI",
            library if library.starts_with("libmpich") => "MPICH",
            library if is_of_cray(library) => "Cray MPICH",
            "libmpi.so.12" => "MPICH, Intel MPI, or another with MPICH's ABI",
            library if library.starts_with("libmpi.so") => "Open MPI",
            _ => "an MPI",
        }
    }
}

/// Returns whether `library` is Cray MPICH's. Its name contains the name of a compiler: `libmpi_cray.so.12`,
/// `libmpi_gnu_123.so.12`.
fn is_of_cray(library: &str) -> bool {
    const COMPILERS: [&str; 8] = ["amd", "aocc", "cray", "crayclang", "gnu", "intel", "nvidia", "pgi"];
    let name = library.strip_prefix("libmpi_").and_then(|rest| rest.split_once(".so"));
    name.is_some_and(|(name, _)| {
        let mut words = name.split('_');
        words.next().is_some_and(|compiler| COMPILERS.contains(&compiler))
            && words.all(|version| !version.is_empty() && version.bytes().all(|digit| digit.is_ascii_digit()))
    })
}

/// Returns the MPI of `launcher`, read from the output of its option `--version`.
pub fn of_launcher(launcher: &str) -> Result<Mpi, String> {
    let output = Command::new(launcher).arg("--version").output();
    let output = output.map_err(|error| format!("{launcher}: {error}"))?;
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    of_version(&text).ok_or_else(|| {
        format!("neither the program nor {launcher} --version shows which MPI is used: name the library with --library")
    })
}

/// Returns the MPI whose launcher started this process, by a variable that only this launcher sets; `None` if variables
/// of several launchers or of none are set.
pub fn of_environment(is_set: impl Fn(&str) -> bool) -> Option<Mpi> {
    let library = match (is_set("OMPI_COMM_WORLD_SIZE"), is_set("MPI_LOCALNRANKS")) {
        (true, false) => "libmpi.so.40",
        (false, true) => "libmpich.so.12",
        _ => return None,
    };
    Some(Mpi { guessed: true, ..Mpi::of_name(library) })
}

fn of_version(text: &str) -> Option<Mpi> {
    let known = [
        ("Intel(R) MPI", "libmpi.so.12"),
        ("Open MPI", "libmpi.so.40"),
        ("OpenRTE", "libmpi.so.40"),
        ("PRTE", "libmpi.so.40"),
        ("HYDRA", "libmpich.so.12"),
        ("MPICH", "libmpich.so.12"),
    ];
    let (_, library) = known.iter().find(|(word, _)| text.contains(word))?;
    Some(Mpi { guessed: true, ..Mpi::of_name(library) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_library_identifies_its_mpi() {
        for (library, name) in [
            ("libmpi.so.40", "Open MPI"),
            ("libmpich.so.12", "MPICH"),
            ("libmpi.so.12", "MPICH, Intel MPI, or another with MPICH's ABI"),
            ("libmpi_abi.so.1", "an MPI with the standard ABI"),
            ("libmpi_cray.so.12", "Cray MPICH"),
            ("libmpi_gnu_123.so.12", "Cray MPICH"),
            ("libmpi_intel.so.12", "Cray MPICH"),
        ] {
            assert_eq!(Mpi::of(library).unwrap().name(), name);
        }
        for other in [
            "libmpi_mpifh.so.40",
            "libmpi_cxx.so.40",
            "libmpi_ilp64.so.4",
            "libmpifort_gnu_91.so.12",
            "libmpichfort.so.12",
            "libc.so.6",
            "libmpi.a",
        ] {
            assert_eq!(Mpi::of(other), None, "{other}");
        }
    }

    #[test]
    fn what_shares_an_abi_is_alike() {
        let like = |a: &str, b: &str| Mpi::of_name(a).is_like(&Mpi::of_name(b));
        assert!(like("libmpi.so.12", "libmpich.so.12") && like("libmpi_cray.so.12", "libmpi.so.12"));
        for compiler in ["cray", "gnu_91", "amd", "aocc", "intel", "nvidia", "pgi"] {
            assert!(like(&format!("libmpi_{compiler}.so.12"), "libmpich.so.12"), "{compiler}");
        }
        assert!(like("libmpi.so.40", "libmpi.so.80"));
        let abi = |one: &str, other: &str| Mpi::of_name(one).has_abi_of(&Mpi::of_name(other));
        assert!(like("libmpi_abi.so.1", "libmpich.so.12") && like("libmpi.so.40", "libmpi_abi.so.1"));
        assert!(abi("libmpi.so.12", "libmpich.so.12") && abi("libmpi_abi.so.1", "libmpi_abi.so.1"));
        assert!(!abi("libmpi_abi.so.1", "libmpi.so.12") && !abi("libmpi_abi.so.1", "libmpi.so.40"));
        assert!(!like("libmpi.so.40", "libmpi.so.12") && !like("libmpich.so.12", "libmpi.so.40"));
    }

    #[test]
    fn variables_and_texts_identify_the_launcher() {
        let of = |text| of_version(text).map(|mpi| mpi.library);
        assert_eq!(of("mpirun (Open MPI) 5.0.3"), Some("libmpi.so.40".into()));
        assert_eq!(of("mpirun.openmpi (OpenRTE) 4.1.4"), Some("libmpi.so.40".into()));
        assert_eq!(of("HYDRA build details:\n    Version: 4.0.2"), Some("libmpich.so.12".into()));
        assert_eq!(of("Intel(R) MPI Library for Linux* OS"), Some("libmpi.so.12".into()));
        assert_eq!(of("slurm 23.02"), None);
        let set = |names: &[&str]| of_environment(|name| names.contains(&name)).map(|mpi| mpi.library);
        assert_eq!(set(&["OMPI_COMM_WORLD_SIZE", "PMIX_RANK"]), Some("libmpi.so.40".into()));
        assert_eq!(set(&["MPI_LOCALNRANKS", "PMI_RANK"]), Some("libmpich.so.12".into()));
        // First a process that a process of another MPI started, then one that Slurm started.
        assert_eq!(set(&["MPI_LOCALNRANKS", "OMPI_COMM_WORLD_SIZE"]), None);
        assert_eq!(set(&["PMI_RANK", "SLURM_PROCID"]), None);
    }
}
