//! Cases: messages, copies and rows, with arrays in a device's memory and with the same arrays in the host's memory.

use super::array::Array;
use super::draw::{contents, families, layout, slice};
use super::stand_in::{enter, function, leave};
use crate::layout::intersect::{Family, Slice};
use crate::layout::strides::Shape;
use crate::pack::{
    BufferReader, CopyRuns, Destination, RowNumbers, RowPairs, RowPart, RowTargets, Update, copy, copy_runs,
};

/// A random case that is repeated with the arrays in each of several memories.
pub struct Case<'r> {
    pub rng: &'r mut fastrand::Rng,
    pub update: Option<Update>,
    pub element: usize,
}

/// The device of each of two arrays; `None` for the host.
type Places = [Option<i32>; 2];

impl Case<'_> {
    /// Returns families for each dimension, and extents of an array that has them.
    fn sets<const D: usize>(&mut self, rank: usize) -> (Vec<Vec<Family<D>>>, Vec<u64>) {
        let most = if self.rng.u8(0..20) == 0 { 30_000 } else { 3_000 };
        loop {
            let (sets, extents): (Vec<_>, Vec<_>) = (0..rank).map(|_| families::<D>(self.rng)).unzip();
            if extents.iter().product::<u64>() <= most {
                return (sets, extents);
            }
        }
    }

    fn layout(&mut self, extents: &[u64]) -> (Shape, usize, usize) {
        // Updates need places that are multiples of a number apart in one array; elsewhere any bytes will do.
        loop {
            let (shape, bytes, at) = layout(self.rng, self.element, extents);
            let regular = shape.dims().iter().all(|dim| dim.stride % self.element as i64 == 0);
            if self.update.is_none() || regular {
                return (shape, bytes, at);
            }
        }
    }

    fn updated<'a>(&self, to: Destination<'a>) -> Destination<'a> {
        self.update.into_iter().fold(to, Destination::updated_by)
    }

    /// Compares the written arrays of two executions.
    fn same(&self, got: &Array, want: &Array, what: &str) {
        let (got, want) = (got.contents(), want.contents());
        let wrong = got.iter().zip(&want).position(|(a, b)| a != b);
        assert_eq!(
            wrong,
            None,
            "{what}, {:?}, element {}: {:?}",
            self.update,
            self.element,
            (got.len(), want.len())
        );
    }

    /// Packs and unpacks a product of index sets, each directly or as a list of runs (drawn at random).
    pub fn message(&mut self, rank: usize) {
        let (sets, extents) = self.sets::<1>(rank);
        let dims: Vec<Slice<1>> = sets.iter().map(|set| slice(self.rng, set)).collect();
        let (shape, bytes, at) = self.layout(&extents);
        let (lists_packed, lists_unpacked) = (self.rng.bool(), self.rng.bool());
        let (mut packs, mut unpacks) = (CopyRuns::pack(&shape), CopyRuns::unpack(&shape));
        packs.add(&dims);
        unpacks.add(&dims);
        let data = contents(self.rng, bytes, self.update.as_ref(), at);
        let count = dims.iter().map(Slice::total).product::<u64>() as usize * self.element;
        // The buffer begins anywhere, and is registered or not.
        let skew = self.rng.usize(0..17);
        let old = contents(self.rng, count + skew + 20, self.update.as_ref(), skew);
        let mut room = old.clone();
        let registered = self.rng.bool();
        let length = room.len();
        enter(0);
        if registered {
            let code =
                stand_in!(c"cuMemHostRegister_v2", room.as_mut_ptr() => *mut u8, length => usize, 0 => u32);
            assert_eq!(code, 0);
        }
        leave();
        let [here, there] = [None, Some(0)].map(|place| Array::new(place, &data));
        let mut want = old.clone();
        for (array, out) in [(&here, &mut want), (&there, &mut room)] {
            let source = array.source(at, &shape);
            match lists_packed && packs.is_whole() {
                true => source.pack_runs(&packs, &mut out[skew..]),
                false => {
                    let packed = source.pack(&dims, &mut out[skew..], BufferReader::NearCore);
                    assert_eq!(packed, count);
                }
            }
        }
        assert!(room == want, "packed, element {}, {dims:?} of {shape:?}", self.element);
        room.copy_from_slice(&old);
        for array in [&here, &there] {
            let mut to = self.updated(array.destination(at, &shape));
            match lists_unpacked && unpacks.is_whole() {
                true => to.unpack_runs(&unpacks, &room[skew..]),
                false => assert_eq!(to.unpack(&dims, &room[skew..]), count),
            }
        }
        self.same(&there, &here, &format!("unpacked {dims:?} of {shape:?} at {at}, {skew}"));
        assert!(room == old);
        if self.update.is_some_and(|update| update.ignores_source()) {
            for array in [&here, &there] {
                self.updated(array.destination(at, &shape)).update_alone(&dims);
            }
            self.same(&there, &here, "updated alone");
        }
        enter(0);
        if registered {
            assert_eq!(stand_in!(c"cuMemHostUnregister", room.as_mut_ptr() => *mut u8), 0);
        }
        leave();
    }

    /// Copies between two arrays, directly or as a list of runs.
    pub fn between(&mut self, rank: usize, places: Places) {
        let (sets, ends) = self.sets::<2>(rank);
        let dims: Vec<Slice<2>> = sets.into_iter().map(Slice::from).collect();
        let ((a, a_bytes, a_at), (b, b_bytes, b_at)) = (self.layout(&ends), self.layout(&ends));
        let mut runs = CopyRuns::copy(&a, &b);
        runs.add_both(&dims);
        let as_list = self.rng.bool() && runs.is_whole();
        let from = contents(self.rng, a_bytes, self.update.as_ref(), a_at);
        let to = contents(self.rng, b_bytes, self.update.as_ref(), b_at);
        let [want, got] = [[None; 2], places].map(|[source, target]| {
            let (from, written) = (Array::new(source, &from), Array::new(target, &to));
            let (source, mut target) = (from.source(a_at, &a), self.updated(written.destination(b_at, &b)));
            match as_list {
                true => copy_runs(&source, &mut target, &runs),
                false => copy(&source, &mut target, &dims),
            }
            assert!(source.device().is_none_or(|device| device.fault().is_none()));
            written
        });
        self.same(&got, &want, &format!("copied, {places:?}: {dims:?} from {a:?} to {b:?}"));
    }

    /// Copies rows by lists of their numbers.
    pub fn rows(&mut self, places: [Option<i32>; 3]) {
        let (dim, others) = (self.rng.usize(0..2), self.rng.u64(0..5));
        let rows: [u64; 3] = std::array::from_fn(|_| self.rng.u64(1..20));
        let extents = |rows| if dim == 0 { [rows, others] } else { [others, rows] };
        let layouts = rows.map(|rows| self.layout(&extents(rows)));
        let data: Vec<_> = (layouts.iter())
            .map(|(_, bytes, at)| contents(self.rng, *bytes, self.update.as_ref(), *at))
            .collect();
        let (how, count) = (self.rng.usize(0..3), self.rng.u64(0..30));
        let below = |rng: &mut fastrand::Rng, end| rng.u64(0..end);
        let taken: Vec<u64> = (0..rows[2]).map(|_| below(self.rng, rows[0])).collect();
        let numbers = RowNumbers::new(taken.len(), rows[0], taken.into_iter());
        let mut pairs = RowPairs::below([rows[2], rows[0]]);
        (0..count).for_each(|_| pairs.push([below(self.rng, rows[2]), below(self.rng, rows[0])]));
        let listed: Vec<u64> = (0..rows[0]).map(|_| below(self.rng, rows[2])).collect();
        let targets = RowNumbers::new(listed.len(), rows[2], listed.into_iter()).firsts_marked();
        let run = rows[1].min(rows[2]);
        let (start, from) = (below(self.rng, rows[2] - run + 1), below(self.rng, rows[1] - run + 1));
        let parts = [
            RowPart { source: 1, from, to: RowTargets::Run { start, len: run, marked: false } },
            RowPart { source: 0, from: 0, to: RowTargets::Numbers(0..targets.len()) },
        ];
        let [want, got] = [[None; 3], places].map(|places| {
            let arrays: Vec<_> =
                data.iter().zip(places).map(|(data, place)| Array::new(place, data)).collect();
            let source = |k: usize| arrays[k].source(layouts[k].2, &layouts[k].0);
            let mut target = arrays[2].destination(layouts[2].2, &layouts[2].0);
            match how {
                0 => self.updated(target).take_rows(&source(0), dim, &numbers),
                1 => target.write_rows(&source(0), dim, &pairs, self.update.as_ref()),
                _ => {
                    let updates = self.update.map(|update| [update, update.accumulating()]);
                    let from = [source(0), source(1)];
                    target.send_rows([Some(&from[0]), Some(&from[1])], dim, (&targets, &parts), updates);
                }
            }
            arrays.into_iter().next_back().unwrap()
        });
        self.same(&got, &want, &format!("rows {how}, {places:?}"));
    }
}
