//! Packed elements of messages: in the host's memory, or in a device's.

use crate::system::cuda::DeviceBuffer;
use std::sync::Arc;

/// Memory of a device for one message. MPI may be using it while it has a second owner.
pub type MessageMemory = Arc<DeviceBuffer<'static>>;

/// Memory for packed elements.
pub enum PackRoom<'b> {
    Host(&'b mut [u8]),
    Device(DevicePart<'b>),
}

/// Packed elements.
#[derive(Clone, Copy)]
pub enum Packed<'b> {
    Host(&'b [u8]),
    Device(DevicePart<'b>),
}

/// Part of a message in the memory of a device.
#[derive(Clone, Copy)]
pub struct DevicePart<'b> {
    memory: &'b DeviceBuffer<'static>,
    at: usize,
    bytes: usize,
}

impl<'b> DevicePart<'b> {
    /// Returns the first `bytes` bytes of `memory`.
    pub fn front(memory: &'b DeviceBuffer<'static>, bytes: usize) -> Self {
        assert!(bytes <= memory.bytes(), "{bytes} bytes do not fit in {}", memory.bytes());
        Self { memory, at: 0, bytes }
    }

    pub(super) fn memory(&self) -> &'b DeviceBuffer<'static> {
        self.memory
    }

    /// Returns the address of the first byte, in the device's memory.
    pub(super) fn address(&self) -> usize {
        usize::try_from(self.memory.address()).expect("addresses have 64 bits") + self.at
    }

    fn split_at(self, at: usize) -> (Self, Self) {
        let rest = self.bytes.checked_sub(at).expect("a part within the message");
        (Self { bytes: at, ..self }, Self { at: self.at + at, bytes: rest, ..self })
    }
}

impl<'b> PackRoom<'b> {
    pub fn split_at(self, at: usize) -> (Self, Self) {
        match self {
            Self::Host(buffer) => {
                let (own, rest) = buffer.split_at_mut(at);
                (Self::Host(own), Self::Host(rest))
            }
            Self::Device(part) => {
                let (own, rest) = part.split_at(at);
                (Self::Device(own), Self::Device(rest))
            }
        }
    }

    pub(super) fn as_packed(&self) -> Packed<'_> {
        match self {
            Self::Host(buffer) => Packed::Host(buffer),
            Self::Device(part) => Packed::Device(*part),
        }
    }
}

impl Packed<'_> {
    pub fn split_at(self, at: usize) -> (Self, Self) {
        match self {
            Self::Host(buffer) => {
                let (own, rest) = buffer.split_at(at);
                (Self::Host(own), Self::Host(rest))
            }
            Self::Device(part) => {
                let (own, rest) = part.split_at(at);
                (Self::Device(own), Self::Device(rest))
            }
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Host(buffer) => buffer.len(),
            Self::Device(part) => part.bytes,
        }
    }
}
