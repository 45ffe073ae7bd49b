//! Finds the elements that ranks share in a redistribution whose source, target or both lie in boxes.
//!
//! If both lie in boxes, [`find_pairs`] pairs the boxes. If only one side does, the owner of a box computes the owners
//! of its indices on the other side, and sends them the box. It cannot if each process has only its own indices of an
//! axis there: then the processes' runs on that side are paired as boxes.

use super::cells::{BoxPair, find_pairs, ranges};
use crate::arrays::end::ResolvedEnd;
use crate::collective::call::confirm_step;
use crate::collective::exchange::exchange_lists;
use crate::collective::failure::{Code, Failure};
use crate::layout::distribution::Rank;
use crate::layout::intersect::{Boxes, Overlap, runs_of};
use crate::layout::mapping::{ArrayAxes, ArrayRedistribution, LocalBoxes};
use crate::layout::problem::Problem;
use crate::plan::{BoxShare, Place, ReceivedBoxes, SectionBox, SectionBoxes};
use crate::runtime::session::Session;
use std::ops::Range;

/// Maximum number of boxes of a process's runs: each combination of runs along the axes is a box.
const MAX_RUN_BOXES: u64 = 1 << 26;

/// Returns the calling process's boxes and the shares of them, for each redistribution of the problem. Collective over
/// the communicator of `session`.
pub fn find_shares(
    session: &Session,
    redistribution: &ArrayRedistribution,
    ends: [&ResolvedEnd; 2],
) -> Result<Vec<ReceivedBoxes>, Failure> {
    let each = redistribution.problem.redistributions().into_iter();
    each.map(|problem| {
        find_shares_once(session, &ArrayRedistribution { problem, ..redistribution.clone() }, ends)
    })
    .collect()
}

fn find_shares_once(
    session: &Session,
    redistribution: &ArrayRedistribution,
    ends: [&ResolvedEnd; 2],
) -> Result<ReceivedBoxes, Failure> {
    let problem = &redistribution.problem;
    let me = Place::of(problem, Rank(session.rank), session.ranks);
    let mine = own_boxes(redistribution, ends, &me);
    let (boxes, runs) = confirm_step(session, mine)?;
    let mut received = ReceivedBoxes { boxes, ..ReceivedBoxes::default() };
    for (k, name) in ["source", "target"].into_iter().enumerate() {
        if problem.boxes[k] {
            let axes = if k == 0 { &redistribution.from } else { &redistribution.to };
            check_covered(session, problem, &received.boxes[k], (name, axes, ends[k]))?;
        }
    }
    let lens: Vec<u64> = problem.dims.iter().map(|dim| dim.len).collect();
    let Some(runs) = runs else {
        let k = usize::from(!problem.boxes[0]);
        received.shares = shares_with_regular_side(session, problem, &me, k, &received.boxes[k])?;
        return Ok(received);
    };
    let of = |k: usize| {
        let mut all = Boxes::new(lens.len());
        let spans = received.boxes[k].boxes.iter().map(|own| &own.span);
        spans.chain(&runs[k]).for_each(|span| all.push(span.iter().cloned()));
        all
    };
    let own = [of(0), of(1)];
    let found = find_pairs(session, &lens, own.each_ref())?;
    received.listed = problem.boxes.map(|boxes| !boxes);
    let mut side = 0;
    received.shares = found.map(|pairs| {
        let boxes = problem.boxes[side];
        side += 1;
        let share = |BoxPair { own, peer, span, .. }| BoxShare {
            peer,
            own: boxes.then_some(own),
            span,
            there: Vec::new(),
        };
        pairs.into_iter().map(share).collect()
    });
    Ok(received)
}

/// Boxes of each side, in section indices.
type SpansOfSides = [Vec<Vec<Range<u64>>>; 2];

