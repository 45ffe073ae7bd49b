//! Failures of calls: a code for programs, a line of text for people.

use crate::layout::mapping::Mistake;
use crate::mpi::MpiError;
use crate::system::one_line::one_line;
use crate::transport::error::{Error, Kind};
use std::cell::Cell;
use std::fmt;

thread_local! {
    static REASON: Cell<Option<String>> = const { Cell::new(None) };
}

/// Sets the text of this thread's next failure in a collective call; `None` removes it. A binding that finds a mistake
/// which the library cannot see sets the text and makes a call with invalid arguments, so that all ranks read it.
pub(crate) fn set_reason(text: Option<String>) {
    REASON.set(text);
}

pub(crate) fn take_reason() -> Option<String> {
    REASON.take()
}

/// The kind of a failure.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum Code {
    /// Not an object of the expected kind, or a freed one.
    Handle = 1,
    /// An argument has an invalid value.
    Argument = 2,
    /// The object is in a state that does not allow the call.
    State = 3,
    /// Ranks called with different arguments, or different functions.
    Differs = 4,
    /// Memory could not be allocated.
    Memory = 5,
    /// A call of MPI failed.
    Mpi = 6,
    /// Source and target share memory.
    Overlap = 7,
    /// A text does not follow the grammar.
    Text = 8,
    /// The environment or the options cannot be used.
    Settings = 9,
    /// An earlier failure of MPI, or a panic, left the communicator in an undefined state: no agreement is possible.
    Broken = 10,
    /// A mistake in reblock itself.
    Internal = 11,
    /// A file cannot be read or written, or has unexpected contents.
    File = 12,
    /// A copy of an array in a device's memory failed. The target may be half written.
    Device = 13,
    /// The resize for which this process was started has failed or was cancelled. The job does not need the process.
    Cancelled = 14,
}

impl Code {
    /// The codes in ascending order of their numbers.
    pub const ALL: [Self; 14] = [
        Self::Handle,
        Self::Argument,
        Self::State,
        Self::Differs,
        Self::Memory,
        Self::Mpi,
        Self::Overlap,
        Self::Text,
        Self::Settings,
        Self::Broken,
        Self::Internal,
        Self::File,
        Self::Device,
        Self::Cancelled,
    ];

    /// Returns the code with this number, if there is one.
    pub fn of(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|code| *code as u8 == number)
    }
}

/// Failure of a call: its kind, and the reason in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// The kind of failure, for programs.
    pub code: Code,
    /// The reason, in one line. It begins with the rank if another rank failed.
    pub text: String,
}

impl Failure {
    /// Creates a failure; turns `text` into one line.
    pub fn new(code: Code, text: impl Into<String>) -> Self {
        Self { code, text: one_line(&text.into()).into() }
    }

    /// Creates the failure of an invalid argument.
    pub fn argument(text: impl Into<String>) -> Self {
        Self::new(Code::Argument, text)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Failure {}

impl From<Mistake> for Failure {
    fn from(mistake: Mistake) -> Self {
        Self::new(Code::Argument, mistake.0)
    }
}

impl From<MpiError> for Failure {
    fn from(error: MpiError) -> Self {
        Self::new(Code::Mpi, error.to_string())
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let code = match error.kind() {
            Kind::Argument => Code::Argument,
            Kind::Disagreement => Code::Differs,
            Kind::Host => Code::Settings,
            Kind::Memory => Code::Memory,
            Kind::Mpi => Code::Mpi,
            Kind::Device => Code::Device,
            Kind::Length => Code::Broken,
            Kind::Internal => Code::Internal,
        };
        Self::new(code, error.to_string())
    }
}
