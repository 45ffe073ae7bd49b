//! Progress of saves and loads, reported to a function of the program.

use super::file::AgreedFile;
use crate::arrays::npy::FileWindow;
use std::cell::Cell;

/// A function of the program that gets the bytes done and the bytes of the whole call; see [`report_progress`].
pub type ProgressFunction = Box<dyn FnMut(u64, u64)>;

thread_local! {
    static REPORT: Cell<Option<ProgressFunction>> = const { Cell::new(None) };
    /// Number of functions that this thread has set or removed.
    static CHANGES: Cell<u64> = const { Cell::new(0) };
}

/// Sets the function that this thread's saves and loads call after each part of a file; `None` removes it. It gets the
/// bytes of the array that all ranks have written or read, and those of the whole save or load; both are equal in the
/// last call. A file with a checksum is read twice, so a load then counts twice the bytes of the array. The function is
/// not called for an array without elements. It must not panic, nor make collective calls of this library.
pub fn report_progress(report: Option<ProgressFunction>) {
    REPORT.set(report);
    CHANGES.set(CHANGES.get() + 1);
}

/// Progress of one call on this rank.
pub(super) struct FileProgress {
    done: u64,
    all: u64,
}

impl FileProgress {
    /// Begins a save or load that writes or reads the array `times` times.
    pub fn new(agreed: &AgreedFile<'_>, times: u64) -> Self {
        let bytes = agreed.extents.iter().fold(agreed.element as u64, |n, &extent| n.saturating_mul(extent));
        Self { done: 0, all: bytes.saturating_mul(times) }
    }

    /// Adds a window, and calls the program's function, if there is one.
    pub fn add(&mut self, window: &FileWindow, element: usize) {
        self.done += window.0.iter().fold(element as u64, |n, range| n * (range.end - range.start));
        let Some(mut report) = REPORT.take() else { return };
        let changes = CHANGES.get();
        report(self.done, self.all);
        // The function may have removed or replaced itself.
        if CHANGES.get() == changes {
            REPORT.set(Some(report));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::rc::Rc;

    #[test]
    fn a_function_may_remove_itself() {
        let calls = Rc::new(Cell::new(0));
        let (count, window) = (calls.clone(), FileWindow(vec![0..5, 0..1]));
        let mut progress = FileProgress { done: 0, all: 80 };
        report_progress(Some(Box::new(move |done, all| {
            assert_eq!(all, 80);
            count.set(count.get() + 1);
            if done > 40 {
                report_progress(None);
            }
        })));
        (0..4).for_each(|_| progress.add(&window, 4));
        assert_eq!((calls.get(), progress.done), (3, 80));
        assert_eq!(Rc::strong_count(&calls), 1, "the removed function is dropped");
    }
}
