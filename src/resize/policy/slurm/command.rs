//! Background commands to a resource manager, whose answer may take seconds or days. A thread waits for the child
//! process; the policy polls for the answer.

use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError, channel};
use std::time::Duration;

/// The words that a command prints, or the last line of its standard error if it fails.
pub type CommandAnswer = Result<Vec<String>, String>;

pub struct BackgroundCommand(Receiver<CommandAnswer>);

impl BackgroundCommand {
    /// Starts a command, without LD_PRELOAD and the job's number in its environment: with that number `scontrol` would
    /// write files into the program's folder.
    pub fn start(mut command: Command) -> Self {
        command
            .env_remove("LD_PRELOAD")
            .env_remove("SLURM_JOB_ID")
            .env_remove("SLURM_JOBID")
            .stdin(Stdio::null());
        let (sender, answer) = channel();
        // If nobody waits for the answer, it is dropped.
        let run = move || drop(sender.send(answer_of(command)));
        // If no thread can be started, the closure is dropped with the sender, which the receiver notices.
        drop(std::thread::Builder::new().name("reblock-command".into()).spawn(run));
        Self(answer)
    }

    pub fn try_answer(&self) -> Option<CommandAnswer> {
        match self.0.try_recv() {
            Ok(answer) => Some(answer),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => Some(Err(lost())),
        }
    }

    /// Returns the answer, if it arrives within that time.
    pub fn wait_answer(&self, time: Duration) -> Option<CommandAnswer> {
        match self.0.recv_timeout(time) {
            Ok(answer) => Some(answer),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some(Err(lost())),
        }
    }
}

fn lost() -> String {
    "cannot start a thread that waits for the answer".into()
}

fn answer_of(mut command: Command) -> CommandAnswer {
    let output =
        command.output().map_err(|why| format!("{}: {why}", command.get_program().to_string_lossy()))?;
    let errors = String::from_utf8_lossy(&output.stderr);
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).split_whitespace().map(String::from).collect()),
        false => Err(errors
            .lines()
            .rev()
            .map(str::trim)
            .find(|line| !line.is_empty())
            .map_or_else(|| output.status.to_string(), String::from)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(text: &str) -> CommandAnswer {
        let mut command = Command::new("sh");
        command.args(["-c", text]);
        BackgroundCommand::start(command).wait_answer(Duration::from_secs(60)).expect("an answer")
    }

    #[test]
    fn an_answer_is_its_lines_or_the_error_text() {
        assert_eq!(shell("echo n1; echo n2"), Ok(vec!["n1".into(), "n2".into()]));
        assert_eq!(shell("seq 100000").map(|lines| lines.len()), Ok(100_000), "more than a pipe holds");
        assert_eq!(shell("echo first >&2; echo last >&2; echo >&2; exit 3"), Err("last".into()));
        assert!(shell("exit 3").unwrap_err().contains('3'));
        let none = BackgroundCommand::start(Command::new("/no/such/command"))
            .wait_answer(Duration::from_secs(60))
            .unwrap();
        assert!(none.unwrap_err().starts_with("/no/such/command: "));
    }
}
