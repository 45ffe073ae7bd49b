//! What someone who runs an existing job under `LD_PRELOAD` can turn on, to see what reblock does for it.

mod trace;

pub use trace::Trace;
