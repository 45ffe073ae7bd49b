//! Messages and stages of a rank in a plan by lists. They follow from the rank's own list, and from the lists of other
//! ranks that name elements of this rank.

use super::dims::{Along, ListedDims, storage};
use super::list_draft::{IndexList, ListDirection, ListDraft, Target};
use super::lists::{self, ReceivedIndices};
use super::order::order_writes;
use super::owners::{OwnerList, partial};
use super::ranked::{ListOrder, Ranked};
use crate::arrays::end::ResolvedEnd;
use crate::collective::failure::Failure;
use crate::layout::distribution::{Axis, Rank};
use crate::layout::intersect::{Overlap, Runs};
use crate::layout::mapping::LocalArray;
use crate::layout::strides::Shape;
use crate::pack::{RowNumbers, RowPairs};
use crate::plan::{Combining, ListedMessage, ListedMessages, Stages, Writing};
use crate::runtime::session::Session;

pub(super) struct Sides<'a> {
    known: &'a ResolvedEnd,
    dims: &'a ListedDims,
    direction: ListDirection,
    rank: u32,
    target: Option<&'a Target>,
    /// Number of entries of the program's list, and the places of those that are not skipped; `None` if none is
    /// skipped.
    entries: (usize, Option<&'a [u64]>),
}

impl<'a> Sides<'a> {
    pub fn new(
        session: &Session,
        known: &'a ResolvedEnd,
        draft: &'a ListDraft<'_>,
        list: &'a IndexList<'_>,
    ) -> Self {
        let (target, entries) = (draft.target.as_ref(), (draft.arguments.count, list.kept.as_deref()));
        Self { known, dims: &draft.dims, direction: draft.direction, rank: session.rank, target, entries }
    }

    /// Returns messages and stages. `ranked` has the distinct elements of this rank's list, `asked` their owners,
    /// `received` by rank the lists that name elements of this rank. `runs` is from
    /// [`super::owners::Owners::runs_of_others`].
    pub fn build(
        &self,
        ranked: Ranked,
        asked: &[OwnerList],
        received: &[Vec<u64>],
        runs: &[Vec<Runs<1>>],
    ) -> Result<(ListedMessages, Stages), Failure> {
        let local = self.known.local(self.rank)?;
        let order = self.known.map.order();
        let mut named: Vec<(u32, ReceivedIndices)> = Vec::new();
        for (rank, words) in (0u32..).zip(received).filter(|(_, words)| !words.is_empty()) {
            named.push((rank, lists::decode(words, self.dims, &local, order)?));
        }
        let (stages, lists) = self.stages(ranked, asked, &named, &local);
        let own =
            |(rank, _): &(u32, ReceivedIndices), listed: &Runs<1>| (*rank, self.own_side(&local, listed));
        let owned = named.iter().zip(&lists.of_owner).map(|(named, listed)| own(named, listed));
        let others = asked.iter().map(|each| (each.peer.0, self.naming_side(each, &lists.of_naming, runs)));
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
        // From here on, the side that is read is the first of `kept`.
        if self.direction == ListDirection::Gather {
            (messages.sends, messages.receives) = (owned, others);
        } else {
            (messages.sends, messages.receives) = (others, owned);
            kept.swap(0, 1);
        }
        let both =
            |[from, to]: [Vec<Runs<1>>; 2]| from.iter().zip(&to).map(|(a, b)| Runs::of_both(a, b)).collect();
        messages.apart = lists.apart * self.dims.parts();
        if let ([Some(from), Some(to)], 0) = (kept, lists.apart) {
            messages.kept = Some(both([from, to]));
        }
        Ok((messages, stages))
    }

    /// Returns the indices of the elements that this rank names of an owner, in this rank's local array or stage.
    fn naming_side(&self, asked: &OwnerList, places: &[Runs<1>], runs: &[Vec<Runs<1>>]) -> Vec<Runs<1>> {
        let layout = self.known.layout();
        let partial = partial(self.known, self.dims);
        let along = |along: &Along| match *along {
            Along::Parts => span(0, self.dims.parts()),
            Along::Listed => match places.get(asked.part) {
                Some(places) => places.clone(),
                None => span(asked.range.start as u64, asked.range.len() as u64),
            },
            Along::Axis(k) => match partial.iter().position(|&axis| axis == k) {
                Some(place) => {
                    runs[asked.peer.0 as usize].get(place).cloned().unwrap_or_else(|| Runs::of_runs([]))
                }
                None => {
                    let (from, to) = (layout.axes()[k].clone(), Axis::collapsed());
                    Overlap { from, to, len: layout.extents()[k] }.shared(asked.at[k], 0)
                }
            },
        };
        self.dims.all().iter().map(along).collect()
    }

