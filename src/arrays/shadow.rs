//! Plans that fill shadows with their owners' elements, or combine the owners' elements with the shadows.
//!
//! Source and target are the same local array: one is the processes' own elements, the other their shadows. So no
//! element is both read and written.

use super::draft::Draft;
use super::end::Side;
use super::kinds::ShadowExchange;
use super::map::Map;
use super::options::Options;
use super::plan::Plan;
use super::planning::plan_collectively;
use crate::collective::call::{session, settings};
use crate::collective::failure::Failure;
use crate::collective::operations::Operation;
use crate::layout::mapping;
use crate::mpi::Comm;
use crate::runtime::session::Session;
use std::sync::Arc;

/// The array and the shadows that [`Plan::shadow`] fills.
#[derive(Clone, Copy, Default)]
pub struct Shadow<'a> {
    /// The array. A rank without a part of it need not pass it.
    pub map: Option<&'a Map>,
    /// For each axis, the number of elements to fill below and above a process's own, at most the map's widths. The
    /// pair (0, 0) leaves out an axis. `None`: all shadows of the map.
    pub widths: Option<&'a [(u64, u64)]>,
    /// Periodic axes, whose first index follows the last one; `None`: no axis is periodic. Along other axes, shadow
    /// elements outside the array stay unchanged.
    pub periodic: Option<&'a [bool]>,
    /// Fills corners, too: elements that lie outside the process's own along more than one axis.
    pub corners: bool,
}

impl Plan {
    /// Plans to fill the shadows of an array with copies of their owners' elements, of `element` bytes each.
    /// [`Plan::fill`] executes the plan, with one local array as source and target. A shadow may be wider than the
    /// neighbour's part. Processes without own elements have no shadow to fill. Collective over `comm`.
    ///
    /// [`Plan::reverse`] returns the reverse plan, which [`Plan::fill_update`] executes with a `beta` of 1. It combines
    /// each element with its copies in all shadows, always in the same order. If rank r owns the element, copies in the
    /// shadow of rank r come first, then those of ranks r - 1, r - 2, … of `comm`. The highest rank follows rank 0.
    pub fn shadow(
        comm: &Comm,
        shadow: Shadow<'_>,
        element: usize,
        options: &Options,
    ) -> Result<Arc<Self>, Failure> {
        shadow_plan(comm, Ok((shadow, element, options)))
    }
}

/// Plans as [`Plan::shadow`] does; `Err` makes all ranks fail.
pub(crate) fn shadow_plan(
    comm: &Comm,
    given: Result<(Shadow<'_>, usize, &Options), Failure>,
) -> Result<Arc<Plan>, Failure> {
    shadow_in_session(&session(comm)?, given)
}

/// Plans as [`Plan::shadow`] does, on the communicator of `session`. Collective.
pub(super) fn shadow_in_session(
    session: &Arc<Session>,
    given: Result<(Shadow<'_>, usize, &Options), Failure>,
) -> Result<Arc<Plan>, Failure> {
    plan_collectively(session, Operation::Shadow, given, |given| draft_shadows(session, given))
}

fn draft_shadows<'a>(
    session: &Arc<Session>,
    (shadow, element, options): (Shadow<'_>, usize, &'a Options),
) -> Result<Draft<'a>, Failure> {
    let none = [
        ("relabel", options.relabel),
        ("axes", options.axes.is_some()),
        ("copies", options.copies),
        ("spread", !options.spread.is_empty()),
        ("overlap", options.overlap),
    ];
    if let Some((name, _)) = none.into_iter().find(|(_, given)| *given) {
        let text = format!("the option {name} is not supported by a plan for shadows");
        return Err(Failure::argument(text));
    }
    options.without_lists()?;
    let settings = Arc::new(options.applied_to(settings().0)?);
    let from = Side { map: shadow.map, section: None }.resolve(session, "array")?;
    let Shadow { widths, periodic, corners, .. } = shadow;
    let of = |map: &Map| mapping::Shadow::new(map.map(), map.layout(), widths, periodic, corners);
    let known = shadow.map.map(of).transpose()?.map(Arc::new);
    let shadow = Some(ShadowExchange(known));
    Ok(Draft { shadow, ..Draft::of_ends([from.clone(), from], element, options, settings) })
}
