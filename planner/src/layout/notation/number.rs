//! Parses signed 64-bit numbers, and checks their bounds. Other input returns an error and never panics.

use super::TextError;
use super::error::short;
use super::grammar::Rule;
use super::pairs::mistake;
use crate::layout::mapping::MAX_AXES;
use pest::iterators::Pair;

/// Maximum of a count or a size.
pub const MAX_COUNT: u64 = i64::MAX as u64;
/// Maximum number of processes along an axis: MPI numbers ranks by 32-bit integers.
pub const MAX_PROCS: u64 = i32::MAX as u64;

/// Parses the digits of `pair` as a number from `least` to `most`. `what` names the number in errors.
pub fn natural(pair: &Pair<'_, Rule>, least: u64, most: u64, what: &str) -> Result<u64, TextError> {
    let number = pair.as_str().parse().ok().filter(|n| (least..=most).contains(n));
    number.ok_or_else(|| {
        mistake(pair, format!("{what} is {}, expected {least} to {most}", short(pair.as_str())))
    })
}

/// Parses an optional sign and digits.
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
    to_i64(pair, value)
}

/// Parses digits; `None` if they exceed 127 bits.
pub fn digits(pair: &Pair<'_, Rule>) -> Option<i128> {
    pair.as_str().parse().ok()
}

/// Converts `value`, the value of `pair`, to a signed 64-bit number. Returns an error if it is `None` or too large.
pub fn to_i64(pair: &Pair<'_, Rule>, value: Option<i128>) -> Result<i64, TextError> {
    value.and_then(|value| i64::try_from(value).ok()).ok_or_else(|| {
        let (least, most) = (i64::MIN, i64::MAX);
        mistake(
            pair,
            format!("{} is out of range, expected {least} to {most}", short(pair.as_str().trim_end())),
        )
    })
}

/// Checks that `list` has at most [`MAX_AXES`] entries.
pub fn at_most_axes<'a>(list: Vec<Pair<'a, Rule>>, what: &str) -> Result<Vec<Pair<'a, Rule>>, TextError> {
    match list.get(MAX_AXES) {
        Some(pair) => Err(mistake(pair, format!("{} {what}, expected at most {MAX_AXES}", list.len()))),
        None => Ok(list),
    }
}
