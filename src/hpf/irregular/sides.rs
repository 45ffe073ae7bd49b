//! WHAT does a rank send, receive and keep, once it knows what it names itself and what others name of its elements? Indices become
//! those of local arrays, or of stages.

use super::dims::{Along, ListedDims, storage};
use super::keys::Ranked;
use super::lists;
use super::named::Direction;
use super::owners::{Asked, partial};
use crate::hpf::end::KnownEnd;
use crate::hpf::failure::Failure;
use crate::layout::{Axis, Rank};
use crate::mapping::Local;
use crate::overlap::{Overlap, Runs};
use crate::pack::{RowNumbers, RowPairs, Shape};
use crate::plan::{Combining, ListedMessage, ListedMessages, OrderedRows, Stages, Writing};
use crate::session::Session;

/// Runs of local indices that another rank names: (the first, how many).
type NamedRuns = Vec<([u64; 1], u64)>;

/// One rank's view of an array of which elements are listed.
pub(super) struct Sides<'a> {
    known: &'a KnownEnd,
    dims: &'a ListedDims,
    direction: Direction,
    rank: u32,
}

impl<'a> Sides<'a> {
    pub fn new(session: &Session, known: &'a KnownEnd, dims: &'a ListedDims, direction: Direction) -> Self {
        Self { known, dims, direction, rank: session.rank }
    }

    /// Messages and stages. `asked` and `ranked` are what this rank names, `told` what each rank names of this one's elements, and
    /// `runs` what [`super::owners::Owners::runs_of_others`] says.
    pub fn made(
        &self,
        ranked: &Ranked,
        asked: &[Asked],
        told: &[Vec<u64>],
        runs: &[Vec<Runs<1>>],
    ) -> Result<(ListedMessages, Stages), Failure> {
        let local = self.known.local(self.rank)?;
        let order = self.known.map.order();
        let mut named: Vec<(u32, NamedRuns)> = Vec::new();
        for (rank, words) in (0u32..).zip(told).filter(|(_, words)| !words.is_empty()) {
            named.push((rank, lists::read(words, self.dims, &local, order)?));
        }
        let (mut stages, listed) = self.stages(ranked, &named, &local);
        stages.scatters = self.direction == Direction::Scatter;
        let own = |(rank, runs): &(u32, NamedRuns), listed: &Option<Runs<1>>| {
            let listed = listed.clone().unwrap_or_else(|| Runs::of_listed(runs));
            (*rank, self.own_side(&local, &listed))
        };
        let owned = named.iter().zip(&listed).map(|(named, listed)| own(named, listed));
        let others = asked.iter().map(|each| (each.peer.0, self.naming_side(each, runs)));
        let (mut messages, mut kept) = (ListedMessages::default(), [None, None]);
        let mut take = |all: &mut dyn Iterator<Item = (u32, Vec<Runs<1>>)>, k: usize| {
            let mut list = Vec::new();
            for (rank, dims) in all.filter(|(_, dims)| dims.iter().all(|runs| !runs.is_empty())) {
                match rank == self.rank {
                    true => kept[k] = Some(dims),
                    false => list.push(ListedMessage { peer: Rank(rank), dims }),
                }
            }
            list
        };
        let (owned, others) = (take(&mut { owned }, 0), take(&mut { others }, 1));
        // What is read comes first.
        if self.direction == Direction::Gather {
            (messages.sends, messages.receives) = (owned, others);
        } else {
            (messages.sends, messages.receives) = (others, owned);
            kept.swap(0, 1);
        }
        let both = |[from, to]: [Vec<Runs<1>>; 2]| from.iter().zip(&to).map(|(a, b)| zipped(a, b)).collect();
        if let [Some(from), Some(to)] = kept {
            messages.kept = Some(both([from, to]));
        }
        Ok((messages, stages))
    }

