//! Keys of the elements that a list names. A *key* is (number of the owning part) * (span of a part) + (local index
//! there), so keys ascend part by part, and within a part with the local indices.

use super::dims::ListedDims;
use super::list_draft::IndexList;
use super::ranked::{ListOrder, Ranked};
use crate::arrays::dereference::look_up;
use crate::arrays::end::ResolvedEnd;
use crate::arrays::rendezvous::ranks_by_coordinate;
use crate::collective::failure::{Code, Failure};
use crate::layout::distribution::{Axis, Grid};
use crate::layout::intersect::stretches;
use crate::pack::RowNumbers;
use crate::runtime::session::Session;

/// Maximum number of runs of an axis in a table of owners.
const MAX_TABLED_RUNS: usize = 1 << 12;

#[derive(Default)]
pub(super) struct ListKeys {
    pub keys: Vec<u64>,
    /// Possible keys of one part; a multiple of 64.
    pub span: u64,
    /// If elements are listed: a bound of the local indices along each axis, the fastest axis in memory first. The
    /// local index of an element is a number in these mixed radices.
    pub radices: Vec<u64>,
}

/// Owner and local index of an entry of a column.
type OwnerPlace = (u32, u64);

/// The indices of all entries along one axis.
struct IndexColumn<'a> {
    axis: &'a Axis,
    lookup: PlaceLookup,
    /// Exclusive upper bound of the local indices.
    radix: u64,
}

/// Way to find the places of a column's indices.
enum PlaceLookup {
    Computed,
    /// By runs with one owner: first index, owner, local index of the first index.
    Stretches(Vec<(u64, u32, u64)>),
    /// Places of the distinct indices from [`look_up`], and for each entry the number of its index among these; `None`
    /// if the entries are the distinct indices in order.
    Answered(Vec<OwnerPlace>, Option<RowNumbers>),
}

/// Returns the keys of `list`. Collective. The inner result is this rank's own failure; the outer one is MPI's.
pub(super) fn find_keys(
    session: &Session,
    known: &ResolvedEnd,
    dims: &ListedDims,
    list: &IndexList<'_>,
) -> Result<Result<ListKeys, Failure>, Failure> {
    let (layout, order) = (known.layout(), known.map.order());
    let (grid, axes) = (layout.whole_grid(), layout.axes());
    let listed = dims.axis().map_or_else(|| (0..axes.len()).collect(), |axis| vec![axis]);
    let mut columns = Vec::with_capacity(listed.len());
    for (c, &k) in listed.iter().enumerate() {
        let axis = (&axes[k], layout.extents()[k]);
        columns.push(IndexColumn::new(session, axis, &grid, k, || list.column(c).collect(), list.count)?);
    }
    let radices: Vec<u64> = match dims.axis() {
        Some(_) => vec![columns[0].radix],
        None => order.iter().map(|&k| columns[k].radix).collect(),
    };
    let parts: u64 = listed.iter().map(|&k| u64::from(grid.extents()[k])).product();
    let span = radices.iter().try_fold(1u64, |span, &radix| span.checked_mul(radix));
    let span = span.and_then(|span| span.checked_next_multiple_of(64));
    let Some(span) = span.filter(|span| span.checked_mul(parts).is_some()) else { return Ok(Err(large())) };
    if dims.axis().is_some() {
        let key = |(coord, own): OwnerPlace| u64::from(coord) * span + own;
        let keys = columns[0].each(list.column(0), key);
        return Ok(Ok(ListKeys { keys, span, radices: Vec::new() }));
    }
    let mut places = vec![(0, 0); columns.len()];
    let key = |e: usize| {
        let mut part = 0;
        for (k, (column, place)) in columns.iter().zip(&mut places).enumerate() {
            *place = column.place(e, list.at(e, k));
            part = part * u64::from(grid.extents()[k]) + u64::from(place.0);
        }
        let own = order.iter().zip(&radices).rev().fold(0, |own, (&k, radix)| own * radix + places[k].1);
        part * span + own
    };
    Ok(Ok(ListKeys { keys: (0..list.count).map(key).collect(), span, radices }))
}

fn large() -> Failure {
    Failure::new(
        Code::Memory,
        "the parts of the array differ so much in size that its elements cannot be numbered in 64 bits",
    )
}

impl<'a> IndexColumn<'a> {
    /// Prepares a column: `asked` returns its `count` indices. Collective if processes have only their own indices.
    fn new(
        session: &Session,
        (axis, extent): (&'a Axis, u64),
        grid: &Grid,
        k: usize,
        asked: impl FnOnce() -> Vec<u64>,
        count: usize,
    ) -> Result<Self, Failure> {
        if axis.dist.part().is_some() {
            let Ranked { keys, order } = Ranked::new(asked(), u64::MAX);
            let found = look_up(session, axis, extent, &ranks_by_coordinate(grid, k), &keys.list())?;
            let radix = found.iter().map(|&(_, own)| own + 1).max().unwrap_or(1);
            let of = if let ListOrder::Any(of) = order { Some(of) } else { None };
            return Ok(Self { axis, lookup: PlaceLookup::Answered(found, of), radix });
        }
        let radix =
            (0..grid.extents()[k]).map(|coord| axis.local_len(extent, coord)).max().unwrap_or(1).max(1);
        let most = MAX_TABLED_RUNS.min(count / 8);
        let mut listed = Vec::new();
        for (coord, run) in stretches(axis, 0..extent).take(most + 1) {
            listed.push((run.start, coord, axis.local(run.start).0));
        }
        let few = !listed.is_empty() && listed.len() <= most;
        Ok(Self {
            axis,
            lookup: if few { PlaceLookup::Stretches(listed) } else { PlaceLookup::Computed },
            radix,
        })
    }

    /// Returns owner and local index of index `x`, that of entry `e`.
    #[inline]
    fn place(&self, e: usize, x: u64) -> OwnerPlace {
        match &self.lookup {
            PlaceLookup::Computed => (self.axis.owner(x), self.axis.local(x).0),
            PlaceLookup::Stretches(listed) => within(listed, x),
            PlaceLookup::Answered(found, None) => found[e],
            PlaceLookup::Answered(found, Some(of)) => {
                found[usize::try_from(of.get(e)).expect("a list in memory")]
            }
        }
    }

    fn each(&self, indices: impl Iterator<Item = u64>, key: impl Fn(OwnerPlace) -> u64) -> Vec<u64> {
        match &self.lookup {
            PlaceLookup::Stretches(listed) => indices.map(|x| key(within(listed, x))).collect(),
            _ => indices.enumerate().map(|(e, x)| key(self.place(e, x))).collect(),
        }
    }
}

/// Returns owner and local index of index `x`, from the run that contains it.
#[inline]
fn within(listed: &[(u64, u32, u64)], x: u64) -> OwnerPlace {
    let (start, coord, own) = listed[listed.partition_point(|&(start, ..)| start <= x) - 1];
    (coord, own + (x - start))
}
