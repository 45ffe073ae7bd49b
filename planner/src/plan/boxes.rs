//! Builds a rank's messages when the source or the destination is an array in boxes.
//!
//! The elements that two ranks share are then a union of small products. A *share* is a box of section indices that
//! lies in one box of each side that has boxes. On a side without boxes, a rank has a product of index sets within the
//! share. So each dimension of a share is an [`Overlap`], and each share becomes a [`Message`] that refers to tables of
//! index sets, as in other phases. Two things differ:
//!
//! - Several messages may go to one peer. They travel as one stream, in the order of the shares, which is equal at both
//!   ends.
//! - A message names one array of the storage (its view), because each box has its own address and strides.
//!
//! The ranks have exchanged the shares beforehand (`src/arrays/boxes`). A rank has only its own, so no rank can colour
//! the graph of all messages. The caterpillar schedule needs no graph: among P ranks, messages from rank p to rank q go
//! in step (q - p) mod P. In a step, a rank sends to at most one rank and receives from at most one.
//!
//! Exchanges of shadows are built likewise, without views: all shares lie in one array. When shadows are combined into
//! the elements that they replicate, an element may be in several shares. Shares are then written in the order of the
//! steps, after the self copy, so the result is reproducible.
//!
//! Each of these redistributions is one phase. Its destination is never gathered, its source never exposed, and with
//! views its runs are not listed: all of these need one order of indices in the whole local array, but each box has its
//! own.

use super::{Message, PhaseSide, Place, RankPhase, SelfCopy, Share, small};
use crate::digest::WordHasher;
use crate::layout::distribution::{Axis, Rank, places};
use crate::layout::intersect::Overlap;
use crate::layout::mapping::ArrayShare;
use crate::layout::problem::Problem;
use crate::layout::strides::ArrayView;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock};

/// The part of a box of this rank that lies in the section.
#[derive(Clone, Debug)]
pub struct SectionBox {
    /// Section indices in each dimension; no range is empty.
    pub span: Vec<Range<u64>>,
    /// Per dimension, the position of the first section index within the box.
    pub first: Vec<u64>,
}

/// This rank's boxes on one side.
#[derive(Clone, Default, Debug)]
pub struct SectionBoxes {
    /// The boxes that intersect the section.
    pub boxes: Vec<SectionBox>,
    /// Per dimension, the distance within a box between consecutive section indices.
    pub steps: Vec<u64>,
    /// Per box, its array in the storage; empty if the storage is a single array.
    pub views: Arc<[ArrayView]>,
}

/// A box of section indices that this rank shares with another rank, or with itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BoxShare {
    /// The rank at the other end.
    pub peer: Rank,
    /// Number of this rank's own box, if this side has boxes.
    pub own: Option<usize>,
    /// Section indices in each dimension.
    pub span: Vec<Range<u64>>,
    /// The other rank's grid coordinates if its side has no boxes; empty if it has all indices of `span`.
    pub there: Vec<u32>,
}

/// This rank's boxes and shares in a redistribution of boxes.
#[derive(Debug, Default)]
pub struct ReceivedBoxes {
    /// This rank's boxes in the source and in the destination, if that side has boxes.
    pub boxes: [SectionBoxes; 2],
    /// Shares of this rank as a source and as a destination.
    pub shares: [Vec<BoxShare>; 2],
    /// Per side, whether the shares are cut from this rank's own runs, so that it has all their indices; only without
    /// boxes.
    pub listed: [bool; 2],
    /// Whether each side's storage is a single array; no share has a view then.
    pub one_array: bool,
    /// Whether an element may be written several times; shares are then written in the order of the steps.
    pub in_order: bool,
}

impl ReceivedBoxes {
    fn view(&self, own: Option<usize>) -> Option<usize> {
        own.filter(|_| !self.one_array)
    }

    /// Builds the shares of a redistribution within single arrays, such as an exchange of shadows.
    pub fn in_one_array(sides: [Vec<ArrayShare>; 2], in_order: bool) -> Self {
        let mut received = Self { one_array: true, in_order, ..Self::default() };
        for (k, shares) in sides.into_iter().enumerate() {
            received.boxes[k].steps = vec![1; shares.first().map_or(0, |share| share.span.len())];
            for (own, ArrayShare { peer, span, first }) in shares.into_iter().enumerate() {
                received.boxes[k].boxes.push(SectionBox { span: span.clone(), first });
                received.shares[k].push(BoxShare { peer, own: Some(own), span, there: Vec::new() });
            }
        }
        received
    }
}

