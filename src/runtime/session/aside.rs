//! WHO lets calls go on while the program computes? A thread beside its own, where MPI may be called by several. It knows nothing of the
//! calls.

use super::Session;
use crate::mpi::threads_overlap;
use crate::transport::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, JoinHandle, sleep};
use std::time::Duration;

/// Between two questions whether anything can be done: little against a piece of a message, and the core is the program's meanwhile.
const NAP: Duration = Duration::from_micros(50);

/// A thread that lets what is under way on a communicator go on. Dropped, it ends, and is waited for.
pub struct Aside {
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Aside {
    /// None where the program has not asked MPI for MPI_THREAD_MULTIPLE, or where no thread can be started: then calls go on in
    /// other calls, as ever. It ends by itself where `done` says so.
    pub fn start(
        session: &Arc<Session>,
        done: impl Fn() -> bool + Send + 'static,
    ) -> Result<Option<Self>, Error> {
        if !cfg!(feature = "threads") || !threads_overlap()? {
            return Ok(None);
        }
        let (session, over) = (session.clone(), Arc::new(AtomicBool::new(false)));
        let told = over.clone();
        let moves = move || {
            while !told.load(Ordering::Acquire) && !done() {
                if !session.advance_aside() {
                    sleep(NAP);
                }
            }
        };
        let thread = Builder::new().name("reblock aside".into()).spawn(moves).ok();
        Ok(thread.map(|thread| Self { over, thread: Some(thread) }))
    }
}

impl Drop for Aside {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Release);
        if let Some(Err(panic)) = self.thread.take().map(JoinHandle::join) {
            std::panic::resume_unwind(panic);
        }
    }
}
