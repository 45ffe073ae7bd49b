//! WHAT does a rank send, receive and keep where an array lies in boxes before or after?
//!
//! Such a redistribution is no product of dimensions, but what two ranks share is a union of small ones. A *share* is a box of
//! section indices that lies in one box of each side that has boxes; a side without boxes has some of its indices, a product as
//! ever. So within a share each dimension is an [`Overlap`] again, and each share becomes a [`Message`](super::Message) that
//! refers to the same tables of index sets as those of a product. What is new is small: several messages go to one peer and
//! travel as one stream, in the order of the shares, which both ends know; and a message has a view of the storage, as each box
//! has its own place and strides there.
//!
//! Who shares what with whom was told before (see `hpf/boxes`): a rank knows its own shares and no others. So nobody
//! can colour the graph of all messages, and their order is one that needs no such knowledge: message (p, q) goes in step
//! (q - p) mod P. In a step no rank has two messages on one side; sender and receiver agree on it without asking.
//!
//! The shadows of an array are exchanged so, too. There all shares lie in one storage, which is an array by itself: no share has a
//! view. Where shadows are combined with what they show, an element may be in several shares. Then these are written in the order of
//! the steps, what the rank keeps first, so that the result is the same every time.
//!
//! One leg is enough; it is never gathered, lent or written out as a list of runs, as all of these need the order of the
//! indices of a whole local array, which boxes do not have.

use super::{Kept, Leg, LegSide, Message, MessagePart, Place, Share};
use crate::layout::distribution::{Axis, Rank, places};
use crate::layout::intersect::Overlap;
use crate::layout::mapping::ArrayShare;
use crate::layout::problem::Problem;
use crate::layout::strides::ArrayView;
use crate::system::digest::WordHasher;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock};

/// A box of the calling process, as far as it is in the section.
#[derive(Clone, Debug)]
pub struct SectionBox {
    /// Its section indices, in each dimension; none is empty.
    pub span: Vec<Range<u64>>,
    /// Of each dimension, where the first of them is in the box.
    pub first: Vec<u64>,
}

/// The boxes of one side of the calling process.
#[derive(Clone, Default, Debug)]
pub struct SectionBoxes {
    /// The boxes.
    pub boxes: Vec<SectionBox>,
    /// Of each dimension, indices within a box from one section index to the next.
    pub steps: Vec<u64>,
    /// Of each box, where it lies in the storage, unless that is one array.
    pub views: Arc<[ArrayView]>,
}

/// What the calling process shares with another one, or with itself, in one box of section indices.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BoxShare {
    /// The other rank.
    pub peer: Rank,
    /// Which of the own boxes of this side has it, if this side has boxes.
    pub own: Option<usize>,
    /// Section indices, in each dimension.
    pub span: Vec<Range<u64>>,
    /// The other one's coordinates, if it has only some of these indices: all of them where there are none.
    pub there: Vec<u32>,
}

/// What a rank was told of a redistribution of boxes: its side of it before and after.
#[derive(Debug, Default)]
pub struct ToldBoxes {
    /// Its boxes, before and after, where a side has boxes.
    pub boxes: [SectionBoxes; 2],
    /// What it shares as a source, and as a destination.
    pub shares: [Vec<BoxShare>; 2],
    /// Whether a side without boxes has all indices of its shares, as they were made of runs of its own.
    pub listed: [bool; 2],
    /// Whether the storage of both sides is one array, so that no share has a view.
    pub one_array: bool,
    /// Whether an element may be written several times, in the order of the steps.
    pub in_order: bool,
}

impl ToldBoxes {
    /// The view of box `own`, if it has one.
    fn view(&self, own: Option<usize>) -> Option<usize> {
        own.filter(|_| !self.one_array)
    }

    /// Of what is read of an array, and what is written of it, where all that is to be known of either side is its shares.
    pub fn in_one_array(sides: [Vec<ArrayShare>; 2], in_order: bool) -> Self {
        let mut told = Self { one_array: true, in_order, ..Self::default() };
        for (k, shares) in sides.into_iter().enumerate() {
            told.boxes[k].steps = vec![1; shares.first().map_or(0, |share| share.span.len())];
            for (own, ArrayShare { peer, span, first }) in shares.into_iter().enumerate() {
                told.boxes[k].boxes.push(SectionBox { span: span.clone(), first });
                told.shares[k].push(BoxShare { peer, own: Some(own), span, there: Vec::new() });
            }
        }
        told
    }
}

