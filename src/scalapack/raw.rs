//! The arguments of a routine's call as the caller passed them, with pointers: for reblock, or for the program's own
//! ScaLAPACK.
#![allow(unsafe_code)]

use crate::exec::travel::check_devices;
use crate::layout::intersect;
use crate::layout::strides::Shape;
use crate::mpi::blacs::{Arguments, Blacs, Int, Language, Original, wide};
use crate::pack::place::{DeviceArray, check_all_on_host, device_of};
use crate::pack::{Destination, Footprint, Scalar, Source, copy};
use crate::scalapack::{Call, CallArguments, Family, MatrixArguments, Prepared, Routine, extent};
use crate::system::cuda::Driver;
use crate::transport::error::Error;
use crate::trial::{Preparation, TraceOptions};
use std::borrow::Borrow;
use std::cell::RefCell;
use std::sync::Arc;

pub(crate) struct RawMatrix {
    pub(crate) base: *mut u8,
    pub(crate) start: [Int; 2],
    pub(crate) descriptor: *const Int,
}

/// The arguments of one call; `None` if the routine lacks an argument.
pub(crate) struct RawCall {
    pub(crate) routine: Routine,
    pub(crate) language: Language,
    pub(crate) uplo: Option<*const u8>,
    pub(crate) diag: Option<*const u8>,
    pub(crate) trans: Option<*const u8>,
    pub(crate) extent: [Int; 2],
    pub(crate) scalars: Option<[*const u8; 2]>,
    pub(crate) a: RawMatrix,
    pub(crate) b: RawMatrix,
    pub(crate) context: Option<Int>,
}

/// The devices that have this rank's local arrays of A and B; `None`: the host.
pub(crate) type Devices = [Option<Arc<DeviceArray>>; 2];

/// The part of a call that a process carries out alone.
#[expect(clippy::large_enum_variant, reason = "it is matched at once, and copies allocate nothing")]
pub(crate) enum LocalPart {
    /// No part: all processes make the call together.
    None,
    /// The whole call, which moves nothing on this process.
    Nothing,
    /// The whole call: copies within this process's memory.
    Copy(Call),
}

impl RawMatrix {
    /// Reads the matrix's arguments for a routine of `family`.
    ///
    /// # Safety
    /// The descriptor is null, or has a type and a context and, unless the context is negative, all entries of its
    /// type.
    unsafe fn read_arguments(&self, family: Family) -> MatrixArguments {
        // SAFETY: this fn's contract.
        let entry = |k: usize| unsafe { *self.descriptor.add(k) };
        let context = if self.descriptor.is_null() { -1 } else { entry(1) };
        if context < 0 {
            return MatrixArguments { context, ..MatrixArguments::default() };
        }
        let dtype = if family.is_between_contexts() { 1 } else { wide(entry(0)) };
        let count = MatrixArguments::count(family, dtype);
        let entries = std::array::from_fn(|k| if k < count { wide(entry(k + 2)) } else { 0 });
        MatrixArguments { context, start: self.start.map(wide), dtype, entries }
    }
}

/// Explains entries of a descriptor that look like integers of the other width. If 64-bit integers are read as 32-bit
/// ones, every second entry is 0, such as NB_. If 32-bit integers are read as 64-bit ones, CTXT_ consists of two
/// entries.
pub(crate) fn explain_misread_integers(name: &str, desc: &[Int]) -> Option<String> {
    #[cfg(not(feature = "ilp64"))]
    let other = (desc.len() >= 9 && [1, 3, 5, 7].iter().all(|&k| desc[k] == 0)).then_some((
        64,
        32,
        "libreblock_ilp64",
    ));
    #[cfg(feature = "ilp64")]
    let other =
        desc.get(1).is_some_and(|&context| context > i64::from(i32::MAX)).then_some((32, 64, "libreblock"));
    other.map(|(theirs, ours, library)| {
        format!(
            "{name} looks like one of {theirs}-bit integers, but this reblock has {ours} bits: use {library}"
        )
    })
}

