//! One rank's plan of a redistribution: phases, order of pieces, message size and memory. Without pointers and buffers,
//! it serves any number of arrays of its layouts.

mod reads;
mod recent;

pub use recent::Recent;

use crate::layout::problem::{Copies, Problem};
use crate::layout::strides::Shape;
use crate::plan::{
    ListedMessages, PhaseRuns, PhaseRunsCache, Phases, Piece, Place, RankPhase, Received, SelfCopy, Stages,
    Writing,
};
use crate::schedule::certificate::Certificate;
use crate::schedule::chooser::{Refusal, choose};
use crate::schedule::traffic::Traffic;
use crate::system::budget::Budget;
use crate::system::machine::{Machine, Proximity};
use crate::system::settings::Settings;
use crate::transport::Pace;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// Largest section, in bytes, whose runs are listed: in a core's cache, finding runs takes longer than copying them.
const SMALL_SECTION_BYTES: u64 = 64 << 10;

/// Order of pieces; equal on all ranks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PieceOrder {
    /// Message after message, between nodes, so that the messages of two steps do not meet at a port.
    ByMessage,
    /// A piece of each message in turn, within a node, where access to the arrays takes most of the time. Neighbouring
    /// pieces of the array, also of the self copy, follow each other, so each cache line is loaded once.
    ByRegion,
}

/// How a rank writes its arrays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WriteMode {
    /// One message after the other.
    ByMessage,
    /// Gathered: in the order of addresses.
    Gathered,
    /// By listed runs; see [`PhaseRuns`].
    WrittenOut,
}

/// The [`WriteMode`] of the last execution; several threads may set it.
#[derive(Debug, Default)]
pub struct LastWriteMode(AtomicU8);

impl LastWriteMode {
    /// Records the write mode of an execution.
    pub fn set(&self, write_mode: WriteMode) {
        self.0.store(write_mode as u8, Ordering::Relaxed);
    }

    /// Returns the write mode that was recorded last.
    pub fn get(&self) -> WriteMode {
        match self.0.load(Ordering::Relaxed) {
            1 => WriteMode::Gathered,
            2 => WriteMode::WrittenOut,
            _ => WriteMode::ByMessage,
        }
    }
}

/// A redistribution, planned for one rank.
#[derive(Debug)]
pub struct RankPlan {
    /// The redistribution that is planned.
    pub problem: Problem,
    /// This rank's coordinates in both grids.
    pub me: Place,
    /// Size of an element in bytes.
    pub element: usize,
    /// The machine model that the phases were chosen for.
    pub machine: Machine,
    /// The phases of the redistribution.
    pub phases: Phases,
    /// Order of sending and receiving pieces.
    pub order: PieceOrder,
    /// Whether an element may be written several times: messages are then unpacked by step, after the self copy.
    pub in_order: bool,
    /// Whether this rank gathers its array within a node; `None` lets the size of the array decide.
    pub gather: Option<bool>,
    /// How arrays were written in the last execution.
    pub write_mode: LastWriteMode,
    /// Stages before and after the phase, if elements are named by lists of indices.
    pub stages: Option<Stages>,
    /// Cache of listed runs; `None` if the redistribution is too large for lists to pay off.
    pub phase_runs: Option<PhaseRunsCache>,
    /// Maximum size, in bytes, of a message sent by MPI.
    pub message: usize,
    /// Maximum size, in bytes, of all buffers.
    pub buffers: u64,
}

/// Returns the machine model for prices, and the memory budget of a call that moves `local` bytes per rank, for ranks
/// at `proximity`.
pub fn machine_and_budget(settings: &Settings, local: u64, proximity: Proximity) -> (Machine, Budget) {
    let budget = Budget::new(settings.buffer, local, settings.network.window);
    let machine = match proximity {
        Proximity::OneNode => settings.node,
        Proximity::Nodes { early } => Machine { early, ..settings.network },
    };
    (Machine { room: budget.room(), ..machine }, budget)
}

/// Bytes and messages that one rank moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Volume {
    /// Bytes sent to other ranks, over all phases.
    pub sent: u64,
    /// Bytes received from other ranks, over all phases.
    pub received: u64,
    /// Bytes that stay on this rank, over all phases.
    pub kept: u64,
    /// Number of messages sent, over all phases.
    pub sends: u64,
    /// Number of messages received, over all phases.
    pub receives: u64,
    /// Maximum size of all buffers, in bytes.
    pub buffers: u64,
}

impl Volume {
    /// Returns the sum of the volumes of two redistributions that are executed together and share their buffers.
    pub fn combined_with(self, other: &Self) -> Self {
        Self {
            sent: self.sent + other.sent,
            received: self.received + other.received,
            kept: self.kept + other.kept,
            sends: self.sends + other.sends,
            receives: self.receives + other.receives,
            buffers: self.buffers.max(other.buffers),
        }
    }
}

impl RankPlan {
    /// Returns the pacing of this plan's messages over a network.
    pub(crate) fn pace(&self) -> Pace {
        if self.phases.at_once {
            return Pace::AtOnce;
        }
        Pace::InSteps {
            max_unacknowledged: usize::try_from(self.machine.max_unacknowledged()).unwrap_or(usize::MAX),
        }
    }

    /// Plans a redistribution for the rank at `me`; all ranks run at `proximity`.
    pub fn new(
        problem: Problem,
        me: Place,
        element: usize,
        settings: &Settings,
        proximity: Proximity,
    ) -> Result<Self, Refusal> {
        Self::with_received(problem, me, element, settings, proximity, None)
    }

