//! Processes that make a call of a trial. Usually all processes of a communicator start together and agree on their
//! findings. In a call of p?lacpy without messages each process is alone, since a program may make it on some processes
//! only.

use crate::plan::rank_plan::RankPlan;
use crate::scalapack::raw::RawCall;
use crate::scalapack::{Call, Prepared};
use crate::system::settings::Settings;
use crate::transport::error::Error;
use crate::trial::{Obstacle, Pairing, Transports, ensure_own_report, ensure_report, record_own, transports};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

pub(crate) enum Participants<'a> {
    All(&'a Prepared),
    One(LocalCall<'a>),
}

pub(crate) struct LocalCall<'a> {
    call: &'a Call,
    planned: Arc<RankPlan>,
    /// Number of earlier calls of this kind in this process.
    number: u64,
}

impl<'a> LocalCall<'a> {
    /// Creates the call, whose elements all stay on their processes.
    pub(crate) fn new(call: &'a Call) -> Result<Self, Error> {
        static CALLS: AtomicU64 = AtomicU64::new(0);
        let settings = Settings::of_process().map_err(Error::Host)?;
        let planned = Arc::new(call.local_plan(settings)?);
        Ok(Self { call, planned, number: CALLS.fetch_add(1, Ordering::Relaxed) })
    }
}

impl Participants<'_> {
    pub(crate) fn call(&self) -> &Call {
        match self {
            Self::All(prepared) => prepared.call(),
            Self::One(own) => own.call,
        }
    }

    pub(crate) fn rank(&self) -> (u32, u32) {
        match self {
            Self::All(prepared) => (prepared.session().rank, prepared.session().ranks),
            Self::One(own) => (own.planned.me.rank.0, own.planned.me.ranks),
        }
    }

    /// Ensures that a report is written that counts the call.
    pub(crate) fn ensure_report(&self) {
        match self {
            Self::All(prepared) => ensure_report(prepared.session()),
            Self::One(_) => ensure_own_report(),
        }
    }

    /// Returns an obstacle on any of the processes; `mine` is this one's.
    pub(crate) fn obstacle(&self, mine: Option<Obstacle>) -> Result<Option<Obstacle>, Error> {
        match self {
            Self::All(prepared) => Pairing(prepared.session()).obstacle(mine),
            Self::One(_) => Ok(mine),
        }
    }

    pub(crate) fn any(&self, mine: bool) -> Result<bool, Error> {
        match self {
            Self::All(prepared) => Pairing(prepared.session()).any(mine),
            Self::One(_) => Ok(mine),
        }
    }

    /// Makes the call. Returns its result, and the seconds on the slowest process.
    pub(crate) fn timed<R>(
        &self,
        before: Duration,
        call: impl FnOnce() -> Result<R, Error>,
    ) -> Result<(R, f64), Error> {
        match self {
            Self::All(prepared) => Pairing(prepared.session()).timed(before, call),
            Self::One(_) => {
                let start = Instant::now();
                let result = call()?;
                Ok((result, (before + start.elapsed()).as_secs_f64()))
            }
        }
    }

    /// Returns whether reblock makes this call before ScaLAPACK, if either may be first.
    pub(crate) fn ours_first(&self) -> bool {
        match self {
            Self::All(prepared) => Pairing::is_first(prepared.session().calls()),
            Self::One(own) => Pairing::is_first(own.number),
        }
    }

    pub(crate) fn before(&self) -> Duration {
        match self {
            Self::All(prepared) => prepared.before,
            Self::One(_) => Duration::ZERO,
        }
    }

    pub(crate) fn transports(&self) -> Transports {
        match self {
            Self::All(prepared) => transports(prepared.session()),
            Self::One(_) => Transports::default(),
        }
    }

    /// Makes the call of `raw` by reblock, with the array at `b` in the place of B; returns its plan.
    ///
    /// # Safety
    /// The arguments are those of a caller of the routine; at `b` is B, or an array of the same shape.
    pub(crate) unsafe fn run(&self, raw: &RawCall, b: *mut u8) -> Result<Arc<RankPlan>, Error> {
        match self {
            // SAFETY: this fn's contract.
            Self::All(prepared) => prepared.run(unsafe { raw.arrays(prepared.shapes().clone(), b) }),
            Self::One(own) => {
                let start = Instant::now();
                // SAFETY: as above.
                unsafe { raw.copy(own.call, b) };
                record_own(&raw.routine, &own.planned, start.elapsed());
                Ok(own.planned.clone())
            }
        }
    }
}
