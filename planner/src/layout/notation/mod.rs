//! Parses and prints HPF's notation: distributions, directives, and mappings in their printed form. Errors give
//! position, found text and expectation.
//!
//! ```text
//! (CYCLIC(4), BLOCK, *) ONTO P(2,3)
//! !HPF$ ALIGN A(i,*) WITH T(2*i+1,*)
//! A(i,*,k) WITH T(-k+20,2*i+1,4), T(BLOCK,CYCLIC(2),*) ONTO P(2,3)
//! ```
//!
//! Case is ignored, and names are returned in upper case. All checks that do not need the named objects are made here.
//! This folder has no access to these objects, to processes or to communicators.
//!
//! | file | contents |
//! |---|---|
//! | `distribution.pest`, `directive.pest` | the grammar |
//! | `distribution` | distribution formats and their target |
//! | `plain` | the map of a distribution without a template |
//! | `directive` | directives, and mappings in their printed form |
//! | `alignment` | alignments |
//! | `subscript` | subscripts of a template in an alignment |
//! | `number` | numbers within bounds |
//! | `print` | `Display` of directives |
//! | `error` | error positions and messages |

mod alignment;
mod directive;
mod distribution;
mod error;
mod number;
mod plain;
mod print;
mod subscript;

pub use alignment::{Alignment, Along, Pattern};
pub use directive::{Bounded, Directive, Mapping, Shaped, Widths};
pub use distribution::{Distribution, Target};
pub use error::TextError;

use pest::Parser;
use pest::iterators::Pair;

mod grammar {
    #![allow(missing_docs)]
    #[derive(pest_derive::Parser)]
    #[grammar = "layout/notation/distribution.pest"]
    #[grammar = "layout/notation/directive.pest"]
    pub struct Grammar;
}
use grammar::{Grammar, Rule};

/// Parses a distribution such as `(CYCLIC(4), BLOCK, *) ONTO P(2,3)`.
pub fn distribution(text: &str) -> Result<Distribution, TextError> {
    let whole = parse(Rule::distribution, text)?;
    let target = all(&whole, Rule::target);
    distribution::read(&one(&whole, Rule::formats), target.first())
}

/// Parses a directive, with or without a sentinel such as `!HPF$`.
pub fn directive(line: &str) -> Result<Directive, TextError> {
    directive::read(&parse(Rule::directive, line)?)
}

/// Parses a mapping in the format that [`crate::layout::mapping::Map`] is printed in.
pub fn mapping(text: &str) -> Result<Mapping, TextError> {
    directive::mapping(&parse(Rule::mapping, text)?)
}

fn parse(rule: Rule, text: &str) -> Result<Pair<'_, Rule>, TextError> {
    let mut pairs = Grammar::parse(rule, text).map_err(|error| TextError::from_parser(text, &error))?;
    Ok(pairs.next().expect("a rule that was parsed is there"))
}

/// Creates an error at the start of `pair`.
fn mistake(pair: &Pair<'_, Rule>, message: String) -> TextError {
    TextError::new(pair.get_input(), pair.as_span().start(), message)
}

/// Returns the direct parts of `pair` with rule `rule`.
fn all<'a>(pair: &Pair<'a, Rule>, rule: Rule) -> Vec<Pair<'a, Rule>> {
    pair.clone().into_inner().filter(|part| part.as_rule() == rule).collect()
}

/// Returns the direct part of `pair` with rule `rule`, of which the grammar requires one.
fn one<'a>(pair: &Pair<'a, Rule>, rule: Rule) -> Pair<'a, Rule> {
    all(pair, rule).swap_remove(0)
}

/// Returns the text of `pair` in upper case.
fn upper(pair: &Pair<'_, Rule>) -> String {
    pair.as_str().to_ascii_uppercase()
}

#[cfg(test)]
mod tests;
