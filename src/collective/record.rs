//! The record that a rank sends about a call before anything is done: operation, a number for each argument that must
//! be equal, and the rank's failure, if any. Records may be merged in any order, and repeatedly, so all ranks reach the
//! same verdict. Its text differs only on a failing rank, which it does not name there.
//!
//! Most numbers are digests, whose meaning only the callers know.

use super::failure::{Code, Failure, take_reason};
use super::operations::Operation;
use super::participation::Participation;
use crate::runtime::agreement::Knowledge;
use crate::transport::error::Error;

/// Maximum number of arguments that a call compares.
const MAX_ARGUMENTS: usize = 6;
/// Bytes of a failure's text in the message; a longer text is cut.
const TEXT_BYTES: usize = 200;
/// The end of a text that is cut.
const CUT: &str = "...";

/// A value, and a rank that gave it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct RankValue {
    value: i64,
    rank: u32,
}

/// A value that should be equal on all ranks: minimum and maximum, each with the lowest rank that gave it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct AgreedValue {
    ends: Option<(RankValue, RankValue)>,
    lacking: bool,
}

#[derive(Clone, Debug)]
pub struct CallRecord {
    operation: AgreedValue,
    arguments: [AgreedValue; MAX_ARGUMENTS],
    /// Number of `arguments` in use; merged by maximum.
    given: usize,
    /// The failure of the lowest failing rank.
    failure: Option<(u32, Failure)>,
    pub(crate) participation: Participation,
}

impl AgreedValue {
    fn of(rank: u32, value: Option<i64>) -> Self {
        let given = value.map(|value| RankValue { value, rank });
        Self { ends: given.map(|given| (given, given)), lacking: value.is_none() }
    }

    fn merge(&mut self, other: &Self) {
        self.lacking |= other.lacking;
        let lower = |a: RankValue, b: RankValue| if a <= b { a } else { b };
        // Of two equal maxima, keeps the one with the lower rank.
        let higher = |a: RankValue, b: RankValue| {
            if (a.value, b.rank) >= (b.value, a.rank) { a } else { b }
        };
        self.ends = match (self.ends, other.ends) {
            (Some(a), Some(b)) => Some((lower(a.0, b.0), higher(a.1, b.1))),
            (a, b) => a.or(b),
        };
    }

    /// Returns two different values and their ranks, if any.
    fn difference(&self) -> Option<(RankValue, RankValue)> {
        self.ends.filter(|(least, greatest)| least.value != greatest.value)
    }
}

impl CallRecord {
    /// Creates the record of `rank` for a call of `operation`. `values` has a number for each argument, `None` if this
    /// rank lacks it; `failure` is the rank's own.
    pub fn new(rank: u32, operation: Operation, values: &[Option<i64>], failure: Option<Failure>) -> Self {
        Self::of(rank, Some(operation), values, failure)
    }

    fn of(rank: u32, operation: Option<Operation>, values: &[Option<i64>], failure: Option<Failure>) -> Self {
        let mut arguments = [AgreedValue::default(); MAX_ARGUMENTS];
        arguments
            .iter_mut()
            .zip(values)
            .for_each(|(argument, value)| *argument = AgreedValue::of(rank, *value));
        // The text is cut as in the message, so that all ranks see the same text.
        let failure = failure.map(|Failure { code, text }| {
            let text = take_reason().unwrap_or(text);
            (rank, Failure::new(code, short(&text)))
        });
        let operation = AgreedValue::of(rank, operation.map(Operation::number));
        Self {
            operation,
            arguments,
            given: values.len().min(MAX_ARGUMENTS),
            failure,
            participation: Participation::PLAIN,
        }
    }

    /// Creates the record of a rank that refuses a call, whatever its operation.
    pub fn refusal(rank: u32, failure: Failure) -> Self {
        Self { participation: Participation::REFUSES, ..Self::of(rank, None, &[], Some(failure)) }
    }

    /// Returns the failure if it is one of MPI, which other ranks have received already.
    pub fn fault(&self) -> Option<Failure> {
        self.failure.as_ref().map(|(_, failure)| failure.clone()).filter(|failure| failure.code == Code::Mpi)
    }

    /// Returns the lowest rank with the minimum of argument `k`, if some rank lacks this argument.
    pub fn lacking(&self, k: usize) -> Option<u32> {
        let argument = self.arguments[k];
        argument.ends.filter(|_| argument.lacking).map(|(least, _)| least.rank)
    }

    pub fn max(&self, k: usize) -> Option<i64> {
        self.arguments[k].ends.map(|(_, greatest)| greatest.value)
    }

