//! WHERE are the elements that a list names, and which of them are the same? Each gets a *key*: the number of the part of the array
//! that has it, and behind that where it is in that part, so that keys ascend part by part and within a part with local indices.

use super::dims::ListedDims;
use super::named::NamedList;
use crate::hpf::dereference::answered;
use crate::hpf::end::KnownEnd;
use crate::hpf::failure::{Code, Failure};
use crate::hpf::rendezvous::by_coordinate;
use crate::layout::{Axis, Grid};
use crate::overlap::stretches;
use crate::session::Session;

/// Keys that are sorted by comparing them, at the most: below this many nothing is gained by counting digits.
const FEW: usize = 1 << 11;
/// Stretches of an axis that are listed, at the most.
const STRETCHES: usize = 1 << 12;
/// Bits of a digit.
const DIGIT: u32 = 11;

/// The keys of a list.
#[derive(Default)]
pub(super) struct Found {
    /// Part times `span`, and what is within the part.
    pub keys: Vec<u64>,
    pub span: u64,
    /// Where elements are listed: one past the greatest local index along each axis, in the order in which axes vary in memory. A
    /// local index of an element has these as its radices.
    pub radices: Vec<u64>,
}

/// Owner and local index of an entry of a column.
type Place = (u32, u64);

/// Collective: the keys of `list`. What is wrong with it is told apart from what MPI says.
pub(super) fn found(
    session: &Session,
    known: &KnownEnd,
    dims: &ListedDims,
    list: NamedList,
) -> Result<Result<Found, Failure>, Failure> {
    let (layout, order) = (known.end().layout, known.map.order());
    let (grid, axes) = (layout.whole_grid(), layout.axes());
    let count = usize::try_from(list.count).expect("a list in memory");
    let listed = dims.axis().map_or_else(|| (0..axes.len()).collect(), |axis| vec![axis]);
    let mut columns: Vec<Vec<Place>> = Vec::with_capacity(listed.len());
    for (&k, column) in listed.iter().zip(list.columns) {
        columns.push(places(session, (&axes[k], layout.extents()[k]), &grid, k, column)?);
    }
    let radix = |column: &Vec<Place>| column.iter().map(|&(_, own)| own + 1).max().unwrap_or(1);
    if dims.axis().is_some() {
        let (column, span) = (&columns[0], radix(&columns[0]));
        let last = column.iter().map(|&(coord, _)| coord).max().unwrap_or(0);
        if (u64::from(last) + 1).checked_mul(span).is_none() {
            return Ok(Err(large()));
        }
        let keys = column.iter().map(|&(coord, own)| u64::from(coord) * span + own).collect();
        return Ok(Ok(Found { keys, span, radices: Vec::new() }));
    }
    let radices: Vec<u64> = order.iter().map(|&k| radix(&columns[k])).collect();
    let span = radices.iter().try_fold(1u64, |span, &radix| span.checked_mul(radix));
    let parts = grid.extents()[..axes.len()].iter().map(|&extent| u64::from(extent)).product::<u64>();
    let Some(span) = span.filter(|span| span.checked_mul(parts).is_some()) else { return Ok(Err(large())) };
    let key = |e: usize| {
        let part = columns
            .iter()
            .zip(grid.extents())
            .fold(0, |part, (column, &extent)| part * u64::from(extent) + u64::from(column[e].0));
        let own = order.iter().zip(&radices).rev().fold(0, |own, (&k, radix)| own * radix + columns[k][e].1);
        part * span + own
    };
    Ok(Ok(Found { keys: (0..count).map(key).collect(), span, radices }))
}

fn large() -> Failure {
    Failure::new(
        Code::Memory,
        "an array with parts of so different sizes that 64 bits do not number its elements",
    )
}

/// Collective where processes know their own indices only: owner and local index of each of the indices `asked`.
fn places(
    session: &Session,
    (axis, extent): (&Axis, u64),
    grid: &Grid,
    k: usize,
    asked: Vec<u64>,
) -> Result<Vec<Place>, Failure> {
    if axis.dist.part().is_none() {
        return Ok(looked_up(axis, extent, &asked));
    }
    let Ranked { keys, of } = Ranked::new(asked);
    let found = answered(session, axis, extent, &by_coordinate(grid, k), &keys)?;
    Ok(match of {
        None => found,
        Some(of) => of.into_iter().map(|k| found[index(k)]).collect(),
    })
}