impl Problem {
    /// Returns the shares of one box with the other side, which has no boxes. The box is number `own` of side `k` of
    /// the rank at `me`, and has the section indices `span`.
    pub fn shares_of_box(&self, me: &Place, (k, own): (usize, usize), span: &[Range<u64>]) -> Vec<BoxShare> {
        let axes = self.dims.iter().zip(span);
        let coords: Vec<Vec<u32>> = axes
            .map(|(dim, range)| {
                let axis = if k == 0 { &dim.to } else { &dim.from };
                let (len, from) = (range.end - range.start, axis.section(range.start, 1));
                Overlap { from, to: Axis::collapsed(), len }.sources(0)
            })
            .collect();
        let count = |coords: &Vec<u32>| u32::try_from(coords.len()).expect("fewer than 2^32");
        let mut shares = Vec::new();
        for which in places(&coords.iter().map(count).collect::<Vec<_>>()) {
            let there: Vec<u32> = coords.iter().zip(&which).map(|(coords, &c)| coords[c as usize]).collect();
            let mut add = |peer| {
                shares.push(BoxShare { peer, own: Some(own), span: span.to_vec(), there: there.clone() })
            };
            if k == 1 {
                // Only one of several copies of the source is read.
                add(self.from.rank(&self.source(&there, me.rank)));
                continue;
            }
            for copy in places(&self.to.extents()[there.len()..]) {
                add(self.to.rank(&[&there[..], &copy].concat()));
            }
        }
        shares
    }
}

impl RankPhase {
    /// Builds the phase of the rank at `me` from the n shares in `received`. Time: O(n log n) for sorting; memory:
    /// O(n).
    pub fn in_boxes(problem: Problem, me: &Place, received: &ReceivedBoxes) -> Self {
        let maker = ShareMaker { problem: &problem, me, received };
        let [(sends, kept_there), (receives, kept_here)] = [0, 1].map(|k| maker.sorted_shares(k));
        let (sends, receives) = (maker.side(0, &sends), maker.side(1, &receives));
        let copy = maker.build_self_copy(&kept_there, &kept_here);
        let (merged, both) = (OnceLock::new(), Mutex::default());
        Self { problem, me: me.clone(), sends, receives, copy, apart: 0, whole: true, merged, both }
    }
}

/// Key of an index set along one dimension of a share; sets with equal keys are stored once. Start on this side, start
/// in the section (0 if this side has boxes and the other rank has all indices of the share), length, coordinate on the
/// other side.
type ShareKey = (u64, u64, u64, u32);

/// Numbers of the stored index sets, by key.
type Known<K> = HashMap<K, u32, BuildHasherDefault<WordHasher>>;

struct ShareMaker<'a> {
    problem: &'a Problem,
    me: &'a Place,
    received: &'a ReceivedBoxes,
}

