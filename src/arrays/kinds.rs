//! Arguments of shifts, shifts of lines and shadow exchanges, which a plan keeps for its executions and its reverse.

use super::end::ResolvedEnd;
use crate::collective::call::broadcast_list;
use crate::collective::failure::{Code, Failure};
use crate::layout::distribution::Rank;
use crate::layout::mapping;
use crate::layout::mapping::ArrayRedistribution;
use crate::pack::Update;
use crate::plan::ReceivedBoxes;
use crate::runtime::session::Session;
use crate::system::digest::digest;
use std::sync::Arc;

/// Distances of a shift along each axis of the source, and values for vacated places.
#[derive(Clone, PartialEq, Hash, Debug)]
pub(crate) struct Shift {
    /// A distance for each axis of the source.
    pub distances: Vec<i64>,
    pub incoming: IncomingValues,
}

/// Values for the target's vacated places.
#[derive(Clone, PartialEq, Hash, Debug)]
pub(crate) enum IncomingValues {
    /// The elements shifted out at the other end: a circular shift.
    OtherEnd,
    /// No values: the places stay unchanged.
    Nothing,
    /// The bytes of the boundary element.
    Boundary(Vec<u8>),
}

/// A shift with a distance for each line along an axis.
#[derive(Clone, Debug)]
pub(super) struct ShiftByLine {
    pub axis: usize,
    pub circular: bool,
    pub distances: Vec<i64>,
    /// The plan's [`Options::axes`](super::Options::axes); `None`: axis k of the source goes to axis k of the target.
    pub axes: Option<Vec<usize>>,
    /// True if elements move from the target of the shift to its source.
    pub back: bool,
}

/// Extent and direction of a plan of shadows; `None` on a rank that has not received them yet.
#[derive(Clone)]
pub(super) struct ShadowExchange(pub Option<Arc<mapping::Shadow>>);

impl ShadowExchange {
    /// Returns the reverse: shadows are combined with the owners' elements.
    pub fn reversed(&self) -> Self {
        Self(self.0.as_ref().map(|shadow| Arc::new(shadow.reversed())))
    }

    pub fn digest(&self) -> Option<i64> {
        self.0.as_ref().map(|shadow| digest(&shadow.numbers()))
    }

    /// Receives the shadows from rank `root`. Collective. The inner result is this rank's own failure; the outer one is
    /// MPI's.
    pub fn receive(&mut self, session: &Session, root: u32) -> Result<Result<(), Failure>, Failure> {
        let numbers = self.0.as_ref().map(|shadow| shadow.numbers());
        let received = broadcast_list(session, root, numbers.as_deref())?;
        if self.0.is_none() {
            self.0 = mapping::Shadow::from_numbers(&received).map(Arc::new);
        }
        let garbled =
            || Failure::new(Code::Internal, "internal error: cannot decode a shadow from another rank");
        Ok(self.0.as_ref().map(|_| ()).ok_or_else(garbled))
    }

    /// Converts `redistribution`, the redistribution of `end`'s array to itself, to a redistribution of boxes: those
    /// that the calling process shares with others.
    pub fn with_boxes(
        &self,
        session: &Session,
        mut redistribution: ArrayRedistribution,
        end: &ResolvedEnd,
    ) -> Result<(ArrayRedistribution, ReceivedBoxes), Failure> {
        end.check_own_parts(session.rank)?;
        let shadow = self.0.as_ref().expect("a planned shadow exchange is known");
        let shares = shadow.shares(&end.mapped_section(), &redistribution, Rank(session.rank));
        redistribution.problem.boxes = [true; 2];
        Ok((redistribution, ReceivedBoxes::in_one_array(shares, shadow.is_back())))
    }

    /// Checks the update, called `name` in errors: the reverse plan needs one with a beta of 1.
    pub fn check_update(&self, update: Option<&Update>, name: impl Fn() -> String) -> Result<(), Failure> {
        let back = self.0.as_ref().is_some_and(|shadow| shadow.is_back());
        let text = match update {
            Some(update) if back && !update.keeps_target() => {
                format!("beta of {} must be 1, because the plan combines elements with their shadows", name())
            }
            None if back => {
                format!("{} is missing, but the plan combines elements with their shadows", name())
            }
            _ => return Ok(()),
        };
        Err(Failure::argument(text))
    }
}
