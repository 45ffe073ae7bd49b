//! WHO on this node cannot go on in the middle of a call? A word in the memory that its ranks share, which those that wait read
//! now and then.

use super::Segment;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// The word: 0, or one more than the first rank that could not go on.
pub struct Alarm {
    segment: Arc<Segment>,
    at: usize,
}

impl Alarm {
    /// At byte `at` of `segment`, which is 0 at first and used for nothing else. All ranks make one for the same byte.
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

    /// Says that `rank` cannot go on, unless another one has said so.
    pub fn raise(&self, rank: u32) {
        // Whoever reads it reads nothing else because of it.
        let _ = self.word().compare_exchange(0, rank + 1, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// The rank that cannot go on, if one has said so.
    pub fn raised(&self) -> Option<u32> {
        self.word().load(Ordering::Relaxed).checked_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_one_is_told_of() {
        let segment = Arc::new(Segment::private(4096).unwrap());
        let [here, there] = [0, 1].map(|_| Alarm::new(segment.clone(), 128));
        assert_eq!(here.raised(), None);
        there.raise(0);
        here.raise(7);
        assert_eq!([here.raised(), there.raised()], [Some(0); 2]);
    }
}
