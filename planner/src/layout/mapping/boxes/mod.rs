//! Boxes of an array on one process, and their places in its storage. A process has only its own boxes, and a checksum
//! of all boxes, equal on all processes.

mod array;

pub use array::ArrayBoxes;

use super::{Mistake, ensure};
use crate::digest::mixed;
use crate::layout::intersect::{Boxes, each_pair, intersect_boxes};
use crate::layout::shared_bytes::{StridedElements, may_share_bytes};
use crate::layout::strides::{ArrayDim, distinct, reach};
use std::ops::{ControlFlow, Range};

/// Boxes of one process, as a program passes them. Lists hold one number per axis, box after box.
#[derive(Clone, Copy, Default, Debug)]
pub struct BoxList<'a> {
    /// Number of boxes in the list.
    pub count: usize,
    /// First index of each box along each axis.
    pub starts: &'a [i64],
    /// Number of indices of each box along each axis; a box may be empty.
    pub sizes: &'a [i64],
    /// If `strides` is `None`, whether the last axis varies fastest. Must be equal on all ranks.
    pub row_major: bool,
    /// Offset of each box's first element from the start of the storage, in elements. `None`: boxes lie one after the
    /// other.
    pub offsets: Option<&'a [i64]>,
    /// Distance of neighbours along each axis, in elements. `None`: boxes are dense.
    pub strides: Option<&'a [i64]>,
}

/// One box in a process's storage.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LocalBox {
    /// Indices along each axis, counted from 0. No range is empty.
    pub ranges: Vec<Range<u64>>,
    /// Offset of the first element from the start of the storage, in elements.
    pub offset: u64,
    /// Distance of neighbours along each axis, in elements.
    pub strides: Vec<i64>,
    /// Number of the box in the program's list.
    pub number: usize,
}

/// Non-empty boxes of a process, and the size of their storage in elements.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct LocalBoxes {
    boxes: Vec<LocalBox>,
    elements: u64,
}

impl LocalBox {
    fn dims(&self) -> impl Iterator<Item = ArrayDim> + Clone + '_ {
        let dim =
            |(range, &stride): (&Range<u64>, &i64)| ArrayDim { extent: range.end - range.start, stride };
        self.ranges.iter().zip(&self.strides).map(dim)
    }

    /// Returns the range of storage that the box covers, in elements; `None` if it begins below 0 or exceeds 63 bits.
    fn span(&self) -> Option<Range<u64>> {
        let (before, behind) = reach(1, self.dims())?;
        let end = self.offset.checked_add(behind).filter(|&end| i64::try_from(end).is_ok())?;
        Some(self.offset.checked_sub(before)?..end)
    }

    fn strided_elements(&self) -> StridedElements {
        StridedElements { first: self.offset.into(), element: 1, dims: self.dims().collect() }
    }
}

impl LocalBoxes {
    /// Checks the boxes of an array with these extents, and places them in the storage.
    pub fn new(extents: &[u64], list: &BoxList<'_>) -> Result<Self, Mistake> {
        let axes = extents.len();
        let count = list.count;
        ensure(axes > 0 || count <= 1, || format!("a scalar has {count} boxes, expected at most 1"))?;
        let of = [Some(list.starts), Some(list.sizes), list.strides];
        ensure(of.into_iter().flatten().all(|list| list.len() == count * axes), || {
            let entries = count * axes;
            format!("starts, sizes and strides must have {entries} entries: one for each axis of each box")
        })?;
        ensure(list.offsets.is_none_or(|offsets| offsets.len() == count), || {
            format!(
                "{} offsets for {count} boxes, expected one for each box",
                list.offsets.map_or(0, <[i64]>::len)
            )
        })?;
        let mut found = Self::default();
        for number in 0..count {
            let within = |why: Mistake| Mistake(format!("box {number}: {why}"));
            if let Some(local) = found.read_box(extents, list, number).map_err(within)? {
                let span = local.span();
                let large = || Mistake("its places in the storage reach below 0 or beyond 2^63".into());
                found.elements = found.elements.max(span.ok_or_else(large).map_err(within)?.end);
                found.boxes.push(local);
            }
        }
        if list.offsets.is_some() {
            found.check_disjoint()?;
        }
        Ok(found)
    }

