//! WHETHER A is what it was: nobody may write it. Sums of its bytes before and after each of the two calls of a trial tell after
//! which of them it changed, and about where. It never knows which library made a call.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The local array of A, read only between calls.
pub(crate) struct Watched {
    base: *const u8,
    bytes: usize,
    /// One sum of each unit, kept from call to call.
    sums: MutexGuard<'static, Vec<u32>>,
}

impl Watched {
    /// Bytes of one sum, of 4 bytes. CRC-32 finds every change of up to 32 bits in a row, and of others all but one in 2^32.
    pub(crate) const UNIT: usize = 4096;

    /// `bytes` bytes at `base`, if there is memory for their sums; for one call at a time.
    ///
    /// # Safety
    /// Until it is dropped there are as many bytes at `base`, unless there are none, and nobody writes them while one of its
    /// methods runs.
    pub(crate) unsafe fn of(base: *const u8, bytes: u64) -> Option<Self> {
        static SUMS: Mutex<Vec<u32>> = Mutex::new(Vec::new());
        let bytes = usize::try_from(bytes).ok()?;
        let mut sums = SUMS.lock().unwrap_or_else(PoisonError::into_inner);
        let units = bytes.div_ceil(Self::UNIT);
        if let Some(more) = units.checked_sub(sums.len()) {
            sums.try_reserve_exact(more).ok()?;
        }
        sums.resize(units, 0);
        Some(Self { base, bytes, sums })
    }

    /// From now on it is to be as it is now.
    pub(crate) fn remember(&mut self) {
        self.changed();
    }

    /// The first byte of the first unit that is not what it was when this was asked last.
    pub(crate) fn changed(&mut self) -> Option<u64> {
        let mut first = None;
        for k in 0..self.sums.len() {
            let now = crc32fast::hash(self.unit(k));
            if now != std::mem::replace(&mut self.sums[k], now) {
                first.get_or_insert((k * Self::UNIT) as u64);
            }
        }
        first
    }

    fn unit(&self, k: usize) -> &[u8] {
        let start = k * Self::UNIT;
        // SAFETY: the promise of `of`; `start` is less than the number of bytes.
        unsafe { std::slice::from_raw_parts(self.base.add(start), Self::UNIT.min(self.bytes - start)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_counts_once() {
        const UNIT: usize = Watched::UNIT;
        for bytes in [2 * UNIT + 77, UNIT, 1, 0] {
            let mut array: Vec<u8> = (0..bytes).map(|k| (k % 251) as u8).collect();
            let base = array.as_mut_ptr();
            // SAFETY: so many bytes are there, and one thread only.
            let mut source = unsafe { Watched::of(base, bytes as u64) }.unwrap();
            source.remember();
            assert_eq!(source.changed(), None);
            for k in (0..bytes).step_by(613).chain(bytes.checked_sub(1)) {
                // SAFETY: the array has more than `k` bytes.
                unsafe { *base.add(k) ^= 4 };
                assert_eq!(source.changed(), Some((k / UNIT * UNIT) as u64));
                assert_eq!(source.changed(), None);
            }
        }
    }
}