/// Returns the parts of the calling process's boxes that lie in the sections, for both sides. The second value is `None`
/// if one side has no boxes and its owners can be computed. Otherwise it has, for each side without boxes, the process's
/// runs as boxes.
fn own_boxes(
    redistribution: &ArrayRedistribution,
    ends: [&ResolvedEnd; 2],
    me: &Place,
) -> Result<([SectionBoxes; 2], Option<SpansOfSides>), Failure> {
    let problem = &redistribution.problem;
    let mut boxes = [SectionBoxes::default(), SectionBoxes::default()];
    for (k, axes) in [&redistribution.from, &redistribution.to].into_iter().enumerate() {
        if let Some(local) = ends[k].local(me.rank.0)?.boxes.filter(|_| problem.boxes[k]) {
            boxes[k] = in_section(&problem.dims, axes, ends[k], &local)?;
        }
    }
    let pairs_boxes = problem.boxes == [true; 2] || problem.dims.iter().any(Overlap::is_partial);
    let runs = || -> Result<SpansOfSides, Failure> {
        let mut runs = [Vec::new(), Vec::new()];
        for k in (0..2).filter(|&k| !problem.boxes[k]) {
            runs[k] = boxes_of_runs(problem, me, k)?;
        }
        Ok(runs)
    };
    Ok((boxes, if pairs_boxes { Some(runs()?) } else { None }))
}

fn in_section(
    dims: &[Overlap],
    axes: &ArrayAxes,
    end: &ResolvedEnd,
    local: &LocalBoxes,
) -> Result<SectionBoxes, Failure> {
    let end = end.mapped_section();
    let steps = (0..dims.len()).map(|d| axes.axis(d).map_or(1, |k| end.triplet(k, false).1)).collect();
    let (mut boxes, mut views) = (Vec::new(), Vec::new());
    // An empty section may start outside the array.
    let some = dims.iter().all(|dim| dim.len > 0);
    for own in local.boxes().iter().filter(|_| some) {
        let place = |(d, dim): (usize, &Overlap)| {
            let Some(k) = axes.axis(d) else { return (0..dim.len, 0) };
            let reversed = axes.is_reversed(d);
            let (start, step) = end.triplet(k, reversed);
            let range = match reversed {
                false => own.ranges[k].clone(),
                true => {
                    let extent = end.layout.extents()[k];
                    extent - own.ranges[k].end..extent - own.ranges[k].start
                }
            };
            let at = |bound: u64| bound.saturating_sub(start).div_ceil(step).min(dim.len);
            let span = at(range.start)..at(range.end);
            let first = (start + step * span.start).saturating_sub(range.start);
            (span, first)
        };
        let (span, first): (Vec<_>, Vec<_>) = dims.iter().enumerate().map(place).unzip();
        if span.iter().any(Range::is_empty) {
            continue;
        }
        let view = axes.view(own.offset, &own.axes(end.map.axes().iter().map(|axis| axis.lower)));
        views.push(view.ok_or_else(|| Failure::argument("the local array has more than 2^63 bytes"))?);
        boxes.push(SectionBox { span, first });
    }
    Ok(SectionBoxes { boxes, steps, views: views.into() })
}

/// Returns the calling process's section indices on side `k`, which does not lie in boxes, as boxes; none for copies of
/// a replicated source other than the first, which are not read.
fn boxes_of_runs(problem: &Problem, me: &Place, k: usize) -> Result<Vec<Vec<Range<u64>>>, Failure> {
    let (at, dims) = (if k == 0 { &me.from } else { &me.to }, &problem.dims);
    let Some(at) = at.as_ref().filter(|at| k == 1 || at[dims.len()..].iter().all(|&copy| copy == 0)) else {
        return Ok(Vec::new());
    };
    let runs =
        |(dim, &coord): (&Overlap, &u32)| runs_of(if k == 0 { &dim.from } else { &dim.to }, dim.len, coord);
    let runs: Vec<Vec<Range<u64>>> = dims.iter().zip(at).map(runs).collect();
    let count = runs.iter().fold(1u64, |count, runs| count.saturating_mul(runs.len() as u64));
    if count > MAX_RUN_BOXES {
        return Err(Failure::new(
            Code::Memory,
            format!(
                "the runs of this process's INDIRECT indices form {count} boxes, at most {MAX_RUN_BOXES} are supported"
            ),
        ));
    }
    let mut all = vec![Vec::new()];
    for runs in &runs {
        let longer =
            |of: Vec<Range<u64>>| runs.iter().map(move |run| [&of[..], std::slice::from_ref(run)].concat());
        all = all.into_iter().flat_map(longer).collect();
    }
    Ok(all)
}

