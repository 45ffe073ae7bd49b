//! WHAT does a rank send, receive and keep, once it knows what it names itself and what others name of its elements? Indices become
//! those of local arrays, or of stages.

use super::dims::{Along, ListedDims, storage};
use super::lists::{self, Told};
use super::marks::Marks;
use super::named::{Direction, Named, Target};
use super::owners::{Asked, partial};
use super::ranked::Ranked;
use crate::hpf::end::KnownEnd;
use crate::hpf::failure::Failure;
use crate::layout::{Axis, Rank};
use crate::mapping::Local;
use crate::overlap::{Overlap, Runs};
use crate::pack::{RowNumbers, RowPairs};
use crate::plan::{Combining, ListedMessage, ListedMessages, Stages, Writing};
use crate::session::Session;

/// One rank's view of an array of which elements are listed.
pub(super) struct Sides<'a> {
    known: &'a KnownEnd,
    dims: &'a ListedDims,
    direction: Direction,
    rank: u32,
    /// The other array, if that is not one without gaps.
    target: Option<&'a Target>,
}

impl<'a> Sides<'a> {
    pub fn new(session: &Session, known: &'a KnownEnd, named: &'a Named<'_>) -> Self {
        let target = named.target.as_ref();
        Self { known, dims: &named.dims, direction: named.direction, rank: session.rank, target }
    }

