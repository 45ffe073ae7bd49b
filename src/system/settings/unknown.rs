//! Warns of unknown variables whose names begin with `REBLOCK_`: most are misspelled.

use super::variables::VARIABLES;
use crate::system::one_line::one_line;

const PREFIX: &str = "REBLOCK_";
/// Variables that the library sets for processes that it starts, or `reblock run` sets for its program.
const INTERNAL: [&str; 2] = ["REBLOCK_JOINS", "REBLOCK_RUN"];
/// Name endings that modules, package managers and builds use for the location and the name of a package.
const NAME_ENDINGS: [&str; 17] = [
    "ROOT",
    "HOME",
    "DIR",
    "PREFIX",
    "BASE",
    "PATH",
    "BIN",
    "LIB",
    "LIBDIR",
    "LIBS",
    "LIBRARY",
    "INC",
    "INCLUDE",
    "INCLUDEDIR",
    "VERSION",
    "MODULE",
    "SUFFIX",
];
/// Maximum edit distance of a misspelling.
const MAX_DISTANCE: usize = 3;

/// Returns a line for each variable of this process with an unknown name, sorted.
pub fn lines_of_process() -> Vec<String> {
    let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    let mut lines: Vec<String> = names.filter_map(|name| line(&name)).collect();
    lines.sort();
    lines
}

/// Returns the warning for the variable `name`; `None` if the name is known or not reblock's.
fn line(name: &str) -> Option<String> {
    let rest = name.strip_prefix(PREFIX)?;
    let is_known = VARIABLES.contains(&name) || INTERNAL.contains(&name);
    if is_known || NAME_ENDINGS.contains(&rest) || rest.starts_with("TEST_") {
        return None;
    }
    let nearest = VARIABLES.into_iter().map(|known| (distance(name, known), known)).min();
    let meant = match nearest.filter(|&(letters, _)| letters <= MAX_DISTANCE) {
        Some((_, known)) => format!("is {known} meant?"),
        None => "docs/settings.md lists all".into(),
    };
    Some(format!("{} is set, but reblock has no such variable: {meant}", one_line(name)))
}

/// Returns the number of letters to add, delete, change or swap with a neighbour (optimal string alignment distance).
fn distance(from: &str, to: &str) -> usize {
    let (from, to): (Vec<char>, Vec<char>) = (from.chars().collect(), to.chars().collect());
    let mut table = vec![vec![0; to.len() + 1]; from.len() + 1];
    for i in 0..=from.len() {
        for j in 0..=to.len() {
            table[i][j] = match (i, j) {
                (_, 0) => i,
                (0, _) => j,
                _ => {
                    let changed = table[i - 1][j - 1] + usize::from(from[i - 1] != to[j - 1]);
                    let least = changed.min(table[i - 1][j] + 1).min(table[i][j - 1] + 1);
                    let is_swap = i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1];
                    if is_swap { least.min(table[i - 2][j - 2] + 1) } else { least }
                }
            };
        }
    }
    table[from.len()][to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typing_errors_are_named_with_the_nearest_variable() {
        for (rest, meant) in [
            ("TRANSPORTS", "is REBLOCK_TRANSPORT meant?"),
            ("TRAIL", "is REBLOCK_TRIAL meant?"),
            ("THREAD", "is REBLOCK_THREADS meant?"),
            ("WAITSECONDS", "is REBLOCK_WAIT_SECONDS meant?"),
            ("COLOURS", "docs/settings.md lists all"),
        ] {
            let name = format!("{PREFIX}{rest}");
            let want = format!("{name} is set, but reblock has no such variable: {meant}");
            assert_eq!(line(&name), Some(want));
        }
    }

    #[test]
    fn known_variables_and_others_are_not_named() {
        let others = ["ROOT", "LIB", "TEST_SEED"].map(|rest| format!("{PREFIX}{rest}"));
        let foreign = ["HOME", "OMP_NUM_THREADS", "MY_REBLOCK_TRIALS"].map(String::from);
        for name in VARIABLES.into_iter().chain(INTERNAL).map(String::from).chain(others).chain(foreign) {
            assert_eq!(line(&name), None, "{name}");
        }
    }

    #[test]
    fn distances_count_letters() {
        for (from, to, letters) in
            [("", "", 0), ("ab", "", 2), ("kitten", "sitting", 3), ("abc", "acb", 1), ("ab", "xab", 1)]
        {
            assert_eq!((distance(from, to), distance(to, from)), (letters, letters));
        }
    }
}
