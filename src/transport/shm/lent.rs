//! Arrays of the host's in memory that the ranks of a node share: instead of packing a message, its sender lends the
//! receiver the array, who copies what is his straight from it and hands the slot back when he is done.

use super::Segment;
use crate::pack::{Shape, Source};
use std::ops::Range;
use std::sync::Arc;

/// Arrays that were allocated together: one a rank of the node.
pub struct Arrays {
    /// The same on all ranks.
    number: u64,
    segment: Segment,
    parts: Vec<Range<usize>>,
    me: usize,
}

/// What a slot says of an array that is lent: its number, the offset of the first element in the sender's part, and the
/// shape.
#[derive(Clone, Copy)]
pub struct Lent {
    number: u64,
    offset: u64,
    rows: u64,
    cols: u64,
    ld: u64,
    /// Bytes of the piece that the receiver is to copy.
    pub bytes: u64,
}

impl Arrays {
    /// The arrays with that number, in the `parts` of `segment`, of which number `me` is this rank's.
    pub fn new(number: u64, segment: Segment, parts: Vec<Range<usize>>, me: usize) -> Arc<Self> {
        Arc::new(Self { number, segment, parts, me })
    }

    /// This rank's array.
    pub fn own(&self) -> *mut u8 {
        self.segment.at(self.parts[self.me].clone())
    }

    /// How to tell others of `source`, for a piece of `bytes` bytes, if it lies within this rank's array.
    pub fn lend(&self, source: &Source, bytes: usize) -> Option<Lent> {
        let Shape { rows, cols, ld, element } = source.shape();
        let offset = source.address().checked_sub(self.own().addr())?;
        let lent = Lent { number: self.number, offset: offset as u64, rows, cols, ld, bytes: bytes as u64 };
        (lent.end(element)? <= self.parts[self.me].len()).then_some(lent)
    }
}

impl Lent {
    /// Bytes of [`Lent::write`].
    pub const BYTES: usize = 6 * size_of::<u64>();

    /// Where the array ends in its part.
    fn end(&self, element: usize) -> Option<usize> {
        let elements = self.ld.checked_mul(self.cols.saturating_sub(1))?.checked_add(self.rows)?;
        usize::try_from(elements).ok()?.checked_mul(element)?.checked_add(usize::try_from(self.offset).ok()?)
    }

    /// Writes it to the front of `out`.
    pub fn write(&self, out: &mut [u8]) {
        let numbers = [self.number, self.offset, self.rows, self.cols, self.ld, self.bytes];
        for (n, place) in numbers.iter().zip(out[..Self::BYTES].chunks_exact_mut(size_of::<u64>())) {
            place.copy_from_slice(&n.to_ne_bytes());
        }
    }

    /// Reads what `write` wrote.
    pub fn read(bytes: &[u8]) -> Self {
        let n = |k: usize| u64::from_ne_bytes(bytes[8 * k..8 * k + 8].try_into().expect("eight bytes"));
        Self { number: n(0), offset: n(1), rows: n(2), cols: n(3), ld: n(4), bytes: n(5) }
    }

    /// The array, lent by number `owner` of the node, with elements of so many bytes.
    ///
    /// # Safety
    /// As long as the value is used, its owner has not got the slot back that told of the array.
    pub unsafe fn source<'a>(&self, all: &'a [Arc<Arrays>], owner: usize, element: usize) -> Source<'a> {
        let arrays = all.iter().find(|arrays| arrays.number == self.number);
        let arrays = arrays.expect("all ranks of a node know an array that one of them lends");
        let part = arrays.parts[owner].clone();
        let end = self.end(element).filter(|&end| end <= part.len()).expect("within the owner's part");
        let offset = usize::try_from(self.offset).expect("less than the end");
        let base = arrays.segment.at(part.start + offset..part.start + end);
        // SAFETY: the memory is mapped as long as `all` is borrowed; its owner does not write an array that is lent.
        unsafe { Source::new(base, Shape { rows: self.rows, cols: self.cols, ld: self.ld, element }) }
    }
}
