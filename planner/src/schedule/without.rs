//! Schedulers and parts of schedulers that a benchmark leaves out to measure their effect. Without the feature `bench`
//! nothing is left out.

#[cfg(feature = "bench")]
use std::cell::RefCell;

#[cfg(feature = "bench")]
thread_local! {
    /// Names of the schedulers and parts that this thread leaves out.
    static OUT: RefCell<Vec<&'static str>> = const { RefCell::new(Vec::new()) };
}

/// Runs `body` on this thread without the schedulers and parts called `names`.
#[cfg(feature = "bench")]
pub fn run_without<R>(names: &[&'static str], body: impl FnOnce() -> R) -> R {
    OUT.with_borrow_mut(|out| out.extend_from_slice(names));
    let result = body();
    OUT.with_borrow_mut(Vec::clear);
    result
}

#[cfg(feature = "bench")]
pub(super) fn is_left_out(name: &str) -> bool {
    OUT.with_borrow(|out| out.contains(&name))
}

#[cfg(not(feature = "bench"))]
pub(super) const fn is_left_out(_: &str) -> bool {
    false
}
