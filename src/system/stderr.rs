//! HOW does reblock speak to the user? In lines on standard error, each written at once, so that lines of ranks that share a
//! terminal stay whole (Rust's `eprintln!` writes its pieces one by one). It never knows whether anybody listens: where
//! standard error is closed or full, the program goes on.

use crate::system::one_line::one_line;
use crate::system::room::Room;
use std::fmt::Arguments;
use std::fs::File;
use std::io::{Seek, Write};
use std::os::fd::AsFd;

/// Says `what` in a line, which begins with "reblock: ".
pub fn line(what: Arguments) {
    text(&lined(what));
}

/// Says all lines of `text` together.
pub fn text(text: &str) {
    let mut out = std::io::stderr().lock();
    if has_room(&out, text.len() as u64) {
        say(&mut out, text);
    }
}

/// Whether that can be written without a signal that ends the process, where standard error is a file that would become larger
/// than the process may make it.
fn has_room(out: &impl AsFd, bytes: u64) -> bool {
    let most = Room::largest_file();
    if most == u64::MAX {
        return true;
    }
    let Ok(mut file) = out.as_fd().try_clone_to_owned().map(File::from) else { return true };
    let Ok(data) = file.metadata() else { return true };
    !data.is_file() || file.stream_position().unwrap_or(0).max(data.len()).saturating_add(bytes) <= most
}

fn lined(what: Arguments) -> String {
    format!("reblock: {}\n", one_line(&what.to_string()))
}

fn say(out: &mut impl Write, text: &str) {
    // Nothing is left to tell it to.
    let _ = out.write_all(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What each call of the system would write.
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
        say(&mut calls, &lined(format_args!("PDGEMR2D on rank {rank}: {why}")));
        assert_eq!(calls.0, ["reblock: PDGEMR2D on rank 3: no memory\n"]);
    }

    #[test]
    fn a_name_with_a_line_break_is_one_line() {
        let name = "fast\nest";
        assert_eq!(lined(format_args!("the scheduler {name}")), "reblock: the scheduler fast\\nest\n");
    }
}
