//! Processor arrangements of a program: an [`Arrangement`] and the communicator that its ranks are of.

use crate::collective::call::{able, agreed, session, usable};
use crate::collective::failure::Failure;
use crate::collective::operations::Operation;
use crate::collective::refuse::reached;
use crate::layout::mapping::Arrangement;
use crate::mpi::{Comm, Group};
use crate::runtime::session::Session;
use crate::system::digest::digest;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

/// Answers that are kept: communicators that one arrangement is used in.
const KEPT: usize = 8;

/// A processor arrangement over the ranks of a communicator.
pub struct Procs {
    arrangement: Arrangement,
    /// The calling process's rank.
    rank: u32,
    group: Group,
    session: Weak<Session>,
    /// The arrangement in the ranks of other communicators, by the numbers of their sessions.
    elsewhere: Mutex<Vec<(u64, Option<Arrangement>)>>,
    /// The result of [`Procs::group_digest`].
    digest: OnceLock<i64>,
}

impl Procs {
    /// Collective over `comm`: an arrangement of the given shape of `ranks`, in row-major order of the coordinates, or of
    /// ranks 0, 1, 2, … The communicator is the host's and must live as long as the arrangement is used in calls that are
    /// collective over it.
    pub fn create(comm: &Comm, shape: &[i64], ranks: Option<&[i64]>) -> Result<Arc<Self>, Failure> {
        Self::of_result(comm, Ok((shape, ranks)))
    }

    /// The same, where the caller may have found already that it cannot go on.
    pub fn of_result(
        comm: &Comm,
        given: Result<(&[i64], Option<&[i64]>), Failure>,
    ) -> Result<Arc<Self>, Failure> {
        let session = session(comm)?;
        let size = session.ranks;
        let mine =
            able(given).and_then(|(shape, ranks)| Ok((arranged(shape, ranks, size)?, Group::of(comm)?)));
        let value = mine.as_ref().ok().map(|(arrangement, _)| digest(&arrangement.numbers()));
        let (arrangement, group) = agreed(&session, Operation::Procs, &[value], mine)?;
        Ok(Arc::new(Self::new(arrangement, session.rank, group, Arc::downgrade(&session))))
    }

    fn new(arrangement: Arrangement, rank: u32, group: Group, session: Weak<Session>) -> Self {
        Self { arrangement, rank, group, session, elsewhere: Mutex::default(), digest: OnceLock::new() }
    }

    /// The arrangement of all ranks of `comm`, without asking any of them: it serves in maps, and nothing that is collective
    /// over it.
    pub(super) fn silent(comm: &Comm, shape: &[u32]) -> Result<Arc<Self>, Failure> {
        let arrangement = Arrangement::new(shape, None, comm.size()?)?;
        Ok(Arc::new(Self::new(arrangement, comm.rank()?, Group::of(comm)?, Weak::new())))
    }

    /// Another arrangement of ranks of `session`, in a call of all of them.
    pub(crate) fn of_session(session: &Arc<Session>, arrangement: Arrangement) -> Result<Arc<Self>, Failure> {
        let group = session.vital(Group::of(&session.comm()))?;
        Ok(Arc::new(Self::new(arrangement, session.rank, group, Arc::downgrade(session))))
    }

    /// Processes along each axis.
    pub fn shape(&self) -> &[u32] {
        self.arrangement.shape()
    }

    /// Which rank is where.
    pub fn arrangement(&self) -> &Arrangement {
        &self.arrangement
    }

    /// The rank at these coordinates.
    pub fn rank_at(&self, coords: &[i64]) -> Result<u32, Failure> {
        let shape = self.shape();
        let outside = || {
            let shape: Vec<String> = shape.iter().map(|extent| format!("0 to {}", extent - 1)).collect();
            Failure::argument(format!("coordinates {coords:?}, expected {}", shape.join(", ")))
        };
        let at: Option<Vec<u32>> = coords.iter().map(|&coord| u32::try_from(coord).ok()).collect();
        let inside =
            |at: &Vec<u32>| at.len() == shape.len() && at.iter().zip(shape).all(|(at, extent)| at < extent);
        let at = at.filter(inside).ok_or_else(outside)?;
        Ok(self.arrangement.grid().rank(&at).0)
    }

    /// The calling process's rank in the communicator.
    pub fn rank(&self) -> u32 {
        self.rank
    }

    /// What is kept with the communicator, for a call of all its ranks.
    pub(super) fn session(&self) -> Result<Arc<Session>, Failure> {
        reached(&self.session, "the communicator of the processor arrangement is freed, or BLACS's")
    }

    /// Whether both are the same places of the same communicator.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.session.ptr_eq(&other.session) && self.arrangement == other.arrangement
    }

    /// Whether both are arrangements of ranks of communicators that have the same processes in the same order.
    pub(super) fn is_among(&self, other: &Self) -> Result<bool, Failure> {
        if self.session.ptr_eq(&other.session) && self.session.strong_count() > 0 {
            return Ok(true);
        }
        usable()?;
        Ok(self.group.is_like(&other.group)?)
    }

    /// A number for the communicator's processes in their order, the same on all of them: the digest of their ranks in
    /// `MPI_COMM_WORLD`. Where they are not all in one, of which each of them has seen another part, only their number counts. A local
    /// operation, whose result is kept with the communicator.
    pub(super) fn group_digest(&self) -> Result<i64, Failure> {
        if let Some(&known) = self.digest.get() {
            return Ok(known);
        }
        let session = self.session.upgrade();
        let known = session.as_ref().and_then(|session| session.group_digest.get().copied());
        let found = known.map_or_else(|| digest_of(&self.group), Ok)?;
        if let Some(session) = session {
            session.group_digest.get_or_init(|| found);
        }
        Ok(*self.digest.get_or_init(|| found))
    }

    /// The arrangement in ranks of `session`; `None` if one of its processes is not there.
    pub(crate) fn within(&self, session: &Arc<Session>) -> Result<Option<Arrangement>, Failure> {
        if self.session.as_ptr() == Arc::as_ptr(session) {
            return Ok(Some(self.arrangement.clone()));
        }
        let mut known = self.elsewhere.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, found)) = known.iter().find(|(number, _)| *number == session.number) {
            return Ok(found.clone());
        }
        let ranks = self.group.ranks_in(&session.comm())?;
        let found = self.arrangement.translated(|rank| *ranks.get(rank as usize)?);
        known.truncate(KEPT - 1);
        known.insert(0, (session.number, found.clone()));
        Ok(found)
    }
}

fn digest_of(group: &Group) -> Result<i64, Failure> {
    usable()?;
    let ranks = group.ranks_in(&Comm::world())?;
    let count = ranks.len();
    Ok(ranks.into_iter().collect::<Option<Vec<u32>>>().map_or_else(|| digest(&count), |ranks| digest(&ranks)))
}

/// The arrangement, of numbers as a program gives them.
fn arranged(shape: &[i64], ranks: Option<&[i64]>, size: u32) -> Result<Arrangement, Failure> {
    let narrow = |what: &str, numbers: &[i64]| {
        let small = |&n: &i64| {
            u32::try_from(n).map_err(|_| Failure::argument(format!("{what} is {n}, expected 0 to 2^32 - 1")))
        };
        numbers.iter().map(small).collect::<Result<Vec<u32>, Failure>>()
    };
    let shape = narrow("an extent of the arrangement", shape)?;
    let ranks = ranks.map(|ranks| narrow("a rank of the arrangement", ranks)).transpose()?;
    Ok(Arrangement::new(&shape, ranks.as_deref(), size)?)
}
