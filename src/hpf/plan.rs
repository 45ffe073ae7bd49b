//! Plans of a program: what it takes to move an array, made by all ranks of a communicator together, and used for any number
//! of arrays. A plan holds no address.

use super::Map;
use super::call::{Call, able, alive, confirmed, session, settings};
use super::end::{Known, Side};
use super::facts::Facts;
use super::failure::{Code, Failure};
use super::functions::Function;
use super::options::Options;
use super::procs::Procs;
use super::seat::Seat;
use crate::layout::{Nodes, Rank};
use crate::mapping::Between;
use crate::mpi::Comm;
use crate::plan::{Piece, Place};
use crate::planned::Planned;
use crate::problem::Problem;
use crate::session::Session;
use crate::settings::{Settings, Way};
use std::sync::{Arc, Weak};

/// A redistribution between two mapped arrays, planned for the calling process.
pub struct Plan {
    session: Weak<Session>,
    /// The same on all ranks, and no other plan's of this communicator.
    number: i64,
    pub(super) settings: Arc<Settings>,
    pub(super) planned: Arc<Planned>,
    /// Where the section lies in the calling process's storage.
    pub(super) from: Option<Seat>,
    pub(super) to: Option<Seat>,
    element: usize,
    /// The target, where its places are on other ranks than its map says.
    target: Option<Map>,
}

/// What a plan moves on the calling process, in bytes.
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

impl Plan {
    /// Collective over `comm`: from a section of one array to a section of another, of elements of `element` bytes. The
    /// arrangements of both may be any of this communicator's ranks: equal, nested, overlapping or disjoint. A rank that does
    /// not know an array passes none.
    pub fn create(
        comm: &Comm,
        from: Side<'_>,
        to: Side<'_>,
        element: usize,
        options: &Options,
    ) -> Result<Arc<Self>, Failure> {
        Self::of_result(comm, Ok((from, to, element, options)))
    }

    /// The same, where the caller may have found already that it cannot go on.
    pub fn of_result(
        comm: &Comm,
        given: Result<(Side<'_>, Side<'_>, usize, &Options), Failure>,
    ) -> Result<Arc<Self>, Failure> {
        let session = session(comm)?;
        Self::within(&session, given)
    }

    pub(super) fn within(
        session: &Arc<Session>,
        given: Result<(Side<'_>, Side<'_>, usize, &Options), Failure>,
    ) -> Result<Arc<Self>, Failure> {
        let mut call = Call::begin(session);
        let mut draft = able(given).and_then(|given| Draft::new(session, given));
        // Who knows both ends says at once whether it can go on; the others hear of them first.
        let built = match &mut draft {
            Ok(draft) if draft.from.is_some() && draft.to.is_some() => Some(draft.build(session)),
            _ => None,
        };
        let failure = draft.as_ref().err().or(built.as_ref().and_then(|built| built.as_ref().err())).cloned();
        let values = draft.as_ref().map_or([None; 6], Draft::values);
        let known = call.agree(Facts::new(session.rank, Function::Plan, &values, failure))?;
        let lacking = [0, 2].map(|k| known.lacking(k));
        let number = call.number();
        let numbered = |built: Plan| Arc::new(Plan { number, ..built });
        if lacking == [None, None] {
            return built.expect("every rank knows both ends").map(numbered);
        }
        let mut draft = draft?;
        let [from, to] = lacking;
        let mut wrong = None;
        if let Some(root) = from {
            match Known::from_root(session, root, draft.from.take())? {
                Ok(known) => draft.from = Some(known),
                Err(failure) => wrong = Some(failure),
            }
        }
        if let Some(root) = to {
            match Known::from_root(session, root, draft.to.take())? {
                Ok(known) => draft.to = Some(known),
                Err(failure) => wrong = Some(failure),
            }
        }
        drop(call);
        let built = wrong.map_or_else(|| built.unwrap_or_else(|| draft.build(session)), Err);
        confirmed(session, built).map(numbered)
    }

    /// What is kept with its communicator: for [`super::execute`] and [`super::Request::start`].
    pub fn session(&self) -> Result<Arc<Session>, Failure> {
        alive(&self.session, "the communicator of the plan is freed")
    }

    /// The same on all ranks, and no other plan's of this communicator.
    pub(super) fn number(&self) -> i64 {
        self.number
    }

    /// Bytes of an element.
    pub fn element(&self) -> usize {
        self.element
    }

    /// Whether all messages go by MPI.
    pub(super) fn by_mpi(&self) -> bool {
        self.settings.way == Way::Mpi
    }

    /// Whether the calling process reads, and whether it writes, a local array.
    pub fn touches(&self) -> (bool, bool) {
        self.planned.touches()
    }

    /// Where the source lies in the calling process's storage, if it has a part.
    pub fn source(&self) -> Option<&Seat> {
        self.from.as_ref()
    }

    /// The same of the target.
    pub fn destination(&self) -> Option<&Seat> {
        self.to.as_ref()
    }

    /// The target's map where its places were given to other ranks ([`Options::relabel`]): with its arrangement in ranks of
    /// the plan's communicator.
    pub fn target(&self) -> Option<&Map> {
        self.target.as_ref()
    }

