//! Arrays of the program in shared memory of the node: instead of packing a message, the sender lends the array to the
//! receiver. The receiver copies its elements directly from it, and then returns the slot.

use super::lending::Lending;
use super::{Segment, programs};
use crate::layout::strides::{ArrayDim, MOST_DIMS, Shape};
use crate::pack::Source;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Smallest piece of a program's array that is lent. A smaller one is packed as fast, and then its sender need not wait.
const LEAST: usize = 4 << 10;

/// Arrays that were allocated together, one a rank of the node; or what ranks have told each other of the memory in which each
/// of them has its program's arrays.
pub struct Arrays {
    /// The same on all ranks.
    number: u64,
    /// Of each rank, where this process has it.
    parts: Vec<(Arc<Segment>, Range<usize>)>,
    me: usize,
    /// The number of the memory of this process's program, if these are its arrays.
    program: Option<u64>,
    /// Whether there is a storage of this rank's.
    claimed: AtomicBool,
    /// What of this rank's the others read in place.
    lending: Mutex<Lending>,
}

/// What a slot says of an array that is lent: its number, where its first element is in the sender's part, its shape, and
/// the bytes of the piece that the receiver is to copy.
#[derive(Clone)]
pub struct LentArray {
    number: u64,
    offset: u64,
    shape: Shape,
    /// Bytes of the piece.
    pub bytes: u64,
}

impl Arrays {
    /// The arrays with that number, in the `parts` of `segment`, of which number `me` is this rank's.
    pub fn new(number: u64, segment: Segment, parts: Vec<Range<usize>>, me: usize) -> Arc<Self> {
        let segment = Arc::new(segment);
        let parts = parts.into_iter().map(|part| (segment.clone(), part)).collect();
        Self::of(number, parts, me, None)
    }

    /// Stretch number `k` of the memory of the programs' arrays, a segment a rank; that of number `me`, this process, is number
    /// `program` of its program.
    pub fn of_programs(k: u64, segments: Vec<Arc<Segment>>, me: usize, program: u64) -> Arc<Self> {
        let whole = |segment: Arc<Segment>| {
            let bytes = segment.len();
            (segment, 0..bytes)
        };
        let parts = segments.into_iter().map(whole).collect();
        // Arrays that ranks allocate together have numbers from 1 on.
        Self::of(k.wrapping_neg(), parts, me, Some(program))
    }

    fn of(
        number: u64,
        parts: Vec<(Arc<Segment>, Range<usize>)>,
        me: usize,
        program: Option<u64>,
    ) -> Arc<Self> {
        let lending = Lending::new(parts.len()).into();
        Arc::new(Self { number, parts, me, program, claimed: AtomicBool::new(program.is_some()), lending })
    }

    /// This rank's array.
    pub fn own(&self) -> *mut u8 {
        let (segment, part) = &self.parts[self.me];
        segment.at(part.clone())
    }

    /// Whether this is the first time that this is asked.
    pub(super) fn claim(&self) -> bool {
        !self.claimed.swap(true, Ordering::Relaxed)
    }

    /// Bytes of this rank's array.
    pub fn bytes(&self) -> usize {
        self.parts[self.me].1.len()
    }

    /// How to tell others of `source`, for a piece of `bytes` bytes, if they are to read it where it lies; `None` unless it lies within
    /// this rank's array. `seen` has the arrays of programs that the call has looked at, and whether others see them as this rank does.
    pub fn lend(
        &self,
        source: &Source,
        bytes: usize,
        seen: &mut Vec<(Range<usize>, bool)>,
    ) -> Option<Option<LentArray>> {
        if self.program.is_some_and(|number| !programs::is_current(number) || bytes < LEAST) {
            return None;
        }
        let shape = source.shape().clone();
        let offset = u64::try_from(source.address().checked_sub(self.own().addr())?).ok()?;
        let lent = LentArray { number: self.number, offset, shape, bytes: bytes as u64 };
        let taken = lent.shape.within(offset, self.bytes())?;
        if let Some(number) = self.program {
            let base = self.own().addr();
            let array = base + taken.start..base + taken.end;
            let known = seen.iter().find(|(known, _)| *known == array).map(|(_, shown)| *shown);
            let shown = known.unwrap_or_else(|| {
                let shown = programs::is_shown(number, &array);
                seen.push((array, shown));
                shown
            });
            if !shown {
                return None;
            }
        }
        let mut lending = self.lending.lock().unwrap_or_else(PoisonError::into_inner);
        Some(lending.lends(taken, bytes).then_some(lent))
    }
}

impl LentArray {
    /// Bytes of [`LentArray::write`] at the most.
    pub const BYTES: usize = (5 + 2 * MOST_DIMS) * size_of::<u64>();

    /// Writes it to the front of `out`.
    pub fn write(&self, out: &mut [u8]) {
        let dims = self.shape.dims();
        let (element, rank) = (self.shape.element() as u64, dims.len() as u64);
        let head = [self.number, self.offset, self.bytes, element, rank];
        let shape = dims.iter().flat_map(|dim| [dim.extent, u64::from_ne_bytes(dim.stride.to_ne_bytes())]);
        for (n, place) in
            head.into_iter().chain(shape).zip(out[..Self::BYTES].chunks_exact_mut(size_of::<u64>()))
        {
            place.copy_from_slice(&n.to_ne_bytes());
        }
    }

    /// Reads what `write` wrote.
    pub fn read(bytes: &[u8]) -> Self {
        let n = |k: usize| -> [u8; 8] { bytes[8 * k..8 * k + 8].try_into().expect("eight bytes") };
        let count = |k| usize::try_from(u64::from_ne_bytes(n(k))).expect("a few");
        let dim = |d| ArrayDim {
            extent: u64::from_ne_bytes(n(5 + 2 * d)),
            stride: i64::from_ne_bytes(n(6 + 2 * d)),
        };
        let dims: Vec<ArrayDim> = (0..count(4)).map(dim).collect();
        Self {
            number: u64::from_ne_bytes(n(0)),
            offset: u64::from_ne_bytes(n(1)),
            bytes: u64::from_ne_bytes(n(2)),
            shape: Shape::new(count(3), &dims),
        }
    }

    /// The array, lent by number `owner` of the node.
    ///
    /// # Safety
    /// As long as the value is used, its owner has not got the slot back that told of the array.
    pub unsafe fn source<'a>(&self, all: &'a [Arc<Arrays>], owner: usize) -> Source<'a> {
        let (arrays, bytes) = self.whole(all, owner);
        let (segment, part) = &arrays.parts[owner];
        let first = usize::try_from(self.offset).expect("within the owner's part") - bytes.start;
        let base = segment.at(part.start + bytes.start..part.start + bytes.end).wrapping_add(first);
        // SAFETY: the memory is mapped as long as `all` is borrowed; its owner does not write an array that is lent.
        unsafe { Source::new(base, self.shape.clone()) }
    }

    /// Whose arrays it is one of, and what of the bytes of `owner` it takes.
    fn whole<'a>(&self, all: &'a [Arc<Arrays>], owner: usize) -> (&'a Arrays, Range<usize>) {
        let arrays = all.iter().find(|arrays| arrays.number == self.number);
        let arrays = arrays.expect("all ranks of a node know an array that one of them lends");
        let bytes =
            self.shape.within(self.offset, arrays.parts[owner].1.len()).expect("within the owner's part");
        (arrays, bytes)
    }
}
