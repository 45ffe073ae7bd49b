//! HOW does this rank carry out its part of one redistribution on this machine? The route, the order of pieces, and the size
//! of messages. Made once and used for any number of arrays: it has no pointers and no buffers.

mod reads;
mod recent;

pub use recent::Recent;

use crate::layout::problem::{Copies, Problem};
use crate::layout::strides::Shape;
use crate::plan::{Flats, Kept, KnownFlats, Leg, ListedMessages, Piece, Place, Route, Stages, Told, Writing};
use crate::schedule::certificate::Certificate;
use crate::schedule::router::{Refusal, route};
use crate::schedule::traffic::Traffic;
use crate::system::budget::Budget;
use crate::system::machine::Machine;
use crate::system::settings::Settings;
use crate::transport::Pace;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// Bytes of a section that counts as small: what is sent of it fits in a core's cache, and to look for runs takes longer
/// than to copy them.
const SMALL: u64 = 64 << 10;

/// In which order do the pieces of a rank's messages go? The same on all ranks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PieceOrder {
    /// Message after message: between nodes, where each step has the ports to itself.
    ByMessage,
    /// A piece of each message in turn: within a node, where what costs is to read and write the arrays. The pieces of
    /// all messages, and of what the rank keeps, lie near each other there, so each cache line comes once.
    ByRegion,
}

/// How a rank writes its arrays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Manner {
    /// Message by message.
    ByMessage,
    /// In the order of their addresses.
    Gathered,
    /// By runs that are written out.
    WrittenOut,
}

/// A [`Manner`] that several threads may note.
#[derive(Debug, Default)]
pub struct LastManner(AtomicU8);

impl LastManner {
    /// From now on this one.
    pub fn set(&self, manner: Manner) {
        self.0.store(manner as u8, Ordering::Relaxed);
    }

    /// The one that was set last.
    pub fn get(&self) -> Manner {
        match self.0.load(Ordering::Relaxed) {
            1 => Manner::Gathered,
            2 => Manner::WrittenOut,
            _ => Manner::ByMessage,
        }
    }
}

/// A redistribution, planned for one rank.
#[derive(Debug)]
pub struct Planned {
    /// What moves.
    pub problem: Problem,
    /// The rank's place.
    pub me: Place,
    /// Bytes an element.
    pub element: usize,
    /// The machine that the way was chosen for.
    pub machine: Machine,
    /// Its legs.
    pub route: Route,
    /// In which order pieces go.
    pub order: PieceOrder,
    /// Whether elements may be written several times: then pieces are written in that order, after what the rank keeps.
    pub in_order: bool,
    /// Whether what comes from ranks of the node is gathered; `None`: where that is worth while.
    pub gather: Option<bool>,
    /// How arrays were written when it was last carried out.
    pub manner: LastManner,
    /// What the rank does before its leg and after it, where elements are named by lists of indices.
    pub stages: Option<Stages>,
    /// Its runs, written out, where it is so small that this pays.
    pub flats: Option<KnownFlats>,
    /// Bytes of the largest message that MPI carries.
    pub message: usize,
    /// Bytes that all buffers may take.
    pub buffers: u64,
}

/// The machine that prices are reckoned with, and the memory of a call that moves `local` bytes on each rank. `one_node`:
/// whether all ranks share one memory.
pub fn terms(settings: &Settings, local: u64, one_node: bool) -> (Machine, Budget) {
    let budget = Budget::new(settings.buffer, local, settings.network.window);
    let machine = if one_node { settings.node } else { settings.network };
    (Machine { room: budget.room(), ..machine }, budget)
}

/// What one rank moves, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Volume {
    /// Sent to other ranks, over all phases.
    pub sent: u64,
    /// Received from other ranks, over all phases.
    pub received: u64,
    /// Copied from the source to the target, or from phase to phase.
    pub kept: u64,
    /// Messages sent.
    pub sends: u64,
    /// Messages received.
    pub receives: u64,
    /// The most that buffers take.
    pub buffers: u64,
}

