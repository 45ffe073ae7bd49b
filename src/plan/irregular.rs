//! WHAT does a rank send, receive and keep where elements are named by lists of indices?
//!
//! A process asks for elements of an array (it *gathers* them), or has values for them (it *scatters* these). In planning it tells
//! the owners, so both know the indices that they share. Along the dimension of the lists a message has the listed indices, in
//! ascending order of the owner's local indices; along the others it is a product as ever. So messages and their execution are
//! those of any other leg.
//!
//! What the lists say beyond a set of indices (their order, and that an index is named again) concerns the rank alone. A rank
//! therefore has *stages*: arrays of its own, in which each element that travels is there once and in the order of messages.
//!
//! - A gather writes a stage, and then each row of the local array is copied from it.
//! - A scatter first combines the rows of the local array that name the same element, in the order of the list, in a stage. Where
//!   elements of an owner come from several ranks, they are received into a stage of the owner, and written to the array in
//!   ascending order of the ranks. So what a sum comes to does not depend on when messages arrive.
//!
//! A stage is left out where it would be a copy of the array: where a list names the elements of each owner in ascending order. What a
//! rank scatters to itself does not go through the owner's stage, where that has one dimension.

use super::{Kept, Leg, LegSide, Message, MessagePart, Place, Share};
use crate::layout::distribution::Rank;
use crate::layout::intersect::{Runs, Slice};
use crate::layout::problem::Problem;
use crate::layout::strides::Shape;
use crate::pack::{Destination, OwnedArray, RowNumbers, RowPairs, RowPart, RowTargets, Source, Update};
use std::sync::{Mutex, OnceLock, PoisonError};

/// A message to or from `peer`.
#[derive(Debug)]
pub struct ListedMessage {
    /// The other rank.
    pub peer: Rank,
    /// Along each dimension, the local indices.
    pub dims: Vec<Runs<1>>,
}

/// A rank's messages in one redistribution of listed elements.
#[derive(Debug, Default)]
pub struct ListedMessages {
    /// What it sends to others, one message a rank.
    pub sends: Vec<ListedMessage>,
    /// What it receives from others, one message a rank.
    pub receives: Vec<ListedMessage>,
    /// What it has before and after: local indices in both arrays.
    pub kept: Option<Vec<Runs<2>>>,
    /// Elements that it has before and after and that do not go through a stage.
    pub apart: u64,
}

/// What a rank does before its leg and after it.
#[derive(Debug, Default)]
pub struct Stages {
    /// Whether values for an element may come from several places, so that they are combined.
    pub scatters: bool,
    /// What is made of the source.
    pub before: Option<Combining>,
    /// What is made of what was received.
    pub after: Option<Writing>,
    /// Stages that are not in use: to make them for each execution would take as long as to fill them.
    pub spare: Mutex<Vec<OwnedArray>>,
}

impl Stages {
    /// A stage of that shape; `None` if there is no memory for it. What is in it does not matter.
    pub fn stage(&self, shape: &Shape) -> Option<OwnedArray> {
        let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        let known = spare.iter().position(|stage| stage.shape() == shape);
        known.map(|at| spare.swap_remove(at)).or_else(|| OwnedArray::new(shape.clone()))
    }

    /// Gives it back.
    pub fn keep(&self, stage: OwnedArray) {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).push(stage);
    }
}

/// How a stage is made of the source.
#[derive(Debug)]
pub enum Combining {
    /// Rows of the source that name the same element become one.
    Sent {
        /// The stage.
        shape: Shape,
        /// The dimension that has rows.
        dim: usize,
        /// Of each row of the source, that of the stage; the first of each is marked.
        numbers: RowNumbers,
    },
    /// Each row of the stage is one of the source.
    Taken {
        /// The stage.
        shape: Shape,
        /// The dimension that has rows.
        dim: usize,
        /// Of each row of the stage, that of the source.
        numbers: RowNumbers,
    },
}

/// How a stage that was received is written to the destination.
#[derive(Debug)]
pub enum Writing {
    /// Each row of the destination is a row of the stage.
    Rows {
        /// The stage.
        shape: Shape,
        /// The dimension that has rows.
        dim: usize,
        /// Of each row of the destination, that of the stage.
        numbers: RowNumbers,
    },
    /// Each row of the stage goes to rows of the destination.
    Placed {
        /// The stage.
        shape: Shape,
        /// The last bytes of the stage, which are not received.
        constants: Vec<u8>,
        /// The dimension that has rows.
        dim: usize,
        /// Rows of the destination and of the stage.
        pairs: RowPairs,
    },
    /// Rows after rows: each row of the stage, or of what is read, goes to a row of the destination.
    InOrder {
        /// The stage.
        shape: Shape,
        /// The dimension that has rows.
        dim: usize,
        /// Rows of the destination; the first to go to each is marked.
        numbers: RowNumbers,
        /// Rows in order: of the stage, or of what is read.
        parts: Vec<RowPart>,
    },
}

impl Combining {
    /// The stage.
    pub fn shape(&self) -> &Shape {
        let (Self::Sent { shape, .. } | Self::Taken { shape, .. }) = self;
        shape
    }

