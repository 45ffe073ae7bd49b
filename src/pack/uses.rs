//! WHO uses an array now that belongs to reblock: others that read it, one that writes it, or nobody?
//!
//! Whoever uses it holds an `Arc`. `Arc::get_mut` tells that nobody else holds it any more, and then everything that was done
//! before it was let go has happened: counting holders would not say that.

use std::sync::Arc;

/// Who uses an array now. Somebody uses it as long as an `Arc` lives that [`Uses::read`] or [`Uses::write`] has given.
#[derive(Debug, Default)]
pub struct Uses {
    readers: Arc<()>,
    writer: Arc<()>,
}

impl Uses {
    /// Whether nobody writes the array. As long as this value is borrowed nobody begins to.
    pub fn none_writes(&mut self) -> bool {
        Arc::get_mut(&mut self.writer).is_some()
    }

    /// Whether nobody reads or writes it.
    pub fn are_none(&mut self) -> bool {
        Arc::get_mut(&mut self.readers).is_some() && self.none_writes()
    }

    /// For one more that reads it, unless somebody writes it.
    pub fn read(&mut self) -> Option<Arc<()>> {
        self.none_writes().then(|| self.readers.clone())
    }

    /// For the only one that uses it and may write it, unless somebody uses it.
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
