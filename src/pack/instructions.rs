//! Instruction sets that the kernels are compiled for, and the choice among them.

use super::runs::CacheUse;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes that a process copies before it queries the processor's instruction sets.
const QUERY_THRESHOLD_BYTES: usize = 256 << 10;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Instructions {
    /// Available on every processor of the target.
    Portable,
    /// Blocks of 32 bytes, with AVX2.
    #[cfg(target_arch = "x86_64")]
    Avx2,
}

impl Instructions {
    /// All instruction sets, the best last.
    #[cfg(target_arch = "x86_64")]
    pub const ALL: &[Self] = &[Self::Portable, Self::Avx2];
    /// All instruction sets, the best last.
    #[cfg(not(target_arch = "x86_64"))]
    pub const ALL: &[Self] = &[Self::Portable];

    pub fn available(self) -> bool {
        match self {
            Self::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => is_x86_feature_detected!("avx2"),
        }
    }

    /// Returns the instructions for a copy of up to `bytes` bytes. The first small copies of a process use the portable
    /// ones: in a virtual machine the query takes longer than they do.
    pub fn for_copy(bytes: usize) -> Self {
        static COPIED: AtomicUsize = AtomicUsize::new(0);
        let before = COPIED.load(Ordering::Relaxed);
        if before < QUERY_THRESHOLD_BYTES {
            let copied = before.saturating_add(bytes);
            // Concurrent additions may be lost; the query then comes later.
            COPIED.store(copied, Ordering::Relaxed);
            if copied < QUERY_THRESHOLD_BYTES {
                return Self::Portable;
            }
        }
        Self::best()
    }

    pub fn best() -> Self {
        let available = Self::ALL.iter().rev().find(|i| i.available());
        *available.expect("the portable one is always available")
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct CopyOptions {
    pub element: usize,
    pub caches: CacheUse,
    pub instructions: Instructions,
}
