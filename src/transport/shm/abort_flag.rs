//! Abort flag of a node: a word in shared memory that names the first rank that could not continue a call. Waiting
//! ranks poll it.

use super::Segment;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// 0, or one more than the number of the first rank that could not continue.
pub struct AbortFlag {
    segment: Arc<Segment>,
    at: usize,
}

impl AbortFlag {
    /// Creates the flag at byte `at` of `segment`, which is initially 0 and has no other use. Equal on all ranks.
    pub(super) fn new(segment: Arc<Segment>, at: usize) -> Self {
        assert!(at % align_of::<AtomicU32>() == 0);
        segment.at(at..at + size_of::<AtomicU32>());
        Self { segment, at }
    }

    fn word(&self) -> &AtomicU32 {
        let word = self.segment.at(self.at..self.at + size_of::<AtomicU32>()).cast::<AtomicU32>();
        // SAFETY: within the segment and aligned, as `new` asserts; all ranks use these bytes as an atomic only.
        unsafe { &*word }
    }

    /// Reports that `rank` cannot continue, unless another rank has reported first.
    pub fn raise(&self, rank: u32) {
        // Relaxed, because no other data depends on the flag.
        let _ = self.word().compare_exchange(0, rank + 1, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Returns the rank that cannot continue, if one has reported it.
    pub fn raised(&self) -> Option<u32> {
        self.word().load(Ordering::Relaxed).checked_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_abort_is_reported() {
        let segment = Arc::new(Segment::private(4096).unwrap());
        let [here, there] = [0, 1].map(|_| AbortFlag::new(segment.clone(), 128));
        assert_eq!(here.raised(), None);
        there.raise(0);
        here.raise(7);
        assert_eq!([here.raised(), there.raised()], [Some(0); 2]);
    }
}
