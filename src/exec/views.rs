//! WHICH array is meant, if a rank's storage has several? It is seen as one by itself while something is done with it.

use crate::layout::strides::ArrayView;
use crate::pack::{Destination, Source};

/// Does `work` with the array that is written, which may be a view of a storage.
pub fn on_view(view: Option<&ArrayView>, to: &mut Destination<'_>, work: impl FnOnce(&mut Destination<'_>)) {
    match view {
        None => work(to),
        Some(view) => work(&mut to.seen(view)),
    }
}

/// The same with the array that is read.
pub fn on_views(
    [read, written]: [Option<&ArrayView>; 2],
    from: &Source<'_>,
    to: &mut Destination<'_>,
    work: impl FnOnce(&Source<'_>, &mut Destination<'_>),
) {
    let seen = read.map(|view| from.seen(view));
    on_view(written, to, |to| work(seen.as_ref().unwrap_or(from), to));
}
