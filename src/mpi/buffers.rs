//! Pool of message buffers for all communicators of the process. Calls seldom overlap, so a call usually reuses the
//! memory of the call before it.

use crate::system::buffer_memory::Memory;
use std::sync::{Mutex, PoisonError};

#[derive(Debug)]
pub struct Buffer(Memory);

/// Unused buffers, and the number of users of the pool.
struct Idle {
    buffers: Vec<Buffer>,
    users: usize,
}

static IDLE: Mutex<Idle> = Mutex::new(Idle { buffers: Vec::new(), users: 0 });

fn with_pool<T>(body: impl FnOnce(&mut Idle) -> T) -> T {
    body(&mut IDLE.lock().unwrap_or_else(PoisonError::into_inner))
}

/// A user of the pool. Dropping the last user frees the buffers.
#[derive(Debug)]
pub struct User(());

impl User {
    pub fn new() -> Self {
        with_pool(|idle| idle.users += 1);
        Self(())
    }

    /// Takes a buffer of at least `bytes` bytes with unspecified contents; `None` if there is no memory.
    pub fn borrow(&self, bytes: usize) -> Option<Buffer> {
        let kept =
            with_pool(|idle| match idle.buffers.iter().position(|buffer| buffer.bytes().len() >= bytes) {
                Some(at) => Some(idle.buffers.swap_remove(at)),
                None => {
                    // Frees one of the buffers, all too small, so that the pool never has more buffers than were in use
                    // at once.
                    idle.buffers.pop();
                    None
                }
            });
        kept.or_else(|| Memory::new(bytes).map(Buffer))
    }

    pub fn give_back(&self, buffer: Buffer) {
        with_pool(|idle| idle.buffers.push(buffer));
    }
}

impl Drop for User {
    fn drop(&mut self) {
        with_pool(|idle| {
            idle.users -= 1;
            if idle.users == 0 {
                idle.buffers.clear();
            }
        });
    }
}

impl Buffer {
    pub fn bytes(&self) -> &[u8] {
        let words = self.0.words();
        // SAFETY: all bytes of the words are initialized; any address is aligned for u8.
        unsafe { std::slice::from_raw_parts(words.as_ptr().cast(), size_of_val(words)) }
    }

    pub fn bytes_mut(&mut self) -> &mut [u8] {
        let words = self.0.words_mut();
        // SAFETY: as in `bytes`; any bytes are valid words.
        unsafe { std::slice::from_raw_parts_mut(words.as_mut_ptr().cast(), size_of_val(words)) }
    }
}
