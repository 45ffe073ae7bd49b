//! Division of a file's data among ranks: into consecutive windows, and each window into consecutive parts, at most one
//! for each rank. A window is a section of the array, and its parts are blocks. So a redistribution between the
//! program's map and these blocks moves the elements.

use std::ops::Range;

/// Division of the data of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cut {
    /// Axes of the array in the order of the file, the fastest first.
    order: Vec<usize>,
    /// Number of indices of each axis, in the order of the file.
    extents: Vec<u64>,
    /// Bytes in the file from one index of each axis to the next, in the order of the file.
    strides: Vec<u64>,
    /// Number of indices of a rank's block along each axis, in the order of the file.
    blocks: Vec<u64>,
    /// Number of ranks along each axis, in the order of the file.
    ranks: Vec<u32>,
    /// Number of undivided axes, the fastest in the file: a block has all their indices.
    split: usize,
    element: u64,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileWindow(pub Vec<Range<u64>>);

/// Consecutive bytes of the data that one rank reads or writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FileStretch {
    /// Offset in the data, in bytes.
    pub start: u64,
    /// Length in bytes, at least 1.
    pub bytes: u64,
}

impl Cut {
    /// Divides the data of an array with these extents and elements of `element` bytes. `order` has its axes in the
    /// order of the file, the fastest first. Each of the `ranks` ranks takes at most `room` bytes of a window, or one
    /// element if that is more. `None` if the array has 2^63 bytes or more.
    pub fn new(extents: &[u64], order: &[usize], element: u64, ranks: u32, room: u64) -> Option<Self> {
        let extents: Vec<u64> = order.iter().map(|&axis| extents[axis]).collect();
        let mut strides = vec![element];
        for &extent in &extents {
            let next = strides[strides.len() - 1].checked_mul(extent).filter(|&n| i64::try_from(n).is_ok());
            strides.push(next?);
        }
        // The product exceeds 64 bits only in an array without elements.
        let items = |k: usize| extents[k..].iter().fold(1u64, |n, &extent| n.saturating_mul(extent));
        // As many axes as possible, those before `split`, are not divided: their elements must fit into `room`, and the
        // other axes must have at least `ranks` combinations of indices.
        let fitting = (0..extents.len()).rev().find(|&k| strides[k] <= room && items(k) >= u64::from(ranks));
        let split = fitting.unwrap_or(0);
        let mut blocks: Vec<u64> = vec![1; extents.len()];
        let mut along = vec![1; extents.len()];
        blocks[..split].copy_from_slice(&extents[..split]);
        let (mut left, mut whole) = (u64::from(ranks), true);
        for k in split..extents.len() {
            let extent = extents[k].max(1);
            if k == split {
                let most = (room / strides[k].max(1)).clamp(1, extent);
                blocks[k] = items(k).div_ceil(left).clamp(1, most);
            }
            let wanted = if whole { extent.div_ceil(blocks[k]).min(left) } else { 1 };
            along[k] = u32::try_from(wanted).expect("no more than there are ranks");
            whole = whole && wanted * blocks[k] >= extent;
            left /= wanted;
        }
        strides.truncate(extents.len());
        Some(Self { order: order.to_vec(), extents, strides, blocks, ranks: along, split, element })
    }

    /// Returns the distributed axes of the array, the slowest in the file first, with the ranks along each and the
    /// indices of a block. Ranks in row-major order of these axes have consecutive parts of the file.
    pub fn distributed_axes(&self) -> Vec<(usize, u32, u64)> {
        (self.split..self.order.len()).rev().map(|k| (self.order[k], self.ranks[k], self.blocks[k])).collect()
    }

    /// Returns the number of parts of a window. The ranks below this number read or write them.
    pub fn ranks(&self) -> u32 {
        self.ranks.iter().product()
    }

