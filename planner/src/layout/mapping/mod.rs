//! Layouts as programs declare them, in HPF's terms: processor arrangements, templates, distribution formats,
//! alignments, shadows.
//!
//! Declarations are immutable; each rank checks them on creation. Two maps and a section of each give a
//! [`Problem`](crate::layout::problem::Problem). All ranks are ranks of one communicator. Indices are the program's,
//! with its lower bounds; [`Layout`] converts them to indices from 0.
//!
//! | file | contents |
//! |---|---|
//! | `arrangement` | processor arrangements: the rank at each place |
//! | `format` | distribution formats of a template axis |
//! | `template` | templates, distributed onto arrangements |
//! | `map` | alignment of an array with a template, order of local arrays |
//! | `layout` | a map's axes with indices from 0, and its grid |
//! | `plain` | maps of arrays that are distributed axis by axis, with indices from 0 |
//! | `boxed` | maps of arrays in boxes |
//! | `boxes` | the boxes of a process and their storage |
//! | `local` | extents, strides and shadow of a process's local array |
//! | `section` | sections of an array |
//! | `shadow` | exchange of shadows: the elements that one process has in its shadow and another process owns |
//! | `array_axes` | views of local arrays with the dimensions of a problem |
//! | `redistribution` | the problem that moves one section to another |
//! | `shift` | pieces of a shift along an axis |
//! | `notation` | mappings as text in HPF's syntax |
//! | `numbers` | mappings as numbers, to send and compare |

mod arrangement;
mod array_axes;
mod boxed;
mod boxes;
mod format;
mod layout;
mod local;
mod map;
mod notation;
mod numbers;
mod plain;
mod redistribution;
mod section;
mod shadow;
mod shift;
mod template;

pub use arrangement::Arrangement;
pub use array_axes::ArrayAxes;
pub use boxes::first_common;
pub use boxes::{ArrayBoxes, BoxList, LocalBox, LocalBoxes};
pub use format::Format;
pub use layout::Layout;
pub use local::{LocalArray, LocalAxis};
pub use map::{Align, Map, MapAxis, Rest};
#[cfg(feature = "text")]
pub use notation::{dummy, subscript};
pub use plain::first_ranks;
pub use redistribution::corresponding;
pub use redistribution::{ArrayRedistribution, Correspondence, MappedSection};
pub use section::{Range, Section};
pub use shadow::{ArrayShare, Shadow};
pub use shift::{ShiftPiece, sections_outside, shift_pieces, within};
pub use template::{Template, TemplateAxis};

use std::fmt;

/// Maximum number of axes of an array, a template or an arrangement, as in Fortran 2008. A scalar has none.
pub const MAX_AXES: usize = crate::layout::strides::MAX_DIMS - 1;

/// A mistake in a declaration: one line with the value and the expectation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mistake(pub String);

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Mistake {}

/// Formats the range of valid numbers from 0 to `count - 1`, for error messages.
pub fn valid_range_text(count: usize) -> String {
    count
        .checked_sub(1)
        .map_or_else(|| "none, because there are no axes".into(), |last| format!("0 to {last}"))
}

/// Formats a count with its noun in singular or plural: `1 axis`, `2 axes`.
pub fn count_text(n: impl fmt::Display, one: &str, many: &str) -> String {
    let n = n.to_string();
    format!("{n} {}", if n == "1" { one } else { many })
}

/// Formats a number of axes.
pub fn axes(n: usize) -> String {
    count_text(n, "axis", "axes")
}

/// Returns an error with `text` unless `good`.
fn ensure(good: bool, text: impl FnOnce() -> String) -> Result<(), Mistake> {
    if good { Ok(()) } else { Err(Mistake(text())) }
}
