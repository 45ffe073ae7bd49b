//! Compares copies of arrays in a device's memory with the same copies of arrays in the host's memory, byte by byte.
//!
//! The device is the stand-in for NVIDIA's driver (`ctest/cuda/driver.c`), which runs the kernels' source on the CPU.
//! The host cannot access its device memory. It is preloaded, so the cases run in a process of their own.

use super::*;
use crate::layout::intersect::{Family, Runs, Slice};
use crate::layout::strides::{ArrayDim, Shape};
use crate::pack::{
    BufferReader, Combine, CopyRuns, Destination, Number, RowNumbers, RowPairs, RowPart, RowTargets, Scalar,
    Source, copy, copy_runs,
};
use std::ffi::{CStr, c_void};
use std::process::Command;
use std::sync::Arc;

/// Bytes around an array, which no copy may change.
const MARGIN: usize = 48;

/// Builds the stand-in. Returns its path; `None` if there is no compiler.
fn stand_in() -> Option<String> {
    let (root, out) = (env!("CARGO_MANIFEST_DIR"), env!("OUT_DIR"));
    let (object, library) = (format!("{out}/driver.o"), format!("{out}/libcuda.so.1"));
    let kernels = format!("{root}/src/pack/backend/device/kernels/kernels_on_cpu.cc");
    let driver = format!("{root}/ctest/cuda/driver.c");
    let compilers: [(&str, &[&str]); 2] = [
        ("cc", &["-O1", "-std=gnu11", "-fPIC", "-c", "-o", &object, &driver]),
        (
            "c++",
            &[
                "-O1",
                "-std=c++17",
                "-ffp-contract=off",
                "-fsanitize=alignment",
                "-fsanitize-undefined-trap-on-error",
                "-shared",
                "-fPIC",
                "-o",
                &library,
                "-Wl,-soname,libcuda.so.1",
                &object,
                &kernels,
                "-pthread",
            ],
        ),
    ];
    for (compiler, arguments) in compilers {
        let done = match Command::new(compiler).args(arguments).output() {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                eprintln!("SKIPPED: copies of device memory: there is no {compiler}");
                return None;
            }
            done => done.unwrap(),
        };
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }
    Some(library)
}

/// Runs the test `name` of `module` in a process of its own, with the stand-in.
pub fn run_with_stand_in(module: &str, name: &str) {
    static LIBRARY: OnceLock<Option<String>> = OnceLock::new();
    let Some(library) = LIBRARY.get_or_init(stand_in) else { return };
    let name = format!("{}::{name}", module.split_once("::").unwrap().1);
    let done = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "--nocapture", &name])
        .env("LD_PRELOAD", library)
        .output()
        .unwrap();
    let (out, err) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert!(done.status.success() && out.contains("1 passed"), "{out}{err}");
}

#[test]
#[cfg(not(miri))]
fn copies_of_device_memory_equal_those_of_host_memory() {
    run_with_stand_in(module_path!(), "random_cases");
}

#[test]
#[cfg(not(miri))]
fn a_failure_of_the_driver_is_kept() {
    run_with_stand_in(module_path!(), "failures::failures");
}

#[test]
#[cfg(not(miri))]
fn a_reset_frees_events() {
    run_with_stand_in(module_path!(), "failures::resets");
}

#[test]
#[cfg(not(miri))]
fn a_panic_waits_for_the_device() {
    run_with_stand_in(module_path!(), "failures::panics");
}

/// Returns the function `name` of the stand-in.
fn function(name: &CStr) -> *mut c_void {
    // SAFETY: a C string.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    assert!(!found.is_null(), "{name:?}");
    found
}

/// Calls a function of the stand-in with arguments of 64 or 32 bits.
macro_rules! stand_in {
    ($name:literal, $($value:expr => $t:ty),*) => {{
        // SAFETY: the stand-in declares these parameters.
        let f: unsafe extern "C" fn($($t),*) -> libc::c_long = unsafe { std::mem::transmute(function($name)) };
        // SAFETY: the caller's pointers have room for what the function writes.
        unsafe { f($($value),*) as i32 }
    }};
}

/// Lets the call number `nth` of a function of the stand-in fail from now on; 0: no call.
pub fn let_fail(name: &CStr, nth: libc::c_long, code: i32) {
    stand_in!(c"standin_fail", name.as_ptr() => *const libc::c_char, nth => libc::c_long, code => i32);
}

/// Memory of the host, or of a device of the stand-in.
pub struct Array {
    address: usize,
    bytes: usize,
    device: Option<(i32, Arc<DeviceArray>)>,
}

fn enter(ordinal: i32) {
    let mut context: *mut c_void = std::ptr::null_mut();
    assert_eq!(
        stand_in!(c"cuDevicePrimaryCtxRetain", &raw mut context => *mut *mut c_void, ordinal => i32),
        0
    );
    assert_eq!(stand_in!(c"cuCtxPushCurrent_v2", context => *mut c_void), 0);
}
fn leave() {
    let mut context: *mut c_void = std::ptr::null_mut();
    assert_eq!(stand_in!(c"cuCtxPopCurrent_v2", &raw mut context => *mut *mut c_void), 0);
}