    /// What it moves on the calling process.
    pub fn volume(&self) -> Volume {
        let mut volume = Volume { buffers: self.planned.buffers, ..Volume::default() };
        let unit = self.planned.element as u64;
        let mut piece = Piece::default();
        for leg in &self.planned.route.legs {
            for (side, bytes, messages) in [
                (&leg.plan.sends, &mut volume.sent, &mut volume.sends),
                (&leg.plan.receives, &mut volume.received, &mut volume.receives),
            ] {
                for message in &side.messages {
                    side.positions(message, &mut piece);
                    *bytes += piece.count() * unit;
                }
                *messages += side.messages.len() as u64;
            }
            if let Some(kept) = &leg.plan.copy {
                piece.set(kept.product().whole());
                volume.kept += piece.count() * unit;
            }
        }
        volume
    }
}

/// What is known of a plan before it is made.
struct Draft<'a> {
    from: Option<Known>,
    to: Option<Known>,
    element: usize,
    options: &'a Options,
    settings: Arc<Settings>,
}

impl<'a> Draft<'a> {
    fn new(
        session: &Arc<Session>,
        (from, to, element, options): (Side<'_>, Side<'_>, usize, &'a Options),
    ) -> Result<Self, Failure> {
        let settings = Arc::new(options.over(settings().0)?);
        if settings.way == Way::Shm && !session.facts().unwrap_or_default().one_node {
            let why = "the option transport is shm, but there is no memory that all ranks of the communicator share";
            return Err(Failure::new(Code::Settings, why));
        }
        let (from, to) = (from.known(session, "source")?, to.known(session, "target")?);
        Ok(Self { from, to, element, options, settings })
    }

    /// What other ranks must give alike.
    fn values(&self) -> [Option<i64>; 6] {
        let of = |known: &Option<Known>| known.as_ref().map_or([None; 2], |known| known.digests().map(Some));
        let ([from, from_section], [to, to_section]) = (of(&self.from), of(&self.to));
        let options = self.settings.digest() ^ i64::from(self.options.relabel);
        let element = i64::try_from(self.element).unwrap_or(i64::MAX);
        [from, from_section, to, to_section, Some(element), Some(options)]
    }

    /// The plan, once both ends are known; its number is not.
    fn build(&self, session: &Arc<Session>) -> Result<Plan, Failure> {
        let (Some(from), Some(to)) = (&self.from, &self.to) else { unreachable!("both ends are known") };
        let Session { rank, ranks, .. } = **session;
        let one_node = session.facts().unwrap_or_default().one_node && self.settings.way != Way::Mpi;
        let between = |to: &Known| {
            let mut between = Between::new(&from.end(), &to.end(), self.element as u64)?;
            if between.problem.from.extents().len() > between.problem.dims.len() {
                between.problem.nodes = nodes(session);
            }
            Ok::<_, Failure>(between)
        };
        let mut made = between(to)?;
        let mut moved = None;
        if self.options.relabel {
            let now = to.map.template().arrangement();
            if let Some(arrangement) = super::places::relabelled(&made.problem, made.unit, now) {
                let to = to.onto(arrangement);
                made = between(&to)?;
                moved = Some(to);
            }
        }
        let to = moved.as_ref().unwrap_or(to);
        let Between { problem, unit, from: source, to: destination } = made;
        listable(&problem)?;
        let place = Place::of(&problem, Rank(rank), ranks);
        let seat =
            |side: &crate::mapping::Side, known: &Known| Seat::of(side, &known.local(rank), self.element);
        let from = place.from.as_ref().map(|_| seat(&source, from)).transpose()?;
        let seated = place.to.as_ref().map(|_| seat(&destination, to)).transpose()?;
        let planned = Planned::new(problem, place, unit, &self.settings, one_node)
            .map_err(|refusal| Failure::new(Code::Settings, refusal.to_string()))?;
        let target = match &moved {
            None => None,
            Some(to) => {
                let procs = Procs::of_session(session, to.map.template().arrangement().clone())?;
                Some(Map::of(procs, None, to.map.clone()))
            }
        };
        Ok(Plan {
            session: Arc::downgrade(session),
            number: 0,
            settings: self.settings.clone(),
            planned: Arc::new(planned),
            from,
            to: seated,
            element: self.element,
            target,
        })
    }
}

/// Which ranks share a node, for arrays of which there are copies.
fn nodes(session: &Session) -> Nodes {
    session.state().neighbours.as_ref().map(|met| met.nodes.clone()).unwrap_or_default()
}

/// Runs of one dimension that a plan lists at the most, where they follow no period: some gigabytes.
const MOST_RUNS: u64 = 1 << 27;

/// Whether a plan does not grow beyond all memory: the local indices of a section in steps of a cyclic axis are listed, run by
/// run, where the steps do not fit the blocks.
fn listable(problem: &Problem) -> Result<(), Failure> {
    for dim in &problem.dims {
        for axis in [&dim.from, &dim.to] {
            let runs = dim.len / u64::from(axis.dist.procs());
            if axis.strided().is_some() && !axis.is_steady() && runs > MOST_RUNS {
                let why = format!("a plan with {runs} runs of a section in steps, at most {MOST_RUNS}");
                return Err(Failure::new(Code::Memory, why));
            }
        }
    }
    Ok(())
}
