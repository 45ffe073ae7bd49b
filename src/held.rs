//! HOW much memory do reblock's buffers take in this process, and how much did they at most?

use std::sync::atomic::{AtomicU64, Ordering};

static NOW: AtomicU64 = AtomicU64::new(0);
static MOST: AtomicU64 = AtomicU64::new(0);

/// Bytes that are counted as long as this lives.
#[derive(Debug)]
pub struct Held(u64);

impl Held {
    /// Counts `bytes`.
    pub fn new(bytes: usize) -> Self {
        let bytes = bytes as u64;
        let now = NOW.fetch_add(bytes, Ordering::Relaxed) + bytes;
        MOST.fetch_max(now, Ordering::Relaxed);
        Self(bytes)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        NOW.fetch_sub(self.0, Ordering::Relaxed);
    }
}

/// Bytes now.
pub fn now() -> u64 {
    NOW.load(Ordering::Relaxed)
}

/// The most bytes so far.
pub fn most() -> u64 {
    MOST.load(Ordering::Relaxed)
}