impl Array {
    pub fn new(ordinal: Option<i32>, contents: &[u8]) -> Self {
        let bytes = contents.len();
        let Some(ordinal) = ordinal else {
            let address = Box::leak(contents.to_vec().into_boxed_slice()).as_mut_ptr().expose_provenance();
            return Self { address, bytes, device: None };
        };
        let mut address = 0u64;
        enter(ordinal);
        assert_eq!(stand_in!(c"cuMemAlloc_v2", &raw mut address => *mut u64, bytes => usize), 0);
        let from = contents.as_ptr();
        assert_eq!(stand_in!(c"cuMemcpyHtoD_v2", address => u64, from => *const u8, bytes => usize), 0);
        leave();
        let (driver, address) = (Driver::loaded().unwrap(), usize::try_from(address).unwrap());
        let Ok(Memory::Device(memory)) = driver.describe(address) else { panic!("device memory") };
        Self { address, bytes, device: Some((ordinal, Arc::new(DeviceArray::new(driver, memory)))) }
    }

    fn contents(&self) -> Vec<u8> {
        let mut out = vec![0; self.bytes];
        match &self.device {
            None => {
                let from = std::ptr::with_exposed_provenance::<u8>(self.address);
                // SAFETY: `new` leaked these bytes.
                out.copy_from_slice(unsafe { std::slice::from_raw_parts(from, self.bytes) });
            }
            Some((ordinal, array)) => {
                assert_eq!(array.fault(), None);
                enter(*ordinal);
                let (to, from) = (out.as_mut_ptr(), self.address as u64);
                let bytes = self.bytes;
                assert_eq!(stand_in!(c"cuMemcpyDtoH_v2", to => *mut u8, from => u64, bytes => usize), 0);
                leave();
            }
        }
        out
    }

    pub fn device(&self) -> Option<Arc<DeviceArray>> {
        self.device.as_ref().map(|(_, device)| device.clone())
    }

    pub fn source(&self, at: usize, shape: &Shape) -> Source<'_> {
        let base = std::ptr::with_exposed_provenance(self.address + at);
        // SAFETY: `layout` made the array for the shape.
        unsafe { Source::new(base, shape.clone()) }.on(self.device())
    }

    fn destination(&self, at: usize, shape: &Shape) -> Destination<'_> {
        let base = std::ptr::with_exposed_provenance_mut(self.address + at);
        // SAFETY: as in `source`; the tests use one at a time.
        unsafe { Destination::new(base, shape.clone()) }.on(self.device())
    }
}

impl Drop for Array {
    fn drop(&mut self) {
        match &self.device {
            None => {
                let base = std::ptr::with_exposed_provenance_mut::<u8>(self.address);
                // SAFETY: `new` leaked this box.
                drop(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(base, self.bytes)) });
            }
            Some((ordinal, _)) => {
                enter(*ordinal);
                assert_eq!(stand_in!(c"cuMemFree_v2", self.address as u64 => u64), 0);
                leave();
            }
        }
    }
}

/// Returns a few families in ascending order, and the index behind them.
fn families<const D: usize>(rng: &mut fastrand::Rng) -> (Vec<Family<D>>, u64) {
    let (mut at, mut all) = ([(); D].map(|()| rng.u64(0..3)), Vec::new());
    let long = rng.u8(0..6) == 0;
    for _ in 0..rng.usize(1..4) {
        let len = if long { rng.u64(1..150) } else { rng.u64(1..6) };
        let count = rng.u64(1..5);
        let stride = [(); D].map(|()| if count > 1 { len + rng.u64(0..4) } else { 0 });
        all.push(Family::new(at, stride, len, count).unwrap());
        at = std::array::from_fn(|d| all.last().unwrap().end(d) + rng.u64(0..3));
    }
    (all, at.into_iter().max().unwrap() + rng.u64(0..2))
}

/// Returns the families as an index set, sometimes as a list.
fn slice(rng: &mut fastrand::Rng, families: &[Family<1>]) -> Slice<1> {
    if rng.bool() { Runs::listed(families, rng.bool(), rng.bool()).whole() } else { families.to_vec().into() }
}

/// Returns a shape with these extents, the bytes of memory around it, and the place of its first element there. Its
/// dimensions are in random order in memory, in either direction.
fn layout(rng: &mut fastrand::Rng, element: usize, extents: &[u64]) -> (Shape, usize, usize) {
    let mut dims = vec![ArrayDim::default(); extents.len()];
    let mut order: Vec<usize> = (0..extents.len()).collect();
    if rng.bool() {
        rng.shuffle(&mut order);
    }
    let gap = if rng.bool() { 0 } else { rng.i64(0..3) };
    let (mut stride, mut first) = (element as i64 + if rng.u8(0..12) == 0 { rng.i64(0..9) } else { 0 }, 0);
    let backwards = rng.u8(0..4) == 0;
    for d in order {
        let extent = extents[d] as i64;
        let back = backwards && rng.bool();
        dims[d] = ArrayDim { extent: extents[d], stride: if back { -stride } else { stride } };
        first += if back { (extent - 1).max(0) * stride } else { 0 };
        stride *= extent + gap;
    }
    let skew = if rng.u8(0..3) == 0 { rng.usize(0..17) } else { 16 };
    let at = MARGIN + skew + first as usize;
    (Shape::new(element, &dims), stride as usize + element + 2 * MARGIN + 32, at)
}

