//! HOW does reblock speak to the user? In lines on standard error, each written at once, so that lines of ranks that share a
//! terminal stay whole (Rust's `eprintln!` writes its pieces one by one). It never knows whether anybody listens: where
//! standard error is closed or full, the program goes on.

use std::fmt::Arguments;
use std::io::Write;

/// Says `what` in a line, which begins with "reblock: ".
pub fn line(what: Arguments) {
    text(&lined(what));
}

/// Says all lines of `text` together.
pub fn text(text: &str) {
    say(&mut std::io::stderr().lock(), text);
}

fn lined(what: Arguments) -> String {
    format!("reblock: {what}\n")
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
    fn nobody_who_listens_is_no_error() {
        let mut nobody: &mut [u8] = &mut [];
        say(&mut nobody, "reblock: nothing\n");
    }
}