    /// Returns the indices of the elements that another rank names of this rank, in this rank's array or stage.
    /// `listed` has those along the listed dimension.
    fn own_side(&self, local: &LocalArray, listed: &Runs<1>) -> Vec<Runs<1>> {
        let along = |along: &Along| match *along {
            Along::Parts => span(0, self.dims.parts()),
            Along::Listed => listed.clone(),
            Along::Axis(k) => span(0, local.axes[k].len),
        };
        self.dims.all().iter().map(along).collect()
    }

    fn stages(
        &self,
        ranked: Ranked,
        asked: &[OwnerList],
        named: &[(u32, ReceivedIndices)],
        local: &LocalArray,
    ) -> (Stages, ListedPlaces) {
        let (mut stages, mut lists) = (Stages::default(), ListedPlaces::default());
        if self.direction == ListDirection::Scatter {
            stages.scatters = self.target.is_none();
            stages.before = self.combining_of_scatter(ranked, &mut lists);
            stages.after = self.writes_of_scatter(asked, named, local, &mut lists);
            return (stages, lists);
        }
        stages.after = self.writes_of_gather(ranked, &mut lists);
        let ascending: Option<Vec<_>> =
            named.iter().map(|(_, received)| received.ascending().cloned()).collect();
        lists.of_owner = ascending.unwrap_or_else(|| {
            let (mut rows, mut spans) = (Vec::new(), Vec::new());
            for (_, received) in named {
                spans.push(span(rows.len() as u64, received.total()));
                received.each_run(|start, len| rows.extend(start..start + len));
            }
            let shape = self.dims.dense(rows.len() as u64, |k| local.axes[k].len);
            let numbers = RowNumbers::new(rows.len(), self.max_local_indices(local), rows.into_iter());
            stages.before = Some(Combining::Taken { shape, dim: self.dims.listed(), numbers });
            spans
        });
        (stages, lists)
    }

    /// Returns the copies from the stage of a gather to this rank's local array; `None` if no stage is needed.
    fn writes_of_gather(&self, Ranked { keys, order }: Ranked, lists: &mut ListedPlaces) -> Option<Writing> {
        let (distinct, dim) = (keys.len() as u64, self.dims.listed());
        let Some(target) = self.target else {
            let (numbers, shape) = (lists.numbers(order)?, self.stage(distinct));
            let Some(kept) = self.entries.1 else { return Some(Writing::Rows { shape, dim, numbers }) };
            let mut pairs = RowPairs::below([self.entries.0 as u64, distinct]);
            kept.iter().enumerate().for_each(|(k, &place)| pairs.push([place, numbers.get(k)]));
            return Some(Writing::Placed { shape, constants: Vec::new(), dim, pairs });
        };
        // In the stage, boundary values follow the gathered rows.
        let constants = target.constants.clone();
        let rows = distinct + constants.len() as u64 / self.dims.element();
        let named = target.places.iter().copied().zip(order.places(target.places.len()));
        let free = target.free.iter().map(|&(place, which)| (place, distinct + which));
        let mut all: Vec<_> = named.chain(free).collect();
        if !all.is_sorted() {
            all.sort_unstable();
        }
        let most = all.last().map_or(0, |pair| pair.0.saturating_add(1));
        let mut pairs = RowPairs::below([most, rows]);
        all.into_iter().for_each(|(place, row)| pairs.push([place, row]));
        (!pairs.is_empty()).then(|| Writing::Placed { shape: self.stage(rows), constants, dim, pairs })
    }

    /// Returns how this rank combines or collects its elements in a stage before it scatters them; `None` if no stage
    /// is needed.
    fn combining_of_scatter(
        &self,
        Ranked { keys, order }: Ranked,
        lists: &mut ListedPlaces,
    ) -> Option<Combining> {
        let (distinct, dim) = (keys.len() as u64, self.dims.listed());
        let Some(Target { places, .. }) = self.target else {
            let (mut numbers, mut rows) = (lists.numbers(order)?.firsts_marked(), distinct);
            if let Some(kept) = self.entries.1 {
                (numbers, rows) = (fill_skipped(&numbers, self.entries.0, kept, distinct), distinct + 1);
            }
            return Some(Combining::Sent { shape: self.stage(rows), dim, numbers });
        };
        // Each row has one place, because a shift moves no element to two places.
        let mut of_rows = vec![0; keys.len()];
        for (row, &place) in order.places(places.len()).into_iter().zip(places) {
            of_rows[index(row)] = place;
        }
        let most = places.iter().max().map_or(0, |place| place.saturating_add(1));
        let numbers = RowNumbers::new(of_rows.len(), most, of_rows.into_iter());
        (distinct > 0).then(|| Combining::Taken { shape: self.stage(distinct), dim, numbers })
    }

