//! IN WHICH ORDER do messages go?
//!
//! A *step* is a matching: every rank sends at most one message and receives at most one. The *cost* of a step is its
//! longest message, that of a schedule the sum over its steps. Rivals stand side by side in [`table`]; [`router`] asks
//! them for their price and picks one. All of it is pure: same traffic, same answer, on every rank, without a clock.
//! This folder knows ranks and byte counts; it never knows arrays or MPI.
//!
//! | file | what |
//! |---|---|
//! | [`traffic`], [`dimension`] (with [`blocks`]), [`graph`] | who owes whom how many bytes: as a product of dimensions; one dimension by itself; message by message |
//! | [`certificate`], [`figures`], [`walked`] | figures of a schedule, and what no schedule can do without; of one dimension; along a line |
//! | [`order`], [`lookup`] | the step of a message |
//! | [`circulant`], [`classes`], [`ring`], [`checkerboard`] | schedules that list no messages |
//! | [`colouring`] (with `pairs`), [`matching`], [`drc`] (with `cover`), [`split`] | schedules of listed messages |
//! | [`multiphase`] | through intermediate distributions |
//! | [`caterpillar`] | the baseline |
//! | [`table`], [`machine`], [`clock`], [`delays`], [`effort`], [`router`] | the rivals, what they take, how long one may look, and the choice |
//! | `arrange` | steps in the order in which the last port is done first |
//! | [`without`] | parts that are left out to see what they are worth |

mod arrange;
pub mod blocks;
pub mod caterpillar;
pub mod certificate;
pub mod checkerboard;
pub mod circulant;
pub mod classes;
pub mod clock;
pub mod colouring;
mod cover;
pub mod delays;
pub mod dimension;
pub mod drc;
pub mod effort;
pub mod figures;
pub mod graph;
pub mod lookup;
pub mod machine;
pub mod matching;
pub mod multiphase;
pub mod order;
mod pairs;
pub mod ring;
pub mod router;
pub mod split;
pub mod table;
pub mod traffic;
pub mod walked;
pub mod why;
pub mod without;
