//! Counts the memory of reblock's buffers in this process: current and maximum bytes.

use std::sync::atomic::{AtomicU64, Ordering};

static CURRENT_BYTES: AtomicU64 = AtomicU64::new(0);
static MAX_BYTES: AtomicU64 = AtomicU64::new(0);

/// Counts a number of bytes as in use until it is dropped.
#[derive(Debug)]
pub struct BytesInUse(u64);

impl BytesInUse {
    pub fn new(bytes: usize) -> Self {
        let bytes = bytes as u64;
        let current = CURRENT_BYTES.fetch_add(bytes, Ordering::Relaxed) + bytes;
        MAX_BYTES.fetch_max(current, Ordering::Relaxed);
        Self(bytes)
    }
}

impl Drop for BytesInUse {
    fn drop(&mut self) {
        CURRENT_BYTES.fetch_sub(self.0, Ordering::Relaxed);
    }
}

/// A buffer whose bytes are counted, in words of 16 bytes, so aligned for every element type.
#[derive(Debug)]
pub struct Memory {
    words: Vec<u128>,
    _bytes_in_use: BytesInUse,
}

impl Memory {
    /// Allocates at least `bytes` zero bytes; `None` if the allocation fails.
    pub fn new(bytes: usize) -> Option<Self> {
        let count = bytes.div_ceil(size_of::<u128>());
        let mut words = Vec::new();
        words.try_reserve_exact(count).ok()?;
        words.resize(count, 0);
        Some(Self { words, _bytes_in_use: BytesInUse::new(count * size_of::<u128>()) })
    }

    pub fn words(&self) -> &[u128] {
        &self.words
    }

    pub fn words_mut(&mut self) -> &mut [u128] {
        &mut self.words
    }
}

pub fn bytes_in_use() -> u64 {
    CURRENT_BYTES.load(Ordering::Relaxed)
}

/// Returns the maximum of [`bytes_in_use`] since the process started.
pub fn max_bytes_in_use() -> u64 {
    MAX_BYTES.load(Ordering::Relaxed)
}
