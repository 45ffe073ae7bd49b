//! Reads layouts from text, in HPF's notation, as HPF's directives or as ScaLAPACK's numbers, and checks them against
//! the extents of the array. An error shows the place of the mistake, and the expected text. [`crate::layout`] has the
//! operations on layouts.
//!
//! ```text
//! (CYCLIC(128), *, GEN_BLOCK(5,0,7)) ONTO P(4,3) AT 16
//! TEMPLATE T(100,100); ALIGN A(i) WITH T(*,2*i+1); DISTRIBUTE T(BLOCK,CYCLIC(4)) ONTO P(4,3) AT 16
//! MB=128 NB=64 NPROW=4 NPCOL=2 RSRC=1 CSRC=0 IA=257 JA=1 AT 16
//! ```

mod directives;
mod hpf;
mod scalapack;

use crate::layout::{Dealt, Format, Layout, MAX_RANKS};
use pest::error::{Error, ErrorVariant, LineColLocation};
use pest::iterators::Pair;
use pest::{Parser, Span};
use std::fmt::Display;

mod grammar {
    #![allow(missing_docs)]
    #[derive(pest_derive::Parser)]
    #[grammar = "bin/reblock/notation/layout.pest"]
    #[grammar = "bin/reblock/notation/distribution.pest"]
    pub struct Grammar;
}
use grammar::{Grammar, Rule};

type Mistake = Box<Error<Rule>>;

/// Maximum characters that an error shows on either side of the mistake in a long line, and maximum digits of a number.
/// Lines of at most twice this length are shown whole.
const CONTEXT_CHARS: usize = 40;

/// Reads the layout `text` of an array of extents `shape`. An error begins with `source`, the name of the option.
pub fn read(text: &str, source: &str, shape: &[u64]) -> Result<Layout, String> {
    if text.contains(';') {
        let aligned = directives::layout(text, shape).map(|aligned| Layout::Aligned(Box::new(aligned)));
        return aligned.map_err(|why| format!("{source} is not a layout\n{why}"));
    }
    dealt(text, source, shape).map(Layout::Dealt)
}

/// Reads a layout without an alignment, like [`read`].
pub fn dealt(text: &str, source: &str, shape: &[u64]) -> Result<Dealt, String> {
    let layout = Grammar::parse(Rule::layout, text).map_err(Box::new).and_then(|mut pairs| {
        let whole = pairs.next().expect("a layout is one of both notations");
        match whole.as_rule() {
            Rule::scalapack => scalapack::layout(&whole, shape),
            _ => hpf::layout(whole, shape),
        }
    });
    layout.map_err(|error| {
        let shown = format_error(&error.renamed_rules(name));
        format!("{source} is not a layout\n{shown}{}", without_onto(text, &shown))
    })
}

/// Reads the format of one dimension, without checking it against an extent.
pub fn format(text: &str) -> Result<Format, String> {
    let whole = Grammar::parse(Rule::formats, text).ok().and_then(|mut pairs| pairs.next());
    let whole = whole.filter(|formats| formats.as_str() == text);
    let formats = whole.and_then(|formats| hpf::read_formats(formats, &[0]).ok());
    let format = formats.and_then(|mut formats| formats.pop());
    format.map(|(format, _)| format).ok_or_else(|| format!("{text:?} is not a distribution format"))
}

/// Returns advice if the text has no `ONTO`, which the library does not require but this command does.
fn without_onto(text: &str, shown: &str) -> &'static str {
    match shown.contains("expected ONTO") && !text.to_ascii_uppercase().contains("ONTO") {
        true => {
            "\nWithout ONTO the library distributes over all ranks of the communicator. Here there is none: write for instance \
             (BLOCK,*) ONTO P(4)"
        }
        false => "",
    }
}

