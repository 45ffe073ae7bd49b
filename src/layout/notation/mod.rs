//! WHAT does a line of HPF say? Texts become values, and values texts: distributions, directives, and mappings as they are
//! printed. An error says where the text goes wrong, what is there and what was expected.
//!
//! ```text
//! (CYCLIC(4), BLOCK, *) ONTO P(2,3)
//! !HPF$ ALIGN A(i,*) WITH T(2*i+1,*)
//! A(i,*,k) WITH T(-k+20,2*i+1,4), T(BLOCK,CYCLIC(2),*) ONTO P(2,3)
//! ```
//!
//! Upper and lower case are the same; names come out in upper case. What can be checked without the objects that the names
//! stand for is checked here. This folder never knows which objects these are, nor any process or communicator.
//!
//! | file | the question it answers |
//! |---|---|
//! | `distribution.pest`, `directive.pest` | what may a text look like? |
//! | `distribution` | how is a template dealt out, and onto what? |
//! | `plain` | which map does a distribution mean by itself? |
//! | `directive` | what does a line declare? |
//! | `alignment` | which element of an array is aligned with which of a template? |
//! | `subscript` | which index of a template does an expression mean? |
//! | `number` | which number do digits mean? |
//! | `print` | how is a directive written? |
//! | `error` | where does a text go wrong? |

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

/// The distribution that `text` means.
pub fn distribution(text: &str) -> Result<Distribution, TextError> {
    let whole = parse(Rule::distribution, text)?;
    let target = all(&whole, Rule::target);
    distribution::read(&one(&whole, Rule::formats), target.first())
}

/// The directive that `line` is, with or without a sentinel such as `!HPF$`.
pub fn directive(line: &str) -> Result<Directive, TextError> {
    directive::read(&parse(Rule::directive, line)?)
}

/// The mapping that `text` means, which is as [`crate::layout::mapping::Map`] is printed.
pub fn mapping(text: &str) -> Result<Mapping, TextError> {
    directive::mapping(&parse(Rule::mapping, text)?)
}

fn parse(rule: Rule, text: &str) -> Result<Pair<'_, Rule>, TextError> {
    let mut pairs = Grammar::parse(rule, text).map_err(|error| TextError::of(text, &error))?;
    Ok(pairs.next().expect("a rule that was parsed is there"))
}

/// An error at the start of `pair`.
fn mistake(pair: &Pair<'_, Rule>, message: String) -> TextError {
    TextError::new(pair.get_input(), pair.as_span().start(), message)
}

/// The parts of `pair` that are of a kind.
fn all<'a>(pair: &Pair<'a, Rule>, rule: Rule) -> Vec<Pair<'a, Rule>> {
    pair.clone().into_inner().filter(|part| part.as_rule() == rule).collect()
}

/// The part of `pair` of a kind of which the grammar has one.
fn one<'a>(pair: &Pair<'a, Rule>, rule: Rule) -> Pair<'a, Rule> {
    all(pair, rule).swap_remove(0)
}

/// The name that `pair` is.
fn upper(pair: &Pair<'_, Rule>) -> String {
    pair.as_str().to_ascii_uppercase()
}

#[cfg(test)]
mod tests;