    /// Checks box `number` of the list and returns it with its place; `None` if it is empty. Without offsets, its place
    /// is after the boxes so far.
    fn read_box(
        &self,
        extents: &[u64],
        list: &BoxList<'_>,
        number: usize,
    ) -> Result<Option<LocalBox>, Mistake> {
        let axes = extents.len();
        let (begin, end) = (number * axes, (number + 1) * axes);
        let (starts, sizes) = (&list.starts[begin..end], &list.sizes[begin..end]);
        let mut ranges = Vec::with_capacity(axes);
        for (k, ((&start, &size), &extent)) in starts.iter().zip(sizes).zip(extents).enumerate() {
            ensure(size >= 0, || format!("its size along axis {k} is {size}, expected at least 0"))?;
            let range = u64::try_from(start).ok().zip(u64::try_from(size).ok());
            let range = range.and_then(|(start, size)| Some(start..start.checked_add(size)?));
            let range = range.filter(|range| range.end <= extent || size == 0);
            let outside = || {
                format!(
                    "it has indices {start} to {} of axis {k}, expected indices from 0 to {}",
                    i128::from(start) + i128::from(size) - 1,
                    i128::from(extent) - 1
                )
            };
            ranges.push(range.ok_or_else(|| Mistake(outside()))?);
        }
        if ranges.iter().any(Range::is_empty) {
            return Ok(None);
        }
        let strides = list
            .strides
            .map_or_else(|| dense(&ranges, list.row_major), |list| Some(list[begin..end].to_vec()));
        let strides = strides.ok_or_else(|| Mistake("it has more than 2^63 elements".into()))?;
        let offset = list.offsets.map_or(Some(self.elements), |offsets| u64::try_from(offsets[number]).ok());
        let offset = offset.ok_or_else(|| Mistake("its offset is below 0".into()))?;
        let local = LocalBox { ranges, offset, strides, number };
        ensure(distinct(1, local.dims().map(|dim| (dim.stride.unsigned_abs(), dim.extent))), || {
            format!("its strides {:?} put several elements in one place", local.strides)
        })?;
        Ok(Some(local))
    }

    /// Checks that no two boxes share a place in the storage. Boxes with overlapping spans may still interleave.
    fn check_disjoint(&self) -> Result<(), Mistake> {
        let mut spans: Vec<(Range<u64>, &LocalBox)> =
            self.boxes.iter().filter_map(|local| Some((local.span()?, local))).collect();
        spans.sort_unstable_by_key(|(span, local)| (span.start, local.number));
        let apart = spans.windows(2).all(|pair| pair[0].0.end <= pair[1].0.start);
        if apart {
            return Ok(());
        }
        let found = match self.lattice() {
            Some(places) => {
                let mut found = None;
                each_pair(&places, &places, |i, j| match i == j {
                    true => ControlFlow::Continue(()),
                    false => {
                        found = Some((&self.boxes[i], &self.boxes[j]));
                        ControlFlow::Break(())
                    }
                });
                found
            }
            None => find_overlap(&spans),
        };
        found.map_or(Ok(()), |(a, b)| {
            let (a, b) = (a.number.min(b.number), a.number.max(b.number));
            Err(Mistake(format!("boxes {a} and {b} overlap in the storage")))
        })
    }

