//! Exposed arrays in shared memory of the node. Instead of packing a message, the sender writes a description of the
//! array into a slot; the receiver copies elements directly from the array and then returns the slot.

use super::exposure::Exposure;
use super::{Segment, programs};
use crate::layout::strides::{ArrayDim, MAX_DIMS, Shape};
use crate::pack::Source;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Minimum bytes of a piece that makes a rank expose a program's array. Packing a smaller piece is as fast, and its
/// sender need not wait for the receiver.
pub(super) const MIN_EXPOSED_PIECE: usize = 4 << 10;

/// Replaces the group's number if the array is in device memory. Numbers of groups of arrays are below it; those of
/// programs' memory are 0 and just below 2^64.
const ON_DEVICE: u64 = 1 << 63;

/// Memory ranges of the ranks of a node, one per rank: arrays that they allocated together, or a stretch of the memory
/// of each rank's program.
pub struct Arrays {
    /// Number of the group, equal on all ranks.
    number: u64,
    /// Each rank's part, as mapped in this process.
    parts: Vec<(Arc<Segment>, Range<usize>)>,
    me: usize,
    /// The [`ProgramSpace::number`](programs::ProgramSpace::number) of this rank's part, if it is memory of a program.
    program: Option<u64>,
    /// Set once a storage uses this rank's part.
    claimed: AtomicBool,
    /// Decides which memory of this rank the others read in place.
    exposure: Mutex<Exposure>,
}

/// Description of an exposed array, as sent in a slot: number of the group; offset in bytes of the first element in the
/// sender's part, or in its allocation on a device; shape; size of the piece to copy.
#[derive(Clone)]
pub struct ExposedArray {
    number: u64,
    offset: u64,
    shape: Shape,
    pub bytes: u64,
}

impl Arrays {
    /// Creates group `number` from the `parts` of `segment`; part `me` is this rank's.
    pub fn new(number: u64, segment: Segment, parts: Vec<Range<usize>>, me: usize) -> Arc<Self> {
        let segment = Arc::new(segment);
        let parts = parts.into_iter().map(|part| (segment.clone(), part)).collect();
        Self::of(number, parts, me, None)
    }

    /// Creates the group for stretch number `k` of the memory of programs, with a segment per rank. Segment `me` is
    /// this process's, and `program` is its [`ProgramSpace::number`](programs::ProgramSpace::number).
    pub fn of_programs(k: u64, segments: Vec<Arc<Segment>>, me: usize, program: u64) -> Arc<Self> {
        let whole = |segment: Arc<Segment>| {
            let bytes = segment.len();
            (segment, 0..bytes)
        };
        let parts = segments.into_iter().map(whole).collect();
        // Groups that ranks allocate together have numbers from 1 on, so these count downward from 0.
        Self::of(k.wrapping_neg(), parts, me, Some(program))
    }

    fn of(
        number: u64,
        parts: Vec<(Arc<Segment>, Range<usize>)>,
        me: usize,
        program: Option<u64>,
    ) -> Arc<Self> {
        let exposure = Exposure::new(parts.len()).into();
        Arc::new(Self { number, parts, me, program, claimed: AtomicBool::new(program.is_some()), exposure })
    }

    pub fn own(&self) -> *mut u8 {
        let (segment, part) = &self.parts[self.me];
        segment.at(part.clone())
    }

    /// Claims this rank's part for a storage; returns false if it was claimed before.
    pub(super) fn claim(&self) -> bool {
        !self.claimed.swap(true, Ordering::Relaxed)
    }

    pub fn bytes(&self) -> usize {
        self.parts[self.me].1.len()
    }

    /// Returns the description of `source` for a piece of `bytes` bytes; `None` if this group cannot expose it, and
    /// `Some(None)` if the sender should pack this piece (see [`Exposure`]). `seen` caches, by address range, whether
    /// other ranks see a program's array.
    pub fn expose(
        &self,
        source: &Source,
        bytes: usize,
        seen: &mut Vec<(Range<usize>, bool)>,
    ) -> Option<Option<ExposedArray>> {
        if self.program.is_some_and(|number| !programs::is_current(number) || bytes < MIN_EXPOSED_PIECE) {
            return None;
        }
        let shape = source.shape().clone();
        let offset = u64::try_from(source.footprint().address.checked_sub(self.own().addr())?).ok()?;
        let exposed = ExposedArray { number: self.number, offset, shape, bytes: bytes as u64 };
        let taken = exposed.shape.within(offset, self.bytes())?;
        if let Some(number) = self.program {
            let base = self.own().addr();
            let array = base + taken.start..base + taken.end;
            let known = seen.iter().find(|(known, _)| *known == array).map(|(_, shown)| *shown);
            let shown = known.unwrap_or_else(|| {
                let shown = programs::is_visible(number, &array);
                seen.push((array, shown));
                shown
            });
            if !shown {
                return None;
            }
        }
        let mut exposure = self.exposure.lock().unwrap_or_else(PoisonError::into_inner);
        Some(exposure.exposes(taken, bytes).then_some(exposed))
    }
}

impl ExposedArray {
    /// Largest size in bytes of a written description.
    pub const BYTES: usize = (5 + 2 * MAX_DIMS) * size_of::<u64>();

    /// Describes an array of `shape` in the memory of a device, for a piece of `bytes` bytes.
    pub fn on_device(offset: u64, shape: Shape, bytes: usize) -> Self {
        Self { number: ON_DEVICE, offset, shape, bytes: bytes as u64 }
    }

    /// Returns the offset and the shape of an array in the memory of a device; `None` if the host has the array.
    pub fn in_allocation(&self) -> Option<(u64, Shape)> {
        (self.number == ON_DEVICE).then(|| (self.offset, self.shape.clone()))
    }

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

    /// Reads a description that [`ExposedArray::write`] has written.
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

    /// Returns the array that rank number `owner` of the node exposes. `all` has this process's groups.
    ///
    /// # Safety
    /// As long as the result is used, the slot with the description has not been returned to its owner.
    pub unsafe fn source<'a>(&self, all: &'a [Arc<Arrays>], owner: usize) -> Source<'a> {
        let (arrays, bytes) = self.whole(all, owner);
        let (segment, part) = &arrays.parts[owner];
        let first = usize::try_from(self.offset).expect("within the owner's part") - bytes.start;
        let base = segment.at(part.start + bytes.start..part.start + bytes.end).wrapping_add(first);
        // SAFETY: the memory is mapped as long as `all` is borrowed; its owner does not write an exposed array.
        unsafe { Source::new(base, self.shape.clone()) }
    }

    fn whole<'a>(&self, all: &'a [Arc<Arrays>], owner: usize) -> (&'a Arrays, Range<usize>) {
        let arrays = all.iter().find(|arrays| arrays.number == self.number);
        let arrays = arrays.expect("all ranks of a node know an array that one of them exposes");
        let bytes =
            self.shape.within(self.offset, arrays.parts[owner].1.len()).expect("within the owner's part");
        (arrays, bytes)
    }
}
