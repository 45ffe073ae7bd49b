//! IN WHICH ORDER do messages go?
//!
//! A *step* is a matching: every rank sends at most one message and receives at most one. This folder knows ranks
//! and byte counts; it never knows arrays or MPI.

mod caterpillar;
pub mod certificate;
pub mod circulant;
pub mod classes;
pub mod colouring;
pub mod drc;
pub mod graph;
pub mod line;
pub mod matching;
mod pairs;

pub use caterpillar::caterpillar;