    /// Returns the error, worded for rank `me`, if the call must fail: operations or values differ, a rank failed, or
    /// all ranks lack an argument.
    pub fn verdict(&self, me: u32) -> Result<(), Failure> {
        if let Some((a, b)) = self.operation.difference() {
            let name =
                |given: RankValue| Operation::of(given.value).map_or("another function", Operation::name);
            let text = format!("rank {} calls {}, but rank {} calls {}", a.rank, name(a), b.rank, name(b));
            return Err(Failure::new(Code::Differs, text));
        }
        if let Some((rank, failure)) = &self.failure {
            let text =
                if *rank == me { failure.text.clone() } else { format!("rank {rank}: {}", failure.text) };
            return Err(Failure { code: failure.code, text });
        }
        let operation = self.operation.ends.and_then(|(given, _)| Operation::of(given.value));
        let arguments = operation.map_or(&[][..], Operation::arguments);
        for (argument, name) in self.arguments.iter().zip(arguments) {
            if let Some((a, b)) = argument.difference() {
                let (low, high) = (a.rank.min(b.rank), a.rank.max(b.rank));
                let text =
                    format!("rank {low} and rank {high} differ in {name}, expected the same on all ranks");
                return Err(Failure::new(Code::Differs, text));
            }
            if argument.ends.is_none() {
                return Err(Failure::argument(format!(
                    "no rank passes {name}, expected at least one rank to pass it"
                )));
            }
        }
        Ok(())
    }
}

impl Knowledge for CallRecord {
    const BYTES: usize = HEADER_BYTES + (MAX_ARGUMENTS + 1) * VALUE_BYTES + TEXT_BYTES;

    /// Leaves out unused arguments and the rest of the text; the header has their lengths.
    fn write(&self, out: &mut [u8]) {
        let (head, rest) = out[..Self::BYTES].split_at_mut(HEADER_BYTES);
        let (arguments, text) = rest.split_at_mut((MAX_ARGUMENTS + 1) * VALUE_BYTES);
        head.fill(0);
        head[0] = u8::try_from(self.given).expect("a few arguments");
        head[1..3].copy_from_slice(&self.participation.bytes());
        let given = [&self.operation].into_iter().chain(&self.arguments[..self.given]);
        given
            .zip(arguments.chunks_exact_mut(VALUE_BYTES))
            .for_each(|(argument, place)| argument.write(place));
        if let Some((rank, failure)) = &self.failure {
            let end = failure.text.len();
            (head[3], head[4]) = (failure.code as u8, u8::try_from(end).expect("a short text"));
            head[8..12].copy_from_slice(&rank.to_ne_bytes());
            text[..end].copy_from_slice(failure.text.as_bytes());
        }
    }

    fn length(&self) -> usize {
        if self.failure.is_some() { Self::BYTES } else { HEADER_BYTES + (self.given + 1) * VALUE_BYTES }
    }

    fn read(bytes: &[u8]) -> Self {
        let (head, rest) = bytes[..Self::BYTES].split_at(HEADER_BYTES);
        let (read, text) = rest.split_at((MAX_ARGUMENTS + 1) * VALUE_BYTES);
        let given = usize::from(head[0]).min(MAX_ARGUMENTS);
        let mut read = read.chunks_exact(VALUE_BYTES).map(AgreedValue::read);
        let operation = read.next().expect("there is one");
        let mut arguments = [AgreedValue::default(); MAX_ARGUMENTS];
        arguments[..given].iter_mut().zip(read).for_each(|(argument, read)| *argument = read);
        let failure = Code::of(head[3]).map(|code| {
            let rank = u32::from_ne_bytes(head[8..12].try_into().expect("four bytes"));
            let text = &text[..usize::from(head[4]).min(TEXT_BYTES)];
            (rank, Failure::new(code, String::from_utf8_lossy(text)))
        });
        Self { operation, arguments, given, failure, participation: Participation::of([head[1], head[2]]) }
    }

    /// Accepts any record: [`Self::verdict`] finds differences after the merge, on all ranks.
    fn agree(&self, _: &Self, _: Option<u32>) -> Result<(), Error> {
        Ok(())
    }

    fn absorb(&mut self, other: &Self, _: Option<u32>) -> Result<(), Error> {
        self.operation.merge(&other.operation);
        self.given = self.given.max(other.given);
        self.arguments
            .iter_mut()
            .zip(&other.arguments[..other.given])
            .for_each(|(mine, theirs)| mine.merge(theirs));
        self.participation = self.participation.and(other.participation);
        if let Some((rank, failure)) = &other.failure {
            if self.failure.as_ref().is_none_or(|(mine, _)| rank < mine) {
                self.failure = Some((*rank, failure.clone()));
            }
        }
        Ok(())
    }
}

