//! WHAT did the caller pass? The arguments of one call of p?gemr2d or p?trmr2d as they came in: for reblock, which checks them, and
//! for the program's own ScaLAPACK.

use crate::blacs::{Arguments, Int, Language, Original, wide};
use crate::error::{ArgumentError, Error};
use crate::pack::{Destination, Source};
use crate::problem::Part;
use crate::scalapack::{Call, Descriptor, Matrix, MatrixArguments, Prepared, Routine};
use crate::trial::{Preparation, Wish};
use std::cell::RefCell;
use std::ffi::c_char;

/// The arguments of one matrix.
pub(super) struct RawMatrix {
    pub(super) base: *mut u8,
    pub(super) start: [Int; 2],
    pub(super) descriptor: *const Int,
}

/// The arguments of one call.
pub(super) struct RawCall {
    pub(super) routine: Routine,
    pub(super) language: Language,
    /// UPLO and DIAG.
    pub(super) part: Option<(*const c_char, *const c_char)>,
    pub(super) extent: [Int; 2],
    pub(super) a: RawMatrix,
    pub(super) b: RawMatrix,
    pub(super) context: Option<Int>,
}

thread_local! {
    /// Routines of the host's own ScaLAPACK that this thread has called.
    static ORIGINALS: RefCell<Vec<(Routine, Original)>> = const { RefCell::new(Vec::new()) };
}

impl RawCall {
    /// The call, checked; `None` if there is nothing to do.
    ///
    /// # Safety
    /// The arguments are those that a caller of the routine of that name gave.
    pub(super) unsafe fn prepared(&self, wish: &Wish) -> Result<Option<Prepared>, Error> {
        let preparation = Preparation::start(wish);
        let [m, n] = [count("M", self.extent[0])?, count("N", self.extent[1])?];
        if m == 0 || n == 0 {
            return Ok(None);
        }
        let part = self.part.map_or(Part::Whole, |(uplo, diag)| {
            // SAFETY: UPLO and DIAG are one character each. Anything but U means lower; how the diagonal is dropped
            // differs between upper (anything but N) and lower (only U), as it does in ScaLAPACK.
            let (uplo, diag) = unsafe { (*uplo.cast::<u8>(), *diag.cast::<u8>()) };
            let (upper, diag) = (uplo.eq_ignore_ascii_case(&b'U'), diag.to_ascii_uppercase());
            Part::trapezoid(upper, if upper { diag != b'N' } else { diag == b'U' }, m, n)
        });
        // SAFETY: the arguments are those of a caller of the routine of that name, by this fn's contract.
        let (a, b) = unsafe { (arguments("A", &self.a), arguments("B", &self.b)) };
        let mut prepared = Prepared::new(self.routine, [m, n], part, [&a, &b], self.context)?;
        prepared.before = preparation.took();
        Ok(Some(prepared))
    }

    /// This rank's local arrays for `call`, which these arguments came to, with the one at `b` in the place of B.
    ///
    /// # Safety
    /// That of the entry points; at `b` is B, or an array of the same shape. The arrays are used before the call returns.
    pub(super) unsafe fn arrays<'a>(
        &self,
        call: &Call,
        b: *mut u8,
    ) -> (Option<Source<'a>>, Option<Destination<'a>>) {
        let shape = |matrix: &Option<Matrix>| matrix.as_ref().map(|m| m.shape(self.routine.element));
        // SAFETY: the caller promises arrays as large as their descriptors say, which `shape` repeats, and their exclusive
        // use until the call returns, when the values are gone.
        unsafe {
            let source = shape(&call.a).map(|shape| Source::new(self.a.base, shape));
            let destination = shape(&call.b).map(|shape| Destination::new(b, shape));
            (source, destination)
        }
    }

    /// The routine of the host's own ScaLAPACK that was called, under the same name. It is looked for once: ScaLAPACK's own calls of
    /// these names come here, too, and a search takes longer than a small call.
    pub(super) fn original(&self) -> Option<Original> {
        let is_it = |(routine, original): &&(Routine, Original)| {
            *routine == self.routine && original.language() == self.language
        };
        let known = ORIGINALS.with_borrow(|known| known.iter().find(is_it).map(|&(_, original)| original));
        known.or_else(|| {
            let found = Original::find(&self.routine.to_string().to_lowercase(), self.language)?;
            ORIGINALS.with_borrow_mut(|known| known.push((self.routine, found)));
            Some(found)
        })
    }

    /// The arguments for it, with an array in the place of B.
    pub(super) fn with(&self, b: *mut u8) -> Arguments {
        Arguments {
            part: self.part,
            extent: self.extent,
            a: (self.a.base, self.a.start, self.a.descriptor),
            b: (b, self.b.start, self.b.descriptor),
            context: self.context,
        }
    }
}

fn count(name: &str, value: Int) -> Result<u64, ArgumentError> {
    u64::try_from(value).map_err(|_| ArgumentError {
        name: name.into(),
        value: wide(value),
        expected: "a number of at least 0".into(),
        place: None,
    })
}

/// # Safety
/// The descriptor is null, or has a context and, unless that is negative, all its 9 entries.
unsafe fn arguments(name: &'static str, matrix: &RawMatrix) -> MatrixArguments {
    let absent = Descriptor { extent: [0; 2], block: [0; 2], first: [0; 2], ld: 0 };
    // SAFETY: this fn's contract.
    let entry = |k: usize| unsafe { *matrix.descriptor.add(k) };
    let context = if matrix.descriptor.is_null() { -1 } else { entry(1) };
    let pair = |k| [wide(entry(k)), wide(entry(k + 1))];
    let descriptor = if context < 0 {
        absent
    } else {
        Descriptor { extent: pair(2), block: pair(4), first: pair(6), ld: wide(entry(8)) }
    };
    MatrixArguments { name, context, descriptor, start: matrix.start.map(wide) }
}
