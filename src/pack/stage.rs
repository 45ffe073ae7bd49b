//! HOW are short runs written into a buffer past the caches? Only whole cache lines can be written so; short runs are first
//! collected into lines, in a buffer of this thread (a *stage*).

use super::block::{fence, stream};
use std::cell::RefCell;

thread_local! {
    static STAGE: RefCell<Vec<u128>> = const { RefCell::new(Vec::new()) };
}

/// Lets `fill` write `bytes` bytes, two lines at least, and copies them to `out` past the caches.
///
/// # Safety
/// `out` is writable for `bytes` bytes; `fill` writes all of them and no more.
pub(super) unsafe fn through(out: *mut u8, bytes: usize, fill: impl FnOnce(*mut u8)) {
    STAGE.with_borrow_mut(|stage| {
        let words = bytes.div_ceil(size_of::<u128>());
        if stage.len() < words {
            stage.resize(words, 0);
        }
        let stage = stage.as_mut_ptr().cast::<u8>();
        fill(stage);
        // SAFETY: the stage is as long; this fn's contract.
        unsafe { stream(stage, out, bytes) };
        fence();
    });
}
