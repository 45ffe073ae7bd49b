//! The program's work on an array. The array's copies wait for it once.
//!
//! The calling thread records an event on the program's stream when a call begins: each thread may have a default
//! stream of its own, and the program may destroy the stream before a request is complete. Later work does not delay
//! the call.

use super::context_state::state_of;
use crate::system::cuda::{Context, Driver, DriverError, Event, ProgramStream, Stream};
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Event behind the program's work on an array; `None` once copies need not wait for it.
#[derive(Default, Debug)]
pub struct ProgramWork(Mutex<Option<Event<'static>>>);

/// Reason why a call cannot wait for the program's work.
pub enum Unusable {
    /// The array's context cannot be used.
    Context(DriverError),
    /// The stream cannot be used.
    Stream(DriverError),
    /// The program is recording the stream's work in a graph.
    Captured,
    /// The stream is the legacy one, and the program is recording a stream that waits for it.
    LegacyCaptured,
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Context(why) => write!(f, "which cannot be used: {why}"),
            Self::Stream(why) => write!(f, "but its stream (reblock_device_stream) cannot be used: {why}"),
            Self::Captured => write!(
                f,
                "but its stream (reblock_device_stream) is being captured into a graph: end the capture first"
            ),
            Self::LegacyCaptured => write!(
                f,
                "but a stream that waits for the legacy stream is being captured into a graph: end the capture first, \
                 or call reblock_device_stream with a stream that does not wait"
            ),
        }
    }
}

impl ProgramWork {
    /// Records the work that the program has started on `stream`, for an array in `context`. Creates the context's
    /// state.
    pub fn record(
        driver: &'static Driver,
        context: Context,
        stream: ProgramStream,
    ) -> Result<Self, Unusable> {
        let of_stream = driver.context_of(stream, context).map_err(Unusable::Stream)?;
        let _entered = driver.enter(of_stream).map_err(Unusable::Context)?;
        if driver.is_capturing(stream).map_err(Unusable::Stream)? {
            let legacy = stream == ProgramStream::LEGACY;
            return Err(if legacy { Unusable::LegacyCaptured } else { Unusable::Captured });
        }
        // After that check, so that a refused call allocates nothing.
        let state = state_of(driver, context).map_err(Unusable::Context)?;
        let unused = state.lock().unwrap_or_else(PoisonError::into_inner).take_unused_event(of_stream);
        let event = unused.map_or_else(|| driver.event(of_stream), Ok).map_err(Unusable::Context)?;
        event.record(stream).map_err(Unusable::Stream)?;
        Ok(Self(Mutex::new(Some(event))))
    }

    fn event(&self) -> MutexGuard<'_, Option<Event<'static>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether copies need not wait.
    pub fn is_done(&self) -> bool {
        self.event().is_none()
    }

    /// Makes later work of `stream` wait.
    pub fn precede(&self, stream: &Stream<'_>) -> Result<(), DriverError> {
        self.event().as_ref().map_or(Ok(()), |event| stream.wait(event))
    }

    /// Takes the event, when the work is done.
    pub fn take(&self) -> Option<Event<'static>> {
        self.event().take()
    }
}
