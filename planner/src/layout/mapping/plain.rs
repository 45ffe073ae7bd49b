//! Maps of arrays with indices from 0, made by one call: with any formats, block-cyclic, or with the arguments of
//! `MPI_Type_create_darray`.
//!
//! Axis k of the array is distributed over axis k of an arrangement of the communicator's first ranks.

use super::{Arrangement, Format, Map, Mistake, Template, TemplateAxis, count_text, ensure};
use std::sync::Arc;

impl Format {
    /// Returns `CYCLIC(block)` for an axis over `procs` processes. If `block` is 0, returns `BLOCK`, or
    /// [`Format::Collapsed`] if `procs` is 1.
    fn block_cyclic(block: i64, procs: i64) -> Result<Self, Mistake> {
        let block = u64::try_from(block)
            .map_err(|_| Mistake(format!("the block size is {block}, expected at least 0 (0: BLOCK)")))?;
        Ok(match (block, procs) {
            (0, 1) => Self::Collapsed,
            (0, _) => Self::Block(None),
            _ => Self::cyclic(block),
        })
    }
}

impl Map {
    /// Creates the map of an array of `extents` elements, with axis k distributed by `formats[k]` over `shape[k]`
    /// processes. The arrangement has ranks 0, 1, 2, … of a communicator of `size` ranks, in row-major order of the
    /// coordinates. `shape[k]` must be 1 if axis k is not distributed.
    pub fn plain(extents: &[i64], formats: &[Format], shape: &[i64], size: u32) -> Result<Self, Mistake> {
        let (axes, known) = (extents.len(), [formats.len(), shape.len()]);
        ensure(known == [axes; 2], || {
            format!(
                "{} formats and {} process counts for {}, expected one of each for each axis",
                known[0],
                known[1],
                super::axes(axes)
            )
        })?;
        let arrangement = first_ranks(shape, size)?;
        let onto = |k: usize| (formats[k] != Format::Collapsed).then_some(k);
        for (k, &procs) in shape.iter().enumerate() {
            ensure(procs == 1 || onto(k).is_some(), || {
                format!("axis {k} is not distributed, but has {procs} processes, expected 1")
            })?;
        }
        let formats: Vec<_> =
            formats.iter().enumerate().map(|(k, format)| (format.clone(), onto(k))).collect();
        Self::from_zero(extents, arrangement, &formats)
    }

    /// Like [`Self::plain`], with format `CYCLIC(blocks[k])` for axis k. If `blocks[k]` is 0, the format is `BLOCK`; if
    /// `shape[k]` is also 1, the axis is not distributed.
    pub fn block_cyclic(extents: &[i64], shape: &[i64], blocks: &[i64], size: u32) -> Result<Self, Mistake> {
        ensure(blocks.len() == shape.len(), || {
            format!(
                "{} block sizes for {}, expected one for each axis",
                blocks.len(),
                super::axes(shape.len())
            )
        })?;
        let format = |(k, (&block, &procs))| {
            Format::block_cyclic(block, procs).map_err(|why| Mistake(format!("axis {k}: {why}")))
        };
        let formats = blocks.iter().zip(shape).enumerate().map(format);
        Self::plain(extents, &formats.collect::<Result<Vec<_>, _>>()?, shape, size)
    }

    /// Like [`Self::plain`], with the arguments of `MPI_Type_create_darray`. Local arrays are row-major if `row_major`
    /// (MPI_ORDER_C), otherwise column-major.
    pub fn darray(
        gsizes: &[i64],
        formats: &[Format],
        psizes: &[i64],
        row_major: bool,
        size: u32,
    ) -> Result<Self, Mistake> {
        let map = Self::plain(gsizes, formats, psizes, size)?;
        Ok(if row_major { map.row_major() } else { map })
    }

    /// Creates the map of an array of `extents` elements. `formats` has the format of each axis, and the axis of the
    /// arrangement that it is distributed over; `None` if it is not distributed.
    pub(crate) fn from_zero(
        extents: &[i64],
        arrangement: Arrangement,
        formats: &[(Format, Option<usize>)],
    ) -> Result<Self, Mistake> {
        ensure(formats.len() == extents.len(), || {
            format!(
                "{} for {}, expected one for each axis",
                count_text(formats.len(), "format", "formats"),
                super::axes(extents.len())
            )
        })?;
        let axis = |(k, (&extent, (format, onto))): (usize, (&i64, &(Format, Option<usize>)))| {
            ensure(extent >= 0, || format!("axis {k} has {extent} elements, expected at least 0"))?;
            Ok(TemplateAxis { lower: 0, upper: extent - 1, format: format.clone(), onto: *onto })
        };
        let axes = extents.iter().zip(formats).enumerate().map(axis).collect::<Result<_, Mistake>>()?;
        Ok(Self::whole(Arc::new(Template::new(arrangement, axes)?)))
    }
}

