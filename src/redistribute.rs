//! Walks one call through the rooms of the house: arguments, agreement, problem, plan, exchange.
//!
//! It knows the order of things and when to wait; each thing itself is done elsewhere.

use crate::blacs::{Blacs, Int, wide};
use crate::budget::Budget;
use crate::call::agreement::Agreement;
use crate::call::{Call, Descriptor, Matrix, Routine, Terms, check};
use crate::crew::Crew;
use crate::error::{ArgumentError, Error};
use crate::exec::Turns;
use crate::layout::Rank;
use crate::mpi::{Comm, check_library};
use crate::pack::{Destination, Source};
use crate::plan::{Place, Route};
use crate::problem::{Part, Problem};
use crate::schedule::machine::Machine;
use crate::session::{self, Neighbours, Session};
use crate::settings::{Settings, Way};
use crate::transport::joined::Joined;
use crate::transport::mpi::PointToPoint;
use crate::travel::{Load, travel};
use crate::trial::Trace;
use std::sync::Arc;

/// Bytes of a first call for which it is worth while to make shared memory; a second call always is.
const WORTH_MEETING: u64 = 1 << 20;
/// The arguments of one matrix as they came in.
pub struct MatrixArguments {
    /// "A" or "B".
    pub name: &'static str,
    /// CTXT_ of its descriptor; negative on a rank outside its grid, where nothing else is looked at.
    pub context: Int,
    /// The rest of its descriptor.
    pub descriptor: Descriptor,
    /// IA, JA or IB, JB.
    pub start: [i64; 2],
}

/// A call that was checked on this rank.
pub struct Prepared {
    /// The call.
    pub call: Call,
    session: Arc<Session>,
}

/// Checks the arguments of this rank. `enclosing` is ICTXT, or `None`: all processes of the program call.
pub fn prepare(
    routine: Routine,
    extent: [u64; 2],
    part: Part,
    [a, b]: [&MatrixArguments; 2],
    enclosing: Option<Int>,
) -> Result<Prepared, Error> {
    check_library().map_err(Error::Host)?;
    let blacs = Blacs::of_host().map_err(Error::Host)?;
    let comm = match enclosing {
        None => Comm::world(),
        Some(context) => {
            let grid = blacs.place(context).and_then(|_| blacs.communicator(context));
            grid.ok_or_else(|| no_grid("ICTXT".into(), context))?
        }
    };
    let settings = Settings::of_process().map_err(Error::Host)?;
    let session = Session::of(&comm, settings.network.window)?;
    let member = |m| matrix(blacs, &session, m);
    let call = Call { routine, extent, part, a: member(a)?, b: member(b)? };
    for (matrix, arguments) in [(&call.a, a), (&call.b, b)] {
        if let Some(matrix) = matrix {
            check(matrix, arguments.name, extent)?;
        }
    }
    Ok(Prepared { call, session })
}

/// The matrix, if this rank is in its grid.
fn matrix(blacs: &Blacs, session: &Session, m: &MatrixArguments) -> Result<Option<Matrix>, Error> {
    let MatrixArguments { name, context, descriptor, start } = m;
    if *context < 0 {
        return Ok(None);
    }
    let entry = || format!("CTXT_ of DESC{name}");
    let place = blacs.place(*context).ok_or_else(|| no_grid(entry(), *context))?;
    let comm = blacs.communicator(*context).ok_or_else(|| no_grid(entry(), *context))?;
    let grid = session::grid_of(&comm, (place.rows, place.cols), &session.host(), session.number)?;
    let grid = grid.ok_or_else(|| ArgumentError {
        name: entry(),
        value: wide(*context),
        expected: "a process grid of which ICTXT encloses every process".into(),
        place: Some(place.at[0] * place.cols + place.at[1]),
    })?;
    Ok(Some(Matrix { grid, at: place.at, descriptor: *descriptor, start: *start }))
}

fn no_grid(name: String, context: Int) -> Error {
    let expected = "the context of a process grid that this process is in".into();
    Error::Argument(ArgumentError { name, value: wide(context), expected, place: None })
}