    /// Local indices of what one rank is told of, in the array of the rank that names it, or in its stage.
    fn naming_side(&self, asked: &Asked, runs: &[Vec<Runs<1>>]) -> Vec<Runs<1>> {
        let layout = self.known.end().layout;
        let partial = partial(self.known, self.dims);
        let along = |along: &Along| match *along {
            Along::Parts => span(0, self.dims.parts()),
            Along::Listed => span(asked.range.start as u64, asked.range.len() as u64),
            Along::Axis(k) => match partial.iter().position(|&axis| axis == k) {
                Some(place) => {
                    runs[asked.peer.0 as usize].get(place).cloned().unwrap_or_else(|| Runs::of_runs([]))
                }
                None => {
                    let (from, to) = (layout.axes()[k].clone(), Axis::alone());
                    Overlap { from, to, len: layout.extents()[k] }.shared(asked.at[k], 0)
                }
            },
        };
        self.dims.all().iter().map(along).collect()
    }

    /// Local indices of what another rank names, in the array of its owner, or in that one's stage.
    fn own_side(&self, local: &Local, listed: &Runs<1>) -> Vec<Runs<1>> {
        let along = |along: &Along| match *along {
            Along::Parts => span(0, self.dims.parts()),
            Along::Listed => listed.clone(),
            Along::Axis(k) => span(0, local.axes[k].len),
        };
        self.dims.all().iter().map(along).collect()
    }

    /// The stages, and for each rank of `named` where what it names is in the owner's stage, if there is one.
    fn stages(
        &self,
        ranked: &Ranked,
        named: &[(u32, NamedRuns)],
        local: &Local,
    ) -> (Stages, Vec<Option<Runs<1>>>) {
        let extents = self.known.end().layout.extents();
        let (distinct, dim) = (ranked.keys.len() as u64, self.dims.listed());
        let shape = || self.dims.dense(distinct, |k| extents[k]);
        let mut stages = Stages::default();
        let none = || vec![None; named.len()];
        if self.direction == Direction::Gather {
            stages.after = ranked.of.as_ref().map(|of| {
                let numbers = RowNumbers::new(of.len(), distinct, of.iter().copied());
                Writing::Rows { shape: shape(), dim, numbers }
            });
            return (stages, none());
        }
        stages.before = ranked.of.as_ref().map(|of| combining(shape(), dim, distinct, of));
        let lists: Vec<&NamedRuns> = named.iter().map(|(_, runs)| runs).collect();
        let Some(parts) = in_order(&lists, self.most(local)) else { return (stages, none()) };
        let (mut rows, mut listed, mut total) = (Vec::new(), Vec::new(), 0);
        for (runs, both) in lists.iter().zip(parts) {
            let count = runs.iter().map(|&(_, len)| len).sum();
            listed.push(Some(span(total, count)));
            total += count;
            for (again, pairs) in [(false, &both[0]), (true, &both[1])] {
                if !pairs.is_empty() {
                    rows.push(OrderedRows { pairs: RowPairs::new(pairs), again });
                }
            }
        }
        let shape = self.dims.dense(total, |k| local.axes[k].len);
        stages.after = Some(Writing::InOrder { shape, rows, dim });
        (stages, listed)
    }

    /// One past the greatest local index that a list can have.
    fn most(&self, local: &Local) -> u64 {
        match self.dims.axis() {
            Some(axis) => local.axes[axis].len,
            None => storage(local).map_or(0, |(before, behind)| before + behind),
        }
    }
}

fn span(start: u64, len: u64) -> Runs<1> {
    Runs::of_runs((len > 0).then_some(([start], len)))
}

