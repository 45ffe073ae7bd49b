//! Counts the memory of reblock's buffers in this process: current and maximum bytes.

use std::sync::atomic::{AtomicU64, Ordering};

static CURRENT_BYTES: AtomicU64 = AtomicU64::new(0);
static MAX_BYTES: AtomicU64 = AtomicU64::new(0);

/// Bytes that count while this value lives.
#[derive(Debug)]
pub struct Held(u64);

impl Held {
    pub fn new(bytes: usize) -> Self {
        let bytes = bytes as u64;
        let now = CURRENT_BYTES.fetch_add(bytes, Ordering::Relaxed) + bytes;
        MAX_BYTES.fetch_max(now, Ordering::Relaxed);
        Self(bytes)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        CURRENT_BYTES.fetch_sub(self.0, Ordering::Relaxed);
    }
}

/// Counted memory in whole words, aligned for every element type.
#[derive(Debug)]
pub struct Memory {
    words: Vec<u128>,
    _held: Held,
}

impl Memory {
    /// Allocates at least `bytes` zero bytes; `None` if there is no memory.
    pub fn new(bytes: usize) -> Option<Self> {
        let count = bytes.div_ceil(size_of::<u128>());
        let mut words = Vec::new();
        words.try_reserve_exact(count).ok()?;
        words.resize(count, 0);
        Some(Self { words, _held: Held::new(count * size_of::<u128>()) })
    }

    pub fn words(&self) -> &[u128] {
        &self.words
    }

    pub fn words_mut(&mut self) -> &mut [u128] {
        &mut self.words
    }
}

/// Returns the bytes counted now.
pub fn now() -> u64 {
    CURRENT_BYTES.load(Ordering::Relaxed)
}

/// Returns the maximum number of bytes so far.
pub fn most() -> u64 {
    MAX_BYTES.load(Ordering::Relaxed)
}
