//! Moves registered arrays from the old ranks to the new ones. The transfer's communicator contains both: the job's new
//! communicator if the job grows, the old one if it shrinks. Constant arrays move in one set of messages while the
//! program computes; the others move at the resize point.

use super::registry::{DealtArray, allocated, leading, storage_bytes};
use super::times::Times;
use super::variables::{Allocate, Allocation, ArrayVariables};
use crate::arrays::{Map, MoveOperands, Options, Plan, Procs, Request, Side, execute};
use crate::collective::call::confirm_step;
use crate::collective::failure::Failure;
use crate::layout::mapping;
use crate::runtime::session::Session;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Sleep between two checks of a rank that waits for a background move.
const POLL_INTERVAL: Duration = Duration::from_micros(50);

/// Old and new map of an array, in ranks of the transfer's communicator.
#[derive(Clone, Debug)]
pub struct Relocation {
    pub from: mapping::Map,
    pub to: mapping::Map,
    /// True if the program only reads the array while it moves.
    pub constant: bool,
}

/// Map of an array after its move, in ranks of the transfer's communicator, and its storage, if the rank has a part.
pub struct MovedArray<M> {
    pub map: Map,
    pub memory: Option<M>,
}

pub fn has_constants(relocations: &[Relocation]) -> bool {
    relocations.iter().any(|relocation| relocation.constant)
}

/// Selects the constant arrays if `constant`, otherwise the others. Returns them with their relocations.
pub fn select<'a, M>(
    arrays: &[&'a DealtArray<M>],
    relocations: &[Relocation],
    constant: bool,
) -> (Vec<&'a DealtArray<M>>, Vec<Relocation>) {
    let both = arrays.iter().copied().zip(relocations.iter().cloned());
    both.filter(|(_, relocation)| relocation.constant == constant).unzip()
}

/// Merges the results of [`select`] into the order of registration.
pub fn merge<M>(
    relocations: &[Relocation],
    constant: Vec<MovedArray<M>>,
    rest: Vec<MovedArray<M>>,
) -> Vec<MovedArray<M>> {
    let (mut constant, mut rest) = (constant.into_iter(), rest.into_iter());
    let next = |relocation: &Relocation| if relocation.constant { constant.next() } else { rest.next() };
    relocations.iter().filter_map(next).collect()
}

/// Relocations of arrays, and the result of this rank's checks that BLACS has room for the process grid and that the
/// host's name is valid; `None` on all ranks if there is nothing to check.
pub type CheckedRelocations = (Vec<Relocation>, Option<Result<(), Failure>>);

/// Moves `arrays` into new storage by `relocations`; keeps the old storage. Fails on all ranks if one rank fails.
/// Collective over the communicator of `session`.
pub fn move_arrays<M: Allocation>(
    session: &Arc<Session>,
    arrays: &[&DealtArray<M>],
    relocations: CheckedRelocations,
    allocate: &Allocate<M>,
    times: &mut Times,
) -> Result<Vec<MovedArray<M>>, Failure> {
    if arrays.is_empty() {
        return relocations.1.map_or(Ok(()), |checks| confirm_step(session, checks)).map(|()| Vec::new());
    }
    let mut bundle = Bundle::plan(session, arrays, relocations, allocate, times)?;
    let begin = Instant::now();
    execute(session, bundle.operands(arrays))?;
    times.transfer += begin.elapsed();
    bundle.into_arrays()
}

/// Arrays that move while the program computes. Drop waits for this rank's part.
pub struct BackgroundMove<M> {
    // Dropped first, since it writes to the storage of `bundle`.
    request: Request,
    bundle: Bundle<M>,
}

impl<M: Allocation> BackgroundMove<M> {
    /// Starts to move `arrays` as [`move_arrays`] does. Until the end, the program must neither write nor free them.
    pub fn start(
        session: &Arc<Session>,
        arrays: &[&DealtArray<M>],
        relocations: CheckedRelocations,
        allocate: &Allocate<M>,
        times: &mut Times,
    ) -> Result<Self, Failure> {
        let mut bundle = Bundle::plan(session, arrays, relocations, allocate, times)?;
        Ok(Self { request: Request::start_with_thread(session, bundle.operands(arrays))?, bundle })
    }

