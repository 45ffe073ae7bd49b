//! Maps of ScaLAPACK matrices, from a descriptor and the grid of its BLACS context.

use super::Map;
use super::procs::Procs;
use crate::collective::call::{check_comm, check_mpi};
use crate::collective::failure::{Code, Failure};
use crate::layout::distribution::{Grid, Indirect};
use crate::layout::mapping::{Align, Arrangement, Format, Map as Mapping, Mistake, Template, TemplateAxis};
use crate::mpi::blacs::{Blacs, Int};
use crate::scalapack::{ArgumentRules, Descriptor, Matrix, Section, check};
use std::sync::Arc;

/// Maximum number of blocks along an axis whose first block is larger than the others: these blocks are listed.
const MAX_BLOCKS: u64 = 1 << 24;

impl Map {
    /// Makes the map of a matrix with this descriptor on the grid of the BLACS context `context`, which must contain
    /// the calling process. Bounds count from 1. Does not communicate.
    pub fn from_blacs(context: Int, descriptor: &Descriptor) -> Result<Self, Failure> {
        check_mpi()?;
        let blacs = Blacs::of_host().map_err(|why| Failure::new(Code::State, why))?;
        let place = blacs.grid_info(context).map_err(|why| Failure::new(Code::State, why))?;
        let place = place.and_then(|place| Some((place, blacs.communicator(context)?)));
        let none = || {
            Failure::argument(format!(
                "CTXT_ of DESC is {context}, expected the context of a process grid that contains this process"
            ))
        };
        let (place, comm) = place.ok_or_else(none)?;
        check_comm(&comm)?;
        Self::from_descriptor(Procs::without_session(&comm, &[place.rows, place.cols])?, descriptor)
    }

    /// Makes the map of a matrix with this descriptor on an arrangement with two axes, which must contain the calling
    /// process.
    pub(crate) fn from_descriptor(procs: Arc<Procs>, descriptor: &Descriptor) -> Result<Self, Failure> {
        let shape = procs.shape();
        let at = procs.arrangement().coords(procs.rank()).unwrap_or_default();
        let (&[rows, cols], &[row, col]) = (shape, &at[..]) else {
            return Err(Failure::new(
                Code::Internal,
                "internal error: the process grid of a descriptor does not contain this process",
            ));
        };
        let extent = descriptor.extent;
        let grid = Grid::row_major(&[rows, cols]);
        let matrix = Matrix { grid, at: [row, col], descriptor: *descriptor, start: [1, 1] };
        let whole = extent.map(|extent| u64::try_from(extent).unwrap_or(0));
        if extent.iter().any(|&extent| extent < 0) {
            return Err(Failure::argument(format!("M_ and N_ of DESC are {extent:?}, expected at least 0")));
        }
        let section = Section { of: "", extent: whole, counts: ["M", "N"] };
        check(&matrix, &section, ArgumentRules::Redistribution)
            .map_err(crate::transport::error::Error::from)?;
        let template = Arc::new(matrix_template(procs.arrangement().clone(), descriptor)?);
        let axis = |d: usize| (1, extent[d], Align::With { axis: d, stride: 1, offset: 0 });
        let map = Self::from_mapping(procs, None, Mapping::new(template, &[axis(0), axis(1)], None)?);
        // If the process has no element, any leading dimension is accepted.
        if map.local().is_empty() { Ok(map) } else { map.with_strides(&[1, descriptor.ld]) }
    }
}

/// Returns the template of a matrix with this descriptor on an arrangement with two axes. If the first block of an axis
/// is smaller than the others, the template begins before the matrix. If it is larger, the template lists the blocks as
/// an INDIRECT axis, unless one process or the first block has all indices.
pub(crate) fn matrix_template(
    arrangement: Arrangement,
    descriptor: &Descriptor,
) -> Result<Template, Mistake> {
    let shape = arrangement.shape();
    let axes = [0, 1].map(|d| axis(descriptor, d, shape.get(d).copied().unwrap_or(1)));
    let [rows, cols] = axes;
    Template::new(arrangement, vec![rows?, cols?])
}

fn axis(descriptor: &Descriptor, d: usize, procs: u32) -> Result<TemplateAxis, Mistake> {
    let count = |n: i64| u64::try_from(n).unwrap_or(1);
    let Descriptor { extent, first_block, block, first, .. } = *descriptor;
    let (extent, first_block, block) = (extent[d], first_block[d], block[d]);
    let first = u32::try_from(first[d]).unwrap_or(0);
    let made = |lower, format| Ok(TemplateAxis { lower, upper: extent, format, onto: Some(d) });
    if first_block <= block {
        return made(1 - (block - first_block), Format::Cyclic { block: count(block), first });
    }
    if procs == 1 || first_block >= extent {
        return made(1, Format::Cyclic { block: count(first_block), first });
    }
    let (all, first_block, block) = (count(extent) - count(first_block), count(first_block), count(block));
    if all / block > MAX_BLOCKS {
        let why = format!(
            "IMB_ or INB_ of DESC is {first_block}, larger than the block size {block}: then at most {MAX_BLOCKS} blocks are supported"
        );
        return Err(Mistake(why));
    }
    let mut owners = (0..procs).cycle().skip(first as usize + 1);
    let rest = (0..all.div_ceil(block)).map(|k| (owners.next().unwrap_or(0), block.min(all - k * block)));
    let dist = Indirect::new(procs, std::iter::once((first, first_block)).chain(rest));
    let dist = dist.ok_or_else(|| Mistake("the blocks of DESC cannot be listed".into()))?;
    made(1, Format::Indirect(dist))
}
