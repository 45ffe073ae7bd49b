//! Progress of saves and loads, for a function of the program.

use super::file::Agreed;
use crate::arrays::npy::FileWindow;
use std::cell::Cell;

/// A function of the program. It gets the bytes of the array that are written or read, and those of the whole call.
pub type ProgressFunction = Box<dyn FnMut(u64, u64)>;

thread_local! {
    static REPORT: Cell<Option<ProgressFunction>> = const { Cell::new(None) };
}

/// Sets the function that this thread's saves and loads call after each part of a file; `None` removes it. Its arguments
/// are bytes of the array: those that all ranks have written or read, and those of the whole call. They are equal in the
/// last call. A file with a checksum is read twice, so the load of an array has twice its bytes. An array without
/// elements has no call. The function must not panic, or call this library collectively.
pub fn report_progress(report: Option<ProgressFunction>) {
    REPORT.set(report);
}

/// Progress of one call on this rank.
pub(super) struct FileProgress {
    done: u64,
    all: u64,
}

impl FileProgress {
    /// Begins a call that passes over the array `times` times.
    pub fn new(agreed: &Agreed<'_>, times: u64) -> Self {
        let bytes = agreed.extents.iter().fold(agreed.element as u64, |n, &extent| n.saturating_mul(extent));
        Self { done: 0, all: bytes.saturating_mul(times) }
    }

    /// Adds a window, and calls the program's function, if there is one.
    pub fn add(&mut self, window: &FileWindow, element: usize) {
        self.done += window.0.iter().fold(element as u64, |n, range| n * (range.end - range.start));
        // The function may set another one.
        let Some(mut report) = REPORT.take() else { return };
        report(self.done, self.all);
        REPORT.set(REPORT.take().or(Some(report)));
    }
}
