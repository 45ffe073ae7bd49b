//! Options of launchers that take values. Launchers use the same letters for different things: in `-s ./program`,
//! srun sees a program, mpiexec the value of the option.

use super::Mpi;

/// Launchers with the same options.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    /// mpirun, mpiexec and others of Open MPI and PRRTE.
    OpenMpi,
    /// mpiexec of MPICH, Intel MPI and others.
    Hydra,
    /// An `mpirun` or `mpiexec` that may be of either: an option takes a value if it does so in both.
    Unknown,
    Slurm,
    /// Launchers of some machines.
    Other,
}

/// Launchers, by the beginnings of their names. `Unknown` ones are then distinguished by their MPI.
const LAUNCHERS: [(&str, Family); 9] = [
    ("mpirun", Family::Unknown),
    ("mpiexec", Family::Unknown),
    ("orterun", Family::OpenMpi),
    ("prterun", Family::OpenMpi),
    ("srun", Family::Slurm),
    ("aprun", Family::Other),
    ("jsrun", Family::Other),
    ("ibrun", Family::Other),
    ("flux", Family::Other),
];

/// Options, without dashes, that take two words.
const OPEN_MPI_TWO: &str = "mca gmca omca gomca prtemca gprtemca pmixmca gpmixmca";
/// Options that take one word, from `mpirun --help all` (4.1) and prterun(1) (3.0).
const OPEN_MPI: &str = "n np c N H host hostfile machinefile default-hostfile add-host add-hostfile map-by bind-to rank-by ppr \
    npernode npersocket cpus-per-proc cpus-per-rank cpu-list cpu-set slot-list rf rankfile cf cartofile x wd wdir path prefix \
    preload-files am tune personality launch-agent exec-agent debugger hnp dvm-uri ompi-server server-wait-time namespace pset \
    max-restarts max-vm-size num-connect-retries timeout spawn-timeout stdin xterm xml-file output output-filename display \
    runtime-options forward-signals stream-buffering with-ft memory-alloc-kinds report-events report-pid report-uri tmpdir";
/// Options that take two words, or one that has an equals sign.
const HYDRA_TWO: &str = "env genv";
/// Options that take one word, from `mpiexec --help` (MPICH 4.0) and Intel MPI's reference.
const HYDRA: &str = "n np f host hosts hostfile machinefile ppn perhost grr wdir path envlist genvlist launcher launcher-exec \
    bootstrap bootstrap-exec rmk topolib bind-to map-by membind demux iface prepend-pattern outfile-pattern errfile-pattern \
    nameserver order-nodes localhost usize gpus-per-proc umask tmpdir gtool gtoolfile branch-count arch soft s \
    tune cpu-bind hosts-group gdb-args ckpoint-interval ckpoint-prefix ckpointlib";
/// Options with a value after an equals sign or in the next word, from srun(1) (22.05). Options with an optional
/// value, which take it only after an equals sign, are left out.
const SLURM: &str = "accel-bind account acctg-freq bb bbf bcast-exclude begin chdir cluster-constraint clusters comment constraint \
    container core-spec cores-per-socket cpu-bind cpu-freq cpus-per-gpu cpus-per-task deadline delay-boot dependency \
    distribution epilog error exclude export extra-node-info gid gpu-bind gpu-freq gpus gpus-per-node gpus-per-socket \
    gpus-per-task gres gres-flags het-group hint input job-name jobid licenses mail-type mail-user mcs-label mem mem-bind \
    mem-per-cpu mem-per-gpu mincpus mpi msg-timeout network nodefile nodelist nodes ntasks ntasks-per-core ntasks-per-gpu \
    ntasks-per-node ntasks-per-socket open-mode output partition power prefer priority profile prolog qos relative \
    reservation signal slurmd-debug sockets-per-node switches task-epilog task-prolog thread-spec threads threads-per-core \
    time time-min tmp tres-bind tres-per-task uid wait wckey";
/// Letters of srun that take a value, in the same word or the next one.
const SLURM_LETTERS: &str = "ABCDFGJLMNSTWbcdeimnopqrtwx";
/// Common options of aprun, jsrun, ibrun and flux.
const OTHER: &str = "n np N c d g r a S cc L host hosts hostfile nodes ntasks nrs tasks_per_rs cpu_per_rs gpu_per_rs rs_per_host";
/// Options that name a file with the programs.
const FILES: [&str; 3] = ["app", "configfile", "multi-prog"];

/// Returns whether `word` names a launcher.
pub fn is_launcher(word: &str) -> bool {
    named(word).is_some()
}

fn named(word: &str) -> Option<Family> {
    let name = word.rsplit('/').next().unwrap_or(word);
    let (_, family) = LAUNCHERS.iter().find(|(launcher, _)| {
        name.strip_prefix(launcher).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '-', '_']))
    })?;
    let has = |part: &str| name.contains(part);
    Some(match family {
        Family::Unknown if has("openmpi") || has("ompi") => Family::OpenMpi,
        Family::Unknown if has("mpich") || has("hydra") => Family::Hydra,
        &family => family,
    })
}

