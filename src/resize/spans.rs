//! Memory of the program that is registered with a job. A resize frees storages and writes pointers, so registered
//! memory must not overlap, except that two descriptors or two values may.

use std::fmt;
use std::ops::Range;

/// How a program uses memory that it registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// Storage of an array, which a resize frees.
    Storage,
    /// Variable that has the address of a storage.
    Pointer,
    /// Descriptor of a matrix; several matrices may share one.
    Descriptor,
    /// A value that is equal on all ranks.
    Value,
}

/// Memory of the program with its purpose.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    /// How the program uses the memory.
    pub purpose: Purpose,
    /// Address of the first byte.
    pub start: usize,
    /// Length of the memory in bytes.
    pub bytes: usize,
}

impl Span {
    /// Returns the addresses of all bytes of the memory.
    pub fn range(&self) -> Range<usize> {
        self.start..self.start.saturating_add(self.bytes)
    }

    /// Returns whether the two spans overlap although they must not.
    pub(super) fn conflicts_with(&self, other: &Self) -> bool {
        let alike =
            self.purpose == other.purpose && matches!(self.purpose, Purpose::Descriptor | Purpose::Value);
        let (one, two) = (self.range(), other.range());
        !alike && one.start < two.end && two.start < one.end
    }
}

impl fmt::Display for Purpose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Storage => "storage",
            Self::Pointer => "pointer",
            Self::Descriptor => "descriptor",
            Self::Value => "value",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_descriptors_and_values_are_shared() {
        let all = [Purpose::Storage, Purpose::Pointer, Purpose::Descriptor, Purpose::Value];
        let span = |purpose, start, bytes| Span { purpose, start, bytes };
        for a in all {
            for b in all {
                let shared = a == b && matches!(a, Purpose::Descriptor | Purpose::Value);
                assert_eq!(span(a, 100, 8).conflicts_with(&span(b, 107, 1)), !shared, "{a} {b}");
                assert!(!span(a, 100, 8).conflicts_with(&span(b, 108, 8)), "{a} {b} behind it");
                assert!(!span(a, 100, 8).conflicts_with(&span(b, 92, 8)), "{a} {b} before it");
            }
        }
    }
}
