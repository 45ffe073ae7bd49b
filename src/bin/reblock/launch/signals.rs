//! Signals that a run passes on to its command: those that users and batch systems send to a program. The terminal
//! sends its signals to the command, too, so these are not passed on. Signals that this process was started to ignore
//! (nohup) stay ignored, here and in the command.

use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
use signal_hook::iterator::SignalsInfo;
use signal_hook::iterator::exfiltrator::WithOrigin;
use signal_hook::low_level::siginfo::{Cause, Origin};
use std::process::Child;

/// The signals that are passed on, with their names.
const PASSED: [(i32, Signal, &str); 6] = [
    (SIGHUP, Signal::HUP, "SIGHUP"),
    (SIGINT, Signal::INT, "SIGINT"),
    (SIGQUIT, Signal::QUIT, "SIGQUIT"),
    (SIGTERM, Signal::TERM, "SIGTERM"),
    (SIGUSR1, Signal::USR1, "SIGUSR1"),
    (SIGUSR2, Signal::USR2, "SIGUSR2"),
];

/// The signals that have arrived since [`Signals::catch`].
pub struct Signals {
    arrived: SignalsInfo<WithOrigin>,
    latest: Option<&'static str>,
}

impl Signals {
    /// Starts catching. Must be called before the command starts, so that no signal is lost in between.
    pub fn catch() -> Result<Self, String> {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let ignored = ignored(&status);
        let caught = PASSED.iter().map(|&(number, ..)| number).filter(|n| ignored >> (n - 1) & 1 == 0);
        let arrived =
            SignalsInfo::new(caught).map_err(|error| format!("signals cannot be caught: {error}"))?;
        Ok(Self { arrived, latest: None })
    }

    /// Passes the arrived signals on to `child`, which has not been waited for.
    pub fn pass_on(&mut self, child: &Child) {
        for Origin { signal, cause, .. } in self.arrived.pending() {
            let Some(&(_, passed, name)) = PASSED.iter().find(|(number, ..)| *number == signal) else {
                continue;
            };
            self.latest = Some(name);
            if cause == Cause::Kernel {
                continue;
            }
            if let Err(error) = kill_process(Pid::from_child(child), passed) {
                eprintln!("reblock: {name} cannot be passed on: {error}");
            }
        }
    }

    /// Returns the name of the latest signal, if any.
    pub fn latest(&self) -> Option<&'static str> {
        self.latest
    }
}

/// Returns the set of signals that a process ignores, from its `status` in /proc; bit 0 is signal 1.
fn ignored(status: &str) -> u64 {
    let set = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    set.and_then(|set| u64::from_str_radix(set.trim(), 16).ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_ignored_is_read_from_the_status() {
        assert_eq!(ignored("Name:\treblock\nSigIgn:\t0000000000001001\nSigCgt:\tff\n"), 0x1001);
        assert_eq!(ignored(""), 0);
    }
}