fn among(list: &str, option: &str) -> bool {
    list.split_whitespace().any(|other| other == option)
}

impl Family {
    /// Returns the family of the launcher called `word`, if it is one. `mpi` is called if the name leaves it open.
    pub fn of(word: &str, mpi: impl FnOnce() -> Option<Mpi>) -> Option<Self> {
        Some(match named(word)? {
            Self::Unknown => match mpi() {
                Some(mpi) if mpi.is_of_mpich() => Self::Hydra,
                Some(_) => Self::OpenMpi,
                None => Self::Unknown,
            },
            family => family,
        })
    }

    /// Returns the number of words of the option at the front of `words`, with its values; `None` if a file has the
    /// programs.
    pub fn length(self, words: &[String]) -> Option<usize> {
        let word = words.first().map_or("", String::as_str);
        let option = word.trim_start_matches('-');
        if FILES.contains(&option) {
            return None;
        }
        Some(match self {
            _ if word.starts_with("--") && option.contains('=') => 1,
            Self::OpenMpi if among(OPEN_MPI_TWO, option) => 3,
            Self::Hydra if among(HYDRA_TWO, option) => {
                if words.get(1).is_some_and(|value| value.contains('=')) { 2 } else { 3 }
            }
            Self::Slurm if !word.starts_with("--") => 1 + usize::from(wants_next(option)),
            family => 1 + usize::from(family.takes(option)),
        })
    }

    /// Returns whether `option` takes one word.
    fn takes(self, option: &str) -> bool {
        match self {
            Self::OpenMpi => among(OPEN_MPI, option),
            Self::Hydra => among(HYDRA, option),
            Self::Unknown => among(OPEN_MPI, option) && among(HYDRA, option),
            Self::Slurm => among(SLURM, option),
            Self::Other => among(OTHER, option),
        }
    }
}

/// Returns whether the value of srun's `letters` is the next word, as in `-ln 4` but not `-ln4`: the first letter
/// that takes a value is the last option.
fn wants_next(letters: &str) -> bool {
    let takes = |letter: char| SLURM_LETTERS.contains(letter);
    letters.find(takes).is_some_and(|at| at + 1 == letters.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launchers_have_many_names() {
        for (name, family) in [
            ("mpirun", Family::Unknown),
            ("/usr/bin/mpirun.openmpi", Family::OpenMpi),
            ("mpiexec.hydra", Family::Hydra),
            ("mpiexec.mpich", Family::Hydra),
            ("mpirun-openmpi-gcc", Family::OpenMpi),
            ("orterun", Family::OpenMpi),
            ("srun", Family::Slurm),
            ("jsrun", Family::Other),
        ] {
            assert_eq!(Family::of(name, || None), Some(family), "{name}");
        }
        for name in ["./solve", "mpirunner", "python3"] {
            assert!(!is_launcher(name), "{name}");
        }
    }

    #[test]
    fn whose_a_launcher_is_its_version_tells() {
        let of = |library: &str| Family::of("mpirun", || Some(Mpi::of_name(library)));
        assert_eq!(of("libmpi.so.40"), Some(Family::OpenMpi));
        assert_eq!(of("libmpich.so.12"), Some(Family::Hydra));
        assert_eq!(of("libmpi.so.12"), Some(Family::Hydra));
    }

    #[test]
    fn the_same_option_has_other_values_elsewhere() {
        for (family, line, length) in [
            (Family::OpenMpi, "-d ./p", 1),
            (Family::OpenMpi, "-s ./p", 1),
            (Family::OpenMpi, "--mca btl self", 3),
            (Family::OpenMpi, "--map-by=core ./p", 1),
            (Family::OpenMpi, "-x A=1", 2),
            (Family::Hydra, "-s all", 2),
            (Family::Hydra, "-l ./p", 1),
            (Family::Hydra, "-hosts-group node[1-4] ./p", 2),
            (Family::Hydra, "-cpu-bind rr ./p", 2),
            (Family::Hydra, "-genv A 1", 3),
            (Family::Hydra, "-genv A=1 ./p", 2),
            (Family::Slurm, "-s ./p", 1),
            (Family::Slurm, "-d singleton", 2),
            (Family::Slurm, "-n4 ./p", 1),
            (Family::Slurm, "-ln 4", 2),
            (Family::Slurm, "-ln4 ./p", 1),
            (Family::Slurm, "--mem 4G", 2),
            (Family::Slurm, "--exclusive ./p", 1),
            (Family::Slurm, "--exclusive=user ./p", 1),
            (Family::Unknown, "-np 4", 2),
            (Family::Unknown, "-s ./p", 1),
            (Family::Other, "-d 2", 2),
        ] {
            let words: Vec<String> = line.split(' ').map(str::to_string).collect();
            assert_eq!(family.length(&words), Some(length), "{family:?} {line}");
        }
        assert_eq!(Family::Slurm.length(&["--multi-prog".into(), "list".into()]), None);
    }
}
