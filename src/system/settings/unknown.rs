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
/// The most letters that a typing error adds, leaves out or changes.
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

/// The letters that have to be added, left out or changed to get from one name to the other (Levenshtein 1965).
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.chars().enumerate() {
        let mut before = std::mem::replace(&mut row[0], i + 1);
        for (j, b) in to.iter().enumerate() {
            let changed = before + usize::from(a != *b);
            before = row[j + 1];
            row[j + 1] = changed.min(before + 1).min(row[j] + 1);
        }
    }
    row[to.len()]
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
            [("", "", 0), ("ab", "", 2), ("kitten", "sitting", 3), ("abc", "acb", 2), ("ab", "xab", 1)]
        {
            assert_eq!((distance(from, to), distance(to, from)), (letters, letters));
        }
    }
}
