//! Sums, over groups of ranks, of the bytes that ranks send to each other and of those that stay. The sums are those of
//! a direct redistribution: in a schedule of several phases, data also travels through other ranks.

use super::ranks::RankGroups;
use crate::listing::kept;
use reblock_plan::schedule::traffic::Traffic;
use std::collections::BTreeMap;

/// The data between two groups of ranks.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Cell {
    pub moved: u64,
    pub messages: u64,
    /// Bytes that stay on their rank.
    pub kept: u64,
}

/// The data of one group: sent and received in messages, and kept.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Sums {
    pub sent: u64,
    pub received: u64,
    pub kept: u64,
}

#[derive(Debug)]
pub struct Flows {
    /// Cells that are not empty: (group of the senders, group of the receivers).
    pub cells: BTreeMap<(usize, usize), Cell>,
    pub sums: Vec<Sums>,
    pub total: Cell,
    /// The rank with the most bytes sent and received; the lowest one of several.
    pub busiest: u32,
}

impl Flows {
    /// Adds up the messages; the error says why they cannot be listed.
    pub fn new(traffic: &Traffic, groups: &RankGroups) -> Result<Self, String> {
        let list = traffic.list()?;
        let too_many = || "the data that ranks keep cannot be listed".to_string();
        let [from, to] =
            [&traffic.from, &traffic.to].map(|grid| grid.ranks().map(|rank| rank.0).collect::<Vec<_>>());
        let (mut cells, mut total) = (BTreeMap::<(usize, usize), Cell>::new(), Cell::default());
        let mut sums = vec![Sums::default(); groups.len()];
        let mut busy = BTreeMap::<u32, u64>::new();
        for edge in list.graph.edges() {
            let ranks = (from[edge.sender as usize], to[edge.receiver as usize]);
            let (sender, receiver) = (groups.group_of(ranks.0), groups.group_of(ranks.1));
            let cell = cells.entry((sender, receiver)).or_default();
            (cell.moved, cell.messages) = (cell.moved + edge.bytes, cell.messages + 1);
            sums[sender].sent += edge.bytes;
            sums[receiver].received += edge.bytes;
            (total.moved, total.messages) = (total.moved + edge.bytes, total.messages + 1);
            *busy.entry(ranks.0).or_default() += edge.bytes;
            *busy.entry(ranks.1).or_default() += edge.bytes;
        }
        for one in kept(traffic).ok_or_else(too_many)? {
            let group = groups.group_of(one.rank);
            cells.entry((group, group)).or_default().kept += one.bytes;
            sums[group].kept += one.bytes;
            total.kept += one.bytes;
        }
        // `max_by_key` returns the last of several maxima: here, the lowest rank.
        let busiest = busy.iter().rev().max_by_key(|(_, bytes)| **bytes).map(|(rank, _)| *rank);
        let busiest = busiest.or(from.iter().min().copied()).unwrap_or(0);
        Ok(Self { cells, sums, total, busiest })
    }
}
