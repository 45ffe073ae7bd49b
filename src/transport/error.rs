//! Errors of calls, each with a text of one line. `collective` converts them to the failures of arrays.

use crate::mpi::MpiError;
use std::fmt;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Error {
    /// An argument of this rank is invalid.
    Argument(ArgumentError),
    /// This rank and another one gave different values for an argument.
    Disagreement {
        name: String,
        here: String,
        there: String,
        /// The other rank; `None` if the report does not say which.
        rank: Option<u32>,
    },
    /// The program, its settings or its machine do not allow the call: for example, the program has no BLACS or another
    /// MPI than reblock, or ranks have different settings.
    Host(String),
    Memory(String),
    Mpi(MpiError),
    /// A copy of an array in a device's memory failed.
    Device(String),
    /// A message has another length than this rank's plan expects.
    Length {
        /// Length of the message in bytes.
        came: usize,
        /// Length that the plan expects, in bytes.
        expected: usize,
    },
    /// reblock itself failed, and has reported how.
    Internal,
    /// Other ranks did not arrive or continue within this time in seconds, a limit of the user.
    Waited(u64),
    /// The communicator has processes of several MPI_COMM_WORLDs, perhaps some without reblock. Holds its ranks in this
    /// process's MPI_COMM_WORLD.
    Worlds(Vec<u32>),
    /// Another rank could not continue in the middle of a call, and reported it.
    Reported {
        rank: u32,
        kind: Kind,
        text: String,
    },
}

/// Kind of an error, as ranks send it to each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Kind {
    Argument = 1,
    Disagreement = 2,
    Host = 3,
    Memory = 4,
    /// [`Error::Mpi`], and a wait that took too long: MPI gives no reason.
    Mpi = 5,
    Length = 6,
    Internal = 7,
    Device = 8,
}

impl Kind {
    pub fn of(number: u8) -> Option<Self> {
        use Kind::*;
        [Argument, Disagreement, Host, Memory, Mpi, Length, Internal, Device]
            .into_iter()
            .find(|kind| *kind as u8 == number)
    }
}

impl Error {
    /// Returns the kind of this error, or of the error that another rank reported.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Argument(_) => Kind::Argument,
            Self::Disagreement { .. } => Kind::Disagreement,
            Self::Host(_) | Self::Worlds(_) => Kind::Host,
            Self::Memory(_) => Kind::Memory,
            Self::Mpi(_) | Self::Waited(_) => Kind::Mpi,
            Self::Device(_) => Kind::Device,
            Self::Length { .. } => Kind::Length,
            Self::Internal => Kind::Internal,
            Self::Reported { kind, .. } => *kind,
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ArgumentError {
    /// Name of the argument in ScaLAPACK's documentation.
    pub name: String,
    pub value: i64,
    pub expected: String,
    /// The process that found it, by its number in the grid of the matrix. All processes of that grid find it.
    pub place: Option<u32>,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Argument(ArgumentError { name, value, expected, .. }) => {
                write!(f, "{name} is {value}, expected {expected}")
            }
            Self::Disagreement { name, here, there, rank: Some(rank) } => {
                write!(f, "{name} differs between ranks: {here} on this rank, {there} on rank {rank}")
            }
            Self::Disagreement { name, here, there, rank: None } => {
                write!(f, "{name} differs between ranks: {here} on this rank, {there} on another rank")
            }
            Self::Host(text) | Self::Memory(text) => f.write_str(text),
            Self::Device(why) => write!(f, "a copy in the memory of a GPU failed: {why}"),
            Self::Mpi(e) => e.fmt(f),
            Self::Length { came, expected } => {
                write!(
                    f,
                    "the arguments differ between ranks: a message has {came} bytes, expected {expected}"
                )
            }
            Self::Internal => f.write_str("internal error"),
            Self::Waited(seconds) => {
                write!(f, "other ranks have not taken part within {seconds} s (REBLOCK_WAIT_SECONDS)")
            }
            Self::Worlds(_) => f.write_str(
                "the context has processes of several MPI_COMM_WORLDs, some of which may be without reblock, and there is no other \
                 ScaLAPACK in this program to make the call: if all of them have reblock, set REBLOCK_SPAWNED=1 for all",
            ),
            Self::Reported { rank, text, .. } => write!(f, "rank {rank}: {text}"),
        }
    }
}

impl std::error::Error for Error {}

impl From<ArgumentError> for Error {
    fn from(e: ArgumentError) -> Self {
        Self::Argument(e)
    }
}

impl From<MpiError> for Error {
    fn from(e: MpiError) -> Self {
        Self::Mpi(e)
    }
}
