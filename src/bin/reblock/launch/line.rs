//! WHERE in a launcher's command line are the programs? Launchers differ in how they take variables, but all of them run
//! `env NAME=VALUE program` on each rank. So options and their values are passed over, and `env` goes before each program.
//! It never looks at a file.

/// Launchers, by the beginnings of their names.
const LAUNCHERS: [&str; 9] =
    ["mpirun", "mpiexec", "orterun", "prterun", "srun", "aprun", "jsrun", "ibrun", "flux"];
/// Options, without their dashes, that take two words.
const TWO: [&str; 9] = ["mca", "gmca", "omca", "prtemca", "pmixmca", "tune-mca", "env", "genv", "v-env"];
/// Options that take one word.
const ONE: [&str; 62] = [
    "n",
    "np",
    "c",
    "N",
    "H",
    "host",
    "hosts",
    "hostfile",
    "machinefile",
    "f",
    "x",
    "s",
    "iface",
    "ppn",
    "perhost",
    "map-by",
    "bind-to",
    "rank-by",
    "wdir",
    "wd",
    "path",
    "prefix",
    "npernode",
    "npersocket",
    "N-per",
    "envlist",
    "genvlist",
    "rf",
    "rankfile",
    "cpu-list",
    "cpu-set",
    "output-filename",
    "output",
    "display",
    "timeout",
    "stdin",
    "launcher",
    "bootstrap",
    "rmk",
    "report-uri",
    "personality",
    "dvm-uri",
    "p",
    "A",
    "t",
    "J",
    "w",
    "o",
    "e",
    "i",
    "ntasks",
    "nodes",
    "partition",
    "account",
    "time",
    "cpus-per-task",
    "ntasks-per-node",
    "mpi",
    "cpu-bind",
    "distribution",
    "d",
    "r",
];
/// Options by which programs are in a file.
const FILES: [&str; 2] = ["app", "configfile"];
/// Programs that run another one.
const WRAPPERS: [&str; 7] = ["env", "numactl", "taskset", "nice", "time", "stdbuf", "timeout"];

const PRELOAD: &str = "LD_PRELOAD=";

/// A command line.
#[derive(Debug)]
pub struct Line<'a> {
    words: &'a [String],
    /// Where programs are, and where those are that they wrap.
    programs: Vec<(usize, usize)>,
}

/// Whether `word` names a launcher.
pub fn is_launcher(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    LAUNCHERS.iter().any(|launcher| {
        name.strip_prefix(launcher).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '-', '_']))
    })
}

impl<'a> Line<'a> {
    /// Finds the programs, one or one for each part between colons. `exists`: whether a word is a program on this machine.
    pub fn read(words: &'a [String], exists: impl Fn(&str) -> bool) -> Result<Self, String> {
        let Some(launcher) = words.first() else { return Err("there is no command to run".into()) };
        let mut programs = Vec::new();
        if !is_launcher(launcher) {
            return Ok(Self { words, programs: vec![(0, wrapped(words, 0, words.len(), &exists))] });
        }
        let mut begin = 1;
        while begin <= words.len() {
            let end = words[begin..].iter().position(|word| word == ":").map_or(words.len(), |at| begin + at);
            let at = program(words, begin, end, &exists)
                .ok_or_else(|| format!("no program is found in: {}", words[begin..end].join(" ")))?;
            programs.push((at, wrapped(words, at, end, &exists)));
            begin = end + 1;
        }
        Ok(Self { words, programs })
    }

    /// The programs that make the calls.
    pub fn inspected(&self) -> impl Iterator<Item = &'a str> {
        self.programs.iter().map(|&(_, inner)| self.words[inner].as_str())
    }

    /// The line with `before` before each program.
    pub fn with(&self, before: &[String]) -> Vec<String> {
        let mut line = Vec::new();
        for (k, word) in self.words.iter().enumerate() {
            if self.programs.iter().any(|&(at, _)| at == k) {
                line.extend_from_slice(before);
            }
            line.push(self.with_preloaded(k, before).unwrap_or_else(|| word.clone()));
        }
        line
    }

    /// Word `k`, if it would undo what `before` preloads: a wrapper's own list, with that in front.
    fn with_preloaded(&self, k: usize, before: &[String]) -> Option<String> {
        let inside = self.programs.iter().any(|&(outer, inner)| outer < k && k < inner);
        let list = self.words[k].strip_prefix(PRELOAD).filter(|_| inside)?;
        let ours = before.iter().find_map(|word| word.strip_prefix(PRELOAD))?;
        Some(format!("{PRELOAD}{ours}:{list}"))
    }
}

