//! MAY something be registered beside what is registered already? A resize frees storages and writes variables, so one place must
//! not have two such uses.

use super::registry::Registered;
use crate::collective::failure::Failure;
use std::fmt;
use std::ops::Range;

/// What a place in the program's memory is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// A resize frees it.
    Storage,
    /// It has the address of a storage.
    Pointer,
    /// It describes a matrix; several matrices may have one descriptor.
    Descriptor,
    /// All ranks have it alike.
    Value,
}

/// A place in the program's memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    /// What for.
    pub purpose: Purpose,
    /// Its address.
    pub start: usize,
    /// How long it is.
    pub bytes: usize,
}

impl Span {
    /// Its addresses.
    pub fn range(&self) -> Range<usize> {
        self.start..self.start.saturating_add(self.bytes)
    }

    /// Whether both cannot be.
    fn hinders(&self, other: &Self) -> bool {
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

/// Whether `spans` can be registered beside `items`.
pub fn apart<M>(items: &[Registered<M>], spans: &[Span]) -> Result<(), Failure> {
    for (at, item) in items.iter().enumerate() {
        for known in item.spans() {
            if let Some(span) = spans.iter().find(|span| span.hinders(&known)) {
                return Err(Failure::argument(format!(
                    "the {} overlaps the {} of number {at} of what is registered, expected memory of its own",
                    span.purpose, known.purpose
                )));
            }
        }
    }
    Ok(())
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
                assert_eq!(span(a, 100, 8).hinders(&span(b, 107, 1)), !shared, "{a} {b}");
                assert!(!span(a, 100, 8).hinders(&span(b, 108, 8)), "{a} {b} behind it");
                assert!(!span(a, 100, 8).hinders(&span(b, 92, 8)), "{a} {b} before it");
            }
        }
    }
}