    /// Plans a redistribution of elements that are named by lists of indices.
    pub fn listed(
        problem: Problem,
        me: Place,
        element: usize,
        settings: &Settings,
        proximity: Proximity,
        (listed, stages): (ListedMessages, Stages),
    ) -> Result<Self, Refusal> {
        let received = Some(Received::Lists(listed));
        let planned = Self::with_received(problem, me, element, settings, proximity, received)?;
        Ok(Self { stages: Some(stages), ..planned })
    }

    /// Plans a redistribution. `received` has messages that a rank cannot compute alone: of arrays in boxes or of
    /// listed elements.
    pub fn with_received(
        problem: Problem,
        me: Place,
        element: usize,
        settings: &Settings,
        proximity: Proximity,
        received: Option<Received<'_>>,
    ) -> Result<Self, Refusal> {
        let bytes = element as u64;
        let (machine, budget) =
            machine_and_budget(settings, problem.bytes(bytes) / problem.parts(), proximity);
        let forced = settings.scheduler.as_deref();
        let (in_order, alone) = match &received {
            Some(Received::Boxes(received)) => (
                received.iter().any(|received| received.in_order),
                received.iter().all(|received| received.one_array),
            ),
            _ => (false, !problem.in_boxes()),
        };
        let phases = match received {
            None => Phases::new(&problem, &me, bytes, &machine, forced)?,
            Some(received) => Phases::with_received(&problem, &me, received, forced)?,
        };
        let one_node = proximity == Proximity::OneNode;
        let order = if one_node && !in_order { PieceOrder::ByRegion } else { PieceOrder::ByMessage };
        // Each rank may decide this alone, because it does not change the messages.
        let whole = phases.list.len() == 1 && phases.list[0].whole && alone;
        let small = whole && settings.gather != Some(true) && problem.bytes(bytes) <= SMALL_SECTION_BYTES;
        Ok(Self {
            problem,
            me,
            element,
            machine,
            phases,
            order,
            in_order,
            gather: settings.gather,
            write_mode: LastWriteMode::default(),
            stages: None,
            phase_runs: small.then(PhaseRunsCache::default),
            message: budget.message(),
            buffers: budget.total,
        })
    }

    /// Returns the figures of the schedule, which are counted unless its choice needed them; `None` if that is
    /// impossible.
    pub fn certificate(&self) -> Option<Certificate> {
        let count = || {
            let spread = !self.problem.spread.is_empty();
            let between = spread.then(|| self.problem.before_spread());
            let problem = between.as_ref().unwrap_or(&self.problem);
            let traffic = Traffic::of(problem, self.element as u64).with_budget_for(&self.machine);
            choose(&traffic, &Machine::NETWORK, Some(self.phases.scheduler)).ok()?.certificate
        };
        let one = self.problem.copies == Copies::Nearest && !self.problem.in_boxes();
        self.phases.certificate.clone().or_else(|| if one { count() } else { None })
    }

    /// Returns the runs for arrays of these shapes (source, destination). Lists them if the previous call had equal
    /// shapes; otherwise remembers the shapes and returns `None`. Always `None` if there are too many to list.
    pub fn list_repeated_runs(&self, shapes: [Option<&Shape>; 2]) -> Option<Arc<PhaseRuns>> {
        self.phase_runs.as_ref()?.find_or_list(&self.phases.list[0], shapes)
    }

    /// Returns whether this rank reads its source, and whether it writes its destination.
    pub fn accesses(&self) -> (bool, bool) {
        let after = self.stages.as_ref().and_then(|stages| stages.after.as_ref());
        (
            self.reading_phase().is_some(),
            self.writing_phase().is_some() || after.is_some_and(Writing::has_constants),
        )
    }

    /// Returns the phase that reads this rank's source. There is at most one: no rank has parts of two copies.
    pub fn reading_phase(&self) -> Option<&RankPhase> {
        let mut phases = self.phases(Phases::reads_source);
        phases.find(|phase| phase.has_both_arrays() || !phase.sends.messages.is_empty())
    }

    /// Returns a phase that writes this rank's destination: one that writes all elements that any phase writes.
    pub fn writing_phase(&self) -> Option<&RankPhase> {
        let mut phases = self.phases(Phases::writes_destination);
        phases.find(|phase| phase.has_both_arrays() || !phase.receives.messages.is_empty())
    }

    fn phases(&self, of: fn(&Phases, usize) -> bool) -> impl Iterator<Item = &RankPhase> {
        let phases = self.phases.list.iter().enumerate();
        phases.filter(move |(number, _)| of(&self.phases, *number)).map(|(_, phase)| &**phase)
    }

    /// Returns the bytes and messages that this rank moves.
    pub fn volume(&self) -> Volume {
        let mut volume = Volume { buffers: self.buffers, ..Volume::default() };
        let unit = self.element as u64;
        let mut piece = Piece::default();
        for phase in &self.phases.list {
            let [sends, receives] = phase.counts();
            for (side, bytes, messages, count) in [
                (&phase.sends, &mut volume.sent, &mut volume.sends, sends),
                (&phase.receives, &mut volume.received, &mut volume.receives, receives),
            ] {
                for message in &side.messages {
                    side.positions(message, &mut piece);
                    *bytes += piece.count() * unit;
                }
                *messages += count;
            }
            for product in phase.copy.iter().flat_map(SelfCopy::products) {
                piece.set(product.whole());
                volume.kept += piece.count() * unit;
            }
            volume.kept += phase.apart * unit;
        }
        volume
    }
}
