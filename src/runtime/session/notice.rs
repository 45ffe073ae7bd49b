//! Lines at the first call of a process: that reblock is in use (`REBLOCK_VERBOSE=1`), and names of unknown
//! variables.

use crate::mpi::blacs::own_file;
use crate::mpi::{self, Comm};
use crate::system::settings::{Settings, unknown};
use crate::system::stderr;
use std::sync::Once;

/// Writes the lines, once, on rank 0 of `MPI_COMM_WORLD`; not in a process that a resizing job has started.
pub fn first_call() {
    static SAID: Once = Once::new();
    SAID.call_once(|| {
        if mpi::world_rank() == Some(0) && std::env::var_os("REBLOCK_JOINS").is_none() {
            for line in unknown::lines_of_process() {
                stderr::line(format_args!("{line}"));
            }
            if let Some(settings) = Settings::of_process().ok().filter(|settings| settings.verbose) {
                stderr::line(format_args!("{}", in_use(settings)));
            }
        }
    });
}

/// Formats a line as `version 0.2.0 is in use: 4 ranks, Open MPI v4.1.4, /usr/lib/libreblock.so`.
fn in_use(settings: &Settings) -> String {
    let ranks = Comm::world().size().map_or(String::new(), |ranks| match ranks {
        1 => "1 rank, ".into(),
        n => format!("{n} ranks, "),
    });
    let is_set = |value: &String| !value.is_empty() && value != "0";
    let makes = match &settings.trial {
        [_, off, _] if is_set(off) => "is loaded, and REBLOCK_OFF=1 leaves all calls to ScaLAPACK",
        [trial, ..] if is_set(trial) => "is in use, under trial",
        _ => "is in use",
    };
    let file = own_file().map_or(String::new(), |file| format!(", {}", file.display()));
    format!("version {} {makes}: {ranks}{}{file}", env!("CARGO_PKG_VERSION"), mpi::name())
}
