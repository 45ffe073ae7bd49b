//! HAVE all ranks come to one of a job's calls? They tell each other what they know of it; a rank that waits long for others,
//! which may never come, says so.

use crate::hpf::{Call, Facts, Failure, Function};
use crate::patience::Patience;
use crate::session::Session;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Collective over the ranks that work: what all of them come to in a call of `function`, where each gives `values`, or cannot
/// go on.
pub fn met(
    session: &Session,
    function: Function,
    values: &[Option<i64>],
    failure: Option<Failure>,
) -> Result<Facts, Failure> {
    let patience = Patience::new(session.rank);
    let facts = Facts::new(session.rank, function, values, failure);
    Call::begin(session).agree_while(facts, || {
        if let Some(seconds) = patience.over(Instant::now()) {
            complain(session.rank, function, seconds);
        }
    })
}

/// Says once that this process waits.
fn complain(rank: u32, function: Function, seconds: u64) {
    static SAID: AtomicBool = AtomicBool::new(false);
    if !SAID.swap(true, Ordering::Relaxed) {
        eprintln!(
            "reblock: rank {rank} has waited {seconds} s for all ranks of the job to call reblock_{}",
            function.name()
        );
    }
}
