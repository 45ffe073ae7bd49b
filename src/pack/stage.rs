//! Streams short runs into a message buffer. Streaming stores need whole cache lines, so the runs are first collected
//! in a buffer of the thread, the *stage*.

use super::block::{fence, stream};
use std::cell::RefCell;

thread_local! {
    static STAGE: RefCell<Vec<u128>> = const { RefCell::new(Vec::new()) };
}

/// Lets `fill` write `bytes` bytes (at least two cache lines) to the stage, and streams them to `out`.
///
/// # Safety
/// `out` is writable for `bytes` bytes. `fill` writes all of them and no more.
pub(super) unsafe fn stream_through(out: *mut u8, bytes: usize, fill: impl FnOnce(*mut u8)) {
    STAGE.with_borrow_mut(|stage| {
        let words = bytes.div_ceil(size_of::<u128>());
        if stage.len() < words {
            stage.resize(words, 0);
        }
        let stage = stage.as_mut_ptr().cast::<u8>();
        fill(stage);
        // SAFETY: the stage has at least `bytes` bytes; this fn's contract.
        unsafe { stream(stage, out, bytes) };
        fence();
    });
}
