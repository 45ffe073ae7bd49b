//! Schedulers of messages, the price of their schedules, and the choice among them.
//!
//! A *step* is a matching: each rank sends at most one message and receives at most one message. The *cost* of a step
//! is the length of its longest message in bytes. The cost of a schedule is the sum of the costs of its steps. The
//! schedulers are rows of [`table`]; [`chooser`] prices their schedules and picks one. Everything here is pure: the
//! same traffic gives the same result on every rank. No file calls MPI, reads a clock or accesses an element of an
//! array.
//!
//! A file imports only files in rows above its own, or in its own row. There are no import cycles.
//!
//! | file | contents |
//! |---|---|
//! | [`without`] | parts that a benchmark leaves out to measure their effect |
//! | [`limits`] | limits and constants of planning; [`Machine`](crate::machine::Machine) has the machine's parameters |
//! | [`planning_budget`] | the numbers of messages that planning may examine one by one |
//! | [`graph`], [`lookup`] | a bipartite graph of messages; a table from the ports of a message to a number |
//! | [`node_ports`] | network ports that ranks of a node share |
//! | [`blocks`], [`classes`], [`loads`], [`walk`], [`dimension`] | the messages of one dimension |
//! | [`traffic`] | the messages of a redistribution, as a product of its dimensions |
//! | [`order`], [`certificate`] | the step of each message; the figures of a schedule and their lower bounds |
//! | [`course`] | the result of a scheduler |
//! | [`simulate`], [`jitter`], [`cost_model`] | the time that a schedule takes |
//! | [`nodes`] | messages by node, and the time that they take if ranks of a node share its port |
//! | [`colouring`], [`matching`], `cover`, [`drc`], [`split`] | schedulers that list all messages |
//! | [`by_node`] | schedulers of nodes, whose ranks share a port |
//! | [`circulant`], [`ring`] | schedulers of one dimension that list no messages |
//! | [`checkerboard`], [`stars`], [`together`] with [`blown_up`] | schedulers that combine schedules of dimensions |
//! | [`multiphase`] | moves through intermediate distributions |
//! | [`caterpillar`] | ScaLAPACK's algorithm, as the baseline |
//! | [`table`] | the schedulers |
//! | `reorder`, [`why`], [`chooser`] | the choice |

pub mod blocks;
pub mod blown_up;
pub mod by_node;
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
pub mod node_ports;
pub mod nodes;
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
pub mod walk;
pub mod why;
pub mod without;
