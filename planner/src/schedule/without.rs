//! Schedulers, and parts of them, that a benchmark leaves out to measure their worth. Without the feature `bench`
//! nothing is left out.

#[cfg(feature = "bench")]
use std::cell::RefCell;

#[cfg(feature = "bench")]
thread_local! {
    /// Names of the schedulers and parts that this thread leaves out.
    static OUT: RefCell<Vec<&'static str>> = const { RefCell::new(Vec::new()) };
}

/// Runs `asked` on this thread without the schedulers and parts called `names`.
#[cfg(feature = "bench")]
pub fn run_without<R>(names: &[&'static str], asked: impl FnOnce() -> R) -> R {
    OUT.with_borrow_mut(|out| out.extend_from_slice(names));
    let given = asked();
    OUT.with_borrow_mut(Vec::clear);
    given
}

/// Returns true if the scheduler or part called `name` is left out.
#[cfg(feature = "bench")]
pub(super) fn is_out(name: &str) -> bool {
    OUT.with_borrow(|out| out.contains(&name))
}

/// Returns false: only the feature `bench` leaves schedulers out.
#[cfg(not(feature = "bench"))]
pub(super) const fn is_out(_: &str) -> bool {
    false
}
