//! Takes one call through the modules: agreement, problem, plan, exchange.
//!
//! It knows the order of these steps and when to wait; the steps themselves are done elsewhere.

use super::addresses::check_addresses;
use super::terms::Unlisted;
use super::{Call, Checked, Matrix, Terms};
use crate::exec::Progress;
use crate::exec::travel::{Journey, Likeness, Load, Rest};
use crate::layout::distribution::{Grid, Rank, RankMap};
use crate::layout::strides::Shape;
use crate::mpi::Broadcast;
use crate::pack::{Destination, Source};
use crate::plan::Place;
use crate::plan::planned::Planned;
use crate::runtime::agreement::Agreement;
use crate::runtime::session::{Answer, Channels, KnownPlan, NodeInfo, Session, worth_meeting};
use crate::system::settings::Settings;
use crate::transport::error::{ArgumentError, Error};
use crate::trial::Trace;
use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Bytes of a message buffer at least: so long may be what comes from a rank that makes another call, for this to be told in words.
const LEAST_MESSAGE: usize = 8 << 10;
/// Bytes of a section up to which ranks that do not know each other yet look for no schedule: on 4 ranks that takes as long as a hundred
/// messages, and they make few such calls before they know each other.
const UNSOUGHT: u64 = 1 << 20;
/// How long a rank that failed waits for a better explanation.
const PATIENCE: Duration = Duration::from_secs(2);

/// A call that was checked on this rank.
pub struct Prepared {
    /// What this rank took to get here, where somebody wants to know.
    pub before: Duration,
    what: Arc<Checked>,
    session: Arc<Session>,
    settings: &'static Settings,
}

impl Prepared {
    pub(super) fn new(what: Arc<Checked>, session: Arc<Session>, settings: &'static Settings) -> Self {
        Self { before: Duration::ZERO, what, session, settings }
    }

    /// The call.
    pub fn call(&self) -> &Call {
        &self.what.call
    }

    /// The shapes of this rank's local arrays, A's as B is written: absent where it is outside the grid.
    pub fn shapes(&self) -> [Option<Shape>; 2] {
        self.what.shapes.clone()
    }

    /// Moves the data. `source` and `destination` are this rank's local arrays, shaped as the call's matrices, absent
    /// where it is outside the grid. The plan that was carried out.
    pub fn run(
        &self,
        (source, destination): (Option<Source>, Option<Destination>),
    ) -> Result<Arc<Planned>, Error> {
        let Session { rank, ranks, .. } = *self.session;
        let trace = Trace::start(&self.session, self.before);
        // No rank returns from a call that others make otherwise: in the first call with these terms all of them agree before one
        // returns. In a later one a rank hears of the rank before it only, as a round of messages less is what small calls cost.
        let (mut channels, is_first) =
            self.session.begin_call::<Terms>(self.settings, self.what.terms.digest());
        let mut agreement = self.what.agreement(rank, ranks);

        let grids = self.agree(&mut agreement, &mut channels)?;
        let (plan, last) = self.plan(grids, &mut agreement, &mut channels)?;
        let mut load = Load { planned: plan.clone(), source, destination, update: self.call().update };
        check_addresses(self.call(), &load)?;
        self.call().begin(&mut load);
        let crew = self.session.crew(self.settings);
        let ends = (load.source.as_ref(), load.destination.as_ref());
        let likeness = Likeness::of(self.session.number, crew, ends, load.update);
        let mut rest = last.take(&likeness);
        let mut loads = rest.as_mut().map(Rest::room).unwrap_or_default();
        loads.push(load);
        let mut journey = Journey::new(loads, crew, rest)?;
        let (mut moving, mut failed) = (true, false);
        let moved = self.session.until(|links| {
            if moving {
                let progress = journey.advance(&mut channels.data(links));
                // The agreement goes beside the data, behind it; also where the exchange failed: what the others think may
                // be the reason.
                agreement.start(&mut channels.agreement(links))?;
                failed = progress.is_err();
                let progress = progress?;
                moving = progress != Progress::Done;
                if progress == Progress::Busy {
                    return Ok(Answer::Busy);
                }
            }
            let heard = match is_first {
                true => agreement.settle(&mut channels.agreement(links))?,
                false => agreement.finish(&mut channels.agreement(links))?,
            };
            Ok(Answer::when(heard && !moving, ()))
        });
        // What the agreement says is the reason.
        moved.map_err(
            |error| if failed { self.reason(error, &mut agreement, &mut channels) } else { error },
        )?;

        self.session.end(channels);
        self.what.keep(agreement);
        if let Some(rest) = journey.into_rest() {
            last.leave(likeness, rest);
        }
        if let Some(trace) = trace {
            trace.finish(&self.call().routine, &self.session, std::slice::from_ref(&plan));
        }
        Ok(plan)
    }

