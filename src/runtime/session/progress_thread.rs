//! Thread that advances calls while the program computes. Needs MPI_THREAD_MULTIPLE.

use super::Session;
use crate::mpi::threads_overlap;
use crate::transport::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, JoinHandle, sleep};
use std::time::Duration;

/// Sleep between two tries: short against the time of a message piece.
const SLEEP_TIME: Duration = Duration::from_micros(50);

/// A thread that advances the calls of a communicator. Dropping it stops and joins the thread.
pub struct ProgressThread {
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl ProgressThread {
    /// Starts the thread, which ends when `done` returns true. `None` without MPI_THREAD_MULTIPLE or a thread; then
    /// calls advance only in other calls.
    pub fn start(
        session: &Arc<Session>,
        done: impl Fn() -> bool + Send + 'static,
    ) -> Result<Option<Self>, Error> {
        if !cfg!(feature = "threads") || !threads_overlap()? {
            return Ok(None);
        }
        let (session, over) = (session.clone(), Arc::new(AtomicBool::new(false)));
        let is_over = over.clone();
        let moves = move || {
            while !is_over.load(Ordering::Acquire) && !done() {
                if !session.advance_from_thread() {
                    sleep(SLEEP_TIME);
                }
            }
        };
        let thread = Builder::new().name("reblock aside".into()).spawn(moves).ok();
        Ok(thread.map(|thread| Self { over, thread: Some(thread) }))
    }
}

impl Drop for ProgressThread {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Release);
        if let Some(Err(panic)) = self.thread.take().map(JoinHandle::join) {
            std::panic::resume_unwind(panic);
        }
    }
}
