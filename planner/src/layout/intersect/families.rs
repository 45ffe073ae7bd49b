//! Ascending lists of families that can be looked up and cut at any element.

use super::family::{Family, continue_with};

/// Families in ascending order of their indices, with the number of indices before each.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Families<const D: usize> {
    items: Vec<(Family<D>, u64)>,
    total: u64,
}

impl<const D: usize> Families<D> {
    pub const NONE: Self = Self { items: Vec::new(), total: 0 };

    /// Creates a list of `items`, which ascend and do not interleave. Merges a run into the family before it if it
    /// touches that family's only run or is its next run.
    pub fn new(items: impl IntoIterator<Item = Family<D>>) -> Self {
        let mut list = Self::NONE;
        for item in items {
            list.push(item.merge_touching());
        }
        list
    }

    fn push(&mut self, next: Family<D>) {
        match self.items.last_mut().and_then(|(last, _)| Some((continue_with(last, &next)?, last))) {
            Some((longer, last)) => *last = longer,
            None => self.items.push((next, self.total)),
        }
        self.total += next.total();
    }

    pub fn total(&self) -> u64 {
        self.total
    }

    /// Returns the family, if there is exactly one.
    pub fn single(&self) -> Option<Family<D>> {
        if let [(family, _)] = self.items[..] { Some(family) } else { None }
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Family<D>> + ExactSizeIterator {
        self.items.iter().map(|(item, _)| item)
    }

    /// Appends the indices at positions `from..to` as families, moved by `offset`.
    pub fn cut(&self, from: u64, to: u64, offset: [u64; D], out: &mut Vec<Family<D>>) {
        let first = self.items.partition_point(|&(_, before)| before <= from).saturating_sub(1);
        for &(item, before) in &self.items[first..] {
            if before >= to {
                break;
            }
            let total = item.total();
            let (a, b) = (from.saturating_sub(before), (to - before).min(total));
            // Whole families need no division. That matters for lists of single elements, which have thousands of
            // families.
            match b - a == total {
                true => out.push(item.shifted(offset)),
                false => item.shifted(offset).cut(a, b, out),
            }
        }
    }
}

impl Families<1> {
    /// Returns the number of indices that are smaller than `bound`.
    pub fn rank(&self, bound: u64) -> u64 {
        let next = self.items.partition_point(|(f, _)| f.start[0] < bound);
        let Some(last) = next.checked_sub(1) else { return 0 };
        let (f, before) = &self.items[last];
        before + rank(f, bound)
    }
}

/// Returns the number of indices of a family that are smaller than `bound`.
pub(super) fn rank(f: &Family<1>, bound: u64) -> u64 {
    let reach = bound.saturating_sub(f.start[0]);
    match f.count {
        1 => reach.min(f.len),
        count => (reach / f.stride[0] * f.len + (reach % f.stride[0]).min(f.len)).min(f.len * count),
    }
}

/// Merges ascending runs greedily into few families: touching runs become one run, and runs of one length at equal
/// distances become a family.
pub(super) fn compress<const D: usize>(runs: Vec<Family<D>>) -> Vec<Family<D>> {
    let mut out: Vec<Family<D>> = Vec::new();
    for next in runs {
        let Some(last) = out.last_mut() else {
            out.push(next);
            continue;
        };
        match last.with(&next) {
            Some(longer) => *last = longer,
            None => out.push(next),
        }
    }
    out
}

/// Converts families that may interleave to ascending families that do not.
pub(super) fn in_order(families: Vec<Family<1>>) -> Vec<Family<1>> {
    if families.windows(2).all(|pair| pair[0].end(0) <= pair[1].start[0]) {
        return families;
    }
    let run = |f: &Family<1>, k: u64| Family::run([f.start[0] + k * f.stride[0]], f.len);
    let mut runs: Vec<_> = families.iter().flat_map(|f| (0..f.count).map(move |k| run(f, k))).collect();
    runs.sort_unstable_by_key(|run| run.start[0]);
    compress(runs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn indices(families: &[Family<1>]) -> Vec<u64> {
        families.iter().flat_map(|family| family.indices()).map(|[i]| i).collect()
    }

    #[test]
    fn a_cut_is_a_slice_of_the_indices() {
        let items = [
            Family::run([3], 2),
            Family { start: [7], stride: [5], len: 3, count: 4 },
            Family::run([30], 1),
            Family { start: [33], stride: [2], len: 1, count: 3 },
        ];
        let list = Families::new(items);
        let all = indices(&items);
        assert_eq!(list.total(), all.len() as u64);
        for from in 0..=all.len() {
            for to in from..=all.len() {
                let mut out = Vec::new();
                list.cut(from as u64, to as u64, [100], &mut out);
                let want: Vec<u64> = all[from..to].iter().map(|i| i + 100).collect();
                assert_eq!(indices(&out), want, "{from}..{to}");
            }
        }
        for bound in 0..50 {
            let want = all.iter().filter(|&&i| i < bound).count() as u64;
            assert_eq!(list.rank(bound), want, "bound={bound}");
        }
    }

    #[test]
    fn adjacent_runs_become_one_family() {
        let joined =
            |items: &[Family<1>]| Families::new(items.iter().copied()).iter().copied().collect::<Vec<_>>();
        assert_eq!(joined(&[Family::run([0], 4), Family::run([4], 3)]), [Family::run([0], 7)]);
        let touching = Family { start: [2], stride: [5], len: 5, count: 3 };
        assert_eq!(joined(&[touching]), [Family::run([2], 15)]);
        let spread = Family { start: [2], stride: [6], len: 5, count: 3 };
        assert_eq!(joined(&[spread, Family::run([20], 5)]), [Family { count: 4, ..spread }]);
        assert_eq!(joined(&[spread, Family::run([20], 4)]), [spread, Family::run([20], 4)]);
    }

    #[test]
    fn runs_that_touch_on_one_side_only_stay_apart() {
        let pair = Family { start: [0, 0], stride: [4, 8], len: 4, count: 3 };
        assert!(Families::new([pair]).iter().eq([&pair]));
    }
}