impl Problem {
    /// The shares of the calling process, at `me`, whose box of side `k` has the section indices `span`, with all that have some of them on
    /// the other side, which has no boxes.
    pub fn shares_of_box(&self, me: &Place, (k, own): (usize, usize), span: &[Range<u64>]) -> Vec<BoxShare> {
        let axes = self.dims.iter().zip(span);
        let coords: Vec<Vec<u32>> = axes
            .map(|(dim, range)| {
                let axis = if k == 0 { &dim.to } else { &dim.from };
                let (len, from) = (range.end - range.start, axis.section(range.start, 1));
                Overlap { from, to: Axis::alone(), len }.sources(0)
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
                // Of several copies one is read.
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

impl Leg {
    /// That of the rank at `me`, of a redistribution of boxes of which it was told its shares. Costs time and memory in proportion to
    /// these.
    pub fn in_boxes(problem: Problem, me: &Place, told: &ToldBoxes) -> Self {
        let maker = ShareMaker { problem: &problem, me, told };
        let [(sends, kept_there), (receives, kept_here)] = [0, 1].map(|k| maker.sorted(k));
        let (sends, receives) = (maker.side(0, &sends), maker.side(1, &receives));
        let copy = maker.kept(&kept_there, &kept_here);
        let (merged, both) = (OnceLock::new(), Mutex::default());
        Self { problem, me: me.clone(), sends, receives, copy, apart: 0, whole: true, merged, both }
    }
}

/// An index set of a share along one dimension: where it starts on this side, and in the section if that matters, how long it is, and
/// which coordinate has it on the other side. Equal ones are stored once.
type ShareKey = (u64, u64, u64, u32);

/// Index sets that are stored, by what they are.
type Known<K> = HashMap<K, u32, BuildHasherDefault<WordHasher>>;

/// Makes messages out of shares.
struct ShareMaker<'a> {
    problem: &'a Problem,
    me: &'a Place,
    told: &'a ToldBoxes,
}

impl ShareMaker<'_> {
    /// The shares of side `k` in the order in which they travel, those with other ranks and those with the rank itself.
    fn sorted(&self, k: usize) -> (Vec<&BoxShare>, Vec<&BoxShare>) {
        let (kept, others): (Vec<&BoxShare>, Vec<&BoxShare>) =
            self.told.shares[k].iter().partition(|share| share.peer == self.me.rank);
        [others, kept].map(|shares| self.in_order(k, shares)).into()
    }

    /// By their steps, and then by where they begin. Sender and receiver of a share see the same span, and no other that starts there.
    fn in_order<'b>(&self, k: usize, shares: Vec<&'b BoxShare>) -> Vec<&'b BoxShare> {
        let starts = |share: &'b BoxShare| share.span.iter().rev().map(|range| range.start);
        // Mostly two dimensions decide.
        let first = |share| {
            let mut starts = starts(share);
            (self.step(k, share.peer), starts.next().unwrap_or(0), starts.next().unwrap_or(0))
        };
        let mut keyed: Vec<_> = shares.into_iter().map(|share| (first(share), share)).collect();
        keyed.sort_unstable_by(|(a, one), (b, other)| a.cmp(b).then_with(|| starts(one).cmp(starts(other))));
        keyed.into_iter().map(|(_, share)| share).collect()
    }

    /// The step in which side `k` of this rank has its message with `peer`.
    fn step(&self, k: usize, peer: Rank) -> u64 {
        let ends = if k == 0 { (self.me.rank, peer) } else { (peer, self.me.rank) };
        self.me.ahead(ends.0, ends.1).into()
    }

    /// Where the indices of a share start on side `k` along dimension `d`: in their box, or in the section.
    fn first(&self, k: usize, share: &BoxShare, d: usize) -> u64 {
        let start = share.span[d].start;
        let SectionBoxes { boxes, steps, .. } = &self.told.boxes[k];
        share.own.map_or(start, |own| boxes[own].first[d] + steps[d] * (start - boxes[own].span[d].start))
    }

