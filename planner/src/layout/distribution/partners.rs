//! Partners of a process in one section: the processes of the other side that share indices with it.
//!
//! Used for `INDIRECT` axes if no rank has the complete list of owners. The ranks of a rendezvous
//! (`src/arrays/rendezvous.rs`) send each process the section indices that it shares with each partner.

use std::ops::Range;

/// Partners that a process has received for one section.
#[derive(Debug, Default)]
pub struct ReceivedSection {
    /// This process's coordinate in the source, and the indices that it sends to each target process.
    pub sends: Option<(u32, PartnerRuns)>,
    /// This process's coordinate in the target, and the indices that it receives from each source process.
    pub receives: Option<(u32, PartnerRuns)>,
    /// Number of indices that each pair of a source and a target process shares, sorted by pair. Equal on all
    /// processes. `None` if there may be too many pairs.
    pub messages: Option<Vec<SharedCount>>,
}

/// Number of indices that a source and a target process share: (source, target, number).
pub type SharedCount = (u32, u32, u64);

/// Section indices that a process shares with each of its partners, sorted by the partner's coordinate.
#[derive(Debug, Default)]
pub struct PartnerRuns(Vec<(u32, Vec<Range<u64>>)>);

impl ReceivedSection {
    /// Returns the section indices that `source` and `target` share, if this process is one of the two and has
    /// received them.
    pub fn shared(&self, source: u32, target: u32) -> Option<&[Range<u64>]> {
        match (&self.sends, &self.receives) {
            (Some((own, partners)), _) if *own == source => Some(partners.with(target)),
            (_, Some((own, partners))) if *own == target => Some(partners.with(source)),
            _ => None,
        }
    }
}

impl PartnerRuns {
    /// Appends a run of indices shared with `coord`, which must lie behind the earlier runs of `coord`. Merges the run
    /// with the last run if they adjoin.
    pub fn push(&mut self, coord: u32, run: Range<u64>) {
        let place = self.0.binary_search_by_key(&coord, |(known, _)| *known).unwrap_or_else(|place| {
            self.0.insert(place, (coord, Vec::new()));
            place
        });
        let runs = &mut self.0[place].1;
        match runs.last_mut() {
            Some(last) if last.end == run.start => last.end = run.end,
            _ => runs.push(run),
        }
    }

    /// Returns the coordinates of the partners, ascending.
    pub fn coords(&self) -> Vec<u32> {
        self.0.iter().map(|(coord, _)| *coord).collect()
    }

    /// Returns the runs of section indices shared with `coord`; empty if `coord` is no partner.
    pub fn with(&self, coord: u32) -> &[Range<u64>] {
        self.0.binary_search_by_key(&coord, |(known, _)| *known).map_or(&[], |place| &self.0[place].1)
    }

    /// Returns the number of indices shared with each partner.
    pub fn volumes(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        self.0.iter().map(|(coord, runs)| (*coord, runs.iter().map(|run| run.end - run.start).sum()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partners_are_reported_run_by_run() {
        let slice = std::slice::from_ref::<Range<u64>>;
        let mut partners = PartnerRuns::default();
        for (coord, run) in [(4, 0..2), (1, 2..3), (4, 5..6), (1, 3..4), (4, 6..9)] {
            partners.push(coord, run);
        }
        assert_eq!(partners.coords(), [1, 4]);
        assert_eq!((partners.with(1), partners.with(4)), (slice(&(2..4)), &[0..2, 5..9][..]));
        assert_eq!(partners.volumes().collect::<Vec<_>>(), [(1, 2), (4, 6)]);
        assert!(partners.with(0).is_empty());
        let received = ReceivedSection { sends: Some((7, partners)), ..ReceivedSection::default() };
        assert_eq!((received.shared(7, 1), received.shared(6, 1)), (Some(slice(&(2..4))), None));
    }
}
