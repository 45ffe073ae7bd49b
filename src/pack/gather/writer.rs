//! Streams consecutive bytes as whole cache lines. Bytes that do not fill a line yet wait in a buffer of the thread,
//! the *stage*. The first and the last line may also contain other data, so their bytes are written through the caches.

use super::super::block::{self, LINE, fence};
use super::line::MAX_CHUNK_BYTES;
use std::cell::RefCell;

/// Minimum staged bytes that are streamed.
const STREAM_THRESHOLD_BYTES: usize = 8 << 10;
/// Bytes of the stage: staged bytes below the threshold, and a chunk behind them.
const STAGE_BYTES: usize = STREAM_THRESHOLD_BYTES + MAX_CHUNK_BYTES + LINE;

#[repr(C, align(64))]
struct StageBuffer([u8; STAGE_BYTES]);

/// The staged bytes and their destination.
pub(super) struct Writer {
    stage: Box<StageBuffer>,
    /// Destination of the stage's first byte, at the start of a cache line.
    to: *mut u8,
    /// Number of bytes at the front of the stage that are not written.
    skip: usize,
    /// Bytes used in the stage, including `skip`.
    used: usize,
}

thread_local! {
    static WRITER: RefCell<Option<Writer>> = const { RefCell::new(None) };
}

impl Writer {
    /// Calls `use_it` with this thread's empty writer. `use_it` must call [`Writer::finish`].
    pub fn with(use_it: impl FnOnce(&mut Self)) {
        WRITER.with_borrow_mut(|writer| {
            let new = || Self {
                stage: Box::new(StageBuffer([0; STAGE_BYTES])),
                to: std::ptr::null_mut(),
                skip: 0,
                used: 0,
            };
            use_it(writer.get_or_insert_with(new));
        });
    }

    /// Makes `to` the destination of the next byte. Writes the staged bytes first, unless `to` follows them.
    #[inline(always)]
    pub fn go_to<const N: usize>(&mut self, to: *mut u8) {
        if self.to.wrapping_add(self.used) != to {
            self.flush_lines::<N>();
            self.flush_rest();
            let within = to.addr() % LINE;
            (self.to, self.skip, self.used) = (to.wrapping_sub(within), within, within);
        }
    }

    /// Writes `len` bytes from `from`: whole lines directly, the rest through the stage.
    ///
    /// # Safety
    /// The bytes are readable at `from` and writable at the destination; the processor can stream `N` bytes at a time.
    #[inline(always)]
    pub unsafe fn stream<const N: usize>(&mut self, mut from: *const u8, mut len: usize) {
        // SAFETY: the stage has less than a line; this fn's contract.
        unsafe {
            if self.used > 0 {
                let head = len.min(LINE - self.used);
                block::copy(from, self.at(self.used), head);
                self.used += head;
                if self.used < LINE {
                    return;
                }
                (from, len) = (from.wrapping_add(head), len - head);
                self.write_line::<N>();
            }
            let lines = len / LINE * LINE;
            for at in (0..lines).step_by(LINE) {
                stream_line::<N>(from.wrapping_add(at), self.to.wrapping_add(at));
            }
            self.to = self.to.wrapping_add(lines);
            self.used = len - lines;
            block::copy(from.wrapping_add(lines), self.at(0), self.used);
        }
    }

    /// Writes the stage's only line, which is full.
    ///
    /// # Safety
    /// The line is writable at the destination; the processor can stream `N` bytes at a time.
    #[inline(always)]
    unsafe fn write_line<const N: usize>(&mut self) {
        // SAFETY: this fn's contract.
        unsafe {
            match self.skip {
                0 => stream_line::<N>(self.at(0), self.to),
                skip => block::copy(self.at(skip), self.to.wrapping_add(skip), LINE - skip),
            }
        }
        (self.to, self.skip, self.used) = (self.to.wrapping_add(LINE), 0, 0);
    }

    /// Returns room in the stage for the next `bytes` bytes, at most a chunk.
    #[inline(always)]
    pub fn room<const N: usize>(&mut self, bytes: usize) -> *mut u8 {
        if self.used >= STREAM_THRESHOLD_BYTES {
            self.flush_lines::<N>();
        }
        assert!(self.used + bytes <= STAGE_BYTES);
        self.at(self.used)
    }

    /// Counts `bytes` bytes that the caller has written to the room from [`Writer::room`].
    #[inline(always)]
    pub fn filled(&mut self, bytes: usize) {
        self.used += bytes;
    }

    #[inline(always)]
    fn flush_lines<const N: usize>(&mut self) {
        let lines = self.used / LINE * LINE;
        if lines == 0 {
            return;
        }
        // SAFETY: staged bytes are writable at their destination, by the contract of the function that staged them.
        unsafe {
            let mut at = 0;
            if self.skip > 0 {
                block::copy(self.at(self.skip), self.to.wrapping_add(self.skip), LINE - self.skip);
                at = LINE;
            }
            while at < lines {
                stream_line::<N>(self.at(at), self.to.wrapping_add(at));
                at += LINE;
            }
            let rest = self.used - lines;
            block::copy(self.at(lines), self.at(0), rest);
            (self.to, self.skip, self.used) = (self.to.wrapping_add(lines), 0, rest);
        }
    }

    /// Writes the rest of the stage through the caches.
    #[inline(always)]
    fn flush_rest(&mut self) {
        if self.used > self.skip {
            // SAFETY: as in `flush_lines`.
            unsafe {
                block::copy(self.at(self.skip), self.to.wrapping_add(self.skip), self.used - self.skip)
            };
        }
        (self.skip, self.used) = (0, 0);
    }

    /// Writes all staged bytes, and orders them before later stores.
    #[inline(always)]
    pub fn finish<const N: usize>(&mut self) {
        self.flush_lines::<N>();
        self.flush_rest();
        self.to = std::ptr::null_mut();
        fence();
    }

    #[inline(always)]
    fn at(&mut self, at: usize) -> *mut u8 {
        self.stage.0.as_mut_ptr().wrapping_add(at)
    }
}

/// Streams one line, `N` bytes at a time.
///
/// # Safety
/// `from` is readable and `to` writable for a line, and a line starts at `to`; the processor can stream `N` bytes.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn stream_line<const N: usize>(from: *const u8, to: *mut u8) {
    use std::arch::x86_64::{_mm256_loadu_si256, _mm256_stream_si256};
    // SAFETY: this fn's contract; a line is a multiple of each store.
    unsafe {
        match N {
            32 => {
                // Not in a closure, which would be compiled without these instructions.
                let first = _mm256_loadu_si256(from.cast());
                let second = _mm256_loadu_si256(from.wrapping_add(32).cast());
                _mm256_stream_si256(to.cast(), first);
                _mm256_stream_si256(to.wrapping_add(32).cast(), second);
            }
            _ => block::stream_line(from, to),
        }
    }
}

/// Copies one line.
///
/// # Safety
/// `from` is readable and `to` writable for a line, and a line starts at `to`.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
unsafe fn stream_line<const N: usize>(from: *const u8, to: *mut u8) {
    // SAFETY: this fn's contract.
    unsafe { block::stream_line(from, to) }
}
