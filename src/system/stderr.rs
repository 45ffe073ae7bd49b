//! Writes lines to the user on standard error.
//!
//! Each text is one write, so that lines of ranks that share a terminal stay whole (`eprintln!` writes pieces).
//! Failures are ignored: the program goes on without standard error.

use crate::system::one_line::one_line;
use crate::system::room::Room;
use std::fmt::Arguments;
use std::fs::File;
use std::io::{Seek, Write};
use std::os::fd::AsFd;

/// Writes `what` as a line that begins with "reblock: ".
pub fn line(what: Arguments) {
    text(&to_line(what));
}

/// Writes all lines of `text` at once.
pub fn text(text: &str) {
    let mut out = std::io::stderr().lock();
    if has_room(&out, text.len() as u64) {
        write_line(&mut out, text);
    }
}

/// Returns whether `bytes` more bytes keep standard error within the process's file size limit, if it is a file. Beyond
/// the limit, the system ends the process by a signal.
fn has_room(out: &impl AsFd, bytes: u64) -> bool {
    let most = Room::largest_file();
    if most == u64::MAX {
        return true;
    }
    let Ok(mut file) = out.as_fd().try_clone_to_owned().map(File::from) else { return true };
    let Ok(data) = file.metadata() else { return true };
    !data.is_file() || file.stream_position().unwrap_or(0).max(data.len()).saturating_add(bytes) <= most
}

fn to_line(what: Arguments) -> String {
    format!("reblock: {}\n", one_line(&what.to_string()))
}

fn write_line(out: &mut impl Write, text: &str) {
    // There is nowhere left to report an error.
    let _ = out.write_all(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Records the text of each system call.
    struct Calls(Vec<String>);

    impl Write for Calls {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.push(String::from_utf8_lossy(bytes).into());
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_line_is_one_write() {
        let mut calls = Calls(Vec::new());
        let (rank, why) = (3, "no memory");
        write_line(&mut calls, &to_line(format_args!("PDGEMR2D on rank {rank}: {why}")));
        assert_eq!(calls.0, ["reblock: PDGEMR2D on rank 3: no memory\n"]);
    }

    #[test]
    fn a_name_with_a_line_break_is_one_line() {
        let name = "fast\nest";
        assert_eq!(to_line(format_args!("the scheduler {name}")), "reblock: the scheduler fast\\nest\n");
    }
}
