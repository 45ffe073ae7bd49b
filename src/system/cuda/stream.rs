//! Streams and events: the order of the device's work.

use super::{Context, Driver, Result};
use std::ffi::{c_uint, c_void};
use std::ptr::{null_mut, without_provenance_mut};

/// Flag of a stream that does not wait for the legacy stream.
const NON_BLOCKING: c_uint = 1;
/// Flag of an event that records no time.
const DISABLE_TIMING: c_uint = 2;
/// Handle of the legacy stream: the stream of calls that name none.
const LEGACY: usize = 1;

/// A stream: work that the device does in order. Dropping this value frees the stream; work under way still ends.
#[derive(Debug)]
pub struct Stream<'d> {
    driver: &'d Driver,
    context: Context,
    stream: usize,
}

/// An event: a place in a stream's work. Dropping this value frees it.
#[derive(Debug)]
pub struct Event<'d> {
    driver: &'d Driver,
    context: Context,
    event: usize,
}

impl Driver {
    /// Creates a stream in `context` that does not wait for the legacy stream.
    pub fn stream(&self, context: Context) -> Result<Stream<'_>> {
        let _entered = self.enter(context)?;
        let mut stream = null_mut();
        self.check("cuStreamCreate", self.functions.cuStreamCreate, |f| {
            // SAFETY: the call writes one pointer.
            unsafe { f(&raw mut stream, NON_BLOCKING) }
        })?;
        Ok(Stream { driver: self, context, stream: stream.addr() })
    }

    pub fn event(&self, context: Context) -> Result<Event<'_>> {
        let _entered = self.enter(context)?;
        let mut event = null_mut();
        self.check("cuEventCreate", self.functions.cuEventCreate, |f| {
            // SAFETY: the call writes one pointer.
            unsafe { f(&raw mut event, DISABLE_TIMING) }
        })?;
        Ok(Event { driver: self, context, event: event.addr() })
    }
}

impl Stream<'_> {
    pub(super) fn raw(&self) -> *mut c_void {
        without_provenance_mut(self.stream)
    }

    /// Waits until the device has done all work of the stream. Needs the stream's context as the current one.
    pub fn synchronize(&self) -> Result<()> {
        let driver = self.driver;
        driver.check("cuStreamSynchronize", driver.functions.cuStreamSynchronize, |f| {
            // SAFETY: the stream exists as long as this value.
            unsafe { f(self.raw()) }
        })
    }

    /// Makes later work of this stream wait for `event`. Needs the stream's context as the current one.
    pub fn wait(&self, event: &Event<'_>) -> Result<()> {
        let driver = self.driver;
        driver.check("cuStreamWaitEvent", driver.functions.cuStreamWaitEvent, |f| {
            // SAFETY: stream and event exist as long as these values.
            unsafe { f(self.raw(), event.raw(), 0) }
        })
    }
}

impl Event<'_> {
    fn raw(&self) -> *mut c_void {
        without_provenance_mut(self.event)
    }

    /// Records the event behind all work that the program has started on the legacy stream, and on streams that the
    /// legacy stream waits for. Needs the event's context as the current one.
    pub fn record_legacy(&self) -> Result<()> {
        let driver = self.driver;
        driver.check("cuEventRecord", driver.functions.cuEventRecord, |f| {
            // SAFETY: the event exists as long as this value; the legacy stream always exists.
            unsafe { f(self.raw(), without_provenance_mut(LEGACY)) }
        })
    }
}

impl Drop for Stream<'_> {
    fn drop(&mut self) {
        // If the context is gone, so is its stream.
        let Ok(_entered) = self.driver.enter(self.context) else { return };
        if let Some(destroy) = self.driver.functions.cuStreamDestroy_v2 {
            // SAFETY: the stream has no other users.
            unsafe { destroy(self.raw()) };
        }
    }
}

impl Drop for Event<'_> {
    fn drop(&mut self) {
        // If the context is gone, so is its event.
        let Ok(_entered) = self.driver.enter(self.context) else { return };
        if let Some(destroy) = self.driver.functions.cuEventDestroy_v2 {
            // SAFETY: the event has no other users.
            unsafe { destroy(self.raw()) };
        }
    }
}
