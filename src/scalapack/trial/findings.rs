//! Formats the findings of a trial: which library is at fault, and where. Reads no arrays.

use super::source_checksum::SourceChecksum;
use super::trial_buffer::Fault;
use crate::scalapack::Call;
use crate::scalapack::raw::RawCall;
use crate::system::stderr;
use crate::trial::Trial;

/// Returns the library that makes reblock's call (if `ours`) or ScaLAPACK's call; a trial of ScaLAPACK against itself
/// makes both by ScaLAPACK.
pub(crate) fn library_name(trial: Trial, ours: bool) -> &'static str {
    if ours && !trial.same { "reblock" } else { "ScaLAPACK" }
}

/// Writes the finding `what` of this rank on standard error.
pub(crate) fn report(raw: &RawCall, rank: u32, what: &str) {
    stderr::line(format_args!("trial: {} on rank {rank}: {what}", raw.routine));
}

/// Formats the finding that the library `who` changed A, in the checksum unit at byte `byte` of the local array.
pub(crate) fn changed(raw: &RawCall, call: &Call, who: &str, byte: u64) -> String {
    let matrix = call.a.as_ref().expect("only a rank with a part of A finds it changed");
    let ld = u64::try_from(matrix.descriptor.ld).unwrap_or(0).max(1);
    let index = byte / raw.routine.element as u64;
    format!(
        "{who} wrote to A, which it is to read only: within {} bytes from row {} of local column {} on",
        SourceChecksum::UNIT,
        index % ld + 1,
        index / ld + 1
    )
}

/// Formats a finding about a result.
pub(crate) fn text(call: &Call, trial: Trial, found: &Fault) -> String {
    // The second result, between margins, is by the library whose result the program does not get.
    let who = library_name(trial, !trial.ours);
    match found {
        Fault::Different { place, b, second } => {
            let (ours, theirs) = if trial.ours { (b, second) } else { (second, b) };
            let matrix = call.b.as_ref().expect("only a rank with a part of B finds a difference");
            let global = match place.padding {
                true => String::new(),
                false => {
                    let [row, col] = matrix.global_index(place.at);
                    format!(", B({row},{col})")
                }
            };
            format!("results differ first in {place}{global}: ScaLAPACK {theirs}, reblock {ours}")
        }
        Fault::Before(byte) => format!("{who} wrote byte {byte} before the first element of B's local array"),
        Fault::Behind(byte) => format!("{who} wrote byte {byte} behind the last element of B's local array"),
    }
}
