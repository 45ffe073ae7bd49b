//! Storage of a program: addresses of its variables, and its allocator.

use super::super::place::on_host;
use crate::arrays::Seat;
use crate::collective::failure::Failure;
use crate::mpi::blacs::Int;
use crate::pack::{Destination, Source};
use crate::resize::{Allocation, ArrayVariables, Purpose, Span, ValueVariable};
use std::ffi::c_void;

/// The program's functions to allocate and free storage.
#[derive(Clone, Copy)]
pub struct Allocator {
    /// Allocates storage; `None` (NULL): malloc.
    pub allocate: Option<unsafe extern "C" fn(i64, *mut c_void) -> *mut c_void>,
    /// Frees storage; `None` (NULL): free.
    pub release: Option<unsafe extern "C" fn(*mut c_void, *mut c_void)>,
    /// The second argument of both functions.
    pub context: *mut c_void,
}

// SAFETY: a program that passes its functions permits calls by the thread that uses the job.
unsafe impl Send for Allocator {}
// SAFETY: as for `Send`; the context is only passed on.
unsafe impl Sync for Allocator {}

impl Allocator {
    /// Allocates `bytes` bytes; `None` if that fails.
    pub fn block(self, bytes: usize) -> Option<Block> {
        let wanted = i64::try_from(bytes).ok()?;
        // SAFETY: the program permits calls of its function with this context; malloc may always be called.
        let base = unsafe {
            match self.allocate {
                Some(allocate) => allocate(wanted, self.context),
                None => libc::malloc(bytes),
            }
        };
        (!base.is_null()).then_some(Block { base: base.cast(), bytes, allocator: self })
    }

    /// # Safety
    /// `base` is NULL, or came from this allocator and has no other users.
    unsafe fn give_back(self, base: *mut c_void) {
        if base.is_null() {
            return;
        }
        // SAFETY: `base` is storage of this allocator without other users, by this fn's contract.
        unsafe {
            match self.release {
                Some(release) => release(base, self.context),
                None => libc::free(base),
            }
        }
    }
}

/// Storage of a program's allocator, freed on drop.
pub struct Block {
    base: *mut u8,
    bytes: usize,
    allocator: Allocator,
}

// SAFETY: the memory is this value's own; see `Allocator`.
unsafe impl Send for Block {}

impl Block {
    /// Returns the address of the storage, and leaves the storage to the program.
    fn into_raw(self) -> *mut c_void {
        let base = self.base;
        std::mem::forget(self);
        base.cast()
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: `base` came from this allocator, and a block is dropped once.
        unsafe { self.allocator.give_back(self.base.cast()) };
    }
}

impl Allocation for Block {
    fn destination(&mut self, seat: &Seat) -> Option<Destination<'static>> {
        let at = seat.reach.0.checked_add_signed(seat.origin)?;
        let range = seat.shape.within(at, self.bytes)?;
        let first = if range.is_empty() { 0 } else { usize::try_from(at).ok()? };
        // SAFETY: `within` has checked that the array lies in the block, and the job keeps the block until the move is
        // over.
        Some(unsafe { Destination::new(self.base.wrapping_add(first), seat.shape.clone()) })
    }

    fn check(&self) -> Result<(), Failure> {
        on_host("storage from the program's allocator", self.base, self.bytes)
    }

    fn clear(&mut self) {
        // SAFETY: the block has `bytes` bytes, and nobody else uses it.
        unsafe { self.base.write_bytes(0, self.bytes) };
    }
}

/// The program's variables for a registered array.
pub struct Variables {
    /// Address of the program's pointer to the storage.
    pub data: *mut *mut c_void,
    /// Address of the descriptor of a matrix; otherwise NULL.
    pub descriptor: *mut Int,
    /// Allocator that owns the storage.
    pub allocator: Allocator,
}

// SAFETY: the program promises that its variables live as long as the job and that nobody else uses them in its calls.
unsafe impl Send for Variables {}

