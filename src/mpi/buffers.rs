//! Memory for messages, lent to the call that needs it. Calls on all communicators of a program come one after the other, so
//! memory that one call returns serves the next.

use crate::system::held::Memory;
use std::sync::{Mutex, PoisonError};

/// Memory for one message.
#[derive(Debug)]
pub struct Buffer(Memory);

/// Buffers that nobody uses now, and how many users there are.
struct Idle {
    buffers: Vec<Buffer>,
    users: usize,
}

static IDLE: Mutex<Idle> = Mutex::new(Idle { buffers: Vec::new(), users: 0 });

fn idle<T>(body: impl FnOnce(&mut Idle) -> T) -> T {
    body(&mut IDLE.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Somebody who may ask for buffers; when the last one is gone, so are the buffers.
#[derive(Debug)]
pub struct User(());

impl User {
    /// One more.
    pub fn new() -> Self {
        idle(|idle| idle.users += 1);
        Self(())
    }

    /// At least `bytes` bytes, of any content; `None` if there is no memory.
    pub fn borrow(&self, bytes: usize) -> Option<Buffer> {
        let kept = idle(|idle| match idle.buffers.iter().position(|buffer| buffer.bytes().len() >= bytes) {
            Some(at) => Some(idle.buffers.swap_remove(at)),
            None => {
                // One that is too small goes for the new one, so that there are never more than were needed at once.
                idle.buffers.pop();
                None
            }
        });
        kept.or_else(|| Memory::new(bytes).map(Buffer))
    }

    /// For the next one.
    pub fn give_back(&self, buffer: Buffer) {
        idle(|idle| idle.buffers.push(buffer));
    }
}

impl Drop for User {
    fn drop(&mut self) {
        idle(|idle| {
            idle.users -= 1;
            if idle.users == 0 {
                idle.buffers.clear();
            }
        });
    }
}

impl Buffer {
    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        let words = self.0.words();
        // SAFETY: words are that many initialized bytes; u8 has no alignment.
        unsafe { std::slice::from_raw_parts(words.as_ptr().cast(), size_of_val(words)) }
    }

    /// Its bytes, to write.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        let words = self.0.words_mut();
        // SAFETY: as in `bytes`, and any bytes are words.
        unsafe { std::slice::from_raw_parts_mut(words.as_mut_ptr().cast(), size_of_val(words)) }
    }
}
