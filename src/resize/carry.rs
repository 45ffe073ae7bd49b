//! HOW does everything that is registered move from the old ranks to the new ones? Both are ranks of one communicator, the
//! larger one. There is a plan for each array, and all arrays that move at the same time do so in one set of messages: at once, or
//! while the program computes.

use super::home::{Allocation, Home};
use super::registry::{DealtArray, allocated, leading, storage_bytes};
use super::times::Times;
use crate::arrays::{Cargo, Map, Options, Plan, Procs, Request, Side, execute};
use crate::collective::call::confirmed;
use crate::collective::failure::Failure;
use crate::layout::mapping;
use crate::runtime::session::Session;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Between two questions of a rank that waits while others compute.
const NAP: Duration = Duration::from_micros(50);

/// How a rank gets storage for so many bytes.
pub type Allocate<M> = dyn Fn(usize) -> Option<M> + Send;

/// Where an array is and where it is to be, in ranks of the communicator in which it moves.
#[derive(Clone, Debug)]
pub struct Relocation {
    /// Where it is.
    pub from: mapping::Map,
    /// Where it is to be.
    pub to: mapping::Map,
    /// Whether the program only reads it while it moves.
    pub constant: bool,
}

/// What an array has become on this rank.
pub struct Arrived<M> {
    /// Its map, with ranks of the communicator that it moved in.
    pub map: Map,
    /// Its storage, if the rank has a part.
    pub memory: Option<M>,
}

/// Whether some arrays move while the program computes.
pub fn has_constants(relocations: &[Relocation]) -> bool {
    relocations.iter().any(|relocation| relocation.constant)
}

/// Those of `arrays` that are constant, or the others, and how they move.
pub fn those<'a, M>(
    arrays: &[&'a DealtArray<M>],
    relocations: &[Relocation],
    constant: bool,
) -> (Vec<&'a DealtArray<M>>, Vec<Relocation>) {
    let both = arrays.iter().copied().zip(relocations.iter().cloned());
    both.filter(|(_, relocation)| relocation.constant == constant).unzip()
}

/// All arrays, from those that have arrived earlier, which are constant, and the others.
pub fn in_order<M>(
    relocations: &[Relocation],
    constant: Vec<Arrived<M>>,
    rest: Vec<Arrived<M>>,
) -> Vec<Arrived<M>> {
    let (mut constant, mut rest) = (constant.into_iter(), rest.into_iter());
    let next = |relocation: &Relocation| if relocation.constant { constant.next() } else { rest.next() };
    relocations.iter().filter_map(next).collect()
}

/// What is needed to move arrays: where they are to be, and whether there is room for what ranks need besides; `None` on all of them
/// where that is nothing.
pub type Load = (Vec<Relocation>, Option<Result<(), Failure>>);

/// Collective over the communicator of `session`: moves `arrays` as `load` says, if all ranks can. Nothing is given up: the old
/// storages stay as they are.
pub fn carry<M: Allocation>(
    session: &Arc<Session>,
    arrays: &[&DealtArray<M>],
    load: Load,
    allocate: &Allocate<M>,
    times: &mut Times,
) -> Result<Vec<Arrived<M>>, Failure> {
    if arrays.is_empty() {
        return load.1.map_or(Ok(()), |room| confirmed(session, room)).map(|()| Vec::new());
    }
    let mut bundle = Bundle::of(session, arrays, load, allocate, times)?;
    let begin = Instant::now();
    execute(session, bundle.cargo(arrays))?;
    times.transfer += begin.elapsed();
    bundle.arrived()
}

/// Arrays on their way while the program computes. Dropped, they are waited for.
pub struct Departed<M> {
    // It goes first: it writes to the storages.
    request: Request,
    bundle: Bundle<M>,
}

impl<M: Allocation> Departed<M> {
    /// As [`carry`], but that the arrays only begin to move. Until they have arrived nobody writes them or gives them back.
    pub fn of(
        session: &Arc<Session>,
        arrays: &[&DealtArray<M>],
        load: Load,
        allocate: &Allocate<M>,
        times: &mut Times,
    ) -> Result<Self, Failure> {
        let mut bundle = Bundle::of(session, arrays, load, allocate, times)?;
        Ok(Self { request: Request::start_aside(session, bundle.cargo(arrays))?, bundle })
    }

