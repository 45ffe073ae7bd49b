//! Layout of a node's memory for exchanges, and of the regions in it.

use super::node_map::NodeMap;
use super::region::{RankCounts, RegionState};
use crate::system::budget::{Budget, EARLY_HEADER, EARLY_LIST};

/// Maximum bytes of a record.
pub(crate) const MAX_RECORD_BYTES: usize = 512;
/// Alignment of regions and of the messages in them, in bytes.
pub(super) const ALIGN: usize = 8;
/// Bytes before a record: its length, and the bytes of table and messages, as two u32. Without messages, there are 0
/// bytes and no table.
pub(super) const LENGTHS_BYTES: usize = size_of::<[u32; 2]>();
/// Room for a record and the lengths at the beginning of a region, in bytes.
pub(super) const RECORD_ROOM: usize = LENGTHS_BYTES + MAX_RECORD_BYTES;
/// Bytes of a table for each receiver: the place where its list begins.
pub(super) const LIST_BYTES: usize = size_of::<u32>();
/// Bytes before each message: place of the next message, sender and length.
pub(super) const HEADER_BYTES: usize = size_of::<(u32, u16, u16)>();
const _: () = assert!(HEADER_BYTES as u64 == EARLY_HEADER, "the budget counts the headers");
const _: () = assert!(LIST_BYTES as u64 == EARLY_LIST, "prices count the table");

/// Place of a region in the node's memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Region {
    /// Offset of its [`RegionState`].
    pub state: usize,
    /// Offset of its bytes, and their number.
    pub start: usize,
    pub bytes: usize,
    /// Bytes of its table.
    pub table: usize,
    /// Whether MPI receives its bytes. Then the table follows the record.
    pub is_received: bool,
}

/// Layout of a node's memory for exchanges. Equal on all ranks of the node.
#[derive(Debug)]
pub(crate) struct Layout {
    /// Maximum bytes of a message between two ranks.
    pub(super) limit: usize,
    /// Offsets of the [`RankCounts`] and of the ranks' records.
    pub(super) counts: usize,
    pub(super) records: usize,
    /// Regions for the message to the node `k` places further on; region 0 is for the node's own ranks.
    pub(super) sent: Vec<Region>,
    /// Regions for the message from the node `k` places before; entry 0 is region 0 of `sent`.
    pub(super) received: Vec<Region>,
    /// Bytes of the longest region.
    pub(super) longest: usize,
    bytes: usize,
}

impl Layout {
    /// Lays out the memory of node number `node`, for messages of at most `limit` bytes between two ranks, or less if a
    /// region would be too long.
    pub fn new(map: &NodeMap, node: usize, limit: usize) -> Self {
        let limit = Budget::early_in_region(limit as u64, map.max_pairs() as u64);
        let limit = usize::try_from(limit).expect("no more than before");
        let nodes = map.count();
        let own = map.of_node(node).len();
        let counts = 2 * nodes * size_of::<RegionState>();
        let records = counts + size_of::<RankCounts>();
        let mut end = records;
        end += own * MAX_RECORD_BYTES;
        let mut region = |state: usize, senders: usize, receivers: usize, is_received: bool| {
            let (start, table) = (end, table_bytes(receivers));
            let room = if limit == 0 { 0 } else { HEADER_BYTES + limit };
            let bytes = RECORD_ROOM + table + senders * receivers * room;
            end += bytes;
            Region { state: state * size_of::<RegionState>(), start, bytes, table, is_received }
        };
        let ranks = |other: usize| map.of_node(other % nodes).len();
        let sent: Vec<Region> = (0..nodes).map(|k| region(k, own, ranks(node + k), false)).collect();
        let mut received = vec![sent[0]];
        received.extend((1..nodes).map(|k| region(nodes + k, ranks(node + nodes - k), own, true)));
        let longest =
            sent.iter().chain(&received).map(|region| region.bytes).max().expect("a region for the own node");
        Self { limit, counts, records, sent, received, longest, bytes: end }
    }

    /// Returns the bytes of the node's memory.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

/// Returns the bytes of a region's table, for `receivers` ranks.
fn table_bytes(receivers: usize) -> usize {
    (receivers * LIST_BYTES).next_multiple_of(ALIGN)
}