impl Prepared {
    /// Moves the data. `source` and `destination` are this rank's local arrays, shaped as the call's matrices, absent
    /// where it is outside the grid.
    pub fn run(&self, source: Option<Source>, destination: Option<Destination>) -> Result<(), Error> {
        let Session { rank, ranks, .. } = *self.session;
        let trace = Trace::start(rank);
        let settings = Settings::of_process().map_err(Error::Host)?;
        let comm = self.session.comm();
        let session::State { neighbours, alone, data, agreement, plans, .. } = &mut *self.session.state();
        let terms = Terms::of(&self.call, rank, ranks, settings.digest());
        let at = |matrix: &Option<Matrix>| matrix.as_ref().map(|m| m.at.to_vec());
        let me = Place { rank: Rank(rank), from: at(&self.call.a), to: at(&self.call.b), ranks };

        let known = neighbours.as_ref().map(Neighbours::facts).or(*alone);
        let shared = neighbours.as_mut().and_then(|n| n.shared.as_mut());
        let (node, node_agreement) = shared.map(|s| (&mut s.data, &mut s.agreement)).unzip();
        let wires = Joined::new(node_agreement, PointToPoint::new(comm, agreement, Terms::BYTES));
        let mut agreement = Agreement::new(comm, (rank, ranks), &terms, wires);
        let problem = if self.call.all_know_all(ranks) {
            self.problem(&terms)
        } else {
            let (merged, a, b) = agreement.merge(&self.call)?;
            merged.problem(self.call.part, a, b)
        };
        let element = self.call.routine.element;
        let bytes = problem.bytes(element as u64);
        let mut met = None;
        if known.is_none() && (settings.way == Way::Shm || !plans.is_empty() || bytes >= WORTH_MEETING) {
            // Getting to know each other is collective: only once all are known to mean the same call.
            agreement.finish()?;
            met = Some(session::meet(comm, settings)?);
            plans.clear();
        }
        let facts = met.as_ref().map(Neighbours::facts).or(known).unwrap_or_default();
        let budget = Budget::new(settings.buffer, bytes / problem.parts(), settings.network.window);
        let machine = if facts.one_node { settings.node } else { settings.network };
        let machine = Machine { room: budget.room(), ..machine };
        let scheduler = settings.scheduler.as_deref();
        let route = plans
            .of(&problem, &me, element, || Route::new(&problem, &me, element as u64, &machine, scheduler));
        let route = route.map_err(|refusal| Error::Host(refusal.to_string()))?;
        check_addresses(&route, source.as_ref(), destination.as_ref())?;
        let node = met.as_mut().map_or(node, |met| met.shared.as_mut().map(|s| &mut s.data));
        let network = PointToPoint::new(comm, data, budget.message());
        let network = if route.at_once { network.at_once() } else { network };
        let mut transport = Joined::new(node, network);
        let crew = Crew::new(settings.threads.of(facts.cores));
        let turns = if facts.one_node { Turns::ByRegion } else { Turns::ByMessage };
        let load = Load { route: &route, me: &me, element, turns, crew };
        travel(&load, (source, destination), &mut transport, &mut agreement)?;
        agreement.finish()?;
        drop((transport, agreement));
        if met.is_some() {
            *neighbours = met;
        }
        if let Some(trace) = trace {
            trace.finish(self.call.routine, &problem, &route);
        }
        Ok(())
    }

    /// The problem where every rank is in both grids.
    fn problem(&self, terms: &Terms) -> Problem {
        let grid = |m: &Option<Matrix>| m.as_ref().expect("every rank is in both grids").grid.clone();
        terms.problem(self.call.part, grid(&self.call.a), grid(&self.call.b))
    }
}

/// An array with elements to move needs an address.
fn check_addresses(route: &Route, a: Option<&Source>, b: Option<&Destination>) -> Result<(), Error> {
    let (Some(first), Some(last)) = (route.legs.first(), route.legs.last()) else { return Ok(()) };
    let reads = first.plan.copy.is_some() || !first.plan.sends.messages.is_empty();
    let writes = last.plan.copy.is_some() || !last.plan.receives.messages.is_empty();
    let null = [
        (reads && a.is_some_and(Source::is_null), "A"),
        (writes && b.is_some_and(Destination::is_null), "B"),
    ];
    for (null, name) in null {
        if null {
            let expected = "the address of a local array, as this process holds part of the section".into();
            return Err(Error::Argument(ArgumentError {
                name: name.into(),
                value: 0,
                expected,
                place: None,
            }));
        }
    }
    Ok(())
}
