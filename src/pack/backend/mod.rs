//! Checked copies of local arrays: each checks that its indices lie within the arrays, and calls a kernel with
//! addresses, strides and lengths.
//!
//! Nothing outside this folder takes a pointer out of a [`Source`] or a [`Destination`]. An array is in the host's
//! memory or in a device's ([`ArrayMemory`](memory::ArrayMemory)); each function chooses between the host's kernels and
//! those in `device`. A copy between two memories goes through a buffer of the host. (`gather` takes only arrays of the
//! host.)

mod device;
mod gather;
pub(super) mod memory;
mod packed;
mod rows;
mod together;

#[cfg(test)]
pub(crate) use device::tests as device_tests;
pub use device::{DeviceArray, ImportedMemory, SharableAllocation};
pub use gather::LineInput;
pub(crate) use packed::{DevicePart, MessageMemory, PackRoom, Packed};
pub(crate) use together::Selection;

use super::array::{Destination, Source};
use super::block::MIN_STREAMED_RUN;
use super::column::index;
use super::copy_runs::{CopyEnds, CopyRuns};
use super::instructions::{CopyOptions, Instructions};
use super::nest::{Nest, assert_holds, dimensions};
use super::prefetch::{MIN_FAR_ARRAY, MIN_STREAMED_BUFFER};
use super::rectangle;
use super::runs::CacheUse;
use super::stage;
use super::tiled;
use super::update::Update;
use crate::layout::intersect::{Family, Slice};
use crate::layout::strides::Shape;
use device::Selected;

fn copy_options(shape: &Shape, caches: CacheUse) -> CopyOptions {
    let instructions = Instructions::for_copy(shape.bytes());
    CopyOptions { element: shape.element(), caches, instructions }
}

/// The core that reads a buffer next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BufferReader {
    /// The core that fills it, or one that fetches lines fast from the filling core's cache.
    NearCore,
    /// Another core, which fetches lines faster from memory.
    FarCore,
}

impl Source<'_> {
    /// Packs the elements that `dims` selects as for [`copy`] into the front of `out`. Returns the bytes written.
    pub fn pack_side(&self, dims: &[Slice<2>], out: &mut [u8]) -> usize {
        self.pack(&slices_of_array(dims, 0), out, BufferReader::NearCore)
    }

    /// Packs the elements that `dims` selects (an index set per dimension) into the front of `out`, the first dimension
    /// fastest. `reader` reads `out` next. Returns the bytes written.
    pub fn pack(&self, dims: &[Slice<1>], out: &mut [u8], reader: BufferReader) -> usize {
        assert_holds(&self.shape, 0, dims);
        let bytes = selected_bytes(dims, self.element());
        assert!(bytes <= out.len(), "{bytes} bytes do not fit in {}", out.len());
        let mut nest = Nest::new();
        nest.add_pack(self.element(), dimensions(&self.shape, dims));
        if let Some(device) = self.device() {
            let selected = Selected::Nest(&nest, self.element());
            device.pack(self.memory.address(), selected, &mut out[..bytes]);
            return bytes;
        }
        let out = out.as_mut_ptr();
        let streams = reader == BufferReader::FarCore && bytes >= MIN_STREAMED_BUFFER;
        // SAFETY: the families lie within the array, and their positions within `out` (both asserted) or the stage.
        unsafe {
            if streams && bytes / index(nest.runs(self.element())).max(1) < MIN_STREAMED_RUN {
                stage::stream_through(out, bytes, |stage| self.pack_dense(&nest, stage, false));
            } else {
                self.pack_dense(&nest, out, streams);
            }
        }
        bytes
    }

    /// # Safety
    /// The elements that `nest` selects lie in the array, and `out` has room for them.
    unsafe fn pack_dense(&self, nest: &Nest, out: *mut u8, stream: bool) {
        let caches = CacheUse { prefetch: self.shape.bytes() >= MIN_FAR_ARRAY, stream };
        // SAFETY: this fn's contract.
        unsafe { rectangle::copy(self.memory.base(), out, nest, copy_options(&self.shape, caches)) };
    }

    /// Packs the elements of `runs` into the front of `out`. Panics unless `runs` packs from an array of this shape.
    pub(crate) fn pack_runs(&self, runs: &CopyRuns, out: &mut [u8]) {
        assert!(matches!(runs.ends(), CopyEnds::Pack(shape) if *shape == self.shape) && runs.is_whole());
        assert!(runs.bytes() <= out.len(), "{} bytes do not fit in {}", runs.bytes(), out.len());
        if let Some(device) = self.device() {
            return device.pack(self.memory.address(), Selected::Runs(runs.runs()), &mut out[..runs.bytes()]);
        }
        // SAFETY: the elements lie within an array of this shape (asserted); their packed positions are below
        // `runs.bytes()`.
        unsafe { runs.execute(self.memory.base(), out.as_mut_ptr(), None) };
    }
}

