//! HOW is one axis of an array or a template dealt out, as a program asks it?

use super::procs::Procs;
use crate::layout::distribution::Dist;
use crate::layout::mapping::{Format, Template};

/// How one axis of an array is dealt out.
#[derive(Clone, Debug)]
pub struct AxisFormat {
    /// The format of the axis of the template that it is aligned with.
    pub format: Format,
    /// Indices of a block: of BLOCK, too, whatever the program gave; 0 where blocks differ.
    pub block: u64,
    /// The axis of the template, its stride and offset; `None` where it is collapsed.
    pub align: Option<(usize, i64, i64)>,
    /// The axis of the arrangement, if there is one.
    pub onto: Option<usize>,
    /// Processes that it is dealt out to.
    pub procs: u32,
    /// The calling process's coordinate along that axis, if it is in the arrangement.
    pub coordinate: Option<u32>,
}

impl AxisFormat {
    /// Of an axis that is aligned with nothing.
    pub(super) fn collapsed(procs: &Procs) -> Self {
        let coordinate = here(procs, None);
        Self { format: Format::Collapsed, block: 0, align: None, onto: None, procs: 1, coordinate }
    }

    /// Of an axis that is aligned so: with an axis of the template, with a stride and an offset.
    pub(super) fn of(procs: &Procs, template: &Template, align: (usize, i64, i64)) -> Self {
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

/// The calling process's coordinate along an axis of an arrangement.
fn here(procs: &Procs, onto: Option<usize>) -> Option<u32> {
    let coords = procs.arrangement().coords(procs.rank())?;
    Some(onto.map_or(0, |onto| coords[onto]))
}
