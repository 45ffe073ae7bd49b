//! IN WHICH ORDER do messages go?
//!
//! A *step* is a matching: every rank sends at most one message and receives at most one. The *cost* of a step is its
//! longest message, that of a schedule the sum over its steps. Rivals stand side by side in [`table`]; [`router`] asks
//! them for their price and picks one. All of it is pure: same traffic, same answer, on every rank, without a clock.
//! This folder knows distributions and byte counts; it calls no MPI and sees no element.
//!
//! Files use what is in rows above their own, or beside them; no two need each other.
//!
//! | file | what |
//! |---|---|
//! | [`limits`], [`machine`], [`effort`] | all constants; a machine in numbers; how long one may look for a schedule |
//! | [`graph`], [`lookup`] | who owes whom how many bytes, message by message |
//! | [`blocks`], [`classes`], [`loads`], [`walked`], [`dimension`] | the same of one dimension by itself |
//! | [`traffic`] | the same as a product of dimensions |
//! | [`order`], [`certificate`], [`course`] | the step of a message; figures of a schedule, and what no schedule can do without; what a rival finds |
//! | [`clock`], [`delays`], [`price`] | what a schedule takes |
//! | [`circulant`], [`ring`], [`checkerboard`], [`stars`], [`together`] with [`blown_up`] | rivals that list no messages, or those of one dimension only |
//! | [`colouring`], [`matching`], `cover`, [`drc`], [`split`] | rivals that list messages |
//! | [`multiphase`], [`caterpillar`] | through intermediate distributions; the baseline |
//! | [`table`] | the rivals |
//! | `arrange`, [`why`], [`router`] | the choice |
//! | [`without`] | parts that are left out to see what they are worth |

mod arrange;
pub mod blocks;
pub mod blown_up;
pub mod caterpillar;
pub mod certificate;
pub mod checkerboard;
pub mod circulant;
pub mod classes;
pub mod clock;
pub mod colouring;
pub mod course;
mod cover;
pub mod delays;
pub mod dimension;
pub mod drc;
pub mod effort;
pub mod graph;
pub mod limits;
pub mod loads;
pub mod lookup;
pub mod matching;
pub mod multiphase;
pub mod order;
pub mod price;
pub mod ring;
pub mod router;
pub mod split;
pub mod stars;
pub mod table;
pub mod together;
pub mod traffic;
pub mod walked;
pub mod why;
pub mod without;