impl Destination<'_> {
    /// Unpacks the front of `input` into the elements that `dims` selects (an index set per dimension), the first
    /// dimension fastest. Returns the bytes read.
    pub fn unpack(&mut self, dims: &[Slice<1>], input: &[u8]) -> usize {
        assert_holds(&self.shape, 0, dims);
        let bytes = selected_bytes(dims, self.element());
        assert!(bytes <= input.len(), "{bytes} bytes are not in {}", input.len());
        let mut nest = Nest::new();
        nest.add_unpack(self.element(), dimensions(&self.shape, dims));
        if let Some(device) = self.device() {
            let selected = Selected::Nest(&nest, self.element());
            device.unpack(self.memory.address(), selected, &input[..bytes], self.update());
            return bytes;
        }
        let options = copy_options(&self.shape, CacheUse { prefetch: false, stream: self.is_streamed() });
        // SAFETY: the families lie within the array, and their positions within `input` (both asserted).
        unsafe {
            match self.update() {
                None => rectangle::copy(input.as_ptr(), self.memory.base(), &nest, options),
                Some(update) => tiled::update(input.as_ptr(), self.memory.base(), &nest, options, update),
            }
        }
        bytes
    }

    /// Unpacks the front of `input` into the elements of `runs`. Panics unless `runs` unpacks to an array of this
    /// shape.
    pub(crate) fn unpack_runs(&mut self, runs: &CopyRuns, input: &[u8]) {
        assert!(matches!(runs.ends(), CopyEnds::Unpack(shape) if *shape == self.shape) && runs.is_whole());
        assert!(runs.bytes() <= input.len(), "{} bytes are not in {}", runs.bytes(), input.len());
        if let Some(device) = self.device() {
            let input = &input[..runs.bytes()];
            return device.unpack(self.memory.address(), Selected::Runs(runs.runs()), input, self.update());
        }
        // SAFETY: as in `pack_runs`.
        unsafe { runs.execute(input.as_ptr(), self.memory.base(), self.update()) };
    }

    /// Applies the update to the elements that `dims` selects. Panics unless the update ignores its source.
    pub fn update_alone(&mut self, dims: &[Slice<1>]) {
        assert_holds(&self.shape, 0, dims);
        let update = self.update().filter(|update| update.ignores_source());
        let update = update.expect("an update that needs no source");
        let mut nest = Nest::new();
        nest.add_unpack(self.element(), dimensions(&self.shape, dims));
        if let Some(device) = self.device() {
            let selected = Selected::Nest(&nest, self.element());
            return device.copy([0, self.memory.address()], selected, Some(update), None);
        }
        let options = copy_options(&self.shape, CacheUse { prefetch: false, stream: self.is_streamed() });
        // SAFETY: the families lie within the array (asserted); nothing else is read.
        unsafe { tiled::update(std::ptr::null(), self.memory.base(), &nest, options, update) };
    }
}

/// Copies the elements that `dims` selects directly from `from` (coordinate 0) to `to` (coordinate 1).
///
/// Does nothing if source and destination are the same elements of the same array and there is no update.
pub fn copy(from: &Source, to: &mut Destination, dims: &[Slice<2>]) {
    assert_holds(&from.shape, 0, dims);
    assert_holds(&to.shape, 1, dims);
    assert_eq!(from.element(), to.element(), "one element size in a copy");
    let in_place = |slice: &Slice<2>| slice.each().all(|family| family.is_in_place());
    let pairs = || from.shape.dims().iter().zip(to.shape.dims());
    let same_strides = pairs().all(|(a, b)| a.stride == b.stride);
    let in_place = from.begins_with(to) && same_strides && dims.iter().all(in_place);
    if in_place && to.update().is_none() {
        return;
    }
    let by_kernel = match kernel_of(from, to) {
        Kernel::Buffered => return copy_by_buffer(from, to, dims),
        Kernel::Device(device) => Some(device),
        Kernel::Host => None,
    };
    let strides = pairs().map(|(a, b)| [a.stride, b.stride]);
    let mut nest = Nest::new();
    nest.add_copy(strides.zip(dims));
    if let Some(device) = by_kernel {
        let selected = Selected::Nest(&nest, from.element());
        let ends = [from.memory.address(), to.memory.address()];
        return device.copy(ends, selected, to.update(), from.memory.device().map(|source| &**source));
    }
    let caches = CacheUse { prefetch: from.shape.bytes() >= MIN_FAR_ARRAY, stream: to.is_streamed() };
    let options = copy_options(&from.shape, caches);
    // SAFETY: the families lie within both arrays (asserted).
    unsafe {
        match to.update() {
            None => rectangle::copy(from.memory.base(), to.memory.base(), &nest, options),
            Some(update) => tiled::update(from.memory.base(), to.memory.base(), &nest, options, update),
        }
    }
}

