//! HOW much memory do reblock's buffers take in this process, now and at most?

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

/// Counted memory of whole words, so that it is aligned for every element type.
#[derive(Debug)]
pub struct Memory {
    words: Vec<u128>,
    _held: Held,
}

impl Memory {
    /// At least `bytes` bytes of zeros; `None` if there is no memory for them.
    pub fn new(bytes: usize) -> Option<Self> {
        let count = bytes.div_ceil(size_of::<u128>());
        let mut words = Vec::new();
        words.try_reserve_exact(count).ok()?;
        words.resize(count, 0);
        Some(Self { words, _held: Held::new(count * size_of::<u128>()) })
    }

    /// Its words.
    pub fn words(&self) -> &[u128] {
        &self.words
    }

    /// Its words, to write.
    pub fn words_mut(&mut self) -> &mut [u128] {
        &mut self.words
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
