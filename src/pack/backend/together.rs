//! Copies several pieces of an array in a device's memory together: by one launch if all are equally aligned.

use super::device::{DeviceArray, Ends, Selected};
use super::{PackRoom, Packed, dimensions, selected_bytes};
use crate::layout::intersect::Slice;
use crate::layout::strides::Shape;
use crate::pack::array::{Destination, Source};
use crate::pack::copy_runs::{CopyEnds, CopyRuns};
use crate::pack::nest::{Nest, assert_holds};

/// Some elements of a piece, in the order of its bytes.
#[derive(Clone, Copy)]
pub enum Selection<'s> {
    /// An index set for each dimension.
    Strip(&'s [Slice<1>]),
    Runs(&'s CopyRuns),
}

/// Function that gets the number of a piece and a callback, and calls the callback with each selection of the piece in
/// order.
pub type Selections<'f> = dyn FnMut(usize, &mut dyn FnMut(Selection<'_>)) + 'f;

/// Function as [`Selections`], for the index sets of both arrays of a copy.
pub type PairedSelections<'f> = dyn FnMut(usize, &mut dyn FnMut(&[Slice<2>])) + 'f;

impl Source<'_> {
    /// Packs the elements of piece `k` into the front of `outs[k]`. The array must be in a device's memory.
    pub(crate) fn pack_together(&self, outs: &mut [PackRoom<'_>], pieces: &mut Selections<'_>) {
        let device = self.device().expect("a device has the array");
        let rooms: Vec<usize> = outs.iter().map(|out| out.as_packed().len()).collect();
        let ends = Ends::Pack(self.memory.address(), outs);
        device.copy_together(ends, None, &[], &mut |add| {
            for (k, &room) in rooms.iter().enumerate() {
                let mut at = 0;
                pieces(k, &mut |selection| {
                    let packs =
                        |runs: &CopyRuns| matches!(runs.ends(), CopyEnds::Pack(shape) if *shape == self.shape);
                    at += select((&self.shape, 0), selection, packs, room - at, |selected| {
                        add(k, selected, at)
                    });
                });
            }
        });
    }
}

impl Destination<'_> {
    /// Unpacks the front of `inputs[k]` to the elements of piece `k`. The array must be in a device's memory, and no
    /// element in two pieces.
    pub(crate) fn unpack_together(&mut self, inputs: &[Packed<'_>], pieces: &mut Selections<'_>) {
        let device = self.device().expect("a device has the array");
        let ends = Ends::Unpack(inputs, self.memory.address());
        device.copy_together(ends, self.update(), &[], &mut |add| {
            for (k, input) in inputs.iter().enumerate() {
                let mut at = 0;
                pieces(k, &mut |selection| {
                    let unpacks =
                        |runs: &CopyRuns| matches!(runs.ends(), CopyEnds::Unpack(shape) if *shape == self.shape);
                    let room = input.len() - at;
                    at += select((&self.shape, 1), selection, unpacks, room, |selected| add(k, selected, at));
                });
            }
        });
    }

    /// Returns whether a device can copy from `from` to this array by one kernel.
    pub(crate) fn is_reached_by(&self, from: &Source<'_>) -> bool {
        from.device().zip(self.device()).is_some_and(|(from, to)| from.shares_context_with(to))
    }

    /// Copies elements of several arrays that reach this one ([`Self::is_reached_by`]); `pieces` gets the number of the
    /// array. No element may be written twice.
    pub(crate) fn copy_together(&mut self, from: &[Source<'_>], pieces: &mut PairedSelections<'_>) {
        assert!(from.iter().all(|from| self.is_reached_by(from)));
        let device = self.device().expect("a device has the array");
        let to = self.memory.address();
        let pairs: Vec<[usize; 2]> = from.iter().map(|from| [from.memory.address(), to]).collect();
        let sources: Vec<&DeviceArray> =
            from.iter().filter_map(Source::device).map(|device| &**device).collect();
        device.copy_together(Ends::Arrays(&pairs), self.update(), &sources, &mut |add| {
            for (k, from) in from.iter().enumerate() {
                pieces(k, &mut |dims| {
                    assert_holds(&from.shape, 0, dims);
                    assert_holds(&self.shape, 1, dims);
                    assert_eq!(from.element(), self.element(), "one element size in a copy");
                    let strides = from.shape.dims().iter().zip(self.shape.dims());
                    let mut nest = Nest::new();
                    nest.add_copy(strides.map(|(a, b)| [a.stride, b.stride]).zip(dims));
                    add(k, Selected::Nest(&nest, self.element()), 0);
                });
            }
        });
    }
}

/// Passes the elements of `selection` to `add`, and returns their bytes. `side` is 0 to pack from an array of this
/// shape, 1 to unpack. Panics unless they lie in the array and fit in `room` bytes.
fn select(
    (shape, side): (&Shape, usize),
    selection: Selection<'_>,
    fits: impl Fn(&CopyRuns) -> bool,
    room: usize,
    add: impl FnOnce(Selected<'_>),
) -> usize {
    let bytes = match selection {
        Selection::Strip(dims) => selected_bytes(dims, shape.element()),
        Selection::Runs(runs) => runs.bytes(),
    };
    assert!(bytes <= room, "{bytes} bytes do not fit in {room}");
    match selection {
        Selection::Strip(dims) => {
            assert_holds(shape, 0, dims);
            let mut nest = Nest::new();
            match side {
                0 => nest.add_pack(shape.element(), dimensions(shape, dims)),
                _ => nest.add_unpack(shape.element(), dimensions(shape, dims)),
            }
            add(Selected::Nest(&nest, shape.element()));
        }
        Selection::Runs(runs) => {
            assert!(fits(runs) && runs.is_whole());
            add(Selected::Runs(runs.runs()));
        }
    }
    bytes
}