/// Checks that all elements of the section are in boxes. All ranks return the same result. Collective.
fn check_covered(
    session: &Session,
    problem: &Problem,
    boxes: &SectionBoxes,
    (name, axes, end): (&str, &ArrayAxes, &ResolvedEnd),
) -> Result<(), Failure> {
    let mut part: Vec<Range<u64>> = problem.dims.iter().map(|dim| 0..dim.len).collect();
    if is_covered(session, boxes, &part)? {
        return Ok(());
    }
    // Bisects to the first element that is in no box.
    for d in 0..part.len() {
        while part[d].end - part[d].start > 1 {
            let (whole, middle) = (part[d].clone(), part[d].start + (part[d].end - part[d].start) / 2);
            part[d] = whole.start..middle;
            if is_covered(session, boxes, &part)? {
                part[d] = middle..whole.end;
            }
        }
    }
    let found = end.mapped_section();
    let mut index: Vec<i64> = end.map.axes().iter().map(|axis| axis.lower).collect();
    for (d, range) in part.iter().enumerate() {
        let Some(k) = axes.axis(d) else { continue };
        let (start, step) = found.triplet(k, axes.is_reversed(d));
        let (axis, away) = (&end.map.axes()[k], start + step * range.start);
        index[k] = match axes.is_reversed(d) {
            false => axis.lower.saturating_add_unsigned(away),
            true => axis.upper.saturating_sub_unsigned(away),
        };
    }
    Err(Failure::argument(format!("the {name}: element {index:?} of the section is in no box")))
}

/// Returns whether all section indices in `part` are in boxes. All ranks return the same result. Collective.
fn is_covered(session: &Session, boxes: &SectionBoxes, part: &[Range<u64>]) -> Result<bool, Failure> {
    // No element is in two boxes, so the sizes must add up (compared modulo 2^128).
    let size = |lens: &mut dyn Iterator<Item = u64>| lens.fold(1u128, |n, len| n.wrapping_mul(len.into()));
    let common = |(a, b): (&Range<u64>, &Range<u64>)| a.end.min(b.end).saturating_sub(a.start.max(b.start));
    let own = boxes.boxes.iter().map(|own| size(&mut own.span.iter().zip(part).map(common)));
    let own = own.fold(0u128, u128::wrapping_add);
    let half = |shift: u32| u64::try_from(own >> shift & u128::from(u64::MAX)).expect("64 bits");
    let halves = [half(0), half(64)];
    let all = session.collectives().gather_all(&halves)?;
    let sum = all.iter().map(|half| u128::from(half[0]) | u128::from(half[1]) << 64);
    let found = sum.fold(0u128, u128::wrapping_add);
    Ok(found == size(&mut part.iter().map(|range| range.end - range.start)))
}

/// Returns the calling process's shares as a source and as a target. Side `k` lies in boxes, and each rank can compute
/// the owners of the other side. Collective.
fn shares_with_regular_side(
    session: &Session,
    problem: &Problem,
    me: &Place,
    k: usize,
    boxes: &SectionBoxes,
) -> Result<[Vec<BoxShare>; 2], Failure> {
    let mut lists = vec![Vec::new(); session.ranks as usize];
    let mut own = Vec::new();
    for (number, SectionBox { span, .. }) in boxes.boxes.iter().enumerate() {
        for share in problem.shares_of_box(me, (k, number), span) {
            lists[share.peer.0 as usize].extend(span.iter().flat_map(|range| [range.start, range.end]));
            own.push(share);
        }
    }
    let mut received = Vec::new();
    for (peer, list) in (0u32..).zip(exchange_lists(session, lists)?) {
        for words in list.chunks_exact(2 * problem.dims.len()) {
            let (peer, span) = (Rank(peer), ranges(words).collect());
            received.push(BoxShare { peer, own: None, span, there: Vec::new() });
        }
    }
    Ok(if k == 0 { [own, received] } else { [received, own] })
}