/// The same positions in both.
fn zipped(a: &Runs<1>, b: &Runs<1>) -> Runs<2> {
    let (from, to) = (a.whole(), b.whole());
    let runs = |of: &crate::overlap::Slice<1>| {
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

/// How rows of a list become rows of a stage of `distinct` rows, where `of` says for each which one.
fn combining(shape: Shape, dim: usize, distinct: u64, of: &[u64]) -> Combining {
    let index = |n: u64| usize::try_from(n).expect("a list in memory");
    let rows = of.len() as u64;
    let (mut first, mut last) = (vec![0; index(distinct)], vec![0; index(distinct)]);
    // Rows of the stage, and how often each was met.
    let (mut again, mut met) = (Vec::<Vec<[u64; 2]>>::new(), vec![0u32; index(distinct)]);
    for (row, &stage) in (0..rows).zip(of) {
        let at = index(stage);
        last[at] = row;
        match met[at] {
            0 => first[at] = row,
            times => {
                let times = times as usize;
                if again.len() < times {
                    again.push(Vec::new());
                }
                again[times - 1].push([stage, row]);
            }
        }
        met[at] += 1;
    }
    let numbers = |list: Vec<u64>| RowNumbers::new(list.len(), rows, list.into_iter());
    let last = (!again.is_empty()).then(|| numbers(last));
    let again = again.iter().map(|pairs| RowPairs::new(pairs)).collect();
    Combining { shape, dim, first: numbers(first), last, again }
}

/// Indices in an array, and in a stage in which lists follow each other: of elements that no list before names, and of others.
type InOrder = [Vec<[u64; 2]>; 2];

/// What is written for each of `lists`, of indices below `most`; `None` if no index is in two of them.
fn in_order(lists: &[&NamedRuns], most: u64) -> Option<Vec<InOrder>> {
    let word = |at: u64| (usize::try_from(at / 64).expect("an array in memory"), 1u64 << (at % 64));
    let mut met = vec![0u64; word(most).0 + 1];
    let (mut total, mut any, mut all) = (0, false, Vec::with_capacity(lists.len()));
    for runs in lists {
        let mut parts: InOrder = [Vec::new(), Vec::new()];
        for &([start], len) in *runs {
            for at in start..start + len {
                let (word, bit) = word(at);
                let again = met[word] & bit != 0;
                met[word] |= bit;
                any |= again;
                parts[usize::from(again)].push([at, total]);
                total += 1;
            }
        }
        all.push(parts);
    }
    any.then_some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_have_the_same_positions() {
        let mut rng = fastrand::Rng::with_seed(31);
        for _ in 0..300 {
            let list =
                |rng: &mut fastrand::Rng| -> Vec<u64> { (0..60).filter(|_| rng.u8(0..3) > 0).collect() };
            let (mut a, mut b) = (list(&mut rng), list(&mut rng));
            let len = a.len().min(b.len());
            a.truncate(len);
            b.truncate(len);
            let [x, y] = [&a, &b].map(|list| Runs::of_runs(list.iter().map(|&at| ([at], 1))));
            let got: Vec<[u64; 2]> = zipped(&x, &y).families().iter().flat_map(|f| f.indices()).collect();
            assert_eq!(got, a.iter().zip(&b).map(|(&a, &b)| [a, b]).collect::<Vec<_>>());
        }
    }

    #[test]
    fn rows_are_combined_in_the_order_of_the_list() {
        let made = combining(Shape::dense(8, &[3]), 0, 3, &[2, 0, 2, 1, 0, 2]);
        let numbers = |list: &[u64]| RowNumbers::new(list.len(), 6, list.iter().copied());
        assert_eq!(made.first, numbers(&[1, 3, 0]));
        assert_eq!(made.last, Some(numbers(&[4, 3, 5])));
        assert_eq!(made.again, [RowPairs::new(&[[2, 2], [0, 4]]), RowPairs::new(&[[2, 5]])]);
        assert_eq!(combining(Shape::dense(8, &[2]), 0, 2, &[1, 0]).last, None);
    }

    #[test]
    fn what_several_ranks_name_is_written_in_their_order() {
        let (a, b, c) = (vec![([2], 3)], vec![([7], 1)], vec![([0], 1), ([3], 2), ([7], 2)]);
        assert_eq!(in_order(&[&a, &b], 9), None);
        let all = in_order(&[&a, &b, &c], 9).unwrap();
        assert_eq!(all[0], [vec![[2, 0], [3, 1], [4, 2]], vec![]]);
        assert_eq!(all[2], [vec![[0, 4], [8, 8]], vec![[3, 5], [4, 6], [7, 7]]]);
    }
}
