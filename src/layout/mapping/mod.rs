//! WHICH layout does a program declare? HPF's terms: processor arrangements, templates, distribution formats, alignments,
//! shadows. Declarations never change; each rank checks them when they are made.
//!
//! Two mappings and a section of each are a [`Problem`](crate::layout::problem::Problem). This folder knows the ranks of one
//! communicator as numbers, and never communicates. Indices are the caller's, with the lower bounds that the caller gave,
//! until [`Layout`] turns them into indices from 0.
//!
//! | file | the question it answers |
//! |---|---|
//! | `arrangement` | which rank is where in a processor arrangement? |
//! | `format` | how is an axis of a template distributed? |
//! | `template` | what is distributed, and onto what? |
//! | `map` | which element of an array is aligned with which of a template? |
//! | `layout` | which layout results from both: axes from 0 and a grid? |
//! | `plain` | which map has an array whose axes are distributed one by one, from index 0? |
//! | `boxes` | which boxes of an array does a process have, if it is given so? |
//! | `local` | what does a process's local array look like? |
//! | `section` | which elements of an array are meant? |
//! | `shadow` | whose elements are in whose shadows? |
//! | `array_axes` | how is an array seen by what is to be moved? |
//! | `between` | what is to be moved from one mapping to another? |
//! | `notation` | how does HPF write it? |
//! | `numbers` | how is a mapping sent to other ranks? |

mod arrangement;
mod array_axes;
mod between;
mod boxes;
mod format;
mod layout;
mod local;
mod map;
mod notation;
mod numbers;
mod plain;
mod section;
mod shadow;
mod shift;
mod template;

pub use arrangement::Arrangement;
pub use array_axes::ArrayAxes;
pub(crate) use between::corresponding;
pub use between::{Between, Correspondence, End};
pub(crate) use boxes::first_common;
pub use boxes::{ArrayBoxes, BoxList, LocalBox, LocalBoxes};
pub use format::Format;
pub use layout::Layout;
pub use local::{Local, LocalAxis};
pub use map::{Align, Map, MapAxis, Rest};
#[cfg(feature = "text")]
pub(crate) use notation::{dummy, subscript};
pub(crate) use plain::first_ranks;
pub use section::{Range, Section};
pub use shadow::{ArrayShare, Shadow};
pub(crate) use shift::{Cut, around, cuts, within};
pub use template::{Template, TemplateAxis};

use std::fmt;

/// Most dimensions of an array, a template or an arrangement: as many as Fortran 2008 has. A scalar has none.
pub const MOST_AXES: usize = crate::layout::strides::MOST_DIMS - 1;

/// What is wrong with a declaration, in one line that names the value and what was expected.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mistake(pub String);

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Mistake {}

/// What a number from 0 on below `count` may be, in words.
pub(crate) fn below(count: usize) -> String {
    count.checked_sub(1).map_or_else(|| "none, as there is none".into(), |last| format!("0 to {last}"))
}

/// A number of things, with their name in singular or plural: `1 axis`, `2 axes`.
pub(crate) fn counted(n: impl fmt::Display, one: &str, many: &str) -> String {
    let n = n.to_string();
    format!("{n} {}", if n == "1" { one } else { many })
}

/// Axes in words.
pub(crate) fn axes(n: usize) -> String {
    counted(n, "axis", "axes")
}

/// An `Err` unless `good`; the text is made only then.
fn ensure(good: bool, text: impl FnOnce() -> String) -> Result<(), Mistake> {
    if good { Ok(()) } else { Err(Mistake(text())) }
}
