//! The C description of the distribution of an axis.

use super::super::outcome::{status_of, wide};
use super::super::versioned::{self, Versioned, head};
use crate::arrays::AxisFormat;
use crate::layout::mapping::Format;

/// Format: the axis is not distributed.
pub const REBLOCK_FORMAT_COLLAPSED: i64 = 0;
/// Format BLOCK or BLOCK(m).
pub const REBLOCK_FORMAT_BLOCK: i64 = 1;
/// Format CYCLIC(k).
pub const REBLOCK_FORMAT_CYCLIC: i64 = 2;
/// Format GEN_BLOCK.
pub const REBLOCK_FORMAT_GEN_BLOCK: i64 = 3;
/// Format INDIRECT.
pub const REBLOCK_FORMAT_INDIRECT: i64 = 4;

/// The distribution of an axis of an array. Call reblock_format_init first.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_camel_case_types, reason = "names in C")]
pub struct reblock_format {
    /// Size of the structure in bytes, set by reblock_format_init.
    pub size: i64,
    /// Version of the structure, set by reblock_format_init.
    pub version: i64,
    /// The kind, one of the constants REBLOCK_FORMAT_...
    pub kind: i64,
    /// The block size, also of BLOCK without a given size; 0 if blocks have different sizes or the axis is not
    /// distributed.
    pub block: i64,
    /// The axis of the template; -1 if the axis of the array is collapsed.
    pub template_axis: i64,
    /// The axis of the arrangement; -1 if the axis of the array is not distributed.
    pub procs_axis: i64,
    /// The number of processes along `procs_axis`; 1 if the axis is not distributed.
    pub procs: i64,
    /// The stride of the alignment: index i is aligned with index `stride` * i + `offset` of the template.
    pub stride: i64,
    /// The offset of the alignment; see `stride`.
    pub offset: i64,
    /// The calling process's coordinate along `procs_axis`; 0 if the axis is not distributed, -1 if the process is not
    /// in the arrangement.
    pub coordinate: i64,
}

/// The version of reblock_format that this header describes.
pub const REBLOCK_FORMAT_VERSION: i64 = 1;

/// Initialises a structure. A program must call this before it passes the structure to a call that fills it in.
///
/// # Safety
/// `format` has room for a structure.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_format_init(format: *mut reblock_format) -> i32 {
    // SAFETY: `format` is NULL or has room for a structure.
    status_of(|| unsafe { versioned::init(format) })
}

// SAFETY: the structure begins with size and version; the rest are numbers.
unsafe impl Versioned for reblock_format {
    const NAME: &'static str = "reblock_format";
    const PLAIN: Self = {
        let (size, version) = head::<Self>(REBLOCK_FORMAT_VERSION);
        Self {
            size,
            version,
            kind: 0,
            block: 0,
            template_axis: -1,
            procs_axis: -1,
            procs: 0,
            stride: 0,
            offset: 0,
            coordinate: -1,
        }
    };
}

pub(super) fn to_c(found: &AxisFormat) -> reblock_format {
    let kind = match found.format {
        Format::Collapsed => REBLOCK_FORMAT_COLLAPSED,
        Format::Block(_) => REBLOCK_FORMAT_BLOCK,
        Format::Cyclic { .. } => REBLOCK_FORMAT_CYCLIC,
        Format::GenBlock(_) => REBLOCK_FORMAT_GEN_BLOCK,
        Format::Indirect(_) => REBLOCK_FORMAT_INDIRECT,
    };
    let axis = |axis: Option<usize>| axis.map_or(-1, |axis| wide(axis as u64));
    let (template_axis, stride, offset) =
        found.align.map_or((None, 0, 0), |(axis, stride, offset)| (Some(axis), stride, offset));
    reblock_format {
        kind,
        block: wide(found.block),
        template_axis: axis(template_axis),
        procs_axis: axis(found.onto),
        procs: i64::from(found.procs),
        stride,
        offset,
        coordinate: found.coordinate.map_or(-1, i64::from),
        ..reblock_format::PLAIN
    }
}
