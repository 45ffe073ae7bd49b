//! Processor arrangements: an [`Arrangement`] with the communicator of its ranks.

use crate::collective::call::{agree_on, check_mpi, session, with_valid_settings};
use crate::collective::failure::Failure;
use crate::collective::operations::Operation;
use crate::collective::refuse::session_or_refuse;
use crate::layout::mapping::Arrangement;
use crate::mpi::{Comm, Group};
use crate::runtime::session::Session;
use crate::system::digest::digest;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

/// Maximum number of cached translations to the ranks of other communicators.
const MAX_TRANSLATIONS: usize = 8;

/// A processor arrangement over the ranks of a communicator.
pub struct Procs {
    arrangement: Arrangement,
    rank: u32,
    group: Group,
    session: Weak<Session>,
    /// The arrangement in ranks of other communicators, by session number, the newest first. `None` if one of its
    /// processes is not in that communicator.
    elsewhere: Mutex<Vec<(u64, Option<Arrangement>)>>,
    digest: OnceLock<i64>,
}

impl Procs {
    /// Makes an arrangement of the given shape from `ranks`, in row-major order of the coordinates; `None` means
    /// ranks 0, 1, 2, … Collective over `comm`. The communicator belongs to the caller and must live as long as
    /// collective calls use the arrangement.
    pub fn create(comm: &Comm, shape: &[i64], ranks: Option<&[i64]>) -> Result<Arc<Self>, Failure> {
        Self::of_result(comm, Ok((shape, ranks)))
    }

    /// Makes an arrangement as [`Self::create`] does; `Err` makes all ranks fail.
    pub fn of_result(
        comm: &Comm,
        given: Result<(&[i64], Option<&[i64]>), Failure>,
    ) -> Result<Arc<Self>, Failure> {
        let session = session(comm)?;
        let size = session.ranks;
        let mine = with_valid_settings(given)
            .and_then(|(shape, ranks)| Ok((parse_arrangement(shape, ranks, size)?, Group::of(comm)?)));
        let value = mine.as_ref().ok().map(|(arrangement, _)| digest(&arrangement.numbers()));
        let (arrangement, group) = agree_on(&session, Operation::Procs, &[value], mine)?;
        Ok(Arc::new(Self::new(arrangement, session.rank, group, Arc::downgrade(&session))))
    }

    fn new(arrangement: Arrangement, rank: u32, group: Group, session: Weak<Session>) -> Self {
        Self { arrangement, rank, group, session, elsewhere: Mutex::default(), digest: OnceLock::new() }
    }

    /// Makes an arrangement of ranks 0, 1, 2, … of `comm`, without communication. It serves in maps, but not in
    /// collective calls over the arrangement's communicator.
    pub(super) fn without_session(comm: &Comm, shape: &[u32]) -> Result<Arc<Self>, Failure> {
        let arrangement = Arrangement::new(shape, None, comm.size()?)?;
        Ok(Arc::new(Self::new(arrangement, comm.rank()?, Group::of(comm)?, Weak::new())))
    }

    /// Makes an arrangement of ranks of `session`, as a step of a collective call. A failure is reported to the other
    /// ranks; there are no other messages.
    pub(crate) fn in_session(session: &Arc<Session>, arrangement: Arrangement) -> Result<Arc<Self>, Failure> {
        let group = session.report_error(Group::of(&session.comm()))?;
        Ok(Arc::new(Self::new(arrangement, session.rank, group, Arc::downgrade(session))))
    }

    /// Returns the number of processes along each axis.
    pub fn shape(&self) -> &[u32] {
        self.arrangement.shape()
    }

    /// Returns the assignment of ranks to coordinates.
    pub fn arrangement(&self) -> &Arrangement {
        &self.arrangement
    }

    /// Returns the rank at these coordinates.
    pub fn rank_at(&self, coords: &[i64]) -> Result<u32, Failure> {
        let shape = self.shape();
        let outside = || {
            let shape: Vec<String> = shape.iter().map(|extent| format!("0 to {}", extent - 1)).collect();
            Failure::argument(format!("the coordinates are {coords:?}, expected {}", shape.join(", ")))
        };
        let at: Option<Vec<u32>> = coords.iter().map(|&coord| u32::try_from(coord).ok()).collect();
        let inside =
            |at: &Vec<u32>| at.len() == shape.len() && at.iter().zip(shape).all(|(at, extent)| at < extent);
        let at = at.filter(inside).ok_or_else(outside)?;
        Ok(self.arrangement.grid().rank(&at).0)
    }

    /// Returns the calling process's rank in the communicator.
    pub fn rank(&self) -> u32 {
        self.rank
    }

    /// Returns the session of the arrangement's communicator; an error if the communicator has been freed.
    pub(super) fn session(&self) -> Result<Arc<Session>, Failure> {
        session_or_refuse(
            &self.session,
            "the communicator or BLACS context of the processor arrangement has been freed",
        )
    }

    /// Returns whether `other` arranges the same ranks of the same communicator alike.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.session.ptr_eq(&other.session) && self.arrangement == other.arrangement
    }

    /// Returns whether both arrangements belong to communicators with the same processes in the same order.
    pub(super) fn has_same_processes(&self, other: &Self) -> Result<bool, Failure> {
        if self.session.ptr_eq(&other.session) && self.session.strong_count() > 0 {
            return Ok(true);
        }
        check_mpi()?;
        Ok(self.group.has_same_ranks(&other.group)?)
    }

    /// Returns a digest of the communicator's processes in their order: of their ranks in `MPI_COMM_WORLD`. If some are
    /// in another world, where ranks differ, the digest is of their number, which is equal on all. Local; the session
    /// keeps the result.
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

    /// Returns the arrangement in ranks of `session`, or `None` if one of its processes is not in that communicator.
    pub(crate) fn arrangement_in(&self, session: &Arc<Session>) -> Result<Option<Arrangement>, Failure> {
        if self.session.as_ptr() == Arc::as_ptr(session) {
            return Ok(Some(self.arrangement.clone()));
        }
        let mut known = self.elsewhere.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, found)) = known.iter().find(|(number, _)| *number == session.number) {
            return Ok(found.clone());
        }
        let ranks = self.group.ranks_in(&session.comm())?;
        let found = self.arrangement.translated(|rank| *ranks.get(rank as usize)?);
        known.truncate(MAX_TRANSLATIONS - 1);
        known.insert(0, (session.number, found.clone()));
        Ok(found)
    }
}

fn digest_of(group: &Group) -> Result<i64, Failure> {
    check_mpi()?;
    let ranks = group.ranks_in(&Comm::world())?;
    let count = ranks.len();
    Ok(ranks.into_iter().collect::<Option<Vec<u32>>>().map_or_else(|| digest(&count), |ranks| digest(&ranks)))
}

fn parse_arrangement(shape: &[i64], ranks: Option<&[i64]>, size: u32) -> Result<Arrangement, Failure> {
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
