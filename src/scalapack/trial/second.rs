//! WHERE does the second result of a trial lie, and what is wrong with it? In memory that is kept from call to call, so that it
//! is warm, between two margins that nobody may write. It never knows which library wrote it.

use crate::scalapack::Matrix;
use crate::trial::{Columns, Difference, difference};
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Bytes before the first element, and behind the last one, that are watched: a page, so that the array lies in the caches as
/// it would without them.
const MARGIN: usize = 4096;
/// What they are: few of them are what somebody would write there.
const UNTOUCHED: [u8; MARGIN] = {
    let (mut bytes, mut next, mut k) = ([0; MARGIN], 0xA5_u8, 0);
    while k < MARGIN {
        bytes[k] = next;
        next = next.wrapping_add(37);
        k += 1;
    }
    bytes
};

/// What is wrong with a result.
pub(crate) enum Found {
    /// Where B and it differ first, and the bytes that are there in B and in it.
    Different { place: Difference, b: String, second: String },
    /// It was written before its first element: the first such byte is so many before it.
    Before(usize),
    /// It was written behind its last element: which byte there is the first, from 1.
    Behind(usize),
}

/// The second result.
pub(crate) struct Second {
    memory: MutexGuard<'static, Vec<u128>>,
    /// Bytes of it that this call uses: as many as B has.
    bytes: usize,
}

impl Second {
    /// Room for `bytes` bytes and the margins, if there is memory; for one call at a time.
    pub(crate) fn of(bytes: u64) -> Option<Self> {
        static MEMORY: Mutex<Vec<u128>> = Mutex::new(Vec::new());
        let bytes = usize::try_from(bytes).ok()?;
        let mut memory = MEMORY.lock().unwrap_or_else(PoisonError::into_inner);
        let units = bytes.checked_add(2 * MARGIN)?.div_ceil(size_of::<u128>());
        if let Some(more) = units.checked_sub(memory.len()) {
            memory.try_reserve_exact(more).ok()?;
            memory.resize(units, 0);
        }
        Some(Self { memory, bytes })
    }

    pub(crate) fn address(&mut self) -> *mut u8 {
        // SAFETY: the memory is longer than a margin.
        unsafe { self.memory.as_mut_ptr().cast::<u8>().add(MARGIN) }
    }

    /// What is in it.
    pub(crate) fn bytes(&mut self) -> &mut [u8] {
        let (start, bytes) = (self.address(), self.bytes);
        // SAFETY: there are as many bytes as B has, all initialized.
        unsafe { std::slice::from_raw_parts_mut(start, bytes) }
    }

    /// Makes it equal to B, and the margins what they are to stay.
    ///
    /// # Safety
    /// At `b` are as many bytes, unless there are none, and nobody writes them.
    pub(crate) unsafe fn fill(&mut self, b: *const u8) {
        let (start, bytes) = (self.address(), self.bytes);
        // SAFETY: this fn's contract; the memory has as many bytes and two margins, and is this process's own.
        unsafe {
            if bytes > 0 {
                std::ptr::copy_nonoverlapping(b, start, bytes);
            }
            for margin in [start.sub(MARGIN), start.add(bytes)] {
                std::ptr::copy_nonoverlapping(UNTOUCHED.as_ptr(), margin, MARGIN);
            }
        }
    }

    /// Makes each element at `places` another one than B has, where the call is to write it: a library that does not is seen also
    /// where B has what it is to get.
    pub(crate) fn spoil(&mut self, element: usize, places: impl Iterator<Item = Range<u64>>) {
        spoil(self.bytes(), element, places, 0xFF);
    }

    /// All that is wrong with it, beside B of `matrix`, if this rank has a part of that.
    ///
    /// # Safety
    /// As for [`Second::fill`].
    pub(crate) unsafe fn faults(&self, b: *const u8, element: usize, matrix: Option<&Matrix>) -> Vec<Found> {
        // SAFETY: this fn's contract.
        let different = matrix.and_then(|matrix| unsafe { self.difference(b, element, matrix) });
        let before = self.written(0).map(|k| Found::Before(MARGIN - k));
        let behind = self.written(MARGIN + self.bytes).map(|k| Found::Behind(k + 1));
        [different, before, behind].into_iter().flatten().collect()
    }

    /// # Safety
    /// As for [`Second::fill`].
    unsafe fn difference(&self, b: *const u8, element: usize, matrix: &Matrix) -> Option<Found> {
        if self.bytes == 0 {
            return None;
        }
        // SAFETY: this fn's contract.
        let b = unsafe { std::slice::from_raw_parts(b, self.bytes) };
        let second = &self.all()[MARGIN..][..self.bytes];
        let rows = matrix.shape(element, false).dims()[0].extent;
        let ld = u64::try_from(matrix.descriptor.ld).expect("a checked descriptor");
        let place = difference(b, second, Columns { element, rows, ld })?;
        let start = usize::try_from(place.at[1] * ld + place.at[0]).expect("a place in memory") * element;
        let hex = |bytes: &[u8]| bytes[start..start + element].iter().map(|b| format!("{b:02x}")).collect();
        Some(Found::Different { place, b: hex(b), second: hex(second) })
    }

    /// The first byte that was written of the margin that begins `at` this byte of the memory, from 0.
    fn written(&self, at: usize) -> Option<usize> {
        let margin = &self.all()[at..][..MARGIN];
        if margin == UNTOUCHED {
            return None;
        }
        margin.iter().zip(&UNTOUCHED).position(|(now, before)| now != before)
    }

    fn all(&self) -> &[u8] {
        // SAFETY: all bytes of the memory were initialized.
        unsafe { std::slice::from_raw_parts(self.memory.as_ptr().cast(), size_of_val(&self.memory[..])) }
    }
}

/// Changes all bytes of each element at `places` of an array of elements of `element` bytes.
pub(crate) fn spoil(array: &mut [u8], element: usize, places: impl Iterator<Item = Range<u64>>, by: u8) {
    for places in places {
        let [start, end] =
            [places.start, places.end].map(|at| usize::try_from(at).expect("a place in memory"));
        array[start * element..end * element].iter_mut().for_each(|byte| *byte ^= by);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_byte_around_it_is_written_unseen() {
        for bytes in [0, 1, 40, 4099] {
            let b = vec![7_u8; bytes];
            let mut second = Second::of(bytes as u64).unwrap();
            // SAFETY: `b` has so many bytes.
            let faults = |second: &Second| unsafe { second.faults(b.as_ptr(), 8, None) };
            for k in (0..MARGIN).step_by(61).chain([MARGIN - 1]) {
                // SAFETY: `b` has so many bytes.
                unsafe { second.fill(b.as_ptr()) };
                assert!(faults(&second).is_empty());
                let address = second.address();
                // SAFETY: each margin has MARGIN bytes.
                unsafe {
                    *address.add(bytes + k) ^= 1;
                    *address.sub(k + 1) ^= 1;
                }
                let [Found::Before(before), Found::Behind(behind)] = faults(&second)[..] else {
                    panic!("both margins were written")
                };
                assert_eq!((before, behind), (k + 1, k + 1));
            }
        }
    }
}
