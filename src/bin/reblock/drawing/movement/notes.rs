//! Sentences of the drawing of a redistribution: the data that moves, the dimensions that are drawn, copies, and ranks
//! without an element.

use super::{Held, Movement};
use crate::columns::{bytes, count, grouped};

impl Movement<'_> {
    /// Returns a title, and a sentence about the data that moves.
    pub(super) fn summary(&self) -> [String; 2] {
        let element = self.traffic.element;
        let extents: Vec<String> = self.traffic.dims.iter().map(|dim| grouped(dim.overlap.len)).collect();
        let all = self.traffic.dims.iter().fold(element, |n, dim| n.saturating_mul(dim.overlap.len));
        let title = format!("{} elements of {}: {}", extents.join(" × "), count(element, "byte"), bytes(all));
        let sentence = match &self.flows {
            Ok(flows) => {
                let (group, total) = (self.groups.group_of(self.chosen), flows.total);
                let mut sentence = format!(
                    "{} move in {}, {} stay. ",
                    bytes(total.moved),
                    count(total.messages, "message"),
                    bytes(total.kept)
                );
                let sums = flows.sums[group];
                let with = if self.groups.are_single() {
                    " with".into()
                } else {
                    format!(" of {}, which have", self.groups.name(group))
                };
                sentence += &format!(
                    "Emphasised: rank {}{with} {} sent, {} received, {} kept.",
                    self.chosen,
                    bytes(sums.sent),
                    bytes(sums.received),
                    bytes(sums.kept)
                );
                sentence
            }
            Err(why) => format!("Emphasised: rank {}. The messages are not drawn: {why}.", self.chosen),
        };
        [title, sentence]
    }

    /// Names the dimensions that are drawn, if there are others or if the target has them in another order.
    pub(super) fn dimensions(&self) -> Option<String> {
        let [before, after] = [self.sides[0].plane, self.sides[1].plane];
        let is_permuted = !self.axes.is_sorted();
        let rows = before.rows.filter(|_| is_permuted || self.axes.len() > 2)?;
        let mut note = if is_permuted {
            let place = |dim: usize| format!("{} ({} before)", self.axes[dim] + 1, dim + 1);
            format!(
                "Rows and columns: dimensions {} and {} before, {} and {} after.",
                rows + 1,
                before.columns + 1,
                place(after.rows.unwrap_or(rows)),
                place(after.columns)
            )
        } else {
            format!("Rows: dimension {}; columns: dimension {}.", rows + 1, before.columns + 1)
        };
        if self.axes.len() > 2 {
            note += " The others are at their first index.";
        }
        Some(note)
    }

    /// Says how many ranks have each element, if there are copies.
    pub(super) fn copies(&self) -> Option<String> {
        let several = self.sides.iter().filter(|side| side.copies > 1);
        let named: Vec<String> =
            several.map(|side| format!("{} ranks {}", grouped(side.copies), side.name)).collect();
        (!named.is_empty()).then(|| {
            format!("+: copies. Each element is on {}; the number is that of one rank.", named.join(", on "))
        })
    }

    /// Says how many ranks have no element.
    pub(super) fn idle_ranks_text(&self) -> Option<String> {
        let some = self.sides.iter().filter(|side| side.held.idle > 0);
        let of = |held: &Held| format!("{} of {}", grouped(held.idle), count(held.ranks, "rank"));
        let named: Vec<String> = some.map(|side| format!("{} {}", of(&side.held), side.name)).collect();
        (!named.is_empty()).then(|| format!("Without an element: {}.", named.join(", ")))
    }
}
