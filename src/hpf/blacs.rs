//! Which map does a ScaLAPACK descriptor stand for?

use super::Map;
use super::call::{checked, usable};
use super::failure::{Code, Failure};
use super::procs::Procs;
use crate::blacs::{Blacs, Int};
use crate::layout::Grid;
use crate::mapping::{Arrangement, Format, Map as Mapping, Mistake, Template, TemplateAxis};
use crate::scalapack::{Descriptor, Manners, Matrix, Section, check};
use std::sync::Arc;

impl Map {
    /// The map of a matrix with that descriptor on the grid of the BLACS context `context`, which the calling process is in.
    /// Bounds count from 1. Asks no other rank.
    pub fn from_blacs(context: Int, descriptor: &Descriptor) -> Result<Self, Failure> {
        usable()?;
        let blacs = Blacs::of_host().map_err(|why| Failure::new(Code::State, why))?;
        let place = blacs.grid_info(context).map_err(|why| Failure::new(Code::State, why))?;
        let place = place.and_then(|place| Some((place, blacs.communicator(context)?)));
        let none = || {
            Failure::argument(format!(
                "CTXT_ of DESC is {context}, expected that of a grid that this process is in"
            ))
        };
        let (place, comm) = place.ok_or_else(none)?;
        checked(&comm)?;
        Self::of_descriptor(Procs::silent(&comm, &[place.rows, place.cols])?, descriptor)
    }

    /// The map of a matrix with that descriptor on an arrangement with two axes, which the calling process is in.
    pub(crate) fn of_descriptor(procs: Arc<Procs>, descriptor: &Descriptor) -> Result<Self, Failure> {
        let shape = procs.shape();
        let at = procs.arrangement().coords(procs.rank()).unwrap_or_default();
        let (&[rows, cols], &[row, col]) = (shape, &at[..]) else {
            return Err(Failure::new(Code::Internal, "a descriptor on a process grid without this process"));
        };
        let extent = descriptor.extent;
        let grid = Grid::row_major(&[rows, cols]);
        let matrix = Matrix { grid, at: [row, col], descriptor: *descriptor, start: [1, 1] };
        let whole = extent.map(|extent| u64::try_from(extent).unwrap_or(0));
        if extent.iter().any(|&extent| extent < 0) {
            return Err(Failure::argument(format!("M_ and N_ of DESC are {extent:?}, expected at least 0")));
        }
        let section = Section { of: "", extent: whole, counts: ["M", "N"] };
        check(&matrix, &section, Manners::Redistribution).map_err(crate::error::Error::from)?;
        let map = Mapping::whole(Arc::new(dealt(procs.arrangement().clone(), descriptor)?));
        let map = Self::of(procs, None, map);
        // Where there are no rows or columns any leading dimension will do.
        if map.local().is_empty() { Ok(map) } else { map.with_strides(&[1, descriptor.ld]) }
    }
}

/// What a matrix with that descriptor is dealt out as, onto an arrangement with two axes.
pub(crate) fn dealt(arrangement: Arrangement, descriptor: &Descriptor) -> Result<Template, Mistake> {
    let axis = |d: usize| {
        let block = u64::try_from(descriptor.block[d]).unwrap_or(1);
        let first = u32::try_from(descriptor.first[d]).unwrap_or(0);
        let format = Format::Cyclic { block, first };
        TemplateAxis { lower: 1, upper: descriptor.extent[d], format, onto: Some(d) }
    };
    Template::new(arrangement, vec![axis(0), axis(1)])
}
