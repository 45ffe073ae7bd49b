//! Variables that look like reblock's and are not: mostly typing errors, which would change nothing without a word.

use super::variables::VARIABLES;
use crate::system::one_line::one_line;

/// The beginning of the names of reblock's variables.
const PREFIX: &str = "REBLOCK_";
/// What the library sets for processes that it starts, and `reblock run` for its program.
const OWN: [&str; 2] = ["REBLOCK_JOINS", "REBLOCK_RUN"];
/// Ends of names by which modules, package managers and builds say where a package is and what it is called.
const PLACES: [&str; 17] = [
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
/// The most letters that a typing error adds, leaves out, changes or swaps.
const LETTERS: usize = 3;

/// A line for each variable of this process that reblock does not know.
pub fn lines_of_process() -> Vec<String> {
    let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    let mut lines: Vec<String> = names.filter_map(|name| line(&name)).collect();
    lines.sort();
    lines
}

/// What is wrong with the variable called `name`, if it looks like one of reblock's and is none.
fn line(name: &str) -> Option<String> {
    let rest = name.strip_prefix(PREFIX)?;
    let is_known = VARIABLES.contains(&name) || OWN.contains(&name);
    if is_known || PLACES.contains(&rest) || rest.starts_with("TEST_") {
        return None;
    }
    let nearest = VARIABLES.into_iter().map(|known| (distance(name, known), known)).min();
    let meant = match nearest.filter(|&(letters, _)| letters <= LETTERS) {
        Some((_, known)) => format!("is {known} meant?"),
        None => "docs/settings.md lists all".into(),
    };
    Some(format!("{} is set, but reblock has no such variable: {meant}", one_line(name)))
}

/// Letters to add, leave out, change or swap with their neighbour to get from one name to the other (optimal string alignment).
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
        for name in VARIABLES.into_iter().chain(OWN).map(String::from).chain(others).chain(foreign) {
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