/// Copies the elements of `runs` between two arrays. Panics unless `runs` was made for their shapes. Does nothing in
/// the same case as [`copy`].
pub fn copy_runs(from: &Source, to: &mut Destination, runs: &CopyRuns) {
    let fits = matches!(runs.ends(), CopyEnds::Copy(a, b) if *a == from.shape && *b == to.shape);
    assert!(fits && runs.is_whole());
    if runs.is_in_place() && from.begins_with(to) && to.update().is_none() {
        return;
    }
    match kernel_of(from, to) {
        Kernel::Device(device) => {
            let selected = Selected::Runs(runs.runs());
            let ends = [from.memory.address(), to.memory.address()];
            device.copy(ends, selected, to.update(), from.memory.device().map(|source| &**source));
        }
        Kernel::Buffered => {
            let mut buffer = vec![0; runs.bytes().min(MAX_BUFFER)];
            for (packed, unpacked) in runs.parts(MAX_BUFFER) {
                from.pack_runs(&packed, &mut buffer);
                if from.failed_device().is_none() {
                    to.unpack_runs(&unpacked, &buffer);
                }
            }
        }
        // SAFETY: the elements lie within arrays of these shapes (asserted).
        Kernel::Host => unsafe { runs.execute(from.memory.base(), to.memory.base(), to.update()) },
    }
}

/// The kernels that copy from one array to another.
enum Kernel<'a> {
    Host,
    Device(&'a DeviceArray),
    /// One kernel packs into a buffer of the host, another one unpacks from there.
    Buffered,
}

#[inline]
fn kernel_of<'a>(from: &Source, to: &'a Destination) -> Kernel<'a> {
    match (from.memory.device(), to.memory.device()) {
        (None, None) => Kernel::Host,
        (Some(from), Some(to)) if from.shares_context_with(to) => Kernel::Device(to),
        _ => Kernel::Buffered,
    }
}

/// Maximum size of the buffer between host and device, in bytes.
const MAX_BUFFER: usize = 32 << 20;

/// Copies as [`copy`] does, through a buffer of the host's memory.
#[cold]
fn copy_by_buffer(from: &Source, to: &mut Destination, dims: &[Slice<2>]) {
    let (read, written) = (slices_of_array(dims, 0), slices_of_array(dims, 1));
    let bytes = selected_bytes(&read, from.element());
    let longest = (0..dims.len()).max_by_key(|&d| dims[d].total()).filter(|&d| dims[d].total() > 1);
    if let Some(d) = longest.filter(|_| bytes > MAX_BUFFER) {
        let mut part = dims.to_vec();
        for half in halve(dims[d].each().collect()) {
            part[d] = half.into();
            copy_by_buffer(from, to, &part);
        }
        return;
    }
    let mut buffer = vec![0; bytes];
    // An update that ignores its source ignores the contents of the buffer.
    if !to.update().is_some_and(Update::ignores_source) {
        from.pack(&read, &mut buffer, BufferReader::NearCore);
    }
    if from.failed_device().is_none() {
        to.unpack(&written, &buffer);
    }
}

/// Returns the index sets of one array of a copy.
fn slices_of_array(dims: &[Slice<2>], array: usize) -> Vec<Slice<1>> {
    let alone = |dim: &Slice<2>| {
        let mut one = Slice::default();
        dim.alone(array, &mut one);
        one
    };
    dims.iter().map(alone).collect()
}

/// Splits the list of families into two lists, or a single family into two.
fn halve(families: Vec<Family<2>>) -> [Vec<Family<2>>; 2] {
    let [one] = families[..] else {
        let (a, b) = families.split_at(families.len() / 2);
        return [a.to_vec(), b.to_vec()];
    };
    let (start, stride, len, count) = (one.start(), one.stride(), one.run_len(), one.count());
    let part = |after: [u64; 2], len, count| {
        let start = [start[0] + after[0], start[1] + after[1]];
        let stride = if count > 1 { stride } else { [0; 2] };
        vec![Family::new(start, stride, len, count).expect("a part of a family")]
    };
    match count {
        1 => [part([0; 2], len / 2, 1), part([len / 2; 2], len - len / 2, 1)],
        _ => {
            let half = count / 2;
            [part([0; 2], len, half), part(stride.map(|stride| stride * half), len, count - half)]
        }
    }
}

/// Returns the bytes of all elements that `dims` selects.
fn selected_bytes(dims: &[Slice<1>], element: usize) -> usize {
    let bytes = dims.iter().map(Slice::total).fold(element as u64, u64::saturating_mul);
    usize::try_from(bytes).expect("a piece fits in memory")
}

#[cfg(test)]
mod tests;
