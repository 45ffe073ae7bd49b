//! WHY did a call fail? A code that programs can act on, and a line of text for people. No call of this module ends the job.

use crate::layout::mapping::Mistake;
use crate::mpi::MpiError;
use crate::system::one_line::one_line;
use crate::transport::error::{Error, Kind};
use std::cell::Cell;
use std::fmt;

thread_local! {
    static REASON: Cell<Option<String>> = const { Cell::new(None) };
}

/// Sets the text of the next failure that this thread sends to other ranks; `None`: its own. A binding that finds a mistake
/// which the library cannot see makes a call with invalid arguments, and the other ranks read `text`.
pub(crate) fn set_reason(text: Option<String>) {
    REASON.set(text);
}

/// Takes that text.
pub(crate) fn take_reason() -> Option<String> {
    REASON.take()
}

/// What kind of failure.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum Code {
    /// Not an object of the kind that is needed, or one that was freed.
    Handle = 1,
    /// An argument has a value that it cannot have.
    Argument = 2,
    /// The object is in a state in which the call makes no sense.
    State = 3,
    /// Ranks called with different arguments, or different functions.
    Differs = 4,
    /// There is no memory.
    Memory = 5,
    /// MPI failed.
    Mpi = 6,
    /// Source and target are the same memory.
    Overlap = 7,
    /// A text does not follow the grammar.
    Text = 8,
    /// The environment or the options cannot be used.
    Settings = 9,
    /// An earlier failure of MPI, or a panic, left the communicator in a state in which nothing can be agreed on.
    Broken = 10,
    /// A mistake in reblock itself.
    Internal = 11,
    /// A file cannot be read or written, or is not what is expected.
    File = 12,
}

impl Code {
    /// All of them.
    pub const ALL: [Self; 12] = [
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
    ];

    /// The code with that number.
    pub fn of(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|code| *code as u8 == number)
    }
}

/// Why a call did nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// What kind.
    pub code: Code,
    /// One line, as [`Failure::new`] makes it. Where it is another rank's failure it says whose.
    pub text: String,
}

impl Failure {
    /// A failure with a text.
    pub fn new(code: Code, text: impl Into<String>) -> Self {
        Self { code, text: one_line(&text.into()).into() }
    }

    /// An argument that is not valid.
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
            Kind::Length => Code::Broken,
            Kind::Internal => Code::Internal,
        };
        Self::new(code, error.to_string())
    }
}