    /// Returns the windows, in the order of the file.
    pub fn windows(&self) -> impl Iterator<Item = FileWindow> + '_ {
        let steps: Vec<u64> =
            self.blocks.iter().zip(&self.ranks).map(|(&b, &r)| (b * u64::from(r)).max(1)).collect();
        let counts: Vec<u64> =
            self.extents.iter().zip(&steps).map(|(&extent, &step)| extent.div_ceil(step)).collect();
        let empty = self.extents.contains(&0);
        let total = if empty { 0 } else { counts.iter().product() };
        (0..total).map(move |mut number| {
            let mut ranges = vec![0..0; self.order.len()];
            for (k, &axis) in self.order.iter().enumerate() {
                let start = number % counts[k] * steps[k];
                number /= counts[k];
                ranges[axis] = start..(start + steps[k]).min(self.extents[k]);
            }
            FileWindow(ranges)
        })
    }

    /// Returns the part of a window that `rank` reads or writes, if it has one.
    pub fn stretch(&self, window: &FileWindow, rank: u32) -> Option<FileStretch> {
        // A scalar is one element, on the first rank.
        let (mut rest, mut stretch) = (rank, FileStretch { start: 0, bytes: self.element });
        for (k, &axis) in self.order.iter().enumerate() {
            let (at, range) = (u64::from(rest % self.ranks[k]), &window.0[axis]);
            rest /= self.ranks[k];
            let start = range.start + at * self.blocks[k];
            let end = (start + self.blocks[k]).min(range.end);
            if start >= end {
                return None;
            }
            stretch.start += start * self.strides[k];
            if k == self.split {
                stretch.bytes = (end - start) * self.strides[k];
            }
        }
        (rest == 0).then_some(stretch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_follow_each_other_and_have_every_byte() {
        let mut rng = fastrand::Rng::with_seed(8);
        for _ in 0..3000 {
            let axes = rng.usize(1..5);
            let extents: Vec<u64> = (0..axes).map(|_| *rng.choice(&[0, 1, 2, 3, 7, 30]).unwrap()).collect();
            let mut order: Vec<usize> = (0..axes).collect();
            rng.shuffle(&mut order);
            let (element, ranks, room) = (rng.u64(1..20), rng.u32(1..12), rng.u64(1..3000));
            let cut = Cut::new(&extents, &order, element, ranks, room).unwrap();
            let case = format!("{extents:?} {order:?} {element} {ranks} {room}");
            assert!(cut.ranks() <= ranks, "{case}");
            let mut next = 0;
            for window in cut.windows() {
                let mut inside = 0;
                for rank in 0..ranks {
                    let Some(stretch) = cut.stretch(&window, rank) else { continue };
                    assert_eq!(stretch.start, next, "{case}");
                    assert!(stretch.bytes > 0 && stretch.bytes <= room.max(element), "{case}");
                    next += stretch.bytes;
                    inside += stretch.bytes;
                }
                let elements: u64 = window.0.iter().map(|range| range.end - range.start).product();
                assert_eq!(inside, elements * element, "{case}");
            }
            assert_eq!(next, extents.iter().product::<u64>() * element, "{case}");
        }
    }

    #[test]
    fn all_ranks_take_part_in_large_arrays() {
        let cut = Cut::new(&[1 << 20, 1 << 12], &[0, 1], 8, 64, 8 << 20).unwrap();
        assert_eq!((cut.ranks(), cut.windows().count()), (64, 64));
        let cut = Cut::new(&[3_000_000_000], &[0], 1, 4, 1 << 20).unwrap();
        assert_eq!(cut.windows().count(), 716);
        let few = Cut::new(&[1_000_000, 3], &[0, 1], 8, 64, 8 << 20).unwrap();
        assert!(few.ranks() > 32, "{few:?}");
        assert_eq!(Cut::new(&[1 << 40, 1 << 40], &[0, 1], 8, 4, 1 << 20), None);
        let empty = Cut::new(&[0, 1 << 62, 5], &[0, 1, 2], 8, 6, 8 << 20).unwrap();
        assert_eq!(empty.windows().count(), 0);
    }
}
