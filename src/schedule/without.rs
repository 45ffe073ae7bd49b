//! WHAT is a part of the scheduler worth? Parts that are left out while a benchmark asks. Without the feature `bench` none is, ever.

#[cfg(feature = "bench")]
use std::cell::RefCell;

#[cfg(feature = "bench")]
thread_local! {
    /// What is left out on this thread: rivals and parts of them, by name.
    static OUT: RefCell<Vec<&'static str>> = const { RefCell::new(Vec::new()) };
}

/// What `asked` gives without these.
#[cfg(feature = "bench")]
pub fn without<R>(names: &[&'static str], asked: impl FnOnce() -> R) -> R {
    OUT.with_borrow_mut(|out| out.extend_from_slice(names));
    let given = asked();
    OUT.with_borrow_mut(Vec::clear);
    given
}

/// Whether the part or the rival of that name is left out.
#[cfg(feature = "bench")]
pub(super) fn is_out(name: &str) -> bool {
    OUT.with_borrow(|out| out.contains(&name))
}

/// Whether the part or the rival of that name is left out.
#[cfg(not(feature = "bench"))]
pub(super) const fn is_out(_: &str) -> bool {
    false
}
