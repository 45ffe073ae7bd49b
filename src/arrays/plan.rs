//! Plans. A plan has no address of an array, so it serves any number of arrays.

use super::Map;
use super::boundary::Boundary;
use super::end::ResolvedEnd;
use super::kinds::{ShadowExchange, Shift, ShiftByLine};
use super::last_call::WorkspaceCache;
use super::options::Options;
use super::seat::Seat;
use crate::collective::failure::Failure;
use crate::collective::refuse::session_or_refuse;
use crate::layout::mapping::ArrayAxes;
use crate::plan::rank_plan::{RankPlan, Volume};
use crate::runtime::session::Session;
use crate::system::settings::{Medium, Settings};
use std::sync::{Arc, Weak};

/// A redistribution between two mapped arrays, planned for the calling process.
#[derive(Clone)]
pub struct Plan {
    pub(super) session: Weak<Session>,
    /// Equal on all ranks, and unique among the plans of the communicator.
    pub(super) number: i64,
    pub(super) settings: Arc<Settings>,
    pub(super) planned: Arc<RankPlan>,
    /// Position of the source's section in the calling process's storage; `None` if it has no part.
    pub(super) from: Option<Seat>,
    /// Position of the target's section, likewise.
    pub(super) to: Option<Seat>,
    pub(super) element: usize,
    /// The source, and the target after relabelling.
    pub(super) ends: [ResolvedEnd; 2],
    /// Axes of the local source and of the local target, in the order of the plan's dimensions.
    pub(super) axes: [ArrayAxes; 2],
    pub(super) overlap: bool,
    pub(super) kind: PlanKind,
    /// State of the last call, for the next one.
    pub(super) last_call: WorkspaceCache,
}

#[derive(Clone)]
pub(super) enum PlanKind {
    /// Moves a section of the source to one of the target.
    Move {
        options: MoveOptions,
        /// The target's map, if relabelling assigned its places to other ranks.
        target: Option<Box<Map>>,
    },
    /// Shifts all elements by equal distances, one for each axis. The plan itself moves the first pair of sections.
    Shift {
        options: MoveOptions,
        shift: Shift,
        /// The plans of the other pairs of sections, between the same arrays.
        further: Vec<Arc<Plan>>,
    },
    /// Fills a section with a boundary value, as a part of a shift. `None` on a process without a value.
    Fill(Option<Arc<Boundary>>),
    /// Shifts each line by its own distance.
    ShiftLines(Arc<ShiftByLine>),
    /// Fills shadows, or combines them with their owners' elements.
    Shadow(ShadowExchange),
    /// Gathers or scatters by lists of indices.
    Listed,
}

/// Options of a move that its execution or its reverse needs.
#[derive(Clone)]
pub(super) struct MoveOptions {
    /// The value of [`Options::axes`].
    pub permutation: Option<Vec<usize>>,
    pub copies: bool,
    /// True if there are axes in [`Options::spread`].
    pub spreads: bool,
}

impl MoveOptions {
    pub fn of(options: &Options) -> Self {
        let Options { axes, copies, spread, .. } = options;
        Self { permutation: axes.clone(), copies: *copies, spreads: !spread.is_empty() }
    }
}

impl Plan {
    /// Returns the session of the plan's communicator, for [`super::execute`] and [`super::Request::start`]; an error
    /// if the communicator has been freed.
    pub(crate) fn session(&self) -> Result<Arc<Session>, Failure> {
        session_or_refuse(&self.session, "the communicator of the plan has been freed")
    }

    pub(super) fn number(&self) -> i64 {
        self.number
    }

    /// Returns the bytes of an element.
    pub fn element(&self) -> usize {
        self.element
    }

    /// Returns the options of a move of sections or a shift; `None` for other plans.
    pub(super) fn move_options(&self) -> Option<&MoveOptions> {
        match &self.kind {
            PlanKind::Move { options, .. } | PlanKind::Shift { options, .. } => Some(options),
            _ => None,
        }
    }

    /// Returns whether the plan combines all copies of a replicated source ([`Options::copies`]).
    pub(super) fn copies(&self) -> bool {
        self.move_options().is_some_and(|options| options.copies)
    }

    /// Returns the plans of a shift's further pairs of sections; empty for plans of other kinds.
    #[inline]
    pub(super) fn further(&self) -> &[Arc<Self>] {
        match &self.kind {
            PlanKind::Shift { further, .. } => further,
            _ => &[],
        }
    }

    pub(super) fn shadow_exchange(&self) -> Option<&ShadowExchange> {
        match &self.kind {
            PlanKind::Shadow(way) => Some(way),
            _ => None,
        }
    }

    /// Returns whether several values may arrive for one element. Then an update cannot be left out, not even one that
    /// only copies.
    pub(super) fn combines(&self) -> bool {
        self.copies() || self.planned.stages.as_ref().is_some_and(|stages| stages.scatters)
    }

    pub(super) fn by_mpi(&self) -> bool {
        self.settings.medium == Medium::Mpi
    }

    /// Returns whether the calling process reads a local source, and whether it writes a local target.
    pub fn touches(&self) -> (bool, bool) {
        self.planned.accesses()
    }

    /// Returns the position of the source in the calling process's storage, if it has a part.
    pub fn source(&self) -> Option<&Seat> {
        self.from.as_ref()
    }

    /// Returns the position of the target in the calling process's storage, if it has a part.
    pub fn destination(&self) -> Option<&Seat> {
        self.to.as_ref()
    }

    /// Returns the target's map if relabelling assigned its places to other ranks ([`Options::relabel`]). Its
    /// arrangement is in ranks of the plan's communicator.
    pub fn target(&self) -> Option<&Map> {
        match &self.kind {
            PlanKind::Move { target, .. } => target.as_deref(),
            _ => None,
        }
    }

    /// Returns the bytes and messages that the plan moves on the calling process.
    pub fn volume(&self) -> Volume {
        self.further()
            .iter()
            .fold(self.planned.volume(), |all, part| all.combined_with(&part.planned.volume()))
    }
}
