//! Message buffers, each with at most one MPI request. While MPI uses a buffer, it is neither accessed nor freed.
//! Messages can also be sent from memory of a device and received there; and from the caller's memory, which is unsafe.

use super::buffers::{Buffer, User};
use super::comm::Comm;
use super::error::{MpiError, check};
use super::int;
use crate::system::cuda::DeviceBuffer;
use mpi_sys::*;
use std::any::Any;
use std::sync::Arc;

/// Minimum size, in bytes, of buffers that are returned to the pool after a call.
const MIN_POOLED_BYTES: usize = 4096;

/// An owner of memory, which does not move while some owner exists.
pub type MemoryOwner = Arc<dyn Any + Send + Sync>;

/// Slots for messages of at most `capacity` bytes, each with a request, and a buffer from the pool when a call needs
/// it.
pub struct Requests {
    user: User,
    buffers: Vec<Option<Buffer>>,
    /// Owners of the caller's memory that MPI uses, and memory of devices that it uses.
    owners: Vec<Option<MemoryOwner>>,
    /// Whether a message has been in memory of a device.
    uses_devices: bool,
    /// Number of slots with a buffer.
    held: usize,
    capacity: usize,
    requests: Vec<MPI_Request>,
    /// Whether the operation in a slot is a receive.
    receiving: Vec<bool>,
    active: usize,
    /// Completions that MPI_Testsome has reported and [`Requests::completed`] has not: (slot, bytes).
    ready: Vec<(usize, usize)>,
    indices: Vec<std::ffi::c_int>,
    statuses: Vec<MPI_Status>,
}

// SAFETY: requests are handles. The thread level of the program's MPI decides which threads may use them; see `Comm`.
unsafe impl Send for Requests {}

impl Requests {
    /// Creates `count` slots without buffers.
    pub fn new(count: usize) -> Self {
        // SAFETY: a status is plain integers that MPI overwrites; the null request is a constant of mpi-sys.
        let (status, null) = unsafe { (std::mem::zeroed::<MPI_Status>(), RSMPI_REQUEST_NULL) };
        Self {
            user: User::new(),
            buffers: (0..count).map(|_| None).collect(),
            owners: vec![None; count],
            uses_devices: false,
            held: 0,
            capacity: 0,
            requests: vec![null; count],
            receiving: vec![false; count],
            active: 0,
            ready: Vec::with_capacity(count),
            indices: vec![0; count],
            statuses: vec![status; count],
        }
    }

    pub fn count(&self) -> usize {
        self.buffers.len()
    }

