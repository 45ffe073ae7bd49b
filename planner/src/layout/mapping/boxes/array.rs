//! The boxes of an array: a checksum of the boxes of all processes, and the boxes of the calling process.

use super::LocalBoxes;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// The boxes of an array.
#[derive(Clone, Debug)]
pub struct ArrayBoxes {
    /// Checksum of the boxes of all processes and their places; equal on all processes.
    identity: [u64; 2],
    /// Boxes of the calling process, if it has them.
    own: Option<Arc<LocalBoxes>>,
}

impl ArrayBoxes {
    /// Creates the value from the checksum of all boxes, and from the boxes of the calling process if it has them.
    pub fn new(identity: [u64; 2], own: Option<LocalBoxes>) -> Self {
        Self { identity, own: own.map(Arc::new) }
    }

    /// Returns the checksum of the boxes of all processes.
    pub fn identity(&self) -> [u64; 2] {
        self.identity
    }

    /// Returns the boxes of the calling process, if it has them.
    pub fn own(&self) -> Option<&Arc<LocalBoxes>> {
        self.own.as_ref()
    }
}

impl PartialEq for ArrayBoxes {
    /// Compares the checksums. The boxes of the calling process do not matter.
    fn eq(&self, other: &Self) -> bool {
        self.identity == other.identity
    }
}

impl Eq for ArrayBoxes {}

impl Hash for ArrayBoxes {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.identity.hash(state);
    }
}
