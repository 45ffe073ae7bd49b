//! Stages: reblock's own arrays, between messages and an array whose elements are named by lists of indices.
//!
//! An element travels once, even if a list names it several times. The rank with the list has a *stage*, with the
//! elements in the order of the messages:
//!
//! - A gather receives into the stage, and then copies each row of the local array from it.
//! - A scatter first combines in the stage, in the order of the list, the rows of the local array that name one
//!   element.
//!
//! The rank needs no stage if its list names the elements of each owner once and in ascending order.
//!
//! An owner of elements has a stage if some list does not name its local indices in ascending order or, in a scatter,
//! if several ranks name one element. It writes this stage to its array in ascending order of the ranks, so a sum does
//! not depend on the order of arrival. Rows that the owner scatters to itself bypass the stage if the array has one
//! dimension and they are consecutive in the array that is read.

use crate::layout::intersect::{Runs, Slice};
use crate::layout::strides::Shape;
use crate::pack::{Destination, OwnedArray, RowNumbers, RowPairs, RowPart, RowTargets, Source, Update};
use std::sync::{Mutex, PoisonError};

/// Stages of a rank, for one redistribution.
#[derive(Debug, Default)]
pub struct Stages {
    /// Whether several values may be scattered to one element, which combines them.
    pub scatters: bool,
    /// How the stage that is sent is filled from the source; `None` if the source itself is sent.
    pub before: Option<Combining>,
    /// How the received stage is written to the destination; `None` if messages are unpacked into the destination.
    pub after: Option<Writing>,
    /// Pool of unused stages: allocating one takes as long as filling it.
    pub spare: Mutex<Vec<OwnedArray>>,
}

impl Stages {
    /// Takes a stage from the pool, or allocates one; `None` if there is no memory. Its contents are unspecified.
    pub fn stage(&self, shape: &Shape) -> Option<OwnedArray> {
        let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        let known = spare.iter().position(|stage| stage.shape() == shape);
        known.map(|at| spare.swap_remove(at)).or_else(|| OwnedArray::new(shape.clone()))
    }

    /// Returns a stage to the pool.
    pub fn keep(&self, stage: OwnedArray) {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).push(stage);
    }
}

/// How a stage is filled from the source.
#[derive(Debug)]
pub enum Combining {
    /// Combines the rows of the source that name the same element.
    Sent {
        /// Shape of the stage: a row for each different element, and perhaps one for skipped rows.
        shape: Shape,
        /// Dimension that numbers the rows.
        dim: usize,
        /// Row of the stage for each row of the source; the first occurrence of each row is marked.
        numbers: RowNumbers,
    },
    /// Copies each row of the stage from one row of the source.
    Taken {
        /// Shape of the stage: a row for each entry of `numbers`.
        shape: Shape,
        /// Dimension that numbers the rows.
        dim: usize,
        /// Row of the source for each row of the stage.
        numbers: RowNumbers,
    },
}

/// How a received stage is written to the destination.
#[derive(Debug)]
pub enum Writing {
    /// Copies each row of the destination from one row of the stage.
    Rows {
        /// Shape of the stage: a row for each different element of the list.
        shape: Shape,
        /// Dimension that numbers the rows.
        dim: usize,
        /// Row of the stage for each row of the destination.
        numbers: RowNumbers,
    },
    /// Copies rows of the stage to rows of the destination, in pairs.
    Placed {
        /// Shape of the stage: the received rows, followed by those of `constants`.
        shape: Shape,
        /// Constants, such as boundary values of a shift: the last bytes of the stage, which no message writes.
        constants: Vec<u8>,
        /// Dimension that numbers the rows.
        dim: usize,
        /// Pairs of rows of the destination and of the stage.
        pairs: RowPairs,
    },
    /// Writes rows of the stage, or of the array that was read, to rows of the destination in a fixed order.
    InOrder {
        /// Shape of the stage: the rows scattered to this rank, except those that `parts` take from the array read.
        shape: Shape,
        /// Dimension that numbers the rows.
        dim: usize,
        /// Rows of the destination; the first write to each is marked.
        numbers: RowNumbers,
        /// Runs of rows in writing order, from the stage or from the array that was read.
        parts: Vec<RowPart>,
    },
}

impl Combining {
    /// Returns the shape of the stage.
    pub fn shape(&self) -> &Shape {
        let (Self::Sent { shape, .. } | Self::Taken { shape, .. }) = self;
        shape
    }

    /// Fills the stage from `source`. Rows for one element are combined by `update`; without it, the last one remains.
    pub fn fill(&self, source: &Source<'_>, stage: &mut Destination<'_>, update: Option<&Update>) {
        match self {
            Self::Sent { dim, numbers, .. } => {
                let all = RowPart { source: 0, from: 0, to: RowTargets::Numbers(0..numbers.len()) };
                let updates = update.map(|update| [update.as_copy(), update.without_factors()]);
                stage.send_rows([Some(source), None], *dim, (numbers, &[all]), updates);
            }
            Self::Taken { dim, numbers, .. } => stage.take_rows(source, *dim, numbers),
        }
    }
}

impl Writing {
    /// Takes a stage from `stages` and fills in the constants; `None` if there is no memory.
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

    /// Returns whether the stage has constants.
    pub fn has_constants(&self) -> bool {
        matches!(self, Self::Placed { constants, .. } if !constants.is_empty())
    }

    /// Writes the stage to `destination`, with `update` if it is given. `own` is the array that the phase read, if any.
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
                let updates = update.map(|update| [update, update.accumulating()]);
                // Without rows in `parts`, the array that was read may have any shape, and is left out.
                let own = own.filter(|_| parts.iter().any(|part| part.source == 1));
                to.send_rows([Some(stage), own], *dim, (numbers, parts), updates);
            }
        }
    }

    /// Returns the rows of the destination that are written, ascending; `None` if all are.
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

    /// Applies an update that reads no source to the elements that [`Self::write`] would write.
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