impl ShareMaker<'_> {
    /// Returns the shares of side `k` (0: source, 1: destination) with other ranks, and those with this rank, in the
    /// order of travel.
    fn sorted_shares(&self, k: usize) -> (Vec<&BoxShare>, Vec<&BoxShare>) {
        let (kept, others): (Vec<&BoxShare>, Vec<&BoxShare>) =
            self.received.shares[k].iter().partition(|share| share.peer == self.me.rank);
        [others, kept].map(|shares| self.in_order(k, shares)).into()
    }

    /// Sorts shares by step, then by the start of their spans. Sender and receiver of a share have equal spans, and no
    /// two shares of a pair of ranks have equal starts.
    fn in_order<'b>(&self, k: usize, shares: Vec<&'b BoxShare>) -> Vec<&'b BoxShare> {
        let starts = |share: &'b BoxShare| share.span.iter().rev().map(|range| range.start);
        // The starts in the last two dimensions decide most comparisons.
        let first = |share| {
            let mut starts = starts(share);
            (self.step(k, share.peer), starts.next().unwrap_or(0), starts.next().unwrap_or(0))
        };
        let mut keyed: Vec<_> = shares.into_iter().map(|share| (first(share), share)).collect();
        keyed.sort_unstable_by(|(a, one), (b, other)| a.cmp(b).then_with(|| starts(one).cmp(starts(other))));
        keyed.into_iter().map(|(_, share)| share).collect()
    }

    /// Returns the step of the message between side `k` of this rank and `peer`.
    fn step(&self, k: usize, peer: Rank) -> u64 {
        let ends = if k == 0 { (self.me.rank, peer) } else { (peer, self.me.rank) };
        self.me.rank_distance(ends.0, ends.1).into()
    }

    /// Returns the first index of a share on side `k` along dimension `d`: within its box, or in the section if the
    /// side has no boxes.
    fn first_index(&self, k: usize, share: &BoxShare, d: usize) -> u64 {
        let start = share.span[d].start;
        let SectionBoxes { boxes, steps, .. } = &self.received.boxes[k];
        share.own.map_or(start, |own| boxes[own].first[d] + steps[d] * (start - boxes[own].span[d].start))
    }

    /// Returns this rank's axis and coordinate for a share along dimension `d`. Within a box, the axis has one process,
    /// number 0.
    fn own_axis(&self, k: usize, share: &BoxShare, d: usize) -> (Axis, u32) {
        if share.own.is_some() {
            return (
                Axis::collapsed().section(self.first_index(k, share, d), self.received.boxes[k].steps[d]),
                0,
            );
        }
        let dim = &self.problem.dims[d];
        let (axis, at) = if k == 0 { (&dim.from, &self.me.from) } else { (&dim.to, &self.me.to) };
        let at = at.as_ref().expect("a rank with a share has a part of the array");
        (axis.section(share.span[d].start, 1), at[d])
    }

    /// Returns the other rank's axis and coordinate for a share along dimension `d`. If that rank has all indices, the
    /// axis has one process, number 0.
    fn other_axis(&self, k: usize, share: &BoxShare, d: usize) -> (Axis, u32) {
        let dim = &self.problem.dims[d];
        let axis = if k == 0 { &dim.to } else { &dim.from };
        match share.there.get(d) {
            Some(&coord) => (axis.section(share.span[d].start, 1), coord),
            None => (Axis::collapsed(), 0),
        }
    }

    /// Returns the section indices of a share that both ends have along dimension `d`.
    fn overlap(
        &self,
        k: usize,
        (own, p): (Axis, u32),
        (other, q): (Axis, u32),
        len: u64,
    ) -> crate::layout::intersect::Runs<1> {
        let (own, p) = if self.received.listed[k] { (Axis::collapsed(), 0) } else { (own, p) };
        Overlap { from: own, to: other, len }.shared(p, q)
    }

    fn side(&self, k: usize, shares: &[&BoxShare]) -> PhaseSide {
        let dims = self.problem.dims.len();
        let mut side = PhaseSide { shares: vec![Vec::new(); dims], ..PhaseSide::default() };
        let mut known: Vec<Known<ShareKey>> = vec![Known::default(); dims];
        for share in shares {
            let (at, step) = (small(side.which.len()), self.step(k, share.peer));
            side.messages.push(Message {
                peer: share.peer,
                step,
                at,
                part: None,
                view: self.received.view(share.own).map(small),
            });
            for (d, known) in known.iter_mut().enumerate() {
                let Range { start, end } = share.span[d];
                let in_box = share.own.is_some() && share.there.is_empty();
                let there = share.there.get(d).copied().unwrap_or(0);
                let key = (self.first_index(k, share, d), if in_box { 0 } else { start }, end - start, there);
                let table = &mut side.shares[d];
                let number = *known.entry(key).or_insert_with(|| {
                    let (own, p) = self.own_axis(k, share, d);
                    let indices =
                        self.overlap(k, (own.clone(), p), self.other_axis(k, share, d), end - start);
                    table.push(Share::new(indices, [&own]));
                    small(table.len() - 1)
                });
                side.which.push(number);
            }
        }
        side.views = self.received.boxes[k].views.clone();
        side
    }

    /// Builds the self copy from this rank's shares with itself on both sides.
    fn build_self_copy(&self, from: &[&BoxShare], to: &[&BoxShare]) -> Option<SelfCopy> {
        assert!(from.iter().map(|s| &s.span).eq(to.iter().map(|s| &s.span)), "a self copy is in both arrays");
        let dims = self.problem.dims.len();
        let mut kept = SelfCopy { shares: vec![Vec::new(); dims], which: Vec::new(), views: Vec::new() };
        let mut known: Vec<Known<(u64, u64, u64, u64)>> = vec![Known::default(); dims];
        for (from, to) in from.iter().zip(to) {
            kept.views.push([self.received.view(from.own), self.received.view(to.own)]);
            for (d, known) in known.iter_mut().enumerate() {
                let Range { start, end } = from.span[d];
                let in_boxes = from.own.is_some() && to.own.is_some();
                let begin = if in_boxes { 0 } else { start };
                let key = (self.first_index(0, from, d), self.first_index(1, to, d), begin, end - start);
                let table = &mut kept.shares[d];
                let number = *known.entry(key).or_insert_with(|| {
                    let ((a, p), (b, q)) = (self.own_axis(0, from, d), self.own_axis(1, to, d));
                    let there = if self.received.listed[1] { (Axis::collapsed(), 0) } else { (b.clone(), q) };
                    let indices = self.overlap(0, (a.clone(), p), there, end - start);
                    table.push(Share::new(indices, [&a, &b]));
                    small(table.len() - 1)
                });
                kept.which.push(number);
            }
        }
        (!kept.views.is_empty()).then_some(kept)
    }
}