    /// What is kept of the enclosing communicator.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Sees to it that this rank knows what all ranks mean, and both grids. Where every rank is in both grids, each knows
    /// by itself; else they tell each other first.
    fn agree<'a>(
        &'a self,
        agreement: &mut Agreement<Terms>,
        channels: &mut Channels,
    ) -> Result<[Cow<'a, Grid>; 2], Error> {
        let Call { a, b, .. } = self.call();
        if self.what.terms.are_known_to_all() {
            let grid = |m: &'a Option<Matrix>| &m.as_ref().expect("every rank is in both grids").grid;
            return Ok([a, b].map(|m| Cow::Borrowed(grid(m))));
        }
        self.session.until(|links| Ok(Answer::when(agreement.merge(&mut channels.agreement(links))?, ())))?;
        let known = agreement.known();
        known.complete()?;
        let from = known.grid_a().or_else(|unlisted| self.told_grid(&unlisted, a.as_ref()))?;
        let to = known.grid_b().or_else(|unlisted| self.told_grid(&unlisted, b.as_ref()))?;
        self.in_place("A", &from, a.as_ref())?;
        self.in_place("B", &to, b.as_ref())?;
        Ok([Cow::Owned(from), Cow::Owned(to)])
    }

    /// A grid whose ranks follow no rule, told by one of its members.
    fn told_grid(&self, grid: &Unlisted, mine: Option<&Matrix>) -> Result<Grid, Error> {
        let Unlisted { rows, cols, root } = *grid;
        let ranks: Vec<i64> = match mine {
            Some(matrix) => matrix.grid.places().map(|at| matrix.grid.rank(&at).0.into()).collect(),
            None => vec![0; rows as usize * cols as usize],
        };
        let mut broadcast = Broadcast::start(self.session.comm(), root, ranks)?;
        let ranks = self.session.until(|_| Ok(broadcast.test()?.map_or(Answer::NotYet, Answer::Ready)))?;
        let ranks: Vec<u32> = ranks.iter().map(|&rank| u32::try_from(rank).expect("a rank")).collect();
        Ok(Grid::from_ranks(&[rows, cols], &ranks).expect("a grid has a rank for every place"))
    }

    /// Whether this rank gave a context exactly if it is in the grid that all agree on.
    fn in_place(&self, name: &str, grid: &Grid, mine: Option<&Matrix>) -> Result<(), Error> {
        let place = grid.find(Rank(self.session.rank));
        match (place.as_deref(), mine.map(|matrix| matrix.at)) {
            (place, at) if place == at.as_ref().map(|at| &at[..]) => Ok(()),
            (Some(at), _) => Err(Error::Argument(ArgumentError {
                name: format!("CTXT_ of DESC{name}"),
                value: -1,
                expected: format!(
                    "the context of {name}'s grid, as this process is ({},{}) of it",
                    at[0], at[1]
                ),
                place: None,
            })),
            (None, _) => Err(Error::Host(format!("the ranks of {name}'s grid disagree on who is in it"))),
        }
    }

    /// Whether the ranks of a node get to know each other for a call of so many bytes. All ranks answer alike.
    fn meets(&self, bytes: u64) -> bool {
        self.session.node_info().is_none() && worth_meeting(bytes, self.session.calls(), self.settings.medium)
    }

    /// What is known of the node; where it is not yet and is worth while for a call of so many bytes, the ranks of the node
    /// get to know each other.
    fn node_info(
        &self,
        bytes: u64,
        agreement: &mut Agreement<Terms>,
        channels: &mut Channels,
    ) -> Result<NodeInfo, Error> {
        if !self.meets(bytes) {
            return Ok(self.session.node_info().unwrap_or_default());
        }
        // Getting to know each other is collective: only once all are known to mean the same call.
        self.session
            .until(|links| Ok(Answer::when(agreement.finish(&mut channels.agreement(links))?, ())))?;
        let node_info = self.session.meet(self.settings)?;
        self.session.until(|links| {
            channels.meet(links);
            Ok(Answer::Ready(()))
        })?;
        Ok(node_info)
    }

    /// The plan for what all agree on: the one of a former call, if there was such a call.
    fn plan(
        &self,
        [from, to]: [Cow<'_, Grid>; 2],
        agreement: &mut Agreement<Terms>,
        channels: &mut Channels,
    ) -> Result<KnownPlan, Error> {
        let element = self.call().routine.element;
        let is_new = |(plan, _): &KnownPlan| self.meets(plan.problem.bytes(element as u64));
        if let Some(kept) = self.what.plan.get().filter(|kept| !is_new(kept)) {
            channels.fit(message(&kept.0), kept.0.pace());
            return Ok(kept.clone());
        }
        // Of lists of ranks the numbers have a digest, which may be that of another list.
        let mut key = Cow::from(agreement.known().numbers());
        for grid in [&from, &to] {
            if let RankMap::Listed(ranks) = grid.map() {
                key.to_mut().extend(ranks.iter().map(|&rank| i64::from(rank)));
            }
        }
        let kept = self.session.state().plans.find(&key);
        let known = match kept.filter(|kept| !is_new(kept)) {
            Some(kept) => kept,
            None => self.planned(key.into_owned(), [from, to], agreement, channels)?,
        };
        if self.what.terms.are_known_to_all() {
            // Where there was one, ranks got to know each other meanwhile: the next call is checked anew.
            self.what.plan.get_or_init(|| known.clone());
        }
        channels.fit(message(&known.0), known.0.pace());
        Ok(known)
    }

    /// A new plan for what all agree on, which is kept by the numbers `key`.
    fn planned(
        &self,
        key: Vec<i64>,
        [from, to]: [Cow<'_, Grid>; 2],
        agreement: &mut Agreement<Terms>,
        channels: &mut Channels,
    ) -> Result<KnownPlan, Error> {
        let Call { part, transposed, a, b, .. } = self.call();
        let (transposed, element) = (*transposed, self.call().routine.element);
        let problem = agreement.known().problem(*part, transposed, from.into_owned(), to.into_owned());
        let bytes = problem.bytes(element as u64);
        let node_info = self.node_info(bytes, agreement, channels)?;
        // On one node any order does.
        let one_node = node_info.one_node || (self.session.node_info().is_none() && bytes <= UNSOUGHT);
        let at = |matrix: &Option<Matrix>, transposed| matrix.as_ref().map(|m| m.place(transposed));
        let Session { rank, ranks, .. } = *self.session;
        let (from, to) = (at(a, transposed), at(b, false));
        let me = Place { rank: Rank(rank), from, to, ranks };
        let plan = Planned::new(problem, me, element, self.settings, one_node);
        let plan = Arc::new(plan.map_err(|refusal| Error::Host(refusal.to_string()))?);
        let known = (plan, Arc::default());
        self.session.state().plans.keep(&key, known.clone());
        Ok(known)
    }

    /// Why the exchange failed with `error`: where ranks disagree, they say it better, if they do so soon; and the one
    /// that finds it ends the job.
    fn reason(&self, error: Error, agreement: &mut Agreement<Terms>, channels: &mut Channels) -> Error {
        let begin = Instant::now();
        let heard = self.session.until(|links| {
            agreement.poll(&mut channels.agreement(links))?;
            Ok(Answer::when(begin.elapsed() > PATIENCE, ()))
        });
        heard.err().unwrap_or(error)
    }
}

/// Bytes of the largest message that MPI carries in a call: no more than the section has, as fresh memory takes longer than a small
/// call. All ranks come to the same.
fn message(plan: &Planned) -> usize {
    let all = usize::try_from(plan.problem.bytes(plan.element as u64)).unwrap_or(usize::MAX);
    plan.message.min(all.div_ceil(64).saturating_mul(64).max(LEAST_MESSAGE))
}
