//! Messages of a redistribution by node, and the price of two ways to send them: each message alone, or one message for
//! each pair of nodes.
//!
//! Ranks of a node share its network port, so start-ups and bytes count for the node. [`Tally`] counts them for a
//! [`Placement`] of the ranks without a list of all messages: a message is a product of dimensions, and `Lengths`
//! describes a dimension by stretches of equal messages. [`prices`] compares the two ways.
//!
//! | file | contents |
//! |---|---|
//! | `placement` | the node of each rank |
//! | `lengths` | the lengths of one dimension's messages |
//! | `places` | the places of a node's ranks in a grid, as products of coordinates |
//! | `flow` | numbers of messages and bytes of a node, by kind |
//! | `count` | counts the messages of each node |
//! | `partner_nodes` | counts the partner nodes of each node |
//! | `tally` | all of these numbers for each node |
//! | `price` | the time between nodes |

mod count;
mod flow;
mod lengths;
mod partner_nodes;
mod placement;
mod places;
mod price;
mod tally;

pub use flow::{Flow, NodeTally, Part, Volume};
pub use placement::{Placement, PlacementOrder};
pub use price::{NodePort, Price, Prices, prices};
pub use tally::Tally;

#[cfg(test)]
mod tests;
