//! Temporary views of single arrays within a rank's storage.

use crate::layout::strides::ArrayView;
use crate::pack::{Destination, Source};

/// Calls `work` with the destination, or with a view of it.
pub fn on_view(view: Option<&ArrayView>, to: &mut Destination<'_>, work: impl FnOnce(&mut Destination<'_>)) {
    match view {
        None => work(to),
        Some(view) => work(&mut to.view(view)),
    }
}

/// Calls `work` with the source and the destination, or with views of them.
pub fn on_views(
    [read, written]: [Option<&ArrayView>; 2],
    from: &Source<'_>,
    to: &mut Destination<'_>,
    work: impl FnOnce(&Source<'_>, &mut Destination<'_>),
) {
    let seen = read.map(|view| from.view(view));
    on_view(written, to, |to| work(seen.as_ref().unwrap_or(from), to));
}
