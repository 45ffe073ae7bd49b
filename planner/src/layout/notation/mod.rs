//! Parses and prints HPF's notation: distributions, directives, and mappings in their printed form. An error has the
//! position, the found text and the expected text.
//!
//! ```text
//! (CYCLIC(4), BLOCK, *) ONTO P(2,3)
//! !HPF$ ALIGN A(i,*) WITH T(2*i+1,*)
//! A(i,*,k) WITH T(-k+20,2*i+1,4), T(BLOCK,CYCLIC(2),*) ONTO P(2,3)
//! ```
//! Case is ignored, and names are returned in upper case. This folder makes all checks of a text that do not need the
//! named objects.
//!
//! | file | contents |
//! |---|---|
//! | `distribution.pest`, `directive.pest` | the grammar |
//! | `grammar` | the parser that pest generates |
//! | `pairs` | parsed rules with their texts |
//! | `distribution` | distribution formats, and the processor arrangement after `ONTO` |
//! | `plain` | the map of a distribution without a template |
//! | `directive` | directives, and mappings in their printed form |
//! | `alignment` | alignments |
//! | `subscript` | subscripts of a template in an alignment |
//! | `number` | numbers within bounds |
//! | `print` | `Display` of distributions, directives and mappings |
//! | `error` | error positions and messages |

mod alignment;
mod directive;
mod distribution;
mod error;
mod grammar;
mod number;
mod pairs;
mod plain;
mod print;
mod subscript;

pub use alignment::{Alignment, Along, Pattern};
pub use directive::{Bounded, Directive, Mapping, Shaped, Widths};
pub use distribution::{Distribution, Target};
pub use error::TextError;

use grammar::Rule;
use pairs::{all, child, parse};

/// Parses a distribution such as `(CYCLIC(4), BLOCK, *) ONTO P(2,3)`.
pub fn distribution(text: &str) -> Result<Distribution, TextError> {
    let whole = parse(Rule::distribution, text)?;
    let target = all(&whole, Rule::target);
    distribution::read(&child(&whole, Rule::formats), target.first())
}

/// Parses a directive, with or without a sentinel such as `!HPF$`.
pub fn directive(line: &str) -> Result<Directive, TextError> {
    directive::read(&parse(Rule::directive, line)?)
}

/// Parses a mapping in the format that [`crate::layout::mapping::Map`] is printed in.
pub fn mapping(text: &str) -> Result<Mapping, TextError> {
    directive::mapping(&parse(Rule::mapping, text)?)
}

#[cfg(test)]
mod tests;