impl Volume {
    /// That of two redistributions that travel together.
    pub fn and(self, other: &Self) -> Self {
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

impl Planned {
    /// How its messages follow each other over a network.
    pub(crate) fn pace(&self) -> Pace {
        if self.route.at_once {
            return Pace::AtOnce;
        }
        Pace::InSteps { unheard: usize::try_from(self.machine.unheard()).unwrap_or(usize::MAX) }
    }

    /// `one_node`: whether all ranks share one memory.
    pub fn new(
        problem: Problem,
        me: Place,
        element: usize,
        settings: &Settings,
        one_node: bool,
    ) -> Result<Self, Refusal> {
        Self::told(problem, me, element, settings, one_node, None)
    }

    /// The same of elements that are named by lists of indices.
    pub fn listed(
        problem: Problem,
        me: Place,
        element: usize,
        settings: &Settings,
        one_node: bool,
        (listed, stages): (ListedMessages, Stages),
    ) -> Result<Self, Refusal> {
        let told = Some(Told::Lists(listed));
        let planned = Self::told(problem, me, element, settings, one_node, told)?;
        Ok(Self { stages: Some(stages), ..planned })
    }

    /// The same of an array in boxes, before or after, of which the rank was told what it shares with others.
    pub fn told(
        problem: Problem,
        me: Place,
        element: usize,
        settings: &Settings,
        one_node: bool,
        told: Option<Told<'_>>,
    ) -> Result<Self, Refusal> {
        let bytes = element as u64;
        let (machine, budget) = terms(settings, problem.bytes(bytes) / problem.parts(), one_node);
        let forced = settings.scheduler.as_deref();
        let (in_order, alone) = match &told {
            Some(Told::Boxes(told)) => {
                (told.iter().any(|told| told.in_order), told.iter().all(|told| told.one_array))
            }
            _ => (false, !problem.in_boxes()),
        };
        let route = match told {
            None => Route::new(&problem, &me, bytes, &machine, forced)?,
            Some(told) => Route::told(&problem, &me, told, forced)?,
        };
        let order = if one_node && !in_order { PieceOrder::ByRegion } else { PieceOrder::ByMessage };
        // Ranks need not decide alike on this: messages are the same.
        let whole = route.legs.len() == 1 && route.legs[0].whole && alone;
        let small = whole && settings.gather != Some(true) && problem.bytes(bytes) <= SMALL;
        Ok(Self {
            problem,
            me,
            element,
            machine,
            route,
            order,
            in_order,
            gather: settings.gather,
            manner: LastManner::default(),
            stages: None,
            flats: small.then(KnownFlats::default),
            message: budget.message(),
            buffers: budget.total,
        })
    }

    /// The figures of the schedule, counted where that was not done when it was chosen; `None` where they cannot be.
    pub fn certificate(&self) -> Option<Certificate> {
        let count = || {
            let spread = !self.problem.spread.is_empty();
            let between = spread.then(|| self.problem.before_spread());
            let problem = between.as_ref().unwrap_or(&self.problem);
            let traffic = Traffic::of(problem, self.element as u64).within(&self.machine);
            route(&traffic, &Machine::NETWORK, Some(self.route.scheduler)).ok()?.certificate
        };
        let one = self.problem.copies == Copies::Nearest && !self.problem.in_boxes();
        self.route.certificate.clone().or_else(|| if one { count() } else { None })
    }

    /// Its runs in arrays of these shapes (source, destination), if they are written out.
    pub fn flats(&self, shapes: [Option<&Shape>; 2]) -> Option<Arc<Flats>> {
        self.flats.as_ref()?.flats(&self.route.legs[0], shapes)
    }

    /// Whether this rank reads a local array, and whether it writes one.
    pub fn touches(&self) -> (bool, bool) {
        let after = self.stages.as_ref().and_then(|stages| stages.after.as_ref());
        (self.reading().is_some(), self.writing().is_some() || after.is_some_and(Writing::has_constants))
    }

    /// The leg in which this rank reads its source, if it does: no rank has a part of two copies.
    pub fn reading(&self) -> Option<&Leg> {
        let mut legs = self.legs(Route::reads_source);
        legs.find(|leg| leg.keeps() || !leg.sends.messages.is_empty())
    }

    /// A leg in which this rank writes all of its destination that is written, if it does.
    pub fn writing(&self) -> Option<&Leg> {
        let mut legs = self.legs(Route::writes_destination);
        legs.find(|leg| leg.keeps() || !leg.receives.messages.is_empty())
    }

    fn legs(&self, of: fn(&Route, usize) -> bool) -> impl Iterator<Item = &Leg> {
        let legs = self.route.legs.iter().enumerate();
        legs.filter(move |(number, _)| of(&self.route, *number)).map(|(_, leg)| &**leg)
    }

    /// What this rank moves.
    pub fn volume(&self) -> Volume {
        let mut volume = Volume { buffers: self.buffers, ..Volume::default() };
        let unit = self.element as u64;
        let mut piece = Piece::default();
        for leg in &self.route.legs {
            let [sends, receives] = leg.counts();
            for (side, bytes, messages, count) in [
                (&leg.sends, &mut volume.sent, &mut volume.sends, sends),
                (&leg.receives, &mut volume.received, &mut volume.receives, receives),
            ] {
                for message in &side.messages {
                    side.positions(message, &mut piece);
                    *bytes += piece.count() * unit;
                }
                *messages += count;
            }
            for product in leg.copy.iter().flat_map(Kept::products) {
                piece.set(product.whole());
                volume.kept += piece.count() * unit;
            }
            volume.kept += leg.apart * unit;
        }
        volume
    }
}