/// Arranges ranks 0, 1, 2, … of a communicator of `size` ranks in `shape`, in row-major order.
pub fn first_ranks(shape: &[i64], size: u32) -> Result<Arrangement, Mistake> {
    let narrow = |(k, &extent): (usize, &i64)| {
        u32::try_from(extent)
            .map_err(|_| Mistake(format!("axis {k} has {extent} processes, expected 1 to {size}")))
    };
    let shape = shape.iter().enumerate().map(narrow).collect::<Result<Vec<u32>, _>>()?;
    Arrangement::new(&shape, None, size)
}

#[cfg(test)]
mod tests {
    use super::super::{Layout, LocalArray};
    use super::*;
    use crate::layout::distribution::Local;

    /// Oracle: returns the owner and the local index of index `i` of `extent`, by dealing block after block. `block` 0
    /// stands for BLOCK.
    fn deal(i: u64, extent: u64, block: u64, procs: u64) -> (u64, u64) {
        let block = if block == 0 { extent.div_ceil(procs).max(1) } else { block };
        let (mut owner, mut places) = (0, vec![0; usize::try_from(procs).unwrap()]);
        for x in 0..=i {
            if x > 0 && x % block == 0 {
                owner = (owner + 1) % procs;
            }
            if x < i {
                places[usize::try_from(owner).unwrap()] += 1;
            }
        }
        (owner, places[usize::try_from(owner).unwrap()])
    }

    #[test]
    fn block_cyclic_maps_are_dealt_block_after_block() {
        let seed = 7;
        let mut rng = fastrand::Rng::with_seed(seed);
        for case in 0..300 {
            let axes = rng.usize(0..4);
            let some =
                |rng: &mut fastrand::Rng, most| (0..axes).map(|_| rng.i64(0..=most)).collect::<Vec<_>>();
            let (extents, blocks) = (some(&mut rng, 12), some(&mut rng, 5));
            let shape: Vec<i64> = (0..axes).map(|_| rng.i64(1..=3)).collect();
            let size = u32::try_from(shape.iter().product::<i64>()).unwrap() + rng.u32(0..2);
            let map = Map::block_cyclic(&extents, &shape, &blocks, size).unwrap();
            let layout = Layout::of(&map);
            for rank in 0..size {
                let inside = i64::from(rank) < shape.iter().product();
                assert_eq!(layout.part(rank).is_some(), inside, "seed {seed}, case {case}");
                let Some(part) = layout.part(rank) else { continue };
                let mut rest = u64::from(rank);
                let lens = LocalArray::of(&map, &layout, Some(&part)).axes;
                for k in (0..axes).rev() {
                    let procs = shape[k].unsigned_abs();
                    // The last axis varies fastest.
                    let coord = rest % procs;
                    rest /= procs;
                    let (extent, block) = (extents[k].unsigned_abs(), blocks[k].unsigned_abs());
                    let own: Vec<u64> =
                        (0..extent).filter(|&i| deal(i, extent, block, procs).0 == coord).collect();
                    let global = |l| layout.axes()[k].global(extent, part[k], Local(l));
                    let found: Vec<u64> = (0..lens[k].len).map(global).collect();
                    assert_eq!(found, own, "seed {seed}, case {case}, axis {k}, rank {rank}: {map:?}");
                    assert!((0..).zip(&own).all(|(l, &i)| deal(i, extent, block, procs) == (coord, l)));
                }
            }
        }
    }

    #[test]
    fn mistakes_are_named() {
        let why = |extents: &[i64], shape: &[i64], blocks: &[i64]| {
            Map::block_cyclic(extents, shape, blocks, 6).unwrap_err().to_string()
        };
        assert_eq!(why(&[4, 4], &[2, 3], &[0]), "1 block sizes for 2 axes, expected one for each axis");
        assert_eq!(
            why(&[4], &[2, 3], &[0, 0]),
            "2 formats and 2 process counts for 1 axis, expected one of each for each axis"
        );
        assert_eq!(why(&[4], &[-2], &[0]), "axis 0 has -2 processes, expected 1 to 6");
        assert_eq!(why(&[4], &[0], &[0]), "axis 0 of the arrangement has 0 processes, expected at least 1");
        assert_eq!(
            why(&[4, 4], &[2, 4], &[0, 0]),
            "the arrangement has 2x4 processes, expected at most 6, the size of the communicator"
        );
        assert_eq!(why(&[-1], &[2], &[0]), "axis 0 has -1 elements, expected at least 0");
        assert_eq!(why(&[9], &[2], &[-1]), "axis 0: the block size is -1, expected at least 0 (0: BLOCK)");
        assert_eq!(
            why(&[i64::MAX], &[2], &[0]),
            "axis 0 of the template: it has 9223372036854775807 indices, expected at most 2^62"
        );
        let none = Map::plain(&[4], &[Format::Collapsed], &[2], 6).unwrap_err();
        assert_eq!(none.to_string(), "axis 0 is not distributed, but has 2 processes, expected 1");
    }
}
