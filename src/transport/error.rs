//! WHY can a call not be carried out? In one line that names the argument, its value and what was expected.

use crate::mpi::MpiError;
use std::fmt;

/// Why a call cannot be carried out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Error {
    /// An argument of this rank is not valid.
    Argument(ArgumentError),
    /// This rank and another one gave different arguments.
    Disagreement {
        /// The argument.
        name: String,
        /// Its value here.
        here: String,
        /// Its value there.
        there: String,
        /// Who gave that; `None`: some rank that others told of.
        rank: Option<u32>,
    },
    /// The host program has no BLACS, or another MPI than reblock.
    Host(String),
    /// This rank has no memory for what the call needs.
    Memory(String),
    /// MPI failed.
    Mpi(MpiError),
    /// A message has another length than this rank's plan says.
    Length {
        /// Bytes that came.
        came: usize,
        /// Bytes that were expected.
        expected: usize,
    },
    /// reblock itself failed, and has said how.
    Internal,
    /// Other ranks were waited for so many seconds, which is as long as was asked for.
    Waited(u64),
    /// Processes of several MPI_COMM_WORLDs are in the communicator, some of which may be without reblock. With the ranks in this
    /// one's world of those that are in it.
    Worlds(Vec<u32>),
    /// Another rank could not go on in the middle of a call, and said so.
    Told {
        /// Which.
        rank: u32,
        /// What kind of error it had.
        kind: Kind,
        /// What it said.
        text: String,
    },
}

/// What kind of error one is, as ranks tell each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Kind {
    /// [`Error::Argument`].
    Argument = 1,
    /// [`Error::Disagreement`].
    Disagreement = 2,
    /// [`Error::Host`].
    Host = 3,
    /// [`Error::Memory`].
    Memory = 4,
    /// [`Error::Mpi`], and others that have not come: MPI cannot say why.
    Mpi = 5,
    /// [`Error::Length`].
    Length = 6,
    /// [`Error::Internal`].
    Internal = 7,
}

impl Kind {
    /// The kind with that number.
    pub fn of(number: u8) -> Option<Self> {
        use Kind::*;
        [Argument, Disagreement, Host, Memory, Mpi, Length, Internal]
            .into_iter()
            .find(|kind| *kind as u8 == number)
    }
}

impl Error {
    /// What kind of error it is, here or on the rank that told of it.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Argument(_) => Kind::Argument,
            Self::Disagreement { .. } => Kind::Disagreement,
            Self::Host(_) | Self::Worlds(_) => Kind::Host,
            Self::Memory(_) => Kind::Memory,
            Self::Mpi(_) | Self::Waited(_) => Kind::Mpi,
            Self::Length { .. } => Kind::Length,
            Self::Internal => Kind::Internal,
            Self::Told { kind, .. } => *kind,
        }
    }
}

/// An argument that is not valid.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ArgumentError {
    /// The argument, as ScaLAPACK's documentation calls it.
    pub name: String,
    /// Its value.
    pub value: i64,
    /// What it must be.
    pub expected: String,
    /// The process that found it, as its number in the grid of the matrix concerned: others of that grid find the same.
    pub place: Option<u32>,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Argument(ArgumentError { name, value, expected, .. }) => {
                write!(f, "{name} is {value}, expected {expected}")
            }
            Self::Disagreement { name, here, there, rank: Some(rank) } => {
                write!(f, "{name} is {here}, but {there} on rank {rank}: expected the same on all ranks")
            }
            Self::Disagreement { name, here, there, rank: None } => {
                write!(f, "{name} is {here}, but {there} on another rank: expected the same on all ranks")
            }
            Self::Host(text) | Self::Memory(text) => f.write_str(text),
            Self::Mpi(e) => e.fmt(f),
            Self::Length { came, expected } => {
                write!(
                    f,
                    "a message has {came} bytes instead of {expected}: the arguments differ between ranks"
                )
            }
            Self::Internal => f.write_str("internal error"),
            Self::Waited(seconds) => {
                write!(f, "other ranks have not come or gone on within {seconds} s (REBLOCK_WAIT_SECONDS)")
            }
            Self::Worlds(_) => f.write_str(
                "the context has processes of several MPI_COMM_WORLDs, some of which may be without reblock, and there is no other \
                 ScaLAPACK in this program to make the call: if all of them have reblock, set REBLOCK_SPAWNED=1 for all",
            ),
            Self::Told { rank, text, .. } => write!(f, "rank {rank}: {text}"),
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
