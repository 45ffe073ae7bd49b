//! Pairs two sets with equal numbers of indices, position by position. The pairs are the local indices at both ends of
//! a copy.

use super::list::{Lens, RunList, RunTable};
use super::runs::{Form, Runs};
use std::sync::Arc;

impl Runs<2> {
    /// Pairs the k-th index of `a` with the k-th index of `b`. Both sets must have the same number of indices.
    pub fn of_both(a: &Runs<1>, b: &Runs<1>) -> Self {
        let made = match (a.one_run(), b.one_run()) {
            (Some(from), Some(to)) => Some(Self::of_runs([([from, to], a.total())])),
            (_, Some(start)) => pair_list(a, |at, k| [at, start + k]),
            (Some(start), _) => pair_list(b, |at, k| [start + k, at]),
            _ => single_indices(a)
                .zip(single_indices(b))
                .map(|(a, b)| Self::from_pairs(a.iter().zip(b).map(|(&[a], &[b])| [a, b]).collect())),
        };
        made.unwrap_or_else(|| pair_runs(a, b))
    }

    /// Creates a list of pairs of single indices.
    fn from_pairs(starts: Vec<[u32; 2]>) -> Self {
        let (lens, total) = (Lens::Equal(1), starts.len() as u64);
        Self::from_list(Arc::new(RunList::Narrow(RunTable { starts, lens, total })))
    }
}

impl Runs<1> {
    /// Returns the start of the set, if it is one run.
    pub fn one_run(&self) -> Option<u64> {
        self.first().filter(|start| self.end() - start == self.total())
    }
}

/// Lists the pairs that `place` returns for (index, number of the index) of a list of single indices. `None` for other
/// sets, or if a result exceeds 32 bits.
fn pair_list(list: &Runs<1>, place: impl Fn(u64, u64) -> [u64; 2]) -> Option<Runs<2>> {
    let starts = single_indices(list)?;
    let last = place(starts.last()?[0].into(), starts.len() as u64 - 1);
    if last.iter().any(|&at| u32::try_from(at).is_err()) {
        return None;
    }
    let low = |at: u64| u32::try_from(at).expect("no more than the last");
    let pairs = (0..).zip(starts).map(|(k, &[at])| place(at.into(), k).map(low)).collect();
    Some(Runs::from_pairs(pairs))
}

/// Returns the starts of a list of single indices below 2^32; `None` for other sets.
fn single_indices(list: &Runs<1>) -> Option<&[[u32; 1]]> {
    let Form::Listed(list) = list.form() else { return None };
    let RunList::Narrow(RunTable { starts, lens: Lens::Equal(1), .. }) = &**list else { return None };
    Some(starts)
}

/// Pairs any two sets, run by run.
fn pair_runs(a: &Runs<1>, b: &Runs<1>) -> Runs<2> {
    let (from, to) = (a.whole(), b.whole());
    let runs = |of: &super::Slice<1>| {
        let families: Vec<_> = of.each().collect();
        families.into_iter().flat_map(|f| (0..f.count).map(move |k| (f.start[0] + k * f.stride[0], f.len)))
    };
    let (mut left, mut right) = (runs(&from), runs(&to));
    let mut ends = [(0, 0); 2];
    Runs::of_runs(std::iter::from_fn(move || {
        if ends[0].1 == 0 {
            ends[0] = left.next()?;
        }
        if ends[1].1 == 0 {
            ends[1] = right.next()?;
        }
        let (start, len) = ([ends[0].0, ends[1].0], ends[0].1.min(ends[1].1));
        ends = ends.map(|(start, rest)| (start + len, rest - len));
        Some((start, len))
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_have_the_same_positions() {
        let mut rng = fastrand::Rng::with_seed(31);
        for _ in 0..300 {
            let few = rng.bool();
            let list = |rng: &mut fastrand::Rng| -> Vec<u64> {
                (0..200).filter(|_| rng.u8(0..3) > u8::from(few)).collect()
            };
            let (mut a, mut b) = (list(&mut rng), list(&mut rng));
            if rng.bool() {
                b = (rng.u64(0..9)..300).collect();
            }
            let len = a.len().min(b.len());
            a.truncate(len);
            b.truncate(len);
            if rng.bool() {
                std::mem::swap(&mut a, &mut b);
            }
            let singles = rng.bool();
            let [x, y] = [&a, &b].map(|list| match singles {
                true => Runs::of_singles(list.iter().map(|&at| at as u32).collect()).unwrap(),
                false => Runs::of_runs(list.iter().map(|&at| ([at], 1))),
            });
            let got: Vec<[u64; 2]> =
                Runs::of_both(&x, &y).families().iter().flat_map(|f| f.indices()).collect();
            assert_eq!(got, a.iter().zip(&b).map(|(&a, &b)| [a, b]).collect::<Vec<_>>());
        }
        assert!(Runs::of_singles((0..99).chain([98]).collect()).is_none());
    }
}