/// Formats an error: the line with a mark below the mistake, then the message. A long line is cut around the mistake.
fn format_error(error: &Error<Rule>) -> String {
    let (line, column, end) = match error.line_col {
        LineColLocation::Pos((line, column)) => (line, column, None),
        LineColLocation::Span((line, column), (last, end)) => (line, column, (last == line).then_some(end)),
    };
    let text: Vec<char> = error.line().trim_end().chars().collect();
    let at = (column - 1).min(text.len());
    let first = if text.len() > 2 * CONTEXT_CHARS { at.saturating_sub(CONTEXT_CHARS) } else { 0 };
    let last = if text.len() > 2 * CONTEXT_CHARS { text.len().min(at + CONTEXT_CHARS) } else { text.len() };
    let cut = |is_cut| if is_cut { "…" } else { "" };
    let piece = format!(
        "{}{}{}",
        cut(first > 0),
        text[first..last].iter().collect::<String>(),
        cut(last < text.len())
    );
    // Keep tabs, so that the mark is below the mistake.
    let blank = |c: &char| if *c == '\t' { '\t' } else { ' ' };
    let before: String =
        cut(first > 0).chars().chain(text[first..at].iter().copied()).map(|c| blank(&c)).collect();
    let width = end.map_or(0, |end| end.saturating_sub(column)).min(last - at);
    let mark = if width > 1 { format!("^{}^", "-".repeat(width - 2)) } else { "^---".into() };
    let gap = " ".repeat(line.to_string().len());
    format!(
        "{gap}--> {line}:{column}\n{gap} |\n{line} | {piece}\n{gap} | {before}{mark}\n{gap} |\n{gap} = {}",
        error.variant.message()
    )
}

/// Returns the name of a grammar rule in error texts.
fn name(rule: &Rule) -> String {
    let name = match rule {
        Rule::EOI => "the end",
        Rule::layout | Rule::hpf | Rule::formats | Rule::format => "a distribution format",
        Rule::block | Rule::word_block => "BLOCK or BLOCK(m)",
        Rule::cyclic | Rule::word_cyclic => "CYCLIC or CYCLIC(k)",
        Rule::gen_block | Rule::word_gen_block => "GEN_BLOCK(a,b,...)",
        Rule::indirect | Rule::word_indirect => "INDIRECT(o1,o2,...)",
        Rule::collapsed => "*",
        Rule::arrangement | Rule::word_onto => "ONTO name(p1,p2,...)",
        Rule::at | Rule::first_rank => "AT rank",
        Rule::scalapack | Rule::pair => "ScaLAPACK's numbers",
        Rule::key => "one of MB=, NB=, NPROW=, NPCOL=, RSRC=, CSRC=, IA=, JA=",
        Rule::name => "the arrangement's name",
        Rule::number | Rule::numbers | Rule::sizes | Rule::extents => "a number",
        Rule::owner | Rule::owners | Rule::listed_owners => "an owner",
        Rule::times => "*",
        Rule::slash => "/",
        Rule::bracket => "[",
        Rule::end_bracket => "]",
        Rule::open => "(",
        Rule::close => ")",
        Rule::comma => "a comma",
        Rule::equals => "=",
        Rule::WHITESPACE | Rule::word_end => "white space",
    };
    name.into()
}

/// Creates an error for the text at `span`, which follows the grammar but has an invalid value.
fn mistake(span: Span<'_>, message: impl Display) -> Mistake {
    Box::new(Error::new_from_span(ErrorVariant::CustomError { message: message.to_string() }, span))
}

/// Reads the number `pair`, which must be between `least` and `most`. `what` names the number in the error.
fn number(pair: &Pair<'_, Rule>, least: u64, most: u64, what: &str) -> Result<u64, Mistake> {
    let digits = pair.as_str();
    let number = digits.parse().ok().filter(|n| (least..=most).contains(n));
    number.ok_or_else(|| {
        let shown = match digits.get(..CONTEXT_CHARS) {
            Some(first) => format!("{first}… ({} digits)", digits.len()),
            None => digits.into(),
        };
        mistake(pair.as_span(), format!("{what} is {shown}, expected {least} to {most}"))
    })
}

/// Largest rank number that MPI can express, as a C int.
const LAST_RANK: u64 = (1 << 31) - 1;

/// Reads the first rank of an arrangement; 0 if `at` is not given.
fn first_rank(at: Option<Pair<'_, Rule>>) -> Result<u32, Mistake> {
    let rank = at.and_then(|at| at.into_inner().find(|part| part.as_rule() == Rule::number));
    let rank = rank.map_or(Ok(0), |rank| number(&rank, 0, LAST_RANK - MAX_RANKS, "the first rank"))?;
    Ok(u32::try_from(rank).expect("checked to be a rank"))
}

/// Checks that the layout has at most [`MAX_RANKS`] ranks. `span` is the place that an error shows.
fn check_ranks(layout: Dealt, span: Span<'_>) -> Result<Dealt, Mistake> {
    let mut extents = layout.dims.iter().map(|dim| dim.procs).chain(layout.copies.iter().copied());
    let ranks = extents.try_fold(1u64, |n, procs| n.checked_mul(procs.into()));
    match ranks {
        Some(ranks) if ranks <= MAX_RANKS => Ok(layout),
        _ => Err(mistake(span, format!("more than {MAX_RANKS} ranks"))),
    }
}

#[cfg(test)]
mod tests;
