//! WHICH number do digits mean? One of 63 bits and a sign, within bounds; anything else is an error and never a panic.

use super::error::short;
use super::{Rule, TextError, mistake};
use crate::layout::mapping::MOST_AXES;
use pest::iterators::Pair;

/// The most that a count or a size may be.
pub const MOST: u64 = i64::MAX as u64;
/// The most processes along an axis: MPI numbers ranks by 32-bit integers.
pub const MOST_PROCS: u64 = i32::MAX as u64;

/// The number that the digits of `pair` are, no less than `least` and no more than `most`.
pub fn natural(pair: &Pair<'_, Rule>, least: u64, most: u64, what: &str) -> Result<u64, TextError> {
    let number = pair.as_str().parse().ok().filter(|n| (least..=most).contains(n));
    number.ok_or_else(|| {
        mistake(pair, format!("{what} is {}, expected {least} to {most}", short(pair.as_str())))
    })
}

/// The integer that `pair`, a sign or none and digits, is.
pub fn integer(pair: &Pair<'_, Rule>) -> Result<i64, TextError> {
    let mut negative = false;
    let mut value = None;
    for part in pair.clone().into_inner() {
        match part.as_rule() {
            Rule::sign => negative = part.as_str() == "-",
            _ => value = digits(&part),
        }
    }
    let value = value.map(|value| if negative { -value } else { value });
    narrow(pair, value)
}

/// The number that digits are, if so many are not out of the question.
pub fn digits(pair: &Pair<'_, Rule>) -> Option<i128> {
    pair.as_str().parse().ok()
}

/// `value`, which is what `pair` comes to, in 64 bits.
pub fn narrow(pair: &Pair<'_, Rule>, value: Option<i128>) -> Result<i64, TextError> {
    value.and_then(|value| i64::try_from(value).ok()).ok_or_else(|| {
        let (least, most) = (i64::MIN, i64::MAX);
        mistake(
            pair,
            format!("{} is out of range, expected {least} to {most}", short(pair.as_str().trim_end())),
        )
    })
}

/// Checks that `list` has no more entries than an array may have axes.
pub fn few<'a>(list: Vec<Pair<'a, Rule>>, what: &str) -> Result<Vec<Pair<'a, Rule>>, TextError> {
    match list.get(MOST_AXES) {
        Some(pair) => Err(mistake(pair, format!("{} {what}, expected at most {MOST_AXES}", list.len()))),
        None => Ok(list),
    }
}