    /// Returns the index ranges of the boxes in one enclosing array; `None` without such an array, because strides
    /// differ, are not positive, or do not nest. Two boxes share a place in the storage exactly if their ranges
    /// intersect.
    fn lattice(&self) -> Option<Boxes> {
        let strides = &self.boxes.first()?.strides;
        if self.boxes.iter().any(|local| local.strides != *strides) || strides.iter().any(|&s| s <= 0) {
            return None;
        }
        let mut order: Vec<usize> = (0..strides.len()).collect();
        order.sort_unstable_by_key(|&k| std::cmp::Reverse(strides[k]));
        let mut places = Boxes::new(strides.len() + 1);
        for local in &self.boxes {
            let (mut rest, mut ranges) = (local.offset, Vec::with_capacity(strides.len() + 1));
            for (n, &k) in order.iter().enumerate() {
                let stride = strides[k].unsigned_abs();
                let (first, size) = (rest / stride, local.ranges[k].end - local.ranges[k].start);
                rest %= stride;
                let end = first.checked_add(size)?;
                // A box that reaches beyond the next longer stride would give one place several indices.
                let above = n.checked_sub(1).map(|above| strides[order[above]].unsigned_abs());
                if above.is_some_and(|above| end.checked_mul(stride).is_none_or(|end| end > above)) {
                    return None;
                }
                ranges.push(first..end);
            }
            ranges.push(rest..rest + 1);
            places.push(ranges);
        }
        Some(places)
    }

    /// Returns the boxes that are not empty.
    pub fn boxes(&self) -> &[LocalBox] {
        &self.boxes
    }

    /// Returns the only non-empty box, if there is exactly one and it begins at offset 0.
    pub fn single(&self) -> Option<&LocalBox> {
        self.boxes.first().filter(|first| self.boxes.len() == 1 && first.offset == 0)
    }

    /// Returns the size of the storage up to the end of the last box, in elements.
    pub fn elements(&self) -> u64 {
        self.elements
    }

    /// Returns the box that contains the element at `index`, counted from 0.
    pub fn find(&self, index: &[u64]) -> Option<&LocalBox> {
        self.boxes.iter().find(|local| local.ranges.iter().zip(index).all(|(range, i)| range.contains(i)))
    }

    /// Returns the boxes' index ranges. The box of a scalar has one dimension with one index.
    pub fn indices(&self, axes: usize) -> Boxes {
        let mut all = Boxes::new(axes.max(1));
        let scalar = (axes == 0).then_some(0..1);
        self.boxes.iter().for_each(|local| all.push(local.ranges.iter().cloned().chain(scalar.clone())));
        all
    }

    /// Returns the contribution of the boxes of rank `rank` to the array's checksum.
    pub fn checksum_term(&self, rank: u32) -> [u64; 2] {
        let mut sum = [0u64; 2];
        for local in &self.boxes {
            let signed = |stride: &i64| u64::from_ne_bytes(stride.to_ne_bytes());
            let words = local.ranges.iter().flat_map(|range| [range.start, range.end]);
            let words = words.chain(local.strides.iter().map(signed)).chain([local.offset, rank.into()]);
            for (sum, seed) in sum.iter_mut().zip([5, 6]) {
                *sum = sum.wrapping_add(words.clone().fold(seed, |hash, word| mixed(hash ^ word, seed)));
            }
        }
        sum
    }
}

/// Returns the first common index of two boxes that intersect.
pub fn first_common(a: &[Range<u64>], b: &[Range<u64>]) -> Vec<u64> {
    intersect_boxes(a, b).map(|range| range.start).collect()
}

/// Returns two boxes that share a place in the storage, if there are any. `spans` must be in ascending order of starts.
fn find_overlap<'a>(spans: &[(Range<u64>, &'a LocalBox)]) -> Option<(&'a LocalBox, &'a LocalBox)> {
    let mut open: Vec<&(Range<u64>, &'a LocalBox)> = Vec::new();
    for each in spans {
        open.retain(|before| each.0.start < before.0.end);
        if let Some(before) = open
            .iter()
            .find(|before| may_share_bytes(&before.1.strided_elements(), &each.1.strided_elements()))
        {
            return Some((before.1, each.1));
        }
        open.push(each);
    }
    None
}

/// Returns the strides of a dense box; `None` if they exceed 63 bits.
fn dense(ranges: &[Range<u64>], row_major: bool) -> Option<Vec<i64>> {
    let mut strides = vec![0; ranges.len()];
    let mut stride = 1i64;
    for k in 0..ranges.len() {
        let k = if row_major { ranges.len() - 1 - k } else { k };
        strides[k] = stride;
        stride = stride.checked_mul(i64::try_from(ranges[k].end - ranges[k].start).ok()?)?;
    }
    Some(strides)
}

#[cfg(test)]
mod tests;
