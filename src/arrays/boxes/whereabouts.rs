//! Lookup of elements of an array in boxes. Queries are boxes of one element, paired with the array's boxes, whose
//! owners answer.

use super::cells::find_pairs;
use crate::collective::call::confirm_step;
use crate::collective::exchange::exchange_lists;
use crate::collective::failure::Failure;
use crate::layout::intersect::Boxes;
use crate::layout::mapping::LocalBoxes;
use crate::runtime::session::Session;

/// Owners and places of elements, in the order of the query.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Whereabouts {
    /// The lowest rank that has a copy of the element.
    pub ranks: Vec<u32>,
    /// Places of each element in that rank's storage: one for each axis, element after element. Places count from 0 at
    /// the start of the shadow or, for an array in boxes, of the element's box.
    pub places: Vec<u64>,
}

/// Looks up `count` elements of an array in boxes. `elements` has one index for each axis, from 0, element after
/// element. `own` has the calling process's boxes. Collective over the communicator of `session`.
pub fn whereabouts(
    session: &Session,
    extents: &[u64],
    own: &LocalBoxes,
    (count, elements): (usize, &[u64]),
) -> Result<Whereabouts, Failure> {
    let axes = extents.len();
    let whole = if axes == 0 { vec![1] } else { extents.to_vec() };
    let mut asked = Boxes::new(whole.len());
    for e in 0..count {
        let index = elements[e * axes..(e + 1) * axes].iter().map(|&x| x..x + 1);
        asked.push(index.chain((axes == 0).then_some(0..1)));
    }
    let [answers, _] = find_pairs(session, &whole, [&own.indices(axes), &asked])?;
    let mut lists = vec![Vec::new(); session.ranks as usize];
    for answer in answers {
        let list = &mut lists[answer.peer.0 as usize];
        list.push(answer.other as u64);
        let ranges = own.boxes()[answer.own].ranges.iter();
        list.extend(ranges.zip(&answer.span).map(|(range, x)| x.start - range.start));
    }
    let mut ranks = vec![None; count];
    let mut places = vec![0; count * axes];
    for (rank, list) in (0u32..).zip(exchange_lists(session, lists)?) {
        for answer in list.chunks_exact(1 + axes) {
            let e = usize::try_from(answer[0]).expect("a number from another rank");
            ranks[e] = Some(rank);
            places[e * axes..(e + 1) * axes].copy_from_slice(&answer[1..]);
        }
    }
    let missing = |e: usize| {
        Failure::argument(format!(
            "element {:?}, counting from 0, is in no box",
            &elements[e * axes..(e + 1) * axes]
        ))
    };
    let all = ranks.iter().enumerate().map(|(e, rank)| rank.ok_or_else(|| missing(e)));
    Ok(Whereabouts { ranks: confirm_step(session, all.collect())?, places })
}