    /// Makes the stage of `source`: combined as `update` says or, if it does not say, the last of each.
    pub fn fill(&self, source: &Source<'_>, stage: &mut Destination<'_>, update: Option<&Update>) {
        match self {
            Self::Sent { dim, numbers, .. } => {
                let all = RowPart { source: 0, from: 0, to: RowTargets::Numbers(0..numbers.len()) };
                let updates = update.map(|update| [update.taken(), update.plainly()]);
                stage.send_rows([Some(source), None], *dim, (numbers, &[all]), updates);
            }
            Self::Taken { dim, numbers, .. } => stage.take_rows(source, *dim, numbers),
        }
    }
}

impl Writing {
    /// The stage, one of `stages`, with what is not received; `None` if there is no memory for it.
    pub fn stage(&self, stages: &Stages) -> Option<OwnedArray> {
        let (Self::Rows { shape, .. } | Self::Placed { shape, .. } | Self::InOrder { shape, .. }) = self;
        let mut stage = stages.stage(shape)?;
        if let Self::Placed { constants, .. } = self {
            let bytes = stage.bytes_mut();
            let received = bytes.len() - constants.len();
            bytes[received..].copy_from_slice(constants);
        }
        Some(stage)
    }

    /// Whether something is written that is not received.
    pub fn has_constants(&self) -> bool {
        matches!(self, Self::Placed { constants, .. } if !constants.is_empty())
    }

    /// Writes what is in the stage to `destination`, each element as `update` says; `own` is what was read, if anything was.
    pub fn write(
        &self,
        stage: &Source<'_>,
        own: Option<&Source<'_>>,
        destination: Destination<'_>,
        update: Option<Update>,
    ) {
        let mut to = destination;
        match self {
            Self::Rows { dim, numbers, .. } => {
                let mut to = update.into_iter().fold(to, Destination::updated_by);
                to.take_rows(stage, *dim, numbers);
            }
            Self::Placed { dim, pairs, .. } => to.write_rows(stage, *dim, pairs, update.as_ref()),
            Self::InOrder { dim, numbers, parts, .. } => {
                let updates = update.map(|update| [update, update.more()]);
                // What was read fits the destination only where its rows go there.
                let own = own.filter(|_| parts.iter().any(|part| part.source == 1));
                to.send_rows([Some(stage), own], *dim, (numbers, parts), updates);
            }
        }
    }

    /// The rows of the destination that are written, ascending; none if all are.
    fn written(&self) -> Option<Vec<u64>> {
        let mut rows = match self {
            Self::Rows { .. } => return None,
            Self::Placed { pairs, .. } => pairs.written(),
            Self::InOrder { numbers, parts, .. } => {
                let mut rows = Vec::new();
                for part in parts {
                    match &part.to {
                        &RowTargets::Run { start, len, marked } => {
                            rows.extend((start..start + len).filter(|_| marked))
                        }
                        RowTargets::Numbers(range) => {
                            let marked = range.clone().filter(|&k| numbers.is_marked(k));
                            rows.extend(marked.map(|k| numbers.get(k)));
                        }
                    }
                }
                rows
            }
        };
        rows.sort_unstable();
        Some(rows)
    }

    /// Updates the elements that would be written, where that needs no source.
    pub fn update_alone(&self, destination: &mut Destination<'_>) {
        let whole = |extent: u64| Runs::of_runs((extent > 0).then_some(([0], extent))).whole();
        let extents = destination.shape().dims().iter().map(|dim| dim.extent);
        let mut dims: Vec<Slice<1>> = extents.map(whole).collect();
        if let Some(rows) = self.written() {
            dims[self.dim()] = Runs::of_runs(rows.into_iter().map(|row| ([row], 1))).whole();
        }
        destination.update_alone(&dims);
    }

    fn dim(&self) -> usize {
        match self {
            Self::Rows { dim, .. } | Self::Placed { dim, .. } | Self::InOrder { dim, .. } => *dim,
        }
    }
}

impl Leg {
    /// That of the rank at `me` with these messages, which go in the steps of the caterpillar: (p, q) in step (q - p) mod P.
    pub fn listed(problem: Problem, me: &Place, listed: ListedMessages) -> Self {
        let ListedMessages { sends, receives, kept, apart } = listed;
        let dims = problem.dims.len();
        let sends = side(dims, sends, |peer| me.ahead(me.rank, peer));
        let receives = side(dims, receives, |peer| me.ahead(peer, me.rank));
        let share = |local: Runs<2>| vec![Share::local(local)];
        let copy = kept.map(|kept| Kept {
            shares: kept.into_iter().map(share).collect(),
            which: vec![0; dims],
            views: vec![[None; 2]],
        });
        let (merged, both) = (OnceLock::new(), Mutex::default());
        Self { problem, me: me.clone(), sends, receives, copy, apart, whole: true, merged, both }
    }
}

/// Messages in the order of their steps.
fn side(dims: usize, mut messages: Vec<ListedMessage>, step: impl Fn(Rank) -> u32) -> LegSide {
    messages.sort_by_key(|message| step(message.peer));
    let mut side = LegSide { shares: vec![Vec::new(); dims], ..LegSide::default() };
    for (k, ListedMessage { peer, dims }) in (0u32..).zip(messages) {
        let (at, step) = (side.which.len(), step(peer).into());
        side.messages.push(Message { peer, step, at, part: MessagePart::WHOLE, view: None });
        for (table, local) in side.shares.iter_mut().zip(dims) {
            table.push(Share::local(local));
            side.which.push(k);
        }
    }
    side
}
