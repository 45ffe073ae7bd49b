//! The MPI launcher to check, with the options that the user gave: `mpirun --allow-run-as-root`.

use crate::launch::{Mpi, find_executable, of_launcher};
use std::path::Path;
use std::process::Command;

pub struct Launcher {
    words: Vec<String>,
    /// The launcher's MPI; an error if the launcher does not exist, or belongs to a batch system and thus to no MPI.
    pub mpi: Result<Mpi, String>,
}

impl Launcher {
    /// Splits a command line at blanks, unless the whole line is the path of a program.
    pub fn read(text: &str) -> Self {
        let words: Vec<String> = match find_executable(text) {
            Some(_) => vec![text.into()],
            None => text.split_whitespace().map(String::from).collect(),
        };
        let mpi = match words.first() {
            Some(word) if find_executable(word).is_none() => Err(format!("there is no {word}")),
            Some(word) => of_launcher(word),
            None => Err("no launcher is named".into()),
        };
        Self { words, mpi }
    }

    pub fn name(&self) -> &str {
        self.words.first().map_or("", String::as_str)
    }

    pub fn is_of_any_mpi(&self) -> bool {
        let name = Path::new(self.name()).file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.mpi.is_err() && find_executable(self.name()).is_some() && !name.starts_with("mpi")
    }

    /// Returns the compiler wrapper beside the launcher: `mpicc.openmpi` beside `mpirun.openmpi`. For a batch system's
    /// launcher, returns `mpicc`, which the shell finds in PATH.
    pub fn compiler(&self) -> Option<String> {
        let path = self.name();
        let name = Path::new(path).file_name()?.to_str()?;
        if self.is_of_any_mpi() {
            return Some("mpicc".into());
        }
        let rest = name.strip_prefix("mpirun").or_else(|| name.strip_prefix("mpiexec"))?;
        let compiler = format!("mpicc{}", rest.strip_suffix(".hydra").unwrap_or(rest));
        Some(format!("{}{compiler}", path.strip_suffix(name)?))
    }

    pub fn two_ranks(&self, program: &Path) -> Command {
        let mut command = Command::new(self.name());
        command.args(&self.words[1..]).args(["-n", "2"]).arg(program);
        command
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_no_part_of_the_name() {
        let launcher = Launcher::read("/nowhere/mpirun.openmpi --allow-run-as-root");
        assert_eq!(launcher.name(), "/nowhere/mpirun.openmpi");
        assert_eq!(launcher.compiler().as_deref(), Some("/nowhere/mpicc.openmpi"));
        assert_eq!(launcher.mpi, Err("there is no /nowhere/mpirun.openmpi".into()));
        assert!(!launcher.is_of_any_mpi());
        let command = launcher.two_ranks(Path::new("./p"));
        let words: Vec<_> = command.get_args().map(|word| word.to_str().unwrap()).collect();
        assert_eq!(words, ["--allow-run-as-root", "-n", "2", "./p"]);
        assert_eq!(Launcher::read(" ").mpi, Err("no launcher is named".into()));
    }
}