/// The first word of `begin..end` that is neither an option nor its value, and is a program.
fn program(words: &[String], begin: usize, end: usize, exists: &impl Fn(&str) -> bool) -> Option<usize> {
    let mut at = begin;
    while at < end {
        let word = words[at].as_str();
        let option = word.trim_start_matches('-');
        if word.starts_with('-') && FILES.contains(&option) {
            return None;
        }
        at += match word.starts_with('-') {
            true if option.contains('=') => 1,
            true if TWO.contains(&option) => 3,
            true if ONE.contains(&option) => 2,
            true => 1,
            false if exists(word) => return Some(at),
            // The value of an option that is not known here.
            false => 1,
        };
    }
    None
}

/// The program that the one at `at` runs, or `at` if it runs no other.
fn wrapped(words: &[String], at: usize, end: usize, exists: &impl Fn(&str) -> bool) -> usize {
    let name = words[at].rsplit('/').next().unwrap_or_default();
    if !WRAPPERS.contains(&name) {
        return at;
    }
    let inner = (at + 1..end).find(|&k| {
        let word = words[k].as_str();
        !word.starts_with('-') && !word.contains('=') && exists(word)
    });
    inner.map_or(at, |inner| wrapped(words, inner, end, exists))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_string).collect()
    }

    fn exists(word: &str) -> bool {
        ["./solve", "/opt/other", "python3", "env", "numactl", "node", "solve.sh"].contains(&word)
    }

    #[test]
    fn the_program_is_found_behind_the_options() {
        for (line, want, inner) in [
            ("mpirun -n 4 ./solve -n node", vec![3], vec!["./solve"]),
            ("mpirun.openmpi --mca btl self -x PATH --host node ./solve", vec![8], vec!["./solve"]),
            ("/usr/bin/mpiexec.hydra -genv A node -ppn 2 ./solve --all", vec![6], vec!["./solve"]),
            ("srun --ntasks=4 -N 2 --exclusive python3 solve.py", vec![5], vec!["python3"]),
            ("mpirun -n 1 ./solve a : -n 3 /opt/other b", vec![3, 8], vec!["./solve", "/opt/other"]),
            ("mpirun -n 2 env A=1 numactl -m 0 ./solve", vec![3], vec!["./solve"]),
            ("mpirun --unknown value -n 2 ./solve", vec![5], vec!["./solve"]),
            ("./solve -n 4", vec![0], vec!["./solve"]),
        ] {
            let words = words(line);
            let read = Line::read(&words, exists).unwrap_or_else(|why| panic!("{line}: {why}"));
            assert_eq!(read.programs.iter().map(|&(at, _)| at).collect::<Vec<_>>(), want, "{line}");
            assert_eq!(read.inspected().collect::<Vec<_>>(), inner, "{line}");
            let longer = read.with(&["env".into(), "A=1".into()]);
            assert_eq!(longer.len(), words.len() + 2 * want.len(), "{line}");
            assert_eq!(longer[want[0]..want[0] + 2], ["env", "A=1"], "{line}");
        }
    }

    #[test]
    fn what_a_wrapper_preloads_comes_behind() {
        let words = words("mpirun -n 2 env LD_PRELOAD=yield.so ./solve LD_PRELOAD=a");
        let line = Line::read(&words, exists).unwrap().with(&["env".into(), "LD_PRELOAD=reblock.so".into()]);
        assert_eq!(
            line.join(" "),
            "mpirun -n 2 env LD_PRELOAD=reblock.so env LD_PRELOAD=reblock.so:yield.so ./solve LD_PRELOAD=a"
        );
    }

    #[test]
    fn a_line_without_a_program_is_an_error() {
        for line in ["mpirun -n 4", "mpirun -n 4 ./nothing", "mpirun -n 1 ./solve :", "mpirun --app node"] {
            let words = words(line);
            assert!(Line::read(&words, exists).is_err(), "{line}");
        }
        assert!(Line::read(&[], exists).is_err());
    }

    #[test]
    fn launchers_have_many_names() {
        for name in ["mpirun", "/usr/bin/mpirun.openmpi", "mpiexec.hydra", "srun", "mpirun-openmpi-gcc"] {
            assert!(is_launcher(name), "{name}");
        }
        for name in ["./solve", "mpirunner", "python3"] {
            assert!(!is_launcher(name), "{name}");
        }
    }
}
