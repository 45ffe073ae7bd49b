//! Search for the programs in a launcher's command line. Launchers take variables in different ways, but all of them
//! run `env NAME=VALUE program` on each rank. So options and their values are skipped, and `env` is inserted before
//! each program. No file is read here.

use super::options::Family;

/// Programs that run another program.
const WRAPPERS: [&str; 7] = ["env", "numactl", "taskset", "nice", "time", "stdbuf", "timeout"];

const PRELOAD: &str = "LD_PRELOAD=";

/// A command line with its programs.
#[derive(Debug)]
pub struct Line<'a> {
    words: &'a [String],
    /// Positions of each program, and of the program that it wraps.
    programs: Vec<(usize, usize)>,
}

impl<'a> Line<'a> {
    /// Finds the programs, one in each part between colons: those that are `named`, or the first words after the
    /// options of the launcher, if there is one. `exists` tests whether a word is a program on this machine.
    pub fn read(
        words: &'a [String],
        launcher: Option<Family>,
        named: &[String],
        exists: impl Fn(&str) -> bool,
    ) -> Result<Self, String> {
        if words.is_empty() {
            return Err("there is no command to run".into());
        }
        let mut line = Self { words, programs: Vec::new() };
        let Some(family) = launcher else {
            let at =
                if named.is_empty() { Some(0) } else { words.iter().position(|word| named.contains(word)) };
            line.add(at, 0, words.len(), &exists)?;
            return Ok(line);
        };
        let mut begin = 1;
        while begin <= words.len() {
            let end = words[begin..].iter().position(|word| word == ":").map_or(words.len(), |at| begin + at);
            let at = match named {
                [] => program(words, begin, end, family, &exists),
                named => (begin..end).find(|&at| named.contains(&words[at])),
            };
            line.add(at, begin, end, &exists)?;
            begin = end + 1;
        }
        Ok(line)
    }

    /// Adds the program at `at`, in the words `begin..end`.
    fn add(
        &mut self,
        at: Option<usize>,
        begin: usize,
        end: usize,
        exists: &impl Fn(&str) -> bool,
    ) -> Result<(), String> {
        let part = || self.words[begin..end].join(" ");
        let at = at.ok_or_else(|| {
            let path = |word: &&String| !word.starts_with('-') && word.contains('/') && !exists(word);
            let last = self.words[begin..end].iter().rfind(path);
            let none = last.map_or(String::new(), |word| format!(" ({word} names none)"));
            format!("no program is found in: {}{none}; name it with --program", part())
        })?;
        self.programs.push((at, wrapped(self.words, at, end, exists)));
        Ok(())
    }

    /// Returns the programs that make the calls.
    pub fn inspected(&self) -> impl Iterator<Item = &'a str> {
        self.programs.iter().map(|&(_, inner)| self.words[inner].as_str())
    }

    /// Returns the line with `before` inserted before each program.
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

    /// Returns word `k` with the preloads of `before` in front, if it is a wrapper's own list, which would undo them.
    fn with_preloaded(&self, k: usize, before: &[String]) -> Option<String> {
        let inside = self.programs.iter().any(|&(outer, inner)| outer < k && k < inner);
        let list = self.words[k].strip_prefix(PRELOAD).filter(|_| inside)?;
        let ours = before.iter().find_map(|word| word.strip_prefix(PRELOAD))?;
        Some(format!("{PRELOAD}{ours}:{list}"))
    }
}

/// Returns the program's position: the first word of `begin..end` that is neither an option nor the value of an
/// option, and is a program. A word where only a program can stand is taken even if it is none: its name is misspelt.
fn program(
    words: &[String],
    begin: usize,
    end: usize,
    family: Family,
    exists: &impl Fn(&str) -> bool,
) -> Option<usize> {
    let mut at = begin;
    // Set if the word at `at` cannot be the value of an unknown option.
    let mut is_program = family != Family::Other;
    while at < end {
        at += match words[at].as_str() {
            word if word.starts_with('-') => {
                let length = family.length(&words[at..end])?;
                is_program = length > 1 || word.contains('=');
                length
            }
            word if is_program || exists(word) => return Some(at),
            _ => 1,
        };
    }
    None
}

/// Options of env whose value is the next word.
const ENV: [&str; 4] = ["-u", "--unset", "-C", "--chdir"];

/// Returns the position of the program that the one at `at` runs; `at` if it runs none.
fn wrapped(words: &[String], at: usize, end: usize, exists: &impl Fn(&str) -> bool) -> usize {
    let name = words[at].rsplit('/').next().unwrap_or_default();
    if !WRAPPERS.contains(&name) {
        return at;
    }
    // After env's options and variables comes the program, even if its name is misspelt.
    let is_env = name == "env";
    let inner = (at + 1..end).find(|&k| {
        let word = words[k].as_str();
        let is_value = is_env && ENV.contains(&words[k - 1].as_str());
        !word.starts_with('-') && !word.contains('=') && !is_value && (is_env || exists(word))
    });
    inner.map_or(at, |inner| wrapped(words, inner, end, exists))
}

