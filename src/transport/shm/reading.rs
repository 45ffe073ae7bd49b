//! HOW much of other processes' arrays may this one have page tables for? 4 KiB that it has read take 8 bytes of them, which add up
//! where each of many ranks reads the arrays of all others. So very large arrays are not read there, and what was read of many smaller
//! ones is now and then mapped anew.
//!
//! It knows bytes and who has them; what is mapped it never sees.

use std::ops::Range;

/// So many ranks read as much as there is: all their page tables take 3 % of it.
const FEW: usize = 16;
/// Of more ranks, bytes for which each keeps page tables: 8 MiB of these. To make them anew takes two to three times as long as to copy
/// through slots, where a rank reads a few bytes of each page.
const KEPT: usize = 4 << 30;

/// Whether each of so many ranks would read too much, if all of them read each other's arrays of so many bytes.
pub fn is_too_much(ranks: usize, bytes: usize) -> bool {
    ranks > FEW && ranks.saturating_mul(bytes) > KEPT
}

/// What was read of the arrays of several owners since the last time.
pub struct Reading {
    /// Bytes that were copied.
    copied: usize,
    /// What of each owner's bytes they lie in.
    spans: Vec<Range<usize>>,
    kept: usize,
}

impl Reading {
    /// Nothing so far of so many owners.
    pub fn new(owners: usize) -> Self {
        Self { copied: 0, spans: vec![0..0; owners], kept: KEPT }
    }

    /// Notes that this process has copied `bytes` bytes out of an array that takes `span` of what `owner` has.
    pub fn note(&mut self, owner: usize, span: Range<usize>, bytes: usize) {
        let known = &mut self.spans[owner];
        *known = if known.start == known.end {
            span
        } else {
            known.start.min(span.start)..known.end.max(span.end)
        };
        self.copied = self.copied.saturating_add(bytes);
    }

    /// What is to be mapped anew, by its owner, if that is the case; from then on nothing was read.
    pub fn forget(&mut self) -> Vec<(usize, Range<usize>)> {
        // As many owners as there are may have each page in common with others that read it.
        if self.spans.len() <= FEW {
            return Vec::new();
        }
        let touched = self.copied.saturating_mul(self.spans.len());
        let spanned = self.spans.iter().fold(0usize, |sum, span| sum.saturating_add(span.len()));
        if touched.min(spanned) <= self.kept {
            return Vec::new();
        }
        self.copied = 0;
        let spans = self.spans.iter_mut().map(|span| std::mem::replace(span, 0..0));
        spans.enumerate().filter(|(_, span)| !span.is_empty()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWNERS: usize = 20;

    #[test]
    fn what_is_within_the_limit_is_kept() {
        let mut reading = Reading { kept: 1000, ..Reading::new(OWNERS) };
        for _ in 0..100 {
            (0..4).for_each(|owner| reading.note(owner, 50..300, 100));
            assert_eq!(reading.forget(), [], "all of it takes 1000 bytes");
        }
        reading.note(2, 10..60, 100);
        assert_eq!(reading.forget(), [(0, 50..300), (1, 50..300), (2, 10..300), (3, 50..300)]);
        assert_eq!(reading.forget(), [], "nothing was read since");
    }

    #[test]
    fn a_large_array_is_kept_as_far_as_it_was_read() {
        let mut reading = Reading { kept: 1000, ..Reading::new(OWNERS) };
        for _ in 0..3 {
            for _ in 0..2 {
                reading.note(3, 0..1 << 40, 25);
                assert_eq!(reading.forget(), []);
            }
            reading.note(3, 0..1 << 40, 1);
            assert_eq!(reading.forget(), [(3, 0..1 << 40)]);
        }
    }

    #[test]
    fn few_ranks_read_everything() {
        let mut reading = Reading { kept: 1000, ..Reading::new(FEW) };
        reading.note(3, 0..1 << 40, 1 << 40);
        assert_eq!(reading.forget(), []);
        let large = 256 << 20;
        assert_eq!([2, FEW, FEW + 1, 192].map(|ranks| is_too_much(ranks, large)), [false, false, true, true]);
        assert!(!is_too_much(192, 16 << 20) && is_too_much(192, usize::MAX));
    }
}