    /// Returns the maximum message size in bytes.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    pub fn fit(&mut self, capacity: usize) {
        self.capacity = capacity;
    }

    /// Ensures that a slot has a buffer for a message of maximum size; returns false without memory. Panics if MPI uses
    /// a smaller buffer.
    pub fn allocate(&mut self, slot: usize) -> bool {
        if !self.has_memory(slot) {
            assert!(!self.under_way(slot), "the buffer of slot {slot} is MPI's");
            let buffer = &mut self.buffers[slot];
            if let Some(small) = buffer.take() {
                self.user.give_back(small);
                self.held -= 1;
            }
            *buffer = self.user.borrow(self.capacity);
            self.held += usize::from(buffer.is_some());
        }
        self.has_memory(slot)
    }

    /// Returns whether a slot has a buffer for a message of maximum size.
    pub fn has_memory(&self, slot: usize) -> bool {
        self.buffers[slot].as_ref().is_some_and(|buffer| buffer.bytes().len() >= self.capacity)
    }

    /// Returns the buffers of all slots that MPI does not use to the pool, unless they are small.
    pub fn give_back(&mut self) {
        if self.capacity < MIN_POOLED_BYTES || self.held == 0 {
            return;
        }
        for slot in 0..self.buffers.len() {
            if !self.under_way(slot) {
                if let Some(buffer) = self.buffers[slot].take() {
                    self.user.give_back(buffer);
                    self.held -= 1;
                }
            }
        }
    }

    /// Returns whether MPI does not use a slot, and [`Requests::completed`] has reported its last operation.
    pub fn is_idle(&self, slot: usize) -> bool {
        !self.under_way(slot) && !self.ready.iter().any(|&(done, _)| done == slot)
    }

    pub fn all_idle(&self) -> bool {
        self.active == 0 && self.ready.is_empty()
    }

    fn under_way(&self, slot: usize) -> bool {
        // SAFETY: a constant of mpi-sys.
        self.requests[slot] != unsafe { RSMPI_REQUEST_NULL }
    }

    /// Returns the buffer of a slot. Panics if the slot has no buffer or MPI uses it.
    pub fn buffer(&mut self, slot: usize) -> &mut [u8] {
        assert!(!self.under_way(slot), "the buffer of slot {slot} is MPI's");
        self.buffers[slot].as_mut().expect("a slot with memory").bytes_mut()
    }

    /// Returns the buffer of a slot for reading. Panics if the slot has no buffer or MPI uses it.
    pub fn filled(&self, slot: usize) -> &[u8] {
        assert!(!self.under_way(slot), "the buffer of slot {slot} is MPI's");
        self.buffers[slot].as_ref().expect("a slot with memory").bytes()
    }

    /// Starts to send the first `bytes` bytes of an idle slot. If `taken`, the send is synchronous: it completes only
    /// after the receiver has begun to receive the message.
    pub fn send(
        &mut self,
        slot: usize,
        comm: Comm,
        to: u32,
        tag: i32,
        bytes: usize,
        taken: bool,
    ) -> Result<(), MpiError> {
        let buffer = self.buffer(slot)[..bytes].as_ptr();
        // SAFETY: the buffer is neither touched nor freed before the request completes: `buffer` and `filled`
        // panic, `allocate` panics, too, `give_back` leaves it, and `drop` leaks it.
        unsafe { self.start_send(slot, (comm, to, tag), (buffer, bytes), taken) }
    }

    /// Starts to send the first `bytes` bytes of `memory`, as [`Requests::send`] does with the buffer of an idle slot.
    /// No kernel may write them before [`Requests::completed`] has reported the slot. MPI needs the memory's context as
    /// the current one.
    pub fn send_from_device(
        &mut self,
        slot: usize,
        to: (Comm, u32, i32),
        (memory, bytes): (Arc<DeviceBuffer<'static>>, usize),
        taken: bool,
    ) -> Result<(), MpiError> {
        assert!(!self.under_way(slot) && bytes <= memory.bytes());
        let from = self.keep_on_device(slot, memory);
        // SAFETY: the slot owns the memory until the operation is complete. MPI accepts addresses of devices, so it
        // does not read them as the host's.
        unsafe { self.start_send(slot, to, (from, bytes), taken) }
    }

    /// Starts to receive into `memory`, as [`Requests::receive`] does with the buffer of an idle slot. No kernel may
    /// access the memory before [`Requests::completed`] has reported the slot. MPI needs the memory's context as the
    /// current one.
    pub fn receive_on_device(
        &mut self,
        slot: usize,
        from: (Comm, u32, i32),
        memory: Arc<DeviceBuffer<'static>>,
    ) -> Result<(), MpiError> {
        assert!(!self.under_way(slot) && self.capacity <= memory.bytes());
        let into = self.keep_on_device(slot, memory);
        // SAFETY: as in `send_from_device`.
        unsafe { self.receive_into(slot, from, into, self.capacity) }
    }

    /// Keeps `memory` as [`Requests::keep_owner`] does. Returns its address as MPI takes it.
    fn keep_on_device(&mut self, slot: usize, memory: Arc<DeviceBuffer<'static>>) -> *mut u8 {
        let address = usize::try_from(memory.address()).expect("addresses have 64 bits");
        self.uses_devices = true;
        self.keep_owner(slot, memory);
        std::ptr::without_provenance_mut(address)
    }

    /// # Safety
    /// As for [`Requests::send_from`].
    unsafe fn start_send(
        &mut self,
        slot: usize,
        (comm, to, tag): (Comm, u32, i32),
        (from, bytes): (*const u8, usize),
        taken: bool,
    ) -> Result<(), MpiError> {
        let name = if taken { "MPI_Issend" } else { "MPI_Isend" };
        let send = if taken { MPI_Issend } else { MPI_Isend };
        let (to, request) = (int(to as usize), &mut self.requests[slot]);
        // SAFETY: this fn's contract.
        check(name, unsafe { send(from.cast(), int(bytes), RSMPI_UINT8_T, to, tag, comm.0, request) })?;
        self.begun(slot, false);
        Ok(())
    }

    /// Starts to send `bytes` bytes from `from` to rank `to`, in place of the buffer of an idle slot.
    ///
    /// # Safety
    /// The bytes are there and do not change before [`Requests::completed`] has reported the slot. After an error they
    /// stay for ever; [`Requests::keep_owner`] ensures that.
    pub unsafe fn send_from(
        &mut self,
        slot: usize,
        (comm, to, tag): (Comm, u32, i32),
        from: *const u8,
        bytes: usize,
    ) -> Result<(), MpiError> {
        // SAFETY: by this fn's contract.
        unsafe { self.start_send(slot, (comm, to, tag), (from, bytes), false) }
    }

    /// Starts to receive at most `bytes` bytes from rank `from` into `into`, in place of the buffer of an idle slot.
    ///
    /// # Safety
    /// As for [`Requests::send_from`]; nobody accesses the bytes.
    pub unsafe fn receive_into(
        &mut self,
        slot: usize,
        (comm, from, tag): (Comm, u32, i32),
        into: *mut u8,
        bytes: usize,
    ) -> Result<(), MpiError> {
        let (from, request) = (int(from as usize), &mut self.requests[slot]);
        // SAFETY: by this fn's contract.
        check("MPI_Irecv", unsafe {
            MPI_Irecv(into.cast(), int(bytes), RSMPI_UINT8_T, from, tag, comm.0, request)
        })?;
        self.begun(slot, true);
        Ok(())
    }

    /// Keeps `owner`, the owner of memory that MPI uses in a slot, until the operation is complete; for ever if it
    /// never is.
    pub fn keep_owner(&mut self, slot: usize, owner: MemoryOwner) {
        self.owners[slot] = Some(owner);
    }

    fn begun(&mut self, slot: usize, receives: bool) {
        self.receiving[slot] = receives;
        self.active += 1;
    }

    /// Starts to receive at most `bytes` bytes into an idle slot.
    pub fn receive(
        &mut self,
        slot: usize,
        comm: Comm,
        from: u32,
        tag: i32,
        bytes: usize,
    ) -> Result<(), MpiError> {
        let buffer = self.buffer(slot)[..bytes].as_mut_ptr();
        // SAFETY: as in `send`.
        unsafe { self.receive_into(slot, (comm, from, tag), buffer, bytes) }
    }

    /// Returns a slot whose operation is complete, and the bytes received (0 for a send), if there is one. Reports each
    /// completion once.
    pub fn completed(&mut self) -> Result<Option<(usize, usize)>, MpiError> {
        if self.ready.is_empty() && self.active > 0 {
            self.test()?;
        }
        Ok(self.ready.pop())
    }

    fn test(&mut self) -> Result<(), MpiError> {
        let on_device =
            || self.owners.iter().flatten().find_map(|owner| owner.downcast_ref::<DeviceBuffer<'static>>());
        // MPI may copy here, and some MPIs need a context of the GPU to be current. Usually all memory is in one
        // context.
        let entered = self.uses_devices.then(on_device).flatten().map(DeviceBuffer::enter);
        let mut done = 0;
        // SAFETY: requests, indices and statuses have one entry for each slot.
        let code = unsafe {
            MPI_Testsome(
                int(self.requests.len()),
                self.requests.as_mut_ptr(),
                &mut done,
                self.indices.as_mut_ptr(),
                self.statuses.as_mut_ptr(),
            )
        };
        drop(entered);
        // MPI_UNDEFINED, which is negative, means that no slot is in use.
        let done = usize::try_from(done).unwrap_or(0);
        if code == int(MPI_ERR_IN_STATUS as usize) {
            let failed = self.statuses[..done].iter().map(|status| status.MPI_ERROR);
            for code in failed.filter(|&code| code != int(MPI_ERR_PENDING as usize)) {
                check("a message that MPI_Testsome completed", code)?;
            }
        }
        check("MPI_Testsome", code)?;
        for k in 0..done {
            let slot = usize::try_from(self.indices[k]).expect("MPI_Testsome returns valid indices");
            let mut bytes = 0;
            if self.receiving[slot] {
                // SAFETY: MPI filled this status.
                check("MPI_Get_count", unsafe {
                    MPI_Get_count(&self.statuses[k], RSMPI_UINT8_T, &mut bytes)
                })?;
            }
            self.ready.push((slot, usize::try_from(bytes).unwrap_or(0)));
            self.owners[slot] = None;
            self.active -= 1;
        }
        Ok(())
    }
}

impl Default for Requests {
    fn default() -> Self {
        Self::new(0)
    }
}

impl Drop for Requests {
    /// Leaks buffers that MPI still uses, which happens only after an error.
    fn drop(&mut self) {
        for slot in 0..self.buffers.len() {
            if self.under_way(slot) {
                std::mem::forget((self.buffers[slot].take(), self.owners[slot].take()));
            }
        }
    }
}