    /// Advances the transfer; returns whether this rank's part is done.
    pub fn advance(&self) -> Result<bool, Failure> {
        self.request.advance()
    }

    /// Waits until this rank's part is done or has failed. Sleeps, to leave the cores to ranks that compute.
    pub fn wait(&self) {
        while !self.advance().unwrap_or(true) {
            std::thread::sleep(POLL_INTERVAL);
        }
    }

    /// Waits until this rank's part is done; returns the moved arrays. A transfer that fails on one rank fails on all.
    pub fn finish(self) -> Result<Vec<MovedArray<M>>, Failure> {
        self.request.wait()?;
        self.bundle.into_arrays()
    }
}

/// Arrays that move together: their plans and new storage.
struct Bundle<M> {
    planned: Vec<(Arc<Plan>, Map)>,
    memories: Result<Vec<Option<M>>, Failure>,
}

impl<M: Allocation> Bundle<M> {
    /// Plans the moves and allocates storage. If this rank lacks memory, [`Self::operands`] fails, which the transfer
    /// reports to all ranks. Collective over the communicator of `session`.
    fn plan(
        session: &Arc<Session>,
        arrays: &[&DealtArray<M>],
        (relocations, mut checks): CheckedRelocations,
        allocate: &Allocate<M>,
        times: &mut Times,
    ) -> Result<Self, Failure> {
        let begin = Instant::now();
        let mut planned = Vec::with_capacity(arrays.len());
        for (array, Relocation { from, to, .. }) in arrays.iter().zip(relocations) {
            let on_ranks = |map: mapping::Map| {
                let procs = Procs::in_session(session, map.template().arrangement().clone())?;
                Ok::<_, Failure>(Map::from_mapping(procs, None, map))
            };
            // A rank that has just joined takes the relocation's map.
            let from = array.map.clone().map_or_else(|| on_ranks(from), Ok)?;
            let to = on_ranks(to)?;
            let sides = (Side::whole(&from), Side::whole(&to), array.element, &Options::default());
            // The first plan reports a failure of the other checks to all ranks.
            let given = checks.take().unwrap_or(Ok(())).map(|()| sides);
            let plan = Plan::of_result(&session.host(), given)?;
            planned.push((plan, to));
        }
        let memories = storages(arrays, &planned, allocate);
        times.plan += begin.elapsed();
        Ok(Self { planned, memories })
    }

    /// Returns the operands of each array's move. The old and the new storage must outlive them.
    fn operands(&mut self, arrays: &[&DealtArray<M>]) -> Result<Vec<MoveOperands<'static>>, Failure> {
        let memories = self.memories.as_mut().map_err(|why| why.clone())?;
        let each = arrays.iter().zip(&self.planned).zip(memories);
        let operands = each.map(|((array, (plan, _)), memory)| {
            let variables: Option<&dyn ArrayVariables<M>> = array.variables.as_deref();
            let seat = plan.source();
            if seat.is_some_and(|seat| seat.shape.bytes() > 0) {
                variables.map_or(Ok(()), |variables| variables.check())?;
            }
            let source = seat.and_then(|seat| variables?.source(seat));
            let destination = plan.destination().and_then(|seat| memory.as_mut()?.destination(seat));
            Ok(MoveOperands { plan: plan.clone(), source, destination, update: None })
        });
        operands.collect()
    }

    fn into_arrays(self) -> Result<Vec<MovedArray<M>>, Failure> {
        let arrived = |((_, map), memory)| MovedArray { map, memory };
        Ok(self.planned.into_iter().zip(self.memories?).map(arrived).collect())
    }
}

/// Allocates storage for each array that will have a part on this rank.
fn storages<M: Allocation>(
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
