//! Streams and events: the order of the device's work.

use super::{Context, Driver, Result};
use std::ffi::{c_uint, c_void};
use std::ptr::{null_mut, without_provenance_mut};

/// Flag of a stream that does not wait for the legacy stream.
const NON_BLOCKING: c_uint = 1;
/// Flag of an event that records no time.
const DISABLE_TIMING: c_uint = 2;
/// The driver's error for the legacy stream while a stream that waits for it is being captured.
const CAPTURE_IMPLICIT: i32 = 906;
/// Number of handles that are no addresses: NULL and the default streams.
const DEFAULT_STREAMS: usize = 3;

/// A stream of the program, by its handle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProgramStream(usize);

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

    /// Returns the context of a program's stream, or `context` for the default streams, which each context has. Fails
    /// if the driver refuses the stream; it need not notice a destroyed one.
    pub fn context_of(&self, stream: ProgramStream, context: Context) -> Result<Context> {
        if stream.is_default() {
            return Ok(context);
        }
        let mut of_stream = null_mut();
        self.check("cuStreamGetCtx", self.functions.cuStreamGetCtx, |f| {
            // SAFETY: the call writes one pointer. By the contract of `ProgramStream`, the stream exists.
            unsafe { f(stream.raw(), &raw mut of_stream) }
        })?;
        Ok(Context(of_stream.addr()))
    }

    /// Returns whether the program is recording the work of `stream` in a graph: then the work does not run. The legacy
    /// stream counts as recorded if a stream that waits for it is. Needs the stream's context as the current one.
    pub fn is_capturing(&self, stream: ProgramStream) -> Result<bool> {
        // Old drivers record no streams.
        let Some(query) = self.functions.cuStreamIsCapturing else { return Ok(false) };
        let mut status = 0;
        // SAFETY: the call writes one integer. By the contract of `ProgramStream`, the stream exists.
        match self.check("cuStreamIsCapturing", Some(query), |f| unsafe { f(stream.raw(), &raw mut status) })
        {
            Err(error) if error.code == CAPTURE_IMPLICIT => Ok(true),
            done => done.map(|()| status != 0),
        }
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

impl ProgramStream {
    /// The legacy stream: the stream of calls that name none.
    pub const LEGACY: Self = Self(1);

    /// Returns the stream with this handle of the driver or of the CUDA runtime; NULL is the legacy stream.
    ///
    /// # Safety
    /// As long as the result is used, the stream exists.
    pub unsafe fn of_handle(handle: *mut c_void) -> Self {
        if handle.is_null() { Self::LEGACY } else { Self(handle.addr()) }
    }

    fn is_default(self) -> bool {
        self.0 < DEFAULT_STREAMS
    }

    fn raw(self) -> *mut c_void {
        without_provenance_mut(self.0)
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

    /// Returns the context of the event.
    pub fn context(&self) -> Context {
        self.context
    }

    /// Records the event behind all work that the program has started on `stream`. Work on the legacy stream includes
    /// that of the streams that it waits for. Needs the event's context, which is the stream's, as the current one.
    pub fn record(&self, stream: ProgramStream) -> Result<()> {
        let driver = self.driver;
        driver.check("cuEventRecord", driver.functions.cuEventRecord, |f| {
            // SAFETY: the event exists as long as this value, and the stream by the contract of `ProgramStream`.
            unsafe { f(self.raw(), stream.raw()) }
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