    /// Messages and stages. `asked` and `ranked` are what this rank names, `told` what each rank names of this one's elements, and
    /// `runs` what [`super::owners::Owners::runs_of_others`] says.
    pub fn made(
        &self,
        ranked: Ranked,
        asked: &[Asked],
        told: &[Vec<u64>],
        runs: &[Vec<Runs<1>>],
    ) -> Result<(ListedMessages, Stages), Failure> {
        let local = self.known.local(self.rank)?;
        let order = self.known.map.order();
        let mut named: Vec<(u32, Told)> = Vec::new();
        for (rank, words) in (0u32..).zip(told).filter(|(_, words)| !words.is_empty()) {
            named.push((rank, lists::read(words, self.dims, &local, order)?));
        }
        let lists: Vec<&Told> = named.iter().map(|(_, told)| told).collect();
        let (stages, listed) = self.stages(ranked, &lists, &local);
        let own = |(rank, _): &(u32, Told), listed: &Runs<1>| (*rank, self.own_side(&local, listed));
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
        let both =
            |[from, to]: [Vec<Runs<1>>; 2]| from.iter().zip(&to).map(|(a, b)| Runs::of_both(a, b)).collect();
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

    /// The stages, and for each of `lists`, which ranks have told, where it is in the array, or in the owner's stage, if there is one.
    fn stages(&self, ranked: Ranked, lists: &[&Told], local: &Local) -> (Stages, Vec<Runs<1>>) {
        let mut stages = Stages::default();
        let in_place = || lists.iter().map(|told| told.ascending().cloned()).collect::<Option<Vec<_>>>();
        let (dim, most) = (self.dims.listed(), self.most(local));
        let shape = || {
            let total = lists.iter().map(|told| told.total()).sum();
            self.dims.dense(total, |k| local.axes[k].len)
        };
        let staged = match self.direction {
            Direction::Gather => {
                stages.after = self.gathered(ranked);
                let listed = in_place();
                if listed.is_none() {
                    let (shape, first) = (shape(), rows(lists, most));
                    let again = RowPairs::below([0; 2]);
                    stages.before = Some(Combining { shape, dim, first, again });
                }
                listed
            }
            Direction::Scatter => {
                stages.scatters = self.target.is_none();
                stages.before = self.combined(ranked);
                let listed = in_place().filter(|_| !meet(lists, most));
                if listed.is_none() {
                    let ((first, again), constants) = (in_order(lists, most), Vec::new());
                    stages.after = Some(Writing::InOrder { shape: shape(), constants, dim, first, again });
                }
                listed
            }
        };
        let in_stage = || {
            let mut start = 0;
            let after = |told: &&Told| {
                start += told.total();
                span(start - told.total(), told.total())
            };
            lists.iter().map(after).collect()
        };
        (stages, staged.unwrap_or_else(in_stage))
    }

    /// What the process makes of what it has gathered.
    fn gathered(&self, Ranked { keys, of }: Ranked) -> Option<Writing> {
        let extents = self.known.end().layout.extents();
        let (distinct, dim) = (keys.len() as u64, self.dims.listed());
        let shape = |rows: u64| self.dims.dense(rows, |k| extents[k]);
        let Some(target) = self.target else {
            return of.map(|numbers| Writing::Rows { shape: shape(distinct), dim, numbers });
        };
        // Constants are behind the rows that travel.
        let constants = target.constants.clone();
        let rows = distinct + constants.len() as u64 / self.dims.element();
        let row = |k: usize| of.as_ref().map_or(k as u64, |of| of.get(k));
        let named = target.places.iter().enumerate().map(|(k, &place)| [place, row(k)]);
        let free = target.free.iter().map(|&(place, which)| [place, distinct + which]);
        let mut pairs: Vec<_> = named.chain(free).collect();
        // Rows are written in the order of the storage.
        if !pairs.is_sorted() {
            pairs.sort_unstable();
        }
        let most = pairs.last().map_or(0, |pair| pair[0].saturating_add(1));
        let [mut first, again] = [(); 2].map(|()| RowPairs::below([most, rows]));
        pairs.into_iter().for_each(|pair| first.push(pair));
        (!first.is_empty()).then(|| Writing::InOrder { shape: shape(rows), constants, dim, first, again })
    }

    /// What the process makes of its elements before it scatters them.
    fn combined(&self, Ranked { keys, of }: Ranked) -> Option<Combining> {
        let extents = self.known.end().layout.extents();
        let (distinct, dim) = (keys.len() as u64, self.dims.listed());
        let shape = || self.dims.dense(distinct, |k| extents[k]);
        let Some(Target { places, .. }) = self.target else {
            return of.map(|of| {
                let (first, again) = of.places();
                Combining { shape: shape(), dim, first, again }
            });
        };
        // No element of the source goes to two places.
        let index = |n: u64| usize::try_from(n).expect("a list in memory");
        let order = of.map(|of| of.places().0);
        let place = |row: u64| places[index(order.as_ref().map_or(row, |order| order.get(index(row))))];
        let most = places.iter().max().map_or(0, |place| place.saturating_add(1));
        let first = RowNumbers::new(places.len(), most, (0..distinct).map(place));
        (distinct > 0).then(|| Combining { shape: shape(), dim, first, again: RowPairs::below([0; 2]) })
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

/// Whether an index below `most` is in two of the lists.
fn meet(lists: &[&Told], most: u64) -> bool {
    let (mut met, mut any) = (Marks::new(0, most), false);
    for told in lists {
        told.each_run(|start, len| any |= met.met_any(start, len));
    }
    any
}

/// The indices of all lists, which are below `most`.
fn rows(lists: &[&Told], most: u64) -> RowNumbers {
    let mut all = Vec::new();
    lists.iter().for_each(|told| told.each_run(|start, len| all.extend(start..start + len)));
    RowNumbers::new(all.len(), most, all.into_iter())
}

/// Which rows are written with which, where `lists` of indices below `most` follow each other in a stage: (index, row of the stage), of
/// indices that no list before names, and of others; both in the order of the stage.
fn in_order(lists: &[&Told], most: u64) -> (RowPairs, RowPairs) {
    let total = lists.iter().map(|told| told.total()).sum();
    let (mut first, mut again) = (RowPairs::below([most, total]), RowPairs::below([most, total]));
    let (mut met, mut row) = (Marks::new(0, most), 0);
    for told in lists {
        told.each_run(|start, len| {
            for at in start..start + len {
                let pairs = if met.met(at) { &mut again } else { &mut first };
                pairs.push([at, row]);
                row += 1;
            }
        });
    }
    (first, again)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_several_ranks_name_is_written_in_their_order() {
        let mut rng = fastrand::Rng::with_seed(51);
        for _ in 0..300 {
            let chance = rng.u8(1..20);
            let list = |_| (0..90).filter(|_| rng.u8(0..20) < chance).collect::<Vec<u64>>();
            let lists: Vec<Vec<u64>> = (0..3).map(list).collect();
            let runs = |list: &Vec<u64>| Told::Anywhere(list.iter().map(|&at| ([at], 1)).collect());
            let all: Vec<Told> = lists.iter().map(runs).collect();
            let (mut met, mut want) = (Vec::new(), [RowPairs::below([90, 270]), RowPairs::below([90, 270])]);
            for (row, &at) in (0..).zip(lists.iter().flatten()) {
                want[usize::from(met.contains(&at))].push([at, row]);
                met.push(at);
            }
            let all: Vec<&Told> = all.iter().collect();
            assert_eq!(meet(&all, 90), !want[1].is_empty(), "{lists:?}");
            let (first, again) = in_order(&all, 90);
            assert_eq!([first, again], want, "{lists:?}");
        }
    }
}