    /// How this rank has them there, and its coordinate.
    fn own(&self, k: usize, share: &BoxShare, d: usize) -> (Axis, u32) {
        if share.own.is_some() {
            return (Axis::alone().section(self.first(k, share, d), self.told.boxes[k].steps[d]), 0);
        }
        let dim = &self.problem.dims[d];
        let (axis, at) = if k == 0 { (&dim.from, &self.me.from) } else { (&dim.to, &self.me.to) };
        let at = at.as_ref().expect("a rank with a share has a part of the array");
        (axis.section(share.span[d].start, 1), at[d])
    }

    /// How the other one has them.
    fn other(&self, k: usize, share: &BoxShare, d: usize) -> (Axis, u32) {
        let dim = &self.problem.dims[d];
        let axis = if k == 0 { &dim.to } else { &dim.from };
        match share.there.get(d) {
            Some(&coord) => (axis.section(share.span[d].start, 1), coord),
            None => (Axis::alone(), 0),
        }
    }

    /// What of a share's indices moves along dimension `d`.
    fn overlap(
        &self,
        k: usize,
        (own, p): (Axis, u32),
        (other, q): (Axis, u32),
        len: u64,
    ) -> crate::layout::intersect::Runs<1> {
        let (own, p) = if self.told.listed[k] { (Axis::alone(), 0) } else { (own, p) };
        Overlap { from: own, to: other, len }.shared(p, q)
    }

    fn side(&self, k: usize, shares: &[&BoxShare]) -> LegSide {
        let dims = self.problem.dims.len();
        let mut side = LegSide { shares: vec![Vec::new(); dims], ..LegSide::default() };
        let mut known: Vec<Known<ShareKey>> = vec![Known::default(); dims];
        for share in shares {
            let (at, step) = (side.which.len(), self.step(k, share.peer));
            side.messages.push(Message {
                peer: share.peer,
                step,
                at,
                part: MessagePart::WHOLE,
                view: self.told.view(share.own),
            });
            for (d, known) in known.iter_mut().enumerate() {
                let Range { start, end } = share.span[d];
                let in_box = share.own.is_some() && share.there.is_empty();
                let there = share.there.get(d).copied().unwrap_or(0);
                let key = (self.first(k, share, d), if in_box { 0 } else { start }, end - start, there);
                let table = &mut side.shares[d];
                let number = *known.entry(key).or_insert_with(|| {
                    let (own, p) = self.own(k, share, d);
                    let indices = self.overlap(k, (own.clone(), p), self.other(k, share, d), end - start);
                    table.push(Share::new(indices, [&own]));
                    u32::try_from(table.len() - 1).expect("fewer than 2^32")
                });
                side.which.push(number);
            }
        }
        side.views = self.told.boxes[k].views.clone();
        side
    }

    /// What the rank keeps: its shares with itself, on both sides.
    fn kept(&self, from: &[&BoxShare], to: &[&BoxShare]) -> Option<Kept> {
        assert!(
            from.iter().map(|s| &s.span).eq(to.iter().map(|s| &s.span)),
            "what a rank keeps is in both arrays"
        );
        let dims = self.problem.dims.len();
        let mut kept = Kept { shares: vec![Vec::new(); dims], which: Vec::new(), views: Vec::new() };
        let mut known: Vec<Known<(u64, u64, u64, u64)>> = vec![Known::default(); dims];
        for (from, to) in from.iter().zip(to) {
            kept.views.push([self.told.view(from.own), self.told.view(to.own)]);
            for (d, known) in known.iter_mut().enumerate() {
                let Range { start, end } = from.span[d];
                let in_boxes = from.own.is_some() && to.own.is_some();
                let begin = if in_boxes { 0 } else { start };
                let key = (self.first(0, from, d), self.first(1, to, d), begin, end - start);
                let table = &mut kept.shares[d];
                let number = *known.entry(key).or_insert_with(|| {
                    let ((a, p), (b, q)) = (self.own(0, from, d), self.own(1, to, d));
                    let there = if self.told.listed[1] { (Axis::alone(), 0) } else { (b.clone(), q) };
                    let indices = self.overlap(0, (a.clone(), p), there, end - start);
                    table.push(Share::new(indices, [&a, &b]));
                    u32::try_from(table.len() - 1).expect("fewer than 2^32")
                });
                kept.which.push(number);
            }
        }
        (!kept.views.is_empty()).then_some(kept)
    }
}
