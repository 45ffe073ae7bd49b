//! Subscripts of a template in an alignment: `2*i+1`, `-i+20`, `1:19:2`, `5` or `*`.

use super::TextError;
use super::error::{join_alternatives, short};
use super::grammar::Rule;
use super::number::{digits, integer, to_i64};
use super::pairs::{all, mistake};
use pest::iterators::Pair;

/// Subscript of one axis of a template.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Subscript {
    /// `*`: a copy at every index.
    Replicated,
    /// A single index: the array lies only there.
    At(i64),
    /// `stride * dummy + offset`.
    Affine {
        /// Axis of the array that the dummy stands for.
        dummy: usize,
        /// Factor of the dummy; not 0.
        stride: i64,
        /// Template index of dummy value 0.
        offset: i64,
    },
    /// `first:last:stride`: the indices that a `:` of the array's list is aligned with.
    Triplet {
        /// `None`: the first index of the axis.
        first: Option<i64>,
        /// `None`: the last index of the axis.
        last: Option<i64>,
        /// Distance of indices; not 0.
        stride: i64,
    },
}

impl Subscript {
    /// Returns true for a triplet, which stands for a `:` of the array's list.
    pub fn is_triplet(&self) -> bool {
        matches!(self, Self::Triplet { .. })
    }
}

/// Parses a subscript. `dummies` has the dummy of each axis of the array, if the axis has one.
pub fn read(pair: &Pair<'_, Rule>, dummies: &[Option<&str>]) -> Result<Subscript, TextError> {
    match pair.as_rule() {
        Rule::triplet => triplet(pair),
        Rule::affine => affine(pair, dummies),
        _ => Ok(Subscript::Replicated),
    }
}

fn triplet(pair: &Pair<'_, Rule>) -> Result<Subscript, TextError> {
    let part = |rule| {
        let inner = all(pair, rule).first().and_then(|part| part.clone().into_inner().next());
        inner.map(|inner| integer(&inner)).transpose()
    };
    let stride = part(Rule::stride)?.unwrap_or(1);
    if stride == 0 {
        return Err(mistake(&all(pair, Rule::stride)[0], "the stride must not be 0".into()));
    }
    Ok(Subscript::Triplet { first: part(Rule::first)?, last: part(Rule::last)?, stride })
}

/// The sum of the terms read so far; a value is `None` if it exceeds 128 bits.
#[derive(Clone, Copy)]
struct Sum {
    dummy: Option<usize>,
    stride: Option<i128>,
    offset: Option<i128>,
}

fn affine(pair: &Pair<'_, Rule>, dummies: &[Option<&str>]) -> Result<Subscript, TextError> {
    let mut sum = Sum { dummy: None, stride: Some(0), offset: Some(0) };
    let mut sign = 1;
    for part in pair.clone().into_inner() {
        match part.as_rule() {
            Rule::sign => sign = if part.as_str() == "-" { -1 } else { 1 },
            _ => sum = plus(sum, sign, &part, dummies)?,
        }
    }
    let (stride, offset) = (to_i64(pair, sum.stride)?, to_i64(pair, sum.offset)?);
    let Some(dummy) = sum.dummy else { return Ok(Subscript::At(offset)) };
    if stride == 0 {
        let name = dummies[dummy].unwrap_or("a dummy");
        return Err(mistake(pair, format!("the stride of {name} must not be 0")));
    }
    Ok(Subscript::Affine { dummy, stride, offset })
}

/// Adds `sign * term` to `sum`. The term is a product of numbers and at most one dummy.
fn plus(sum: Sum, sign: i128, term: &Pair<'_, Rule>, dummies: &[Option<&str>]) -> Result<Sum, TextError> {
    let (mut product, mut dummy) = (Some(sign), None);
    for factor in term.clone().into_inner() {
        match factor.as_rule() {
            Rule::number => product = product.zip(digits(&factor)).and_then(|(a, b)| a.checked_mul(b)),
            Rule::name if dummy.is_some() => {
                let why = "expected a number: a product of dummies is not affine";
                return Err(mistake(&factor, format!("found {:?}, {why}", factor.as_str())));
            }
            Rule::name => {
                let found = find(&factor, dummies)?;
                if let Some(other) = sum.dummy.filter(|&other| other != found) {
                    let other = dummies[other].unwrap_or("one dummy");
                    let why = format!("found {:?}, expected no dummy but {other} here", factor.as_str());
                    return Err(mistake(&factor, why));
                }
                dummy = Some(found);
            }
            _ => (),
        }
    }
    let add = |to: Option<i128>| to.zip(product).and_then(|(a, b)| a.checked_add(b));
    Ok(match dummy {
        Some(_) => Sum { dummy, stride: add(sum.stride), ..sum },
        None => Sum { offset: add(sum.offset), ..sum },
    })
}

fn find(pair: &Pair<'_, Rule>, dummies: &[Option<&str>]) -> Result<usize, TextError> {
    let same = |dummy: &Option<&str>| dummy.is_some_and(|dummy| dummy.eq_ignore_ascii_case(pair.as_str()));
    dummies.iter().position(same).ok_or_else(|| {
        let known: Vec<&str> = ["a number"].into_iter().chain(dummies.iter().copied().flatten()).collect();
        let none = if known.len() == 1 { ": the array's list has no dummies" } else { "" };
        let expected = format!("{}{none}", join_alternatives(&known));
        mistake(pair, format!("found {:?}, expected {expected}", short(pair.as_str())))
    })
}
