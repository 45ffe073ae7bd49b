//! Moves that continue while the program computes. They advance in every call of this library on the same communicator.
//! Only a transfer that must advance without calls has a thread.

use super::operands::MoveOperands;
use super::transfer::Transfer;
use crate::collective::call::check_mpi;
use crate::collective::failure::{Code, Failure};
use crate::runtime::session::{Answer, ProgressThread, Session};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

/// A transfer in progress. Dropping it waits for its end.
pub struct Request {
    /// Keeps the transfer's communicator alive if the program frees its own.
    session: Option<Arc<Session>>,
    transfer: Option<Arc<Mutex<Transfer<'static>>>>,
    /// Thread that advances the transfer, if it has one.
    thread: Option<ProgressThread>,
    _open: Option<Open>,
}

/// Requests of this process that are not waited for yet, by number.
static ALL_OPEN: Mutex<BTreeMap<u64, InUse>> = Mutex::new(BTreeMap::new());
static NUMBERS: AtomicU64 = AtomicU64::new(0);

struct InUse {
    session: u64,
    ranges: Vec<Range<usize>>,
}

struct Open(u64);

impl Open {
    fn new(session: &Session, operands: &Result<Vec<MoveOperands<'static>>, Failure>) -> Self {
        let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
        let ranges = operands.iter().flatten().flat_map(MoveOperands::ranges).collect();
        open_requests().insert(number, InUse { session: session.number, ranges });
        Self(number)
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        open_requests().remove(&self.0);
    }
}

fn open_requests() -> MutexGuard<'static, BTreeMap<u64, InUse>> {
    ALL_OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Checks that no request of this process uses `session` or one of `storages`.
pub fn check_none_open(session: &Session, storages: &[Range<usize>]) -> Result<(), Failure> {
    let meets = |a: &Range<usize>, b: &Range<usize>| a.start < b.end && b.start < a.end;
    let taken = |range: &Range<usize>| storages.iter().any(|storage| meets(range, storage));
    let open =
        open_requests().values().any(|used| used.session == session.number || used.ranges.iter().any(taken));
    let why = "a request is under way, on the job's communicator or with an array that moves: call reblock_request_wait first";
    if open { Err(Failure::new(Code::State, why)) } else { Ok(()) }
}

impl Request {
    /// Starts to move `operands`, or takes part as a rank that has failed; [`Request::wait`] then fails on all ranks.
    pub fn start(
        session: &Arc<Session>,
        operands: Result<Vec<MoveOperands<'static>>, Failure>,
    ) -> Result<Self, Failure> {
        if session.is_broken() {
            return Err(crate::collective::call::broken_failure());
        }
        let open = Open::new(session, &operands);
        let transfer = Arc::new(Mutex::new(Transfer::begin(session, operands)));
        session.launch(transfer.clone());
        let session = Some(session.clone());
        Ok(Self { session, transfer: Some(transfer), thread: None, _open: Some(open) })
    }

    /// Starts a transfer that also advances while the program computes, if MPI may be called by several threads.
    pub fn start_with_thread(
        session: &Arc<Session>,
        operands: Result<Vec<MoveOperands<'static>>, Failure>,
    ) -> Result<Self, Failure> {
        let mut request = Self::start(session, operands)?;
        let transfer = request.transfer.as_ref().map(Arc::downgrade).unwrap_or_default();
        let done = move || transfer.upgrade().is_none_or(|transfer| is_over(&transfer));
        request.thread = ProgressThread::start(session, done)?;
        Ok(request)
    }

    /// Returns a complete request without arrays.
    pub fn complete() -> Self {
        Self { session: None, transfer: None, thread: None, _open: None }
    }

    fn session(&self) -> Result<Arc<Session>, Failure> {
        check_mpi()?;
        self.session
            .clone()
            .ok_or_else(|| Failure::new(Code::Internal, "internal error: a request has no communicator"))
    }

    /// Advances the transfer; returns whether it is over, so that [`Request::wait`] returns at once.
    pub fn test(&self) -> Result<bool, Failure> {
        if self.transfer.is_none() {
            return Ok(true);
        }
        let session = self.session()?;
        session.progress()?;
        Ok(self.is_over())
    }

    /// Advances the transfer as far as possible, unless a thread advances it. Returns whether it is over.
    pub fn advance(&self) -> Result<bool, Failure> {
        if self.transfer.is_some() && self.thread.is_none() {
            let session = self.session()?;
            while session.progress()? {}
        }
        Ok(self.is_over())
    }

    fn is_over(&self) -> bool {
        self.transfer.as_ref().is_none_or(|transfer| is_over(transfer))
    }

    /// Waits until this rank's part is done. Returns the result, which is equal on all ranks.
    pub fn wait(mut self) -> Result<(), Failure> {
        self.finish()
    }

    fn finish(&mut self) -> Result<(), Failure> {
        let Some(transfer) = self.transfer.take() else { return Ok(()) };
        self.thread = None;
        let session = self.session()?;
        let over = || transfer.lock().unwrap_or_else(PoisonError::into_inner).is_over();
        let waited = session.until(|_| Ok(Answer::when(over(), ())));
        waited?;
        session.forget_ended();
        let busy = || Failure::new(Code::Internal, "internal error: a completed request is still in use");
        let transfer = Arc::into_inner(transfer).ok_or_else(busy)?;
        transfer.into_inner().unwrap_or_else(PoisonError::into_inner).conclude("START", &session)
    }
}

/// Returns whether a transfer is over; `false` while a thread works on it.
fn is_over(transfer: &Mutex<Transfer<'_>>) -> bool {
    match transfer.try_lock() {
        Ok(transfer) => transfer.is_over(),
        Err(TryLockError::Poisoned(transfer)) => transfer.into_inner().is_over(),
        Err(TryLockError::WouldBlock) => false,
    }
}

impl Drop for Request {
    fn drop(&mut self) {
        if self.transfer.is_some() {
            let _ = self.finish();
        }
    }
}
