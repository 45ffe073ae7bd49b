//! Errors in a text. An error is one line with the position, the text found and the text expected. [`TextError::show`]
//! points at the error with a caret.

use super::grammar::Rule;
use pest::error::{ErrorVariant, InputLocation};
use std::fmt;

const MAX_QUOTED: usize = 30;

/// An error in a text, with its position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextError {
    /// Line of the text, from 1. Directives have one line.
    pub line: usize,
    /// Character within the line, from 1.
    pub column: usize,
    /// The text found and the text expected.
    pub message: String,
}

impl TextError {
    /// Creates an error at byte `at` of `text`.
    pub(super) fn new(text: &str, at: usize, message: String) -> Self {
        let before = &text[..at];
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        let line = before.matches('\n').count() + 1;
        Self { line, column: before[start..].chars().count() + 1, message }
    }

    /// Converts an error of the parser of `text`.
    pub(super) fn from_parser(text: &str, error: &pest::error::Error<Rule>) -> Self {
        let at = match error.location {
            InputLocation::Pos(at) | InputLocation::Span((at, _)) => at,
        };
        let message = match &error.variant {
            ErrorVariant::ParsingError { positives, .. } => {
                let mut names: Vec<&str> = Vec::new();
                for name in positives.iter().filter_map(|rule| name(*rule)) {
                    if !names.contains(&name) {
                        names.push(name);
                    }
                }
                format!("found {}, expected {}", next_word(&text[at..]), join_alternatives(&names))
            }
            ErrorVariant::CustomError { message } => message.clone(),
        };
        Self::new(text, at, message)
    }

    /// Returns the failing line of `text`, with a caret below the error. `text` must be the parsed text.
    pub fn show(&self, text: &str) -> String {
        let line = text.split('\n').nth(self.line - 1).unwrap_or("").trim_end_matches('\r');
        // Keeps tabs, so that the caret is below the right character for any tab width.
        let before = line.chars().chain(std::iter::repeat(' ')).take(self.column - 1);
        let indent: String = before.map(|c| if c == '\t' { c } else { ' ' }).collect();
        format!("{line}\n{indent}^")
    }
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line > 1 {
            write!(f, "line {}, ", self.line)?;
        }
        write!(f, "column {}: {}", self.column, self.message)
    }
}

impl std::error::Error for TextError {}

/// Returns the first word or character of `rest`, in quotes; "the end" if `rest` is empty.
fn next_word(rest: &str) -> String {
    let Some(first) = rest.chars().next() else { return "the end".into() };
    let word = |c: &char| c.is_alphanumeric() || *c == '_';
    let token: String = if word(&first) {
        rest.chars().take_while(word).take(MAX_QUOTED + 1).collect()
    } else {
        first.into()
    };
    format!("{:?}", short(&token))
}

/// Shortens `text` to [`MAX_QUOTED`] characters and dots, if it is longer.
pub(super) fn short(text: &str) -> String {
    match text.char_indices().nth(MAX_QUOTED) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.into(),
    }
}

/// Joins names as in `a, b or c`.
pub(super) fn join_alternatives(names: &[&str]) -> String {
    match names {
        [] => "something else".into(),
        [one] => (*one).into(),
        [most @ .., last] => format!("{} or {last}", most.join(", ")),
    }
}

/// Returns the name of a grammar rule in errors; `None` for rules that may occur anywhere or never fail.
fn name(rule: Rule) -> Option<&'static str> {
    Some(match rule {
        Rule::EOI => "the end",
        Rule::directive | Rule::statement | Rule::attribute => "a directive such as DISTRIBUTE or ALIGN",
        Rule::distribution | Rule::listed | Rule::formats | Rule::format => "a distribution format",
        Rule::block | Rule::word_block => "BLOCK",
        Rule::cyclic | Rule::word_cyclic => "CYCLIC",
        Rule::gen_block | Rule::word_gen_block => "GEN_BLOCK",
        Rule::indirect | Rule::word_indirect => "INDIRECT",
        Rule::collapsed | Rule::times => "\"*\"",
        Rule::word_onto | Rule::target => "ONTO",
        Rule::word_with | Rule::onto_base => "WITH",
        Rule::processors | Rule::is_processors | Rule::word_processors => "PROCESSORS",
        Rule::template | Rule::is_template | Rule::word_template => "TEMPLATE",
        Rule::dimension | Rule::dimensions | Rule::word_dimension => "DIMENSION",
        Rule::distribute | Rule::distributed | Rule::word_distribute => "DISTRIBUTE, REDISTRIBUTE",
        Rule::align | Rule::aligned | Rule::word_align => "ALIGN, REALIGN",
        Rule::dynamic | Rule::is_dynamic | Rule::word_dynamic => "DYNAMIC",
        Rule::shadow | Rule::shadowed | Rule::word_shadow => "SHADOW",
        Rule::name | Rule::names | Rule::mapping | Rule::shaped | Rule::bounded | Rule::entity => "a name",
        Rule::owner | Rule::owners | Rule::listed_owners => "an owner",
        Rule::source => "a dummy, \"*\" or \":\"",
        Rule::subscript | Rule::triplet | Rule::affine => "a subscript",
        Rule::term | Rule::factor => "a number or a dummy",
        Rule::number | Rule::numbers | Rule::sizes | Rule::width => "a number",
        Rule::integer | Rule::bounds | Rule::first | Rule::last | Rule::stride => "a number",
        Rule::sign => "a sign",
        Rule::open
        | Rule::shape
        | Rule::extents
        | Rule::sources
        | Rule::subscripts
        | Rule::widths
        | Rule::extents_of => "\"(\"",
        Rule::close => "\")\"",
        Rule::comma => "\",\"",
        Rule::slash => "\"/\"",
        Rule::bracket => "\"[\"",
        Rule::end_bracket => "\"]\"",
        Rule::colon => "\":\"",
        Rule::double_colon => "\"::\"",
        // The errors name the rules of its attributes instead.
        Rule::combined => return None,
        Rule::sentinel | Rule::comment | Rule::word_end | Rule::WHITESPACE => return None,
    })
}
