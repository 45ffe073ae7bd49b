//! Schedulers of messages, the price of their schedules, and the choice among them.
//!
//! A *step* is a matching: each rank sends at most one message and receives at most one. The *cost* of a step is the
//! length of its longest message in bytes. The cost of a schedule is the sum of the costs of its steps. The schedulers
//! are rows of [`table`]; [`chooser`] prices their schedules and picks one. Everything here is pure: the same traffic
//! gives the same result on every rank. No file calls MPI, reads a clock or accesses an element of an array.
//!
//! A file imports only files in rows above its own, or in its own row. There are no import cycles.
//!
//! | file | contents |
//! |---|---|
//! | [`limits`], [`planning_budget`] | all constants; the planning budget. [`Machine`](crate::machine::Machine) has the figures of the machine |
//! | [`graph`], [`lookup`] | a bipartite graph of messages; a table from the ports of a message to a number |
//! | [`blocks`], [`classes`], [`loads`], [`walked`], [`dimension`] | the messages of one dimension |
//! | [`traffic`] | the messages of a redistribution, as a product of its dimensions |
//! | [`order`], [`certificate`], [`course`] | the step of a message; the figures of a schedule and their lower bounds; the result of a scheduler |
//! | [`simulate`], [`jitter`], [`cost_model`] | the time that a schedule takes |
//! | [`circulant`], [`ring`], [`checkerboard`], [`stars`], [`together`] with [`blown_up`] | schedulers that list no messages, or only those of one dimension |
//! | [`colouring`], [`matching`], `cover`, [`drc`], [`split`] | schedulers that list messages |
//! | [`multiphase`], [`caterpillar`] | moves through intermediate distributions; ScaLAPACK's algorithm, as the baseline |
//! | [`table`] | the schedulers |
//! | `reorder`, [`why`], [`chooser`] | the choice |
//! | [`without`] | parts that a benchmark leaves out to measure their worth |

pub mod blocks;
pub mod blown_up;
pub mod caterpillar;
pub mod certificate;
pub mod checkerboard;
pub mod chooser;
pub mod circulant;
pub mod classes;
pub mod colouring;
pub mod cost_model;
pub mod course;
mod cover;
pub mod dimension;
pub mod drc;
pub mod graph;
pub mod jitter;
pub mod limits;
pub mod loads;
pub mod lookup;
pub mod matching;
pub mod multiphase;
pub mod order;
pub mod planning_budget;
mod reorder;
pub mod ring;
pub mod simulate;
pub mod split;
pub mod stars;
pub mod table;
pub mod together;
pub mod traffic;
pub mod walked;
pub mod why;
pub mod without;
