//! The second result of a trial, between two margins that must stay unchanged, and its comparison with B. Later calls
//! reuse the memory, whose pages are then mapped.

use crate::scalapack::Matrix;
use crate::trial::{Columns, Difference, difference};
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Bytes of each margin: a page, so that the array has the same position in the caches as without margins.
const MARGIN: usize = 4096;
/// Contents of a margin: a pattern that a library is unlikely to write.
const MARGIN_PATTERN: [u8; MARGIN] = {
    let (mut bytes, mut next, mut k) = ([0; MARGIN], 0xA5_u8, 0);
    while k < MARGIN {
        bytes[k] = next;
        next = next.wrapping_add(37);
        k += 1;
    }
    bytes
};

/// A fault of the second result.
pub(crate) enum Fault {
    /// The first difference from B, and the bytes of both there, in hexadecimal.
    Different { place: Difference, b: String, second: String },
    /// The margin before the array has changed: the distance in bytes from its lowest changed byte to the array's first
    /// element.
    Before(usize),
    /// The margin behind the array has changed: the distance in bytes, at least 1, from the array's last byte to the
    /// first changed byte.
    Behind(usize),
}

pub(crate) struct TrialBuffer {
    memory: MutexGuard<'static, Vec<u128>>,
    /// Bytes that this call uses: the size of B.
    bytes: usize,
}

impl TrialBuffer {
    /// Allocates `bytes` bytes and the margins; `None` if there is no memory. Waits while another buffer exists.
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

    pub(crate) fn bytes(&mut self) -> &mut [u8] {
        let (start, bytes) = (self.address(), self.bytes);
        // SAFETY: the memory has the bytes of B after the margin, all initialized.
        unsafe { std::slice::from_raw_parts_mut(start, bytes) }
    }

    /// Copies B into the buffer, and resets the margins.
    ///
    /// # Safety
    /// At `b` are as many bytes as the buffer has, and nobody writes them; `b` is not read if the buffer has none.
    pub(crate) unsafe fn fill(&mut self, b: *const u8) {
        let (start, bytes) = (self.address(), self.bytes);
        // SAFETY: this fn's contract; the memory has that many bytes and two margins, and is this process's own.
        unsafe {
            if bytes > 0 {
                std::ptr::copy_nonoverlapping(b, start, bytes);
            }
            for margin in [start.sub(MARGIN), start.add(bytes)] {
                std::ptr::copy_nonoverlapping(MARGIN_PATTERN.as_ptr(), margin, MARGIN);
            }
        }
    }

    /// Changes all bytes of each element at `places`, so that a library that leaves one out is detected.
    pub(crate) fn spoil(&mut self, element: usize, places: impl Iterator<Item = Range<u64>>) {
        spoil(self.bytes(), element, places, 0xFF);
    }

    /// Returns all faults. Compares the buffer with B, which `matrix` describes; `None` if this rank has no part of B.
    ///
    /// # Safety
    /// As for [`TrialBuffer::fill`].
    pub(crate) unsafe fn faults(&self, b: *const u8, element: usize, matrix: Option<&Matrix>) -> Vec<Fault> {
        // SAFETY: this fn's contract.
        let different = matrix.and_then(|matrix| unsafe { self.difference(b, element, matrix) });
        let before = self.first_change(0).map(|k| Fault::Before(MARGIN - k));
        let behind = self.first_change(MARGIN + self.bytes).map(|k| Fault::Behind(k + 1));
        [different, before, behind].into_iter().flatten().collect()
    }

    /// # Safety
    /// As for [`TrialBuffer::fill`].
    unsafe fn difference(&self, b: *const u8, element: usize, matrix: &Matrix) -> Option<Fault> {
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
        Some(Fault::Different { place, b: hex(b), second: hex(second) })
    }

    /// Returns the first changed byte of the margin at byte `at` of the memory, counted from the margin's start.
    fn first_change(&self, at: usize) -> Option<usize> {
        let margin = &self.all()[at..][..MARGIN];
        if margin == MARGIN_PATTERN {
            return None;
        }
        margin.iter().zip(&MARGIN_PATTERN).position(|(now, before)| now != before)
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
    fn writes_around_the_buffer_are_detected() {
        for bytes in [0, 1, 40, 4099] {
            let b = vec![7_u8; bytes];
            let mut second = TrialBuffer::of(bytes as u64).unwrap();
            // SAFETY: `b` has `bytes` bytes.
            let faults = |second: &TrialBuffer| unsafe { second.faults(b.as_ptr(), 8, None) };
            for k in (0..MARGIN).step_by(61).chain([MARGIN - 1]) {
                // SAFETY: `b` has `bytes` bytes.
                unsafe { second.fill(b.as_ptr()) };
                assert!(faults(&second).is_empty());
                let address = second.address();
                // SAFETY: each margin has MARGIN bytes.
                unsafe {
                    *address.add(bytes + k) ^= 1;
                    *address.sub(k + 1) ^= 1;
                }
                let [Fault::Before(before), Fault::Behind(behind)] = faults(&second)[..] else {
                    panic!("both margins were written")
                };
                assert_eq!((before, behind), (k + 1, k + 1));
            }
        }
    }
}
