//! Ranks of a job with their spawn calls and hosts, and their order after a resize.

use crate::collective::failure::Failure;
use std::collections::{HashMap, HashSet};

/// All ranks of a job, including parked ones. Active ranks come first.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Roster {
    /// Number of the spawn call that started each rank; 0 for the first ranks of the job, whose processes cannot leave.
    calls: Vec<u32>,
    hosts: Vec<String>,
}

impl Roster {
    pub fn new(calls: Vec<u32>, hosts: Vec<String>) -> Self {
        Self { calls, hosts }
    }

    pub fn total(&self) -> u32 {
        u32::try_from(self.calls.len()).expect("ranks are 32 bits")
    }

    pub fn calls(&self) -> &[u32] {
        &self.calls
    }

    pub fn hosts(&self) -> &[String] {
        &self.hosts
    }

    /// Appends `count` ranks of one spawn call; `hosts` are those of all ranks.
    pub fn add(&mut self, count: u32, hosts: Vec<String>) {
        let call = self.calls.iter().max().map_or(0, |last| last + 1);
        self.calls.extend((0..count).map(|_| call));
        self.hosts = hosts;
    }

    /// Returns the ranks that remain when the job shrinks from `active` to `ranks` ranks: all except `leaving` and, if
    /// more must leave, the last of the others.
    pub fn staying(active: u32, ranks: u32, leaving: &[u32]) -> Vec<u32> {
        let leaving: HashSet<u32> = leaving.iter().copied().collect();
        (0..active).filter(|rank| !leaving.contains(rank)).take(ranks as usize).collect()
    }

    /// Returns the ranks after a resize, by their current numbers: `working`, which will be active, in their order,
    /// then the parked ones, which began the job or share their spawn call with an active process. All others leave.
    pub fn after(&self, working: &[u32]) -> Vec<u32> {
        let total = self.calls.len();
        let mut works = vec![false; total];
        let mut stays = vec![false; 1 + self.calls.iter().max().map_or(0, |&last| last as usize)];
        stays[0] = true;
        for &rank in working {
            works[rank as usize] = true;
            stays[self.calls[rank as usize] as usize] = true;
        }
        let waits = |&rank: &u32| !works[rank as usize] && stays[self.calls[rank as usize] as usize];
        working.iter().copied().chain((0..self.total()).filter(waits)).collect()
    }

    pub fn reordered(&self, order: &[u32]) -> Self {
        let calls = order.iter().map(|&rank| self.calls[rank as usize]).collect();
        Self { calls, hosts: order.iter().map(|&rank| self.hosts[rank as usize].clone()).collect() }
    }

    /// Returns the sizes that the job can have after removing its last ranks without parking any, ascending.
    pub fn sizes(&self) -> Vec<u32> {
        let mut first = HashMap::new();
        for (rank, &call) in (0u32..).zip(&self.calls) {
            first.entry(call).or_insert(rank);
        }
        let mut sizes = vec![self.total()];
        // Lowest rank of the spawn calls of the leaving ranks.
        let mut least = self.total();
        for rank in (1..self.total()).rev() {
            least = least.min(first[&self.calls[rank as usize]]);
            if least == rank {
                sizes.push(rank);
            }
        }
        sizes.reverse();
        sizes
    }

    /// Returns the ranks on `hosts` among the first `active`.
    pub fn ranks_on(&self, active: u32, hosts: &[String]) -> Result<Vec<u32>, Failure> {
        let here = &self.hosts[..self.hosts.len().min(active as usize)];
        if let Some(none) = hosts.iter().find(|host| !here.contains(host)) {
            return Err(Failure::argument(format!(
                "the job cannot leave host {none}: none of its ranks is on it"
            )));
        }
        Ok((0u32..).zip(here).filter(|(_, host)| hosts.contains(host)).map(|(rank, _)| rank).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roster(calls: &[u32]) -> Roster {
        Roster::new(calls.to_vec(), calls.iter().map(|call| format!("node{call}")).collect())
    }

    #[test]
    fn who_leaves_and_who_waits() {
        let all = roster(&[0, 0, 1, 1, 2, 3]);
        assert_eq!(Roster::staying(6, 4, &[2, 3]), [0, 1, 4, 5]);
        assert_eq!(Roster::staying(6, 3, &[2]), [0, 1, 3]);
        assert_eq!(all.after(&[0, 1, 4, 5]), [0, 1, 4, 5]);
        assert_eq!(all.after(&[0, 3, 5]), [0, 3, 5, 1, 2]);
        assert_eq!(all.reordered(&[0, 3, 5, 1, 2]), roster(&[0, 1, 3, 0, 1]));
        assert_eq!(all.ranks_on(6, &["node1".into(), "node3".into()]).unwrap(), [2, 3, 5]);
        assert!(all.ranks_on(5, &["node3".into()]).is_err());
    }

    /// Compares with a search over all sizes of all small jobs.
    #[test]
    fn sizes_without_a_rank_that_waits() {
        for code in 0..4u32.pow(6) {
            let mut calls = vec![0];
            calls.extend((0..6).map(|place| code / 4u32.pow(place) % 4));
            let all = roster(&calls);
            let plain = (1..=all.total()).filter(|&ranks| {
                let working = Roster::staying(all.total(), ranks, &[]);
                all.after(&working).len() == working.len()
            });
            assert_eq!(all.sizes(), plain.collect::<Vec<_>>(), "{calls:?}");
        }
    }
}
