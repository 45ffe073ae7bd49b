//! WITH WHOM does a process share its indices of a section, if each process knows only its own, and the others have told it?

use std::ops::Range;

/// What a process was told of a section.
#[derive(Debug, Default)]
pub struct ToldSection {
    /// Its coordinate in the source, and who gets what it has.
    pub sends: Option<(u32, PartnerRuns)>,
    /// Its coordinate in the target, and who has what it gets.
    pub receives: Option<(u32, PartnerRuns)>,
    /// How many indices each process of the source and of the target share, in ascending order, the same on all processes;
    /// `None` where there may be too many pairs.
    pub messages: Option<Vec<SharedCount>>,
}

/// The indices that a process of the source and one of the target share: (source, target, indices).
pub type SharedCount = (u32, u32, u64);

/// The section indices that a process shares with each of some others, whose coordinates ascend.
#[derive(Debug, Default)]
pub struct PartnerRuns(Vec<(u32, Vec<Range<u64>>)>);

impl ToldSection {
    /// The section indices that `source` and `target` share, if that is a share of the calling process's and was told.
    pub fn shared(&self, source: u32, target: u32) -> Option<&[Range<u64>]> {
        match (&self.sends, &self.receives) {
            (Some((own, partners)), _) if *own == source => Some(partners.with(target)),
            (_, Some((own, partners))) if *own == target => Some(partners.with(source)),
            _ => None,
        }
    }
}

impl PartnerRuns {
    /// Adds a run shared with `coord`, behind all others.
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

    /// The others.
    pub fn coords(&self) -> Vec<u32> {
        self.0.iter().map(|(coord, _)| *coord).collect()
    }

    /// What is shared with `coord`.
    pub fn with(&self, coord: u32) -> &[Range<u64>] {
        self.0.binary_search_by_key(&coord, |(known, _)| *known).map_or(&[], |place| &self.0[place].1)
    }

    /// How many indices are shared with each.
    pub fn volumes(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        self.0.iter().map(|(coord, runs)| (*coord, runs.iter().map(|run| run.end - run.start).sum()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partners_are_told_run_by_run() {
        let slice = std::slice::from_ref::<Range<u64>>;
        let mut partners = PartnerRuns::default();
        for (coord, run) in [(4, 0..2), (1, 2..3), (4, 5..6), (1, 3..4), (4, 6..9)] {
            partners.push(coord, run);
        }
        assert_eq!(partners.coords(), [1, 4]);
        assert_eq!((partners.with(1), partners.with(4)), (slice(&(2..4)), &[0..2, 5..9][..]));
        assert_eq!(partners.volumes().collect::<Vec<_>>(), [(1, 2), (4, 6)]);
        assert!(partners.with(0).is_empty());
        let told = ToldSection { sends: Some((7, partners)), ..ToldSection::default() };
        assert_eq!((told.shared(7, 1), told.shared(6, 1)), (Some(slice(&(2..4))), None));
    }
}
