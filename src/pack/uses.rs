//! Run-time borrow check of an array that reblock owns: several readers or one writer.
//!
//! Each user holds an `Arc`. If `Arc::get_mut` succeeds, all other users have dropped theirs, and their accesses
//! happened before. The reference count alone would not order them.

use std::sync::Arc;

/// The present users of an array. A use lasts as long as the `Arc` of [`Uses::read`] or [`Uses::write`].
#[derive(Debug, Default)]
pub struct Uses {
    readers: Arc<()>,
    writer: Arc<()>,
}

impl Uses {
    /// Returns whether the array has no writer. No writer can begin while this value is borrowed.
    pub fn none_writes(&mut self) -> bool {
        Arc::get_mut(&mut self.writer).is_some()
    }

    pub fn are_none(&mut self) -> bool {
        Arc::get_mut(&mut self.readers).is_some() && self.none_writes()
    }

    /// Registers a reader; `None` if the array has a writer.
    pub fn read(&mut self) -> Option<Arc<()>> {
        self.none_writes().then(|| self.readers.clone())
    }

    /// Registers the writer; `None` if the array has any user.
    pub fn write(&mut self) -> Option<Arc<()>> {
        self.are_none().then(|| self.writer.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_read_or_one_writes() {
        let mut uses = Uses::default();
        let two = [uses.read().unwrap(), uses.read().unwrap()];
        assert!(uses.write().is_none() && uses.none_writes() && !uses.are_none());
        drop(two);
        let one = uses.write().unwrap();
        assert!(uses.write().is_none() && uses.read().is_none() && !uses.none_writes());
        drop(one);
        assert!(uses.are_none() && uses.read().is_some());
    }
}