/// Cuts a text to at most [`TEXT_BYTES`] bytes, between two characters, and marks the cut.
fn short(text: &str) -> String {
    if text.len() <= TEXT_BYTES {
        return text.into();
    }
    let end = (0..=TEXT_BYTES - CUT.len()).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
    format!("{}{CUT}", &text[..end])
}

const HEADER_BYTES: usize = 16;
const VALUE_BYTES: usize = 32;

impl AgreedValue {
    fn write(&self, out: &mut [u8]) {
        if let Some((least, greatest)) = self.ends {
            out[0..8].copy_from_slice(&least.value.to_ne_bytes());
            out[8..16].copy_from_slice(&greatest.value.to_ne_bytes());
            out[16..20].copy_from_slice(&least.rank.to_ne_bytes());
            out[20..24].copy_from_slice(&greatest.rank.to_ne_bytes());
        }
        (out[24], out[25]) = (u8::from(self.ends.is_some()), u8::from(self.lacking));
    }

    fn read(bytes: &[u8]) -> Self {
        let value = |at: usize| i64::from_ne_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
        let rank = |at: usize| u32::from_ne_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
        let given = |value_at, rank_at| RankValue { value: value(value_at), rank: rank(rank_at) };
        Self { ends: (bytes[24] != 0).then(|| (given(0, 16), given(8, 20))), lacking: bytes[25] != 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_with_a_mark() {
        let fits = "x".repeat(TEXT_BYTES);
        assert_eq!(short(&fits), fits);
        for text in [fits + "x", "é".repeat(TEXT_BYTES)] {
            let cut = short(&text);
            assert!(cut.len() <= TEXT_BYTES && cut.len() > TEXT_BYTES - 2, "{cut}");
            assert!(text.starts_with(cut.strip_suffix(CUT).unwrap()), "{cut}");
        }
    }

    /// Merges the records of all ranks in a random order, some of them twice, through messages.
    fn merged(all: &[CallRecord], rng: &mut fastrand::Rng) -> CallRecord {
        let mut order: Vec<usize> = (0..all.len()).chain((0..all.len()).filter(|_| rng.bool())).collect();
        rng.shuffle(&mut order);
        let mut known = all[order[0]].clone();
        for &k in &order[1..] {
            let mut bytes = vec![0xff; CallRecord::BYTES];
            all[k].write(&mut bytes);
            known.absorb(&CallRecord::read(&bytes), None).unwrap();
        }
        known
    }

    #[test]
    fn all_ranks_return_the_same_verdict() {
        let mut rng = fastrand::Rng::with_seed(5);
        for _ in 0..2000 {
            let ranks = rng.u32(1..9);
            let mut operations = vec![Operation::Plan; ranks as usize];
            let mut values: Vec<Vec<Option<i64>>> = vec![vec![Some(-7); 6]; ranks as usize];
            let mut failing = vec![false; ranks as usize];
            let (r, k) = (rng.usize(0..ranks as usize), rng.usize(0..6));
            let kind = rng.u8(0..5);
            match kind {
                0 => operations[r] = Operation::Execute,
                1 => values[r][k] = Some(rng.i64(..)),
                2 => (0..ranks as usize).for_each(|r| failing[r] = rng.bool()),
                3 => values[r][k] = None,
                _ => (),
            }
            let all: Vec<CallRecord> = (0..ranks)
                .map(|r| {
                    let why = format!("rank {r} has no memory {}", "…".repeat(99));
                    let failure = failing[r as usize].then(|| Failure::new(Code::Memory, why));
                    CallRecord::new(r, operations[r as usize], &values[r as usize], failure)
                })
                .collect();
            let first = merged(&all, &mut rng);
            let verdict = first.verdict(u32::MAX);
            for _ in 0..3 {
                assert_eq!(merged(&all, &mut rng).verdict(u32::MAX), verdict);
            }
            let lowest = failing.iter().position(|&failing| failing);
            match (kind, verdict) {
                (0, Err(e)) if ranks > 1 => assert!(e.text.contains("calls plan_execute"), "{e}"),
                (1, Err(e)) => {
                    assert!(
                        e.code == Code::Differs
                            && e.text.contains(&format!(" differ in {}, ", Operation::Plan.arguments()[k])),
                        "{e}"
                    )
                }
                (2, Err(e)) => {
                    assert!(e.text.starts_with(&format!("rank {}: rank {0} has no", lowest.unwrap())), "{e}");
                }
                (3, Ok(())) => assert_eq!(first.lacking(k), Some(u32::from(r == 0))),
                (3, Err(e)) => assert!(ranks == 1 && e.code == Code::Argument, "{e}"),
                (_, Err(e)) => assert!(ranks == 1 && kind == 0, "{e}"),
                (kind, Ok(())) => {
                    assert!(kind == 4 || ranks == 1 || (kind == 2 && lowest.is_none()), "{kind}")
                }
            }
        }
    }
}
