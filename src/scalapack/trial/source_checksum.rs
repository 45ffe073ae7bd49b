//! Detects writes to A, which a call only reads: checksums before and after each call of a trial show who changed A,
//! and roughly where.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The local array of A, read only between calls.
pub(crate) struct SourceChecksum {
    base: *const u8,
    bytes: usize,
    /// Checksum of each unit; later calls reuse the memory.
    sums: MutexGuard<'static, Vec<u32>>,
}

impl SourceChecksum {
    /// Bytes of a unit. Its CRC-32 detects every change within 32 consecutive bits, and all but one in 2^32 of the
    /// others.
    pub(crate) const UNIT: usize = 4096;

    /// Watches `bytes` bytes at `base`; `None` if there is no memory for their checksums. For one call at a time.
    ///
    /// # Safety
    /// Until it is dropped, `bytes` bytes are at `base`, unless there are none, and nobody writes them while one of
    /// its methods runs.
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

    /// Takes the present contents as the reference.
    pub(crate) fn set_reference(&mut self) {
        self.changed();
    }

    /// Returns the first byte of the first unit that changed since the last call of this or
    /// [`SourceChecksum::set_reference`].
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
        const UNIT: usize = SourceChecksum::UNIT;
        for bytes in [2 * UNIT + 77, UNIT, 1, 0] {
            let mut array: Vec<u8> = (0..bytes).map(|k| (k % 251) as u8).collect();
            let base = array.as_mut_ptr();
            // SAFETY: the array has `bytes` bytes, and there is one thread only.
            let mut source = unsafe { SourceChecksum::of(base, bytes as u64) }.unwrap();
            source.set_reference();
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