    /// Does what can be done at once; whether this rank's part is done.
    pub fn advance(&self) -> Result<bool, Failure> {
        self.request.advance()
    }

    /// Waits, without keeping a core from ranks that compute, until this rank's part is done or cannot be.
    pub fn settle(&self) {
        while !self.advance().unwrap_or(true) {
            std::thread::sleep(NAP);
        }
    }

    /// Waits until they are there. If they do not arrive, all ranks know it.
    pub fn arrive(self) -> Result<Vec<Arrived<M>>, Failure> {
        self.request.wait()?;
        self.bundle.arrived()
    }
}

/// Arrays that move together: plans, and storage where they go.
struct Bundle<M> {
    planned: Vec<(Arc<Plan>, Map)>,
    memories: Result<Vec<Option<M>>, Failure>,
}

impl<M: Allocation> Bundle<M> {
    /// Collective over the communicator of `session`. What this rank has no storage for it hears later.
    fn of(
        session: &Arc<Session>,
        arrays: &[&DealtArray<M>],
        (relocations, mut room): Load,
        allocate: &Allocate<M>,
        times: &mut Times,
    ) -> Result<Self, Failure> {
        let begin = Instant::now();
        let mut planned = Vec::with_capacity(arrays.len());
        for (array, Relocation { from, to, .. }) in arrays.iter().zip(relocations) {
            let on_ranks = |map: mapping::Map| {
                let procs = Procs::of_session(session, map.template().arrangement().clone())?;
                Ok::<_, Failure>(Map::of(procs, None, map))
            };
            // A rank that has come only now has no local array.
            let from = array.map.clone().map_or_else(|| on_ranks(from), Ok)?;
            let to = on_ranks(to)?;
            let sides = (Side::whole(&from), Side::whole(&to), array.element, &Options::default());
            // All ranks hear with the first plan of one that has no room.
            let given = room.take().unwrap_or(Ok(())).map(|()| sides);
            let plan = Plan::of_result(&session.host(), given)?;
            planned.push((plan, to));
        }
        let memories = storages(arrays, &planned, allocate);
        times.plan += begin.elapsed();
        Ok(Self { planned, memories })
    }

    /// What moves. The storages stay as long as it does.
    fn cargo(&mut self, arrays: &[&DealtArray<M>]) -> Result<Vec<Cargo<'static>>, Failure> {
        let memories = self.memories.as_mut().map_err(|why| why.clone())?;
        let each = arrays.iter().zip(&self.planned).zip(memories);
        let cargo = each.map(|((array, (plan, _)), memory)| {
            let home: Option<&dyn Home<M>> = array.home.as_deref();
            let source = plan.source().and_then(|seat| home?.source(seat));
            let destination = plan.destination().and_then(|seat| memory.as_mut()?.destination(seat));
            Cargo { plan: plan.clone(), source, destination, update: None }
        });
        Ok(cargo.collect())
    }

    fn arrived(self) -> Result<Vec<Arrived<M>>, Failure> {
        let arrived = |((_, map), memory)| Arrived { map, memory };
        Ok(self.planned.into_iter().zip(self.memories?).map(arrived).collect())
    }
}

/// Storage for each array of which this rank is to have a part.
fn storages<M>(
    arrays: &[&DealtArray<M>],
    planned: &[(Arc<Plan>, Map)],
    allocate: &Allocate<M>,
) -> Result<Vec<Option<M>>, Failure> {
    let storage = |(array, (_, to)): (&&DealtArray<M>, &(Arc<Plan>, Map))| {
        let leading = array.matrix.map(|_| leading(to));
        let bytes = || storage_bytes(to, array.element, leading);
        to.has_part().then(|| allocated(bytes()?, allocate)).transpose()
    };
    arrays.iter().zip(planned).map(storage).collect()
}