/// The same where that is known here. Where the axis has few stretches with one owner, they are listed first.
fn looked_up(axis: &Axis, extent: u64, asked: &[u64]) -> Vec<Place> {
    let mut listed = Vec::new();
    for (coord, run) in stretches(axis, 0..extent).take(STRETCHES.min(asked.len() / 8) + 1) {
        listed.push((run.start, coord, axis.local(run.start).0));
    }
    if listed.is_empty() || listed.len() > STRETCHES.min(asked.len() / 8) {
        return asked.iter().map(|&x| (axis.owner(x), axis.local(x).0)).collect();
    }
    let place = |&x: &u64| {
        let (start, coord, own) = listed[listed.partition_point(|&(start, ..)| start <= x) - 1];
        (coord, own + (x - start))
    };
    asked.iter().map(place).collect()
}

/// Different numbers of a list, in ascending order, and where each entry of the list is among them.
pub(super) struct Ranked {
    pub keys: Vec<u64>,
    /// None where the list has them in ascending order, each once.
    pub of: Option<Vec<u64>>,
}

impl Ranked {
    pub fn new(keys: Vec<u64>) -> Self {
        if keys.is_sorted_by(|a, b| a < b) {
            return Self { keys, of: None };
        }
        let count = keys.len();
        let places = u64::BITS - (count as u64).leading_zeros();
        let greatest = keys.iter().copied().max().unwrap_or(0);
        let (mut of, mut distinct) = (vec![0; count], Vec::with_capacity(count));
        let mut next = |key: u64, at: u64| {
            if distinct.last() != Some(&key) {
                distinct.push(key);
            }
            of[index(at)] = distinct.len() as u64 - 1;
        };
        if greatest.leading_zeros() >= places {
            // A key and its place fit in one number.
            let mut words: Vec<u64> = keys.iter().zip(0..).map(|(key, at)| key << places | at).collect();
            sort(&mut words, places, greatest);
            words.iter().for_each(|word| next(word >> places, word & ((1 << places) - 1)));
        } else {
            let mut order: Vec<u64> = (0..count as u64).collect();
            order.sort_by_key(|&at| keys[index(at)]);
            order.iter().for_each(|&at| next(keys[index(at)], at));
        }
        Self { keys: distinct, of: Some(of) }
    }
}

fn index(n: u64) -> usize {
    usize::try_from(n).expect("a list in memory")
}

/// Sorts words that are ordered below bit `places` already; above it they are at most `greatest`.
fn sort(words: &mut Vec<u64>, places: u32, greatest: u64) {
    if words.is_sorted() {
        return;
    }
    if words.len() <= FEW {
        return words.sort_unstable();
    }
    let mut other = vec![0; words.len()];
    let mut shift = places;
    while shift < u64::BITS && greatest >> (shift - places) > 0 {
        let digit = |word: u64| (word >> shift & ((1 << DIGIT) - 1)) as usize;
        let mut next = [0usize; 1 << DIGIT];
        words.iter().for_each(|&word| next[digit(word)] += 1);
        let mut before = 0;
        for count in &mut next {
            before += std::mem::replace(count, before);
        }
        for &word in words.iter() {
            let place = &mut next[digit(word)];
            other[*place] = word;
            *place += 1;
        }
        std::mem::swap(words, &mut other);
        shift += DIGIT;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_ranked_as_a_sorted_list_says() {
        let mut rng = fastrand::Rng::with_seed(11);
        for len in [0, 1, 2, 50, FEW, FEW + 1, 3 * FEW] {
            for most in [0, 3, 1000, 1 << 22, u64::MAX] {
                let mut list: Vec<u64> = (0..len).map(|_| rng.u64(0..=most)).collect();
                if rng.bool() {
                    list.sort_unstable();
                }
                let mut distinct = list.clone();
                distinct.sort_unstable();
                distinct.dedup();
                let ranked = Ranked::new(list.clone());
                assert_eq!(ranked.keys, distinct);
                let of = ranked.of.unwrap_or_else(|| (0..len as u64).collect());
                let again: Vec<u64> = of.iter().map(|&k| distinct[k as usize]).collect();
                assert_eq!(again, list);
            }
        }
    }
}
