//! HPF's notation: a distribution format for each dimension of the array, and the processor arrangement onto which
//! the dimensions with a format other than `*` are distributed. Further dimensions of the arrangement number copies.

use super::{Dealt, Format, Mistake, Rule, check_ranks, first_rank, mistake, number};
use crate::layout::{Dim, MAX_RANKS};
use pest::Span;
use pest::iterators::Pair;

/// Returns the layout that `hpf` describes, for an array of this shape.
pub fn layout(hpf: Pair<'_, Rule>, shape: &[u64]) -> Result<Dealt, Mistake> {
    let span = hpf.as_span();
    let mut formats = Vec::new();
    let mut layout = Dealt { dims: Vec::new(), copies: Vec::new(), at: 0 };
    for part in hpf.into_inner() {
        match part.as_rule() {
            Rule::formats => formats = read_formats(part, shape)?,
            Rule::arrangement => layout = arrangement(part, &formats, shape)?,
            _ => (),
        }
    }
    check_ranks(layout, span)
}

/// Reads the formats of an array of this shape.
pub fn read_formats<'a>(pair: Pair<'a, Rule>, shape: &[u64]) -> Result<Vec<(Format, Span<'a>)>, Mistake> {
    let span = pair.as_span();
    let list: Vec<Pair<'a, Rule>> = pair.into_inner().filter(|p| p.as_rule() != Rule::comma).collect();
    if list.len() != shape.len() {
        let message = format!(
            "{} for an array of {}, expected one for each",
            count(list.len(), "format"),
            count(shape.len(), "dimension")
        );
        return Err(mistake(span, message));
    }
    list.into_iter().map(|format| Ok((read_format(&format)?, format.as_span()))).collect()
}

fn read_format(pair: &Pair<'_, Rule>) -> Result<Format, Mistake> {
    let numbers = numbers(pair);
    let block = || numbers.first().map(|n| number(n, 1, u64::MAX, "the block size")).transpose();
    Ok(match pair.as_rule() {
        Rule::block => block()?.map_or(Format::Block, Format::BlockOf),
        Rule::cyclic => Format::Cyclic(block()?.unwrap_or(1)),
        Rule::gen_block => {
            let size = |n| number(n, 0, u64::MAX, "the block size");
            Format::GenBlock(numbers.iter().map(size).collect::<Result<_, _>>()?)
        }
        Rule::indirect => {
            let owners = pair.clone().into_inner().filter(|p| p.as_rule() == Rule::owner);
            Format::Indirect(owners.map(|owner| read_owner(&owner)).collect::<Result<_, _>>()?)
        }
        _ => Format::Collapsed,
    })
}

/// Reads an owner and its repeat count.
fn read_owner(pair: &Pair<'_, Rule>) -> Result<(u32, u64), Mistake> {
    let numbers = numbers(pair);
    let times = match &numbers[..] {
        [times, _] => number(times, 1, u64::MAX, "the repeat count")?,
        _ => 1,
    };
    let owner = numbers.last().map_or(Ok(0), |n| number(n, 0, MAX_RANKS - 1, "the owner"))?;
    Ok((narrow(owner), times))
}

/// Reads the arrangement, and returns the layout of the array.
fn arrangement(
    pair: Pair<'_, Rule>,
    formats: &[(Format, Span<'_>)],
    shape: &[u64],
) -> Result<Dealt, Mistake> {
    let span = pair.as_span();
    let extents = numbers(&pair);
    let at = pair.clone().into_inner().find(|p| p.as_rule() == Rule::at);
    let at = first_rank(at)?;
    let distributed_dims = formats.iter().filter(|(format, _)| *format != Format::Collapsed).count();
    if distributed_dims > extents.len() {
        let message = format!(
            "the arrangement has {}, but the layout has {} other than *",
            count(extents.len(), "dimension"),
            count(distributed_dims, "format")
        );
        return Err(mistake(span, message));
    }
    let procs = |extent| number(extent, 1, MAX_RANKS, "the number of processes").map(narrow);
    let mut extents = extents.iter();
    let mut dims = Vec::new();
    for ((format, span), &len) in formats.iter().zip(shape) {
        let extent = if *format == Format::Collapsed { None } else { extents.next() };
        let dim = Dim { format: format.clone(), procs: extent.map_or(Ok(1), procs)?, first: 0, start: 0 };
        dim.fits(len).map_err(|why| mistake(*span, why))?;
        dims.push(dim);
    }
    Ok(Dealt { dims, copies: extents.map(procs).collect::<Result<_, _>>()?, at })
}

fn numbers<'a>(pair: &Pair<'a, Rule>) -> Vec<Pair<'a, Rule>> {
    pair.clone().into_inner().filter(|p| p.as_rule() == Rule::number).collect()
}

fn narrow(n: u64) -> u32 {
    u32::try_from(n).expect("checked to be a number of ranks")
}

/// Returns `n` and a noun, in the plural unless `n` is 1.
pub fn count(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}
