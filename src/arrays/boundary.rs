//! Boundary value of an end-off shift: one element that the plan owns on each process.

use crate::layout::strides::Shape;
use crate::pack::{OwnedArray, Source};
use std::fmt;
use std::sync::{Mutex, PoisonError};

pub(super) struct Boundary(Mutex<OwnedArray>);

impl Boundary {
    /// Returns an element with these bytes; `None` if there is no memory for it.
    pub fn new(shape: &Shape, bytes: &[u8]) -> Option<Self> {
        let extents: Vec<u64> = shape.dims().iter().map(|dim| dim.extent).collect();
        let mut array = OwnedArray::new(Shape::dense(shape.element(), &extents))?;
        array.bytes_mut().copy_from_slice(bytes);
        Some(Self(Mutex::new(array)))
    }

    pub fn source(&self) -> Source<'static> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).source()
    }
}

impl fmt::Debug for Boundary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Boundary")
    }
}