/// Maximum elements of a run that are copied one by one, faster than by `memmove`.
const MAX_SINGLE_ELEMENTS: usize = 4;

thread_local! {
    /// Routines of the program's own ScaLAPACK that this thread has found, with the address of the calling library's
    /// [`Blacs`].
    static ORIGINALS: RefCell<Vec<(Routine, usize, Original)>> = const { RefCell::new(Vec::new()) };
}

impl RawCall {
    /// Checks the call; returns `None` if the call does nothing.
    ///
    /// # Safety
    /// The arguments are those of a caller of the routine.
    pub(crate) unsafe fn prepared(&self, options: &TraceOptions) -> Result<Option<Prepared>, Error> {
        let preparation = Preparation::start(options);
        let extent = extent(self.routine.family, self.extent)?;
        if extent.contains(&0) && !self.routine.family.has_scalars() {
            return Ok(None);
        }
        // SAFETY: this fn's contract.
        let prepared = Prepared::of(&unsafe { self.read_arguments(extent)? })?;
        Ok(prepared.map(|mut prepared| {
            prepared.before = preparation.elapsed();
            prepared
        }))
    }

    /// Reads all arguments except the addresses of A and B.
    ///
    /// # Safety
    /// The arguments are those of a caller of the routine.
    unsafe fn read_arguments(&self, extent: [u64; 2]) -> Result<CallArguments, Error> {
        self.check_host()?;
        // SAFETY: options are one character each.
        let letter = |option: Option<*const u8>| option.map(|at| unsafe { *at });
        let scalars = self.scalars.zip(self.routine.number()).map(|(scalars, number)| {
            // SAFETY: scalars are of the type of the elements.
            scalars.map(|at| Scalar::of(unsafe { std::slice::from_raw_parts(at, number.bytes()) }))
        });
        // SAFETY: the descriptors are those of a caller of the routine.
        let matrix = |matrix: &RawMatrix| unsafe { matrix.read_arguments(self.routine.family) };
        Ok(CallArguments {
            routine: self.routine,
            extent,
            options: [self.uplo, self.diag, self.trans].map(letter),
            scalars,
            enclosing: self.context,
            matrices: [matrix(&self.a), matrix(&self.b)],
        })
    }

    /// Checks that the host can read the letters, the descriptors and the scalars.
    fn check_host(&self) -> Result<(), Error> {
        let target = if self.routine.family.target() == "C" { "DESCC" } else { "DESCB" };
        let descriptors = [("DESCA", self.a.descriptor.cast()), (target, self.b.descriptor.cast())];
        let scalars = self.scalars.map(|[alpha, beta]| [("ALPHA", alpha), ("BETA", beta)]);
        let letters = [("UPLO", self.uplo), ("DIAG", self.diag), ("TRANS", self.trans)];
        let letters = letters.into_iter().filter_map(|(name, letter)| Some((name, letter?)));
        let all = letters.chain(descriptors).chain(scalars.into_iter().flatten());
        check_all_on_host(all).map_err(Error::Host)
    }

    /// Returns the part of the call that this process carries out without other processes. Sends no message.
    ///
    /// # Safety
    /// As for the entry points.
    pub(crate) unsafe fn local_part(&self) -> Result<LocalPart, Error> {
        if self.routine.family != Family::Lacpy {
            return Ok(LocalPart::None);
        }
        let extent = extent(self.routine.family, self.extent)?;
        if self.extent.contains(&0) {
            return Ok(LocalPart::Nothing);
        }
        // SAFETY: this fn's contract.
        let arguments = unsafe { self.read_arguments(extent)? };
        if extent.contains(&0) {
            Call::check_negative_extent(&arguments, self.extent)?;
            return Ok(LocalPart::Nothing);
        }
        let Some(call) = Call::local_call(&arguments)? else { return Ok(LocalPart::None) };
        let may_copy_by_columns =
            self.footprints(&call.shapes()).is_some_and(|footprints| call.may_copy_by_columns(footprints));
        Ok(if may_copy_by_columns { LocalPart::Copy(call) } else { LocalPart::None })
    }

