//! Parses text into pairs of a grammar rule and its text, and finds the parts of a pair.

use super::TextError;
use super::grammar::{Grammar, Rule};
use pest::Parser;
use pest::iterators::Pair;

/// Parses the whole of `text` by `rule`.
pub(super) fn parse(rule: Rule, text: &str) -> Result<Pair<'_, Rule>, TextError> {
    let mut pairs = Grammar::parse(rule, text).map_err(|error| TextError::from_parser(text, &error))?;
    Ok(pairs.next().expect("a rule that was parsed is there"))
}

pub(super) fn mistake(pair: &Pair<'_, Rule>, message: String) -> TextError {
    TextError::new(pair.get_input(), pair.as_span().start(), message)
}

/// Returns the direct parts of `pair` with rule `rule`.
pub(super) fn all<'a>(pair: &Pair<'a, Rule>, rule: Rule) -> Vec<Pair<'a, Rule>> {
    pair.clone().into_inner().filter(|part| part.as_rule() == rule).collect()
}

/// Returns the first direct part of `pair` with rule `rule`. The grammar must require this part.
pub(super) fn child<'a>(pair: &Pair<'a, Rule>, rule: Rule) -> Pair<'a, Rule> {
    all(pair, rule).swap_remove(0)
}

pub(super) fn upper_case(pair: &Pair<'_, Rule>) -> String {
    pair.as_str().to_ascii_uppercase()
}