#[cfg(test)]
mod tests {
    use super::super::Mpi;
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_string).collect()
    }

    fn exists(word: &str) -> bool {
        ["./solve", "/opt/other", "python3", "env", "numactl", "node", "solve.sh"].contains(&word)
    }

    fn read<'a>(words: &'a [String], named: &[String]) -> Result<Line<'a>, String> {
        let of_name =
            |name: &str| Some(Mpi::of_name(if name == "mpirun" { "libmpi.so.40" } else { "libmpich.so.12" }));
        let family = words.first().and_then(|first| Family::of(first, || of_name(first)));
        Line::read(words, family, named, exists)
    }

    #[test]
    fn the_program_is_found_behind_the_options() {
        for (line, want, inner) in [
            ("mpirun -n 4 ./solve -n node", vec![3], vec!["./solve"]),
            ("mpirun.openmpi --mca btl self -x PATH --host node ./solve", vec![8], vec!["./solve"]),
            ("mpirun -d ./solve /opt/other", vec![2], vec!["./solve"]),
            ("mpirun -s -n 4 ./solve", vec![4], vec!["./solve"]),
            ("mpiexec -s node -n 4 ./solve", vec![5], vec!["./solve"]),
            ("/usr/bin/mpiexec.hydra -genv A node -ppn 2 ./solve --all", vec![6], vec!["./solve"]),
            ("srun --ntasks=4 -N 2 --exclusive python3 solve.py", vec![5], vec!["python3"]),
            ("srun -s ./solve /opt/other", vec![2], vec!["./solve"]),
            ("srun -ln 4 -w node ./solve", vec![5], vec!["./solve"]),
            ("mpirun -n 1 ./solve a : -n 3 /opt/other b", vec![3, 8], vec!["./solve", "/opt/other"]),
            ("mpirun -n 2 env A=1 numactl -m 0 ./solve", vec![3], vec!["./solve"]),
            ("mpirun --unknown value -n 2 ./solve", vec![5], vec!["./solve"]),
            ("./solve -n 4", vec![0], vec!["./solve"]),
        ] {
            let words = words(line);
            let read = read(&words, &[]).unwrap_or_else(|why| panic!("{line}: {why}"));
            assert_eq!(read.programs.iter().map(|&(at, _)| at).collect::<Vec<_>>(), want, "{line}");
            assert_eq!(read.inspected().collect::<Vec<_>>(), inner, "{line}");
            let longer = read.with(&["env".into(), "A=1".into()]);
            assert_eq!(longer.len(), words.len() + 2 * want.len(), "{line}");
            assert_eq!(longer[want[0]..want[0] + 2], ["env", "A=1"], "{line}");
        }
    }

    #[test]
    fn a_program_that_is_named_is_taken() {
        for (line, want) in [
            ("mpirun --unknown node ./far", vec![3]),
            ("mpirun -n 1 /opt/other ./far a : -n 2 ./far b", vec![4, 9]),
            ("launch 4 node ./far", vec![3]),
        ] {
            let words = words(line);
            let read = read(&words, &["./far".into()]).unwrap_or_else(|why| panic!("{line}: {why}"));
            assert_eq!(read.programs.iter().map(|&(at, _)| at).collect::<Vec<_>>(), want, "{line}");
        }
        let words = words("mpirun -n 1 ./far : -n 2 ./solve");
        assert!(
            read(&words, &["./far".into()]).unwrap_err().contains("-n 2 ./solve; name it with --program")
        );
        assert!(read(&words, &["./far".into(), "./solve".into()]).is_ok());
    }

    #[test]
    fn what_a_wrapper_preloads_comes_behind() {
        let words = words("mpirun -n 2 env LD_PRELOAD=yield.so ./solve LD_PRELOAD=a");
        let line = read(&words, &[]).unwrap().with(&["env".into(), "LD_PRELOAD=reblock.so".into()]);
        assert_eq!(
            line.join(" "),
            "mpirun -n 2 env LD_PRELOAD=reblock.so env LD_PRELOAD=reblock.so:yield.so ./solve LD_PRELOAD=a"
        );
    }

    #[test]
    fn a_line_without_a_program_is_an_error() {
        for line in ["mpirun -n 4", "mpirun -q ./nothing", "mpirun -n 1 ./solve :", "mpirun --app node"] {
            let words = words(line);
            assert!(read(&words, &[]).is_err(), "{line}");
        }
        assert!(read(&[], &[]).is_err());
        let words = words("mpirun -q ./nothing");
        assert!(read(&words, &[]).unwrap_err().contains("-q ./nothing (./nothing names none)"));
    }

    #[test]
    fn a_name_with_a_typing_error_is_the_program() {
        for line in [
            "mpirun -n 4 ./nothing",
            "mpirun ./nothing solve.sh",
            "mpirun -n 4 ./nothing ./solve",
            "mpirun --mca btl self ./nothing node",
            "srun --ntasks=4 ./nothing ./solve",
            "mpirun -n 2 env A=1 -u B ./nothing ./solve",
        ] {
            let words = words(line);
            let read = read(&words, &[]).unwrap_or_else(|why| panic!("{line}: {why}"));
            assert_eq!(read.inspected().collect::<Vec<_>>(), ["./nothing"], "{line}");
        }
        // The value of an unknown option, and a subcommand of a launcher.
        for line in ["mpirun --unknown value ./solve", "flux run -n 4 ./solve"] {
            let words = words(line);
            assert_eq!(read(&words, &[]).unwrap().inspected().collect::<Vec<_>>(), ["./solve"], "{line}");
        }
    }
}