    /// Copies this process's part of `call` to the array at `b`.
    ///
    /// # Safety
    /// As for the entry points. `call` was made from these arguments, and none of its elements leaves its process. At
    /// `b` is B, or an array of the same shape.
    pub(crate) unsafe fn copy(&self, call: &Call, b: *mut u8) {
        // SAFETY: this fn's contract; a type has the size of an element.
        unsafe {
            match self.routine.element {
                4 => self.copy_elements::<[u8; 4]>(call, b),
                8 => self.copy_elements::<[u8; 8]>(call, b),
                _ => self.copy_elements::<[u8; 16]>(call, b),
            }
        }
    }

    /// Copies as [`Self::copy`], elements of type `T`.
    ///
    /// # Safety
    /// As for [`Self::copy`]; `T` has the size of an element.
    unsafe fn copy_elements<T: Copy>(&self, call: &Call, b: *mut u8) {
        let at = |place: u64| usize::try_from(place).expect("a place in memory");
        let (a, b) = (self.a.base.cast::<T>(), b.cast::<T>());
        // SAFETY: the caller promises both arrays, and the places are those of their elements. `[u8; N]` has no
        // alignment. If the arrays overlap, either each element is copied to its own place, or none is both read and
        // written.
        let copy = |from: usize, to: usize, len: usize| unsafe {
            let (from, to) = (a.add(from), b.add(to));
            if len > MAX_SINGLE_ELEMENTS {
                std::ptr::copy(from, to, len);
                return;
            }
            for k in 0..len {
                to.add(k).write(from.add(k).read());
            }
        };
        // A loop without iterators over ranges takes a third of the time for each column.
        if let Some([from, to]) = call.local_rectangles() {
            let [from_step, to_step] = [from.ld, to.ld].map(at);
            let (mut from_at, mut to_at, len) = (at(from.start), at(to.start), at(from.rows));
            for _ in 0..from.columns {
                copy(from_at, to_at, len);
                from_at += from_step;
                to_at += to_step;
            }
            return;
        }
        for (from, to, len) in call.copies() {
            copy(at(from), at(to), at(len));
        }
    }

    /// Copies this process's part of `call` if a device has one of the arrays ([`Self::devices`]).
    ///
    /// # Safety
    /// As for [`Self::copy`].
    pub(crate) unsafe fn copy_on(&self, call: &Call, devices: &Devices) -> Result<(), Error> {
        let element = self.routine.element;
        // Each local array as a vector of elements, including the gaps between columns.
        let shapes = call.shapes().map(|shape| {
            let elements = shape.map_or(0, |shape| shape.bytes() / element);
            Some(Shape::dense(element, &[elements as u64]))
        });
        let runs: Vec<intersect::Family<2>> =
            call.copies().map(|(from, to, len)| intersect::Family::one_run([from, to], len)).collect();
        // SAFETY: this fn's contract.
        if let (Some(from), Some(to)) = unsafe { self.arrays(shapes, self.b.base) } {
            let [of_a, of_b] = devices;
            copy(&from.on(of_a.clone()), &mut to.on(of_b.clone()), &[runs.into()]);
        }
        check_devices(devices.iter().flatten())
    }