    /// Returns the order of this rank's writes of the elements scattered to it; `None` if no stage is needed.
    fn writes_of_scatter(
        &self,
        asked: &[OwnerList],
        named: &[(u32, ReceivedIndices)],
        local: &LocalArray,
        lists: &mut ListedPlaces,
    ) -> Option<Writing> {
        let own = self.own_rows(asked, &lists.of_naming);
        let all: Vec<(&ReceivedIndices, Option<u64>)> =
            named.iter().map(|(rank, received)| (received, own.filter(|_| *rank == self.rank))).collect();
        let Some((numbers, parts)) = order_writes(&all, self.max_local_indices(local)) else {
            lists.of_owner = all.iter().filter_map(|(received, _)| received.ascending().cloned()).collect();
            return None;
        };
        let mut total = 0;
        for (received, own) in all {
            lists.of_owner.push(span(total, received.total()));
            let counted = if own.is_some() { &mut lists.apart } else { &mut total };
            *counted += received.total();
        }
        let shape = self.dims.dense(total, |k| local.axes[k].len);
        Some(Writing::InOrder { shape, dim: self.dims.listed(), numbers, parts })
    }

    fn stage(&self, rows: u64) -> Shape {
        let extents = self.known.layout().extents();
        self.dims.dense(rows, |k| extents[k])
    }

    /// Returns the first row that this rank scatters to itself. `None` if these rows are not consecutive in the array
    /// that is read.
    fn own_rows(&self, asked: &[OwnerList], places: &[Runs<1>]) -> Option<u64> {
        let own = asked.iter().find(|each| each.peer.0 == self.rank).filter(|_| self.dims.is_one_axis())?;
        match places.get(own.part) {
            Some(places) => places.one_run(),
            None => Some(own.range.start as u64),
        }
    }

    /// Returns the maximum number of local indices of a list: the local extent of the listed axis, or the elements of
    /// the storage.
    fn max_local_indices(&self, local: &LocalArray) -> u64 {
        match self.dims.axis() {
            Some(axis) => local.axes[axis].len,
            None => storage(local).map_or(0, |(before, behind)| before + behind),
        }
    }
}

/// Returns the row of each of `count` entries. Those at the places `kept` have the rows `numbers`. The others are
/// skipped: they have row `spare`, which is not sent, and are marked to overwrite it.
fn fill_skipped(numbers: &RowNumbers, count: usize, kept: &[u64], spare: u64) -> RowNumbers {
    let mut all = RowNumbers::below(count, spare + 1);
    for (k, &place) in kept.iter().enumerate() {
        (all.len()..index(place)).for_each(|_| all.push(spare, true));
        all.push(numbers.get(k), numbers.is_marked(k));
    }
    (all.len()..count).for_each(|_| all.push(spare, true));
    all
}

fn span(start: u64, len: u64) -> Runs<1> {
    Runs::of_runs((len > 0).then_some(([start], len)))
}

fn index(n: u64) -> usize {
    usize::try_from(n).expect("a list in memory")
}

#[derive(Default)]
struct ListedPlaces {
    /// Places in this rank's array or stage of the elements that each other rank names.
    of_owner: Vec<Runs<1>>,
    /// Places in this rank's local array of the elements that it names, for each part with such elements. Empty if the
    /// places are in the order of keys.
    of_naming: Vec<Runs<1>>,
    /// Number of rows that this rank scatters to itself without the stage.
    apart: u64,
}

impl ListedPlaces {
    /// Returns the row of each entry in a stage; `None` if no stage is needed.
    fn numbers(&mut self, order: ListOrder) -> Option<RowNumbers> {
        match order {
            ListOrder::Ascending => None,
            ListOrder::InParts(places) => {
                self.of_naming = places;
                None
            }
            ListOrder::Any(numbers) => Some(numbers),
        }
    }
}
