//! Reads a layout from ScaLAPACK's numbers: those of an array descriptor and of the process grid, and the first row and
//! column of the section (`IA`, `JA`), which count from 1.
//! `AT` is the rank of the grid's first process; the others follow in row-major order.

use super::{Dealt, Format, Mistake, Rule, check_ranks, first_rank, mistake, number};
use crate::layout::{Dim, MAX_RANKS};
use pest::Span;
use pest::iterators::Pair;
use std::collections::HashMap;

const MAX_START: u64 = 1 << 53;

/// The given numbers by key, with their places in the text.
type GivenNumbers<'a> = HashMap<String, (Pair<'a, Rule>, Span<'a>)>;

pub fn layout(pairs: &Pair<'_, Rule>, shape: &[u64]) -> Result<Dealt, Mistake> {
    if shape.len() != 2 {
        let message = format!("ScaLAPACK's arrays have 2 dimensions, this one has {}", shape.len());
        return Err(mistake(pairs.as_span(), message));
    }
    let mut given: GivenNumbers<'_> = HashMap::new();
    for pair in pairs.clone().into_inner().filter(|p| p.as_rule() == Rule::pair) {
        let span = pair.as_span();
        let mut parts = pair.into_inner().filter(|p| p.as_rule() != Rule::equals);
        if let (Some(key), Some(value)) = (parts.next(), parts.next()) {
            let key_name = key.as_str().to_uppercase();
            if given.insert(key_name.clone(), (value, span)).is_some() {
                return Err(mistake(span, format!("{key_name} is given twice")));
            }
        }
    }
    let dims = [["MB", "NPROW", "RSRC", "IA"], ["NB", "NPCOL", "CSRC", "JA"]]
        .map(|keys| dimension(&given, keys, pairs.as_span()));
    let [rows, columns] = dims;
    let at = first_rank(pairs.clone().into_inner().find(|p| p.as_rule() == Rule::first_rank))?;
    check_ranks(Dealt { dims: vec![rows?, columns?], copies: Vec::new(), at }, pairs.as_span())
}

fn dimension(
    given: &GivenNumbers<'_>,
    [block, procs, first, start]: [&str; 4],
    span: Span<'_>,
) -> Result<Dim, Mistake> {
    let value = |key: &str, least, most, default: Option<u64>| match (given.get(key), default) {
        (Some((value, _)), _) => number(value, least, most, key),
        (None, Some(default)) => Ok(default),
        (None, None) => Err(mistake(span, format!("{key}= is missing"))),
    };
    let size = value(block, 1, u64::MAX, None)?;
    let count = value(procs, 1, MAX_RANKS, None)?;
    let source = value(first, 0, count - 1, Some(0))?;
    let from = value(start, 1, MAX_START, Some(1))? - 1;
    let narrow = |n: u64| u32::try_from(n).expect("checked to be a number of ranks");
    Ok(Dim { format: Format::Cyclic(size), procs: narrow(count), first: narrow(source), start: from })
}
