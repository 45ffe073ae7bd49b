//! Handover of INDIRECT axes after relabelling, if each process has only its own indices: the old rank of a place sends
//! its lists to the new one.

use crate::collective::exchange::exchange_lists;
use crate::collective::failure::Failure;
use crate::layout::distribution::OwnIndices;
use crate::layout::mapping::{Arrangement, Format, Template};
use crate::runtime::session::Session;
use std::ops::Range;

/// Returns the template on another arrangement of the same shape. Collective over the communicator of `session`.
pub fn hand_over(session: &Session, template: &Template, to: Arrangement) -> Result<Template, Failure> {
    let from = template.arrangement();
    let mut axes = template.axes().to_vec();
    for axis in &mut axes {
        let (Format::Indirect(dist), Some(onto)) = (&axis.format, axis.onto) else { continue };
        let Some(part) = dist.part() else { continue };
        let mut lists = vec![Vec::new(); session.ranks as usize];
        if let (Some(at), Some(own)) = (from.coords(session.rank), part.own()) {
            let words = |run: Range<u64>| [run.start, run.end];
            lists[to.grid().rank(&at).0 as usize] = own.runs().flat_map(words).collect();
        }
        let received = exchange_lists(session, lists)?;
        let own = to.coords(session.rank).map(|at| {
            let words = &received[from.grid().rank(&at).0 as usize];
            OwnIndices::new(at[onto], words.chunks_exact(2).map(|run| run[0]..run[1]))
        });
        axis.format = Format::Indirect(part.of(own).into());
    }
    Ok(Template::new(to, axes)?)
}