    /// Returns the devices that have this rank's local arrays of A and B; `None`: the host. Calls `shapes` only if the
    /// process may have device memory.
    pub(crate) fn devices<S: Borrow<[Option<Shape>; 2]>>(
        &self,
        shapes: impl FnOnce() -> S,
    ) -> Result<Devices, Error> {
        if Driver::loaded().is_none() {
            return Ok([None, None]);
        }
        let device = |name: &str, matrix: &RawMatrix, shape: &Option<Shape>| {
            let found = shape.as_ref().map_or(Ok(None), |shape| device_of(matrix.base, shape));
            found.map_err(|why| Error::Host(format!("{name} {why}")))
        };
        let shapes = shapes();
        let [of_a, of_b] = shapes.borrow();
        Ok([device("A", &self.a, of_a)?, device(self.routine.family.target(), &self.b, of_b)?])
    }

    /// Returns the footprints of this rank's local arrays with the given shapes, if the rank has both arrays.
    pub(crate) fn footprints<'a>(&self, [of_a, of_b]: &'a [Option<Shape>; 2]) -> Option<[Footprint<'a>; 2]> {
        let footprint = |matrix: &RawMatrix, shape| Footprint { address: matrix.base.addr(), shape };
        Some([footprint(&self.a, of_a.as_ref()?), footprint(&self.b, of_b.as_ref()?)])
    }

    /// Returns this rank's local arrays with the given shapes; the array at `b` stands for B.
    ///
    /// # Safety
    /// As for the entry points. At `b` is B, or an array of the same shape. The result is not used after the routine's
    /// call has returned.
    pub(crate) unsafe fn arrays<'a>(
        &self,
        [of_a, of_b]: [Option<Shape>; 2],
        b: *mut u8,
    ) -> (Option<Source<'a>>, Option<Destination<'a>>) {
        // SAFETY: the caller promises arrays of the sizes in their descriptors, which the shapes repeat, and their
        // exclusive use until the call returns; the values are dropped by then.
        unsafe {
            let source = of_a.map(|shape| Source::new(self.a.base, shape));
            (source, of_b.map(|shape| Destination::new(b, shape)))
        }
    }

    /// Explains descriptors with integers of another width than reblock's.
    ///
    /// # Safety
    /// As for the entry points.
    pub(crate) unsafe fn explain_misread_integers(&self) -> Option<String> {
        [("A", &self.a), (self.routine.family.target(), &self.b)].into_iter().find_map(|(name, matrix)| {
            if matrix.descriptor.is_null() {
                return None;
            }
            // SAFETY: a descriptor has a type and a context, and at least 9 entries unless the context is negative.
            let desc = unsafe {
                let count = if *matrix.descriptor.add(1) < 0 { 2 } else { 9 };
                std::slice::from_raw_parts(matrix.descriptor, count)
            };
            explain_misread_integers(&format!("DESC{name}"), desc)
        })
    }

    /// Finds the routine of the program's own ScaLAPACK. Each thread keeps the routines that it finds, since a search
    /// takes longer than a small call, and ScaLAPACK's own calls of these names come here, too. A failed search is
    /// repeated: the program may load its ScaLAPACK later.
    pub(crate) fn original(&self) -> Option<Original> {
        let blacs = Blacs::of_host().map_or(0, |blacs| std::ptr::from_ref(blacs).addr());
        let is_it = |(routine, of, original): &&(Routine, usize, Original)| {
            *routine == self.routine && *of == blacs && original.language() == self.language
        };
        let known = ORIGINALS.with_borrow(|known| known.iter().find(is_it).map(|&(_, _, original)| original));
        known.or_else(|| {
            let found = Original::find(&self.routine.to_string().to_lowercase(), self.language)?;
            ORIGINALS.with_borrow_mut(|known| known.push((self.routine, blacs, found)));
            Some(found)
        })
    }

    /// Returns the arguments for the program's own ScaLAPACK; the array at `b` stands for B.
    pub(crate) fn with(&self, b: *mut u8) -> Arguments {
        Arguments {
            options: [self.uplo, self.diag, self.trans],
            extent: self.extent,
            scalars: self.scalars,
            a: (self.a.base, self.a.start, self.a.descriptor),
            b: (b, self.b.start, self.b.descriptor),
            context: self.context,
        }
    }
}
