//! Inquiry for the distribution of one axis.

use super::procs::Procs;
use crate::layout::distribution::Dist;
use crate::layout::mapping::{Format, Template};

/// Distribution of one axis of an array.
#[derive(Clone, Debug)]
pub struct AxisFormat {
    /// Format of the template's axis that the array's axis is aligned with.
    pub format: Format,
    /// Indices per block; `BLOCK` has the computed size if the program gave none. 0 if blocks differ in size or the
    /// axis is not distributed.
    pub block: u64,
    /// Axis of the template, stride and offset of the alignment; `None` if the axis is collapsed.
    pub align: Option<(usize, i64, i64)>,
    /// Axis of the arrangement, if the axis is distributed.
    pub onto: Option<usize>,
    /// Number of processes along that axis of the arrangement; 1 if the axis is not distributed.
    pub procs: u32,
    /// Coordinate of the calling process along that axis; 0 if the axis is not distributed, `None` if the process is
    /// not in the arrangement.
    pub coordinate: Option<u32>,
}

impl AxisFormat {
    pub(super) fn collapsed(procs: &Procs) -> Self {
        let coordinate = here(procs, None);
        Self { format: Format::Collapsed, block: 0, align: None, onto: None, procs: 1, coordinate }
    }

    /// Returns the format for an alignment with an axis of the template: axis, stride, offset.
    pub(super) fn new(procs: &Procs, template: &Template, align: (usize, i64, i64)) -> Self {
        let (axis, dist) = (&template.axes()[align.0], template.dist(align.0));
        let block = match dist {
            Dist::Cyclic(dist) if axis.onto.is_some() => dist.block(),
            _ => 0,
        };
        Self {
            format: axis.format.clone(),
            block,
            align: Some(align),
            onto: axis.onto,
            procs: axis.onto.map_or(1, |onto| procs.shape()[onto]),
            coordinate: here(procs, axis.onto),
        }
    }
}

/// Returns the calling process's coordinate along axis `onto` of an arrangement; 0 without an axis.
fn here(procs: &Procs, onto: Option<usize>) -> Option<u32> {
    let coords = procs.arrangement().coords(procs.rank())?;
    Some(onto.map_or(0, |onto| coords[onto]))
}