impl ArrayVariables<Block> for Variables {
    fn descriptor(&self) -> Option<[Int; 9]> {
        // SAFETY: the program promises nine integers.
        (!self.descriptor.is_null()).then(|| unsafe { self.descriptor.cast::<[Int; 9]>().read() })
    }

    fn source(&self, seat: &Seat) -> Option<Source<'static>> {
        // SAFETY: the program's variable.
        let base = unsafe { self.data.read() }.cast::<u8>();
        let origin = isize::try_from(seat.origin).ok()?;
        // SAFETY: the program promises storage as the descriptor or the map says, and the seat has the same layout. If
        // the array moves while the program computes, the program has promised not to write it during the move.
        (!base.is_null()).then(|| unsafe { Source::new(base.wrapping_offset(origin), seat.shape.clone()) })
    }

    fn initialize(&mut self, memory: Option<Block>, descriptor: Option<[Int; 9]>) {
        // SAFETY: the program's variables, whose earlier contents are not read.
        unsafe {
            self.data.write(memory.map_or(std::ptr::null_mut(), Block::into_raw));
            if let Some(entries) = descriptor.filter(|_| !self.descriptor.is_null()) {
                self.descriptor.cast::<[Int; 9]>().write(entries);
            }
        }
    }

    fn replace(&mut self, memory: Option<Block>, descriptor: Option<[Int; 9]>) {
        // SAFETY: the program's variable; the program or the job has allocated the storage at its address by the
        // program's allocator, and the storage has no other users.
        unsafe { self.allocator.give_back(self.data.read()) };
        self.initialize(memory, descriptor);
    }

    fn check(&self) -> Result<(), Failure> {
        // SAFETY: the program's variable.
        let base = unsafe { self.data.read() };
        on_host("the storage of a registered array", base.cast(), 1)
    }

    fn has_storage(&self) -> bool {
        // SAFETY: the program's variable.
        !unsafe { self.data.read() }.is_null()
    }

    /// Returns `None`: the program passes no size of its storage.
    fn room(&self) -> Option<u64> {
        None
    }

    fn spans(&self, bytes: u64) -> Vec<Span> {
        // SAFETY: the program's variable.
        let storage = unsafe { self.data.read() }.addr();
        let span = |purpose, start, bytes| Span { purpose, start, bytes };
        let bytes = if storage == 0 { 0 } else { usize::try_from(bytes).unwrap_or(usize::MAX) };
        let descriptor = if self.descriptor.is_null() { 0 } else { size_of::<[Int; 9]>() };
        let all = [
            span(Purpose::Storage, storage, bytes),
            span(Purpose::Pointer, self.data.addr(), size_of::<*mut c_void>()),
            span(Purpose::Descriptor, self.descriptor.addr(), descriptor),
        ];
        all.into_iter().filter(|span| span.bytes > 0).collect()
    }
}

/// The program's variable for a registered value.
pub struct Bytes {
    pub base: *mut u8,
    pub count: usize,
}

// SAFETY: as for `Variables`.
unsafe impl Send for Bytes {}

impl ValueVariable for Bytes {
    fn read(&self) -> Vec<u8> {
        // SAFETY: the program promises that the variable has `count` bytes.
        unsafe { std::slice::from_raw_parts(self.base, self.count) }.to_vec()
    }

    fn write(&mut self, bytes: &[u8]) {
        assert_eq!(bytes.len(), self.count, "a value has as many bytes as it was registered with");
        // SAFETY: the program promises that the variable has `count` bytes.
        unsafe { std::ptr::copy(bytes.as_ptr(), self.base, self.count) };
    }

    fn span(&self) -> Option<Span> {
        let span = Span { purpose: Purpose::Value, start: self.base.addr(), bytes: self.count };
        Some(span).filter(|span| span.bytes > 0)
    }
}
