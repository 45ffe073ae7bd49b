//! WHAT does a rank send, receive and keep, once it knows what it names itself and what others name of its elements? Indices become
//! those of local arrays, or of stages.

use super::dims::{Along, ListedDims, storage};
use super::lists;
use super::marks::Marks;
use super::named::{Direction, Named};
use super::owners::{Asked, partial};
use super::ranked::Ranked;
use crate::hpf::end::KnownEnd;
use crate::hpf::failure::Failure;
use crate::layout::{Axis, Rank};
use crate::mapping::Local;
use crate::overlap::{Overlap, Runs};
use crate::pack::RowPairs;
use crate::plan::{Combining, ListedMessage, ListedMessages, Stages, Writing};
use crate::session::Session;

/// One rank's view of an array of which elements are listed.
pub(super) struct Sides<'a> {
    known: &'a KnownEnd,
    dims: &'a ListedDims,
    direction: Direction,
    rank: u32,
    /// Where elements go that are gathered, if that is not an array without gaps.
    places: Option<&'a [u64]>,
}

impl<'a> Sides<'a> {
    pub fn new(session: &Session, known: &'a KnownEnd, named: &'a Named<'_>) -> Self {
        let places = named.target.as_ref().map(|target| &target.places[..]);
        Self { known, dims: &named.dims, direction: named.direction, rank: session.rank, places }
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
        let mut named: Vec<(u32, Runs<1>)> = Vec::new();
        for (rank, words) in (0u32..).zip(told).filter(|(_, words)| !words.is_empty()) {
            named.push((rank, lists::read(words, self.dims, &local, order)?));
        }
        let (mut stages, listed) = self.stages(ranked, &named, &local);
        stages.scatters = self.direction == Direction::Scatter;
        let own = |(rank, runs): &(u32, Runs<1>), listed: &Option<Runs<1>>| {
            (*rank, self.own_side(&local, listed.as_ref().unwrap_or(runs)))
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

    /// The stages, and for each rank of `named` where what it names is in the owner's stage, if there is one.
    fn stages(
        &self,
        ranked: Ranked,
        named: &[(u32, Runs<1>)],
        local: &Local,
    ) -> (Stages, Vec<Option<Runs<1>>>) {
        let extents = self.known.end().layout.extents();
        let (distinct, dim) = (ranked.keys.len() as u64, self.dims.listed());
        let shape = || self.dims.dense(distinct, |k| extents[k]);
        let mut stages = Stages::default();
        let none = || vec![None; named.len()];
        if let Some(places) = self.places {
            let row = |k: usize| ranked.of.as_ref().map_or(k as u64, |of| of.get(k));
            let mut pairs: Vec<_> = places.iter().enumerate().map(|(k, &place)| [place, row(k)]).collect();
            // Rows are written in the order of the storage, which is that of the list but for unusual strides.
            if !pairs.is_sorted() {
                pairs.sort_unstable();
            }
            let most = places.iter().max().map_or(0, |place| place.saturating_add(1));
            let [mut first, again] = [(); 2].map(|()| RowPairs::below([most, distinct]));
            pairs.into_iter().for_each(|pair| first.push(pair));
            stages.after =
                (!first.is_empty()).then(|| Writing::InOrder { shape: shape(), dim, first, again });
            return (stages, none());
        }
        if self.direction == Direction::Gather {
            stages.after = ranked.of.map(|numbers| Writing::Rows { shape: shape(), dim, numbers });
            return (stages, none());
        }
        stages.before = ranked.of.map(|of| {
            let (first, again) = of.places();
            Combining { shape: shape(), dim, first, again }
        });
        let lists: Vec<&Runs<1>> = named.iter().map(|(_, runs)| runs).collect();
        let Some((first, again)) = in_order(&lists, self.most(local)) else { return (stages, none()) };
        let (mut listed, mut total) = (Vec::new(), 0);
        for runs in &lists {
            listed.push(Some(span(total, runs.total())));
            total += runs.total();
        }
        let shape = self.dims.dense(total, |k| local.axes[k].len);
        stages.after = Some(Writing::InOrder { shape, dim, first, again });
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

/// Which rows are written with which, where `lists` of indices below `most` follow each other in a stage: (index, row of the stage), of
/// indices that no list before names, and of others; both in the order of the stage. `None` if no index is in two lists.
fn in_order(lists: &[&Runs<1>], most: u64) -> Option<(RowPairs, RowPairs)> {
    let (mut met, mut any) = (Marks::new(0, most), false);
    for runs in lists {
        runs.each_run(|start, len| any |= met.met_any(start, len));
    }
    if !any {
        return None;
    }
    let total = lists.iter().map(|runs| runs.total()).sum();
    let (mut first, mut again) = (RowPairs::below([most, total]), RowPairs::below([most, total]));
    let (mut met, mut row) = (Marks::new(0, most), 0);
    for runs in lists {
        runs.each_run(|start, len| {
            for at in start..start + len {
                let pairs = if met.met(at) { &mut again } else { &mut first };
                pairs.push([at, row]);
                row += 1;
            }
        });
    }
    Some((first, again))
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
            let runs = |list: &Vec<u64>| Runs::of_runs(list.iter().map(|&at| ([at], 1)));
            let all: Vec<Runs<1>> = lists.iter().map(runs).collect();
            let (mut met, mut want) = (Vec::new(), [RowPairs::below([90, 270]), RowPairs::below([90, 270])]);
            for (row, &at) in (0..).zip(lists.iter().flatten()) {
                want[usize::from(met.contains(&at))].push([at, row]);
                met.push(at);
            }
            let got = in_order(&all.iter().collect::<Vec<_>>(), 90);
            assert_eq!(got.is_some(), !want[1].is_empty(), "{lists:?}");
            if let Some(got) = got {
                assert_eq!([got.0, got.1], want, "{lists:?}");
            }
        }
    }
}
