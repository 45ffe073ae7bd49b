//! Checks that random mappings and directives are printed and parsed back unchanged, and that no nearly correct line
//! causes a panic.

use super::random::{random_directive, random_map, random_template};
use super::*;
use crate::layout::mapping::{Map, Template, TemplateAxis};
use fastrand::Rng;
use std::sync::Arc;

#[test]
fn printed_mappings_are_read_back() {
    let mut rng = Rng::with_seed(61);
    let mut whole = 0;
    for _ in 0..3000 {
        let template = Arc::new(random_template(&mut rng));
        let printed = template.to_string();
        let read = distribution(&printed).unwrap_or_else(|error| panic!("{printed}: {error}"));
        assert_eq!(read.to_string(), printed);

        let map = random_map(&mut rng, &template);
        let printed = map.to_string();
        let read = mapping(&printed).unwrap_or_else(|error| panic!("{printed}: {error}"));
        assert_eq!(read.to_string(), printed);

        // With the bounds, which are not printed, the maps are equal.
        let bounds: Vec<_> = map.axes().iter().map(|axis| (axis.lower, axis.upper)).collect();
        let known: Vec<_> = template.axes().iter().map(|axis| (axis.lower, axis.upper)).collect();
        let (aligns, rest) = read.alignment.apply(&bounds, &known).unwrap();
        let axes: Vec<_> =
            bounds.iter().zip(aligns).map(|(&(lower, upper), align)| (lower, upper, align)).collect();
        let again = Map::new(template.clone(), &axes, Some(&rest)).unwrap();
        assert_eq!(again.numbers(), map.numbers(), "{printed}");
        let arrangement = template.arrangement();
        // The text does not say which axes of the arrangement are left out; the parser leaves out the last ones.
        let onto: Vec<usize> = template.axes().iter().filter_map(|axis| axis.onto).collect();
        if !onto.iter().copied().eq(0..onto.len()) {
            assert!(onto.len() < arrangement.shape().len());
            continue;
        }
        let dealt = read.distribution.apply_to(arrangement.shape()).unwrap();
        let axes = known.iter().zip(dealt).map(|(&(lower, upper), (format, onto))| TemplateAxis {
            lower,
            upper,
            format,
            onto,
        });
        assert_eq!(Template::new(arrangement.clone(), axes.collect()), Ok((*template).clone()), "{printed}");
        whole += 1;
    }
    assert!(whole > 1000, "{whole}");
}

/// Changes the case and the white space of a line, and may add a sentinel and a comment.
fn disguised(rng: &mut Rng, line: &str) -> String {
    let mut out: String = (*rng.choice(["", "!HPF$", "chpf$ ", "*Hpf$\t"]).unwrap()).into();
    let mut before = ' ';
    for c in line.chars() {
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let inside = (word(before) && word(c)) || (before == ':' && c == ':');
        if !inside && rng.u8(0..3) == 0 {
            out.push(rng.choice([' ', '\t']).unwrap());
        }
        out.push(if rng.bool() { c.to_ascii_lowercase() } else { c });
        before = c;
    }
    out.push_str(rng.choice(["", " ", "! and more ("]).unwrap());
    out
}

#[test]
fn printed_directives_are_read_back() {
    let mut rng = Rng::with_seed(62);
    for _ in 0..10_000 {
        let meant = random_directive(&mut rng);
        let line = disguised(&mut rng, &meant.to_string());
        assert_eq!(directive(&line).as_ref(), Ok(&meant), "{line}");
    }
}

/// Drops or doubles characters of `text`, or replaces them by nines, by a special character or by a piece of `other`.
fn mutated(rng: &mut Rng, text: &str, other: &str) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    let other: Vec<char> = other.chars().collect();
    for _ in 0..rng.usize(1..4) {
        let at = rng.usize(0..=chars.len());
        let end = (at + rng.usize(0..4)).min(chars.len());
        let from = rng.usize(0..=other.len());
        let to = (from + rng.usize(0..6)).min(other.len());
        let piece: Vec<char> = match rng.u8(0..5) {
            0 => vec![],
            1 => other[from..to].to_vec(),
            2 => vec!['9'; rng.usize(1..50)],
            3 => chars[at..end].repeat(2),
            _ => vec![
                rng.choice(['(', ')', '*', ',', ':', '+', '-', '/', '!', '0', '\n', '\0', 'é', '–']).unwrap(),
            ],
        };
        chars.splice(at..end, piece);
    }
    chars.into_iter().collect()
}

#[test]
fn lines_that_are_nearly_right_are_read_or_refused() {
    let mut rng = Rng::with_seed(63);
    let (mut good, mut bad) = (0, 0);
    for _ in 0..10_000 {
        let line = |rng: &mut Rng| match rng.u8(0..3) {
            0 => {
                let template = Arc::new(random_template(rng));
                random_map(rng, &template).to_string()
            }
            1 => random_template(rng).to_string(),
            _ => random_directive(rng).to_string(),
        };
        let (line, other) = (line(&mut rng), line(&mut rng));
        let line = mutated(&mut rng, &line, &other);
        // A parsed text can be printed and parsed again. An error has one line and a position within the text.
        let texts = [
            directive(&line).map(|read| (directive(&read.to_string()) == Ok(read.clone()), read.to_string())),
            distribution(&line)
                .map(|read| (distribution(&read.to_string()) == Ok(read.clone()), read.to_string())),
            mapping(&line).map(|read| (mapping(&read.to_string()) == Ok(read.clone()), read.to_string())),
        ];
        for read in texts {
            match read {
                Ok((same, printed)) => {
                    // A long INDIRECT is printed without its owners.
                    assert!(
                        same || printed.contains("INDIRECT,") || printed.contains("INDIRECT)"),
                        "{line:?} {printed}"
                    );
                    good += 1;
                }
                Err(error) => {
                    let row = line.split('\n').nth(error.line - 1).expect("a line of the text");
                    assert!((1..=row.chars().count() + 1).contains(&error.column), "{line:?} {error}");
                    assert!(!error.to_string().contains('\n') && error.show(&line).ends_with('^'));
                    bad += 1;
                }
            }
        }
    }
    assert!(good > 500 && bad > 10_000, "{good} {bad}");
}