fn number(rng: &mut fastrand::Rng, number: Number, choices: &[f64]) -> Vec<u8> {
    let real = |rng: &mut fastrand::Rng| match choices {
        [] => f64::from(rng.i32(-4000..4000)) / 7.0,
        some => some[rng.usize(..some.len())],
    };
    let [a, b] = [real(rng), real(rng)];
    match number {
        Number::Int32 => (a as i32).wrapping_mul(rng.i32(1..1 << 30) | 1).to_ne_bytes().to_vec(),
        Number::Int64 => (a as i64).wrapping_mul(rng.i64(1..1 << 60) | 1).to_ne_bytes().to_vec(),
        Number::Float => (a as f32).to_ne_bytes().to_vec(),
        Number::Double => a.to_ne_bytes().to_vec(),
        Number::Complex => [a as f32, b as f32].map(f32::to_ne_bytes).concat(),
        Number::DoubleComplex => [a, b].map(f64::to_ne_bytes).concat(),
    }
}

/// Returns random bytes, or numbers for an update.
fn contents(rng: &mut fastrand::Rng, bytes: usize, update: Option<&Update>, at: usize) -> Vec<u8> {
    let mut all = vec![0; bytes];
    rng.fill(&mut all);
    if let Some(update) = update {
        let element = update.number().bytes();
        for number_at in all[at % element..].chunks_exact_mut(element) {
            number_at.copy_from_slice(&number(rng, update.number(), &[]));
        }
    }
    all
}

fn random_update(rng: &mut fastrand::Rng) -> Update {
    let of = Number::ALL[rng.usize(0..6)];
    let combine = [Combine::Add, Combine::Minimum, Combine::Maximum, Combine::And, Combine::Or];
    loop {
        let factor = |rng: &mut fastrand::Rng| match rng.u8(0..4) {
            0 => of.scalar(0),
            1 => of.scalar(1),
            2 => of.scalar(-1),
            _ => Scalar::of(&number(rng, of, &[0.5, 3.25, 1.0 / 3.0, -0.7])),
        };
        let factors = [factor(rng), factor(rng)];
        let combine = if rng.bool() { Combine::Add } else { combine[rng.usize(0..5)] };
        if let Some(update) = Update::new(of, combine, rng.bool(), factors) {
            return update;
        }
    }
}

/// A random case that is repeated with the arrays in each of several memories.
struct Case<'r> {
    rng: &'r mut fastrand::Rng,
    update: Option<Update>,
    element: usize,
}

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

    /// Compares the written arrays of two runs.
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

    /// Packs and unpacks a product of index sets, directly and as a list of runs.
    fn message(&mut self, rank: usize) {
        let (sets, extents) = self.sets::<1>(rank);
        let dims: Vec<Slice<1>> = sets.iter().map(|set| slice(self.rng, set)).collect();
        let (shape, bytes, at) = self.layout(&extents);
        let (flat_pack, flat_unpack) = (self.rng.bool(), self.rng.bool());
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
            match flat_pack && packs.is_whole() {
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
            match flat_unpack && unpacks.is_whole() {
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
    fn between(&mut self, rank: usize, places: Places) {
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
    fn rows(&mut self, places: [Option<i32>; 3]) {
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

#[test]
#[ignore = "run by copies_of_device_memory_equal_those_of_host_memory, with the stand-in"]
fn random_cases() {
    let seed = std::env::var("REBLOCK_TEST_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(7);
    for number in 0..3000u64 {
        println!("case {number} of seed {seed}");
        let mut rng = fastrand::Rng::with_seed(seed << 32 | number);
        let update = (rng.u8(0..3) == 0).then(|| random_update(&mut rng)).filter(|update| !update.is_copy());
        let plain = [1, 2, 4, 8, 16][rng.usize(0..5)];
        let element = update.map_or(plain, |update| update.number().bytes());
        let places: [Option<i32>; 3] = std::array::from_fn(|_| [None, Some(0), Some(1)][rng.usize(0..3)]);
        let (what, rank) = (rng.u8(0..5), rng.usize(0..5));
        let mut case = Case { rng: &mut rng, update, element };
        match what {
            0 | 1 => case.message(rank),
            2 | 3 => case.between(rank, [places[0], places[1]]),
            _ => case.rows(places),
        }
        assert_eq!(stand_in!(c"standin_pending",), 0, "work for which nobody has waited");
    }
}

mod failures;
