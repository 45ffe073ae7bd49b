//! WHAT did the caller pass? The arguments of one call of a ScaLAPACK routine as they came in: for reblock, which checks them, and
//! for the program's own ScaLAPACK.

use crate::blacs::{Arguments, Int, Language, Original, wide};
use crate::error::{ArgumentError, Error};
use crate::pack::{Combine, Destination, Number, Scalar, Shape, Source, Update};
use crate::problem::Part;
use crate::scalapack::{Asked, Call, Descriptor, Family, MatrixArguments, Prepared, Routine};
use crate::trial::{Preparation, Wish};
use std::cell::RefCell;

/// The arguments of one matrix.
pub(super) struct RawMatrix {
    pub(super) base: *mut u8,
    pub(super) start: [Int; 2],
    pub(super) descriptor: *const Int,
}

/// The arguments of one call; those that the routine does not have are absent.
pub(super) struct RawCall {
    pub(super) routine: Routine,
    pub(super) language: Language,
    pub(super) uplo: Option<*const u8>,
    pub(super) diag: Option<*const u8>,
    pub(super) trans: Option<*const u8>,
    pub(super) extent: [Int; 2],
    /// ALPHA and BETA.
    pub(super) scalars: Option<[*const u8; 2]>,
    pub(super) a: RawMatrix,
    /// B or C.
    pub(super) b: RawMatrix,
    /// ICTXT.
    pub(super) context: Option<Int>,
}

impl RawMatrix {
    /// # Safety
    /// The descriptor is null, or has a context.
    unsafe fn context(&self) -> Int {
        // SAFETY: this fn's contract.
        if self.descriptor.is_null() { -1 } else { unsafe { *self.descriptor.add(1) } }
    }
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
        let [m, n] = self.extent()?;
        if (m == 0 || n == 0) && !self.routine.family.has_scalars() {
            return Ok(None);
        }
        // SAFETY: this fn's contract.
        let arguments = || unsafe { Ok((self.call([m, n])?, self.matrices()?)) };
        let prepared = if self.routine.family.is_between_contexts() {
            // SAFETY: the same.
            Some(Prepared::between_contexts(&unsafe { self.asked() }, arguments)?)
        } else {
            let (call, [a, b]) = arguments()?;
            Prepared::within_context(call, [&a, &b])?
        };
        Ok(prepared.map(|mut prepared| {
            prepared.before = preparation.took();
            prepared
        }))
    }

    /// M and N. p?lacpy takes less than 0 for 0.
    fn extent(&self) -> Result<[u64; 2], ArgumentError> {
        let [m, n] = self.extent;
        match self.routine.family {
            Family::Lacpy => Ok([m, n].map(|count| u64::try_from(count).unwrap_or(0))),
            _ => Ok([count("M", m)?, count("N", n)?]),
        }
    }

    /// The arguments of both matrices.
    ///
    /// # Safety
    /// The arguments are those that a caller of the routine of that name gave.
    unsafe fn matrices(&self) -> Result<[MatrixArguments; 2], ArgumentError> {
        let family = self.routine.family;
        // SAFETY: this fn's contract.
        unsafe { Ok([arguments("A", &self.a, family)?, arguments(family.target(), &self.b, family)?]) }
    }

    /// All arguments of a call between contexts but for addresses, as numbers.
    ///
    /// # Safety
    /// The arguments are those that a caller of the routine of that name gave.
    unsafe fn asked(&self) -> Asked {
        // SAFETY: options are one character each.
        let letter = |option: Option<*const u8>| option.map_or(0, |at| i64::from(unsafe { *at }));
        let [m, n] = self.extent.map(wide);
        let numbers = [self.routine.code(), letter(self.uplo), letter(self.diag), m, n];
        let both = [&self.a, &self.b];
        // SAFETY: descriptors are those of such a caller.
        let contexts = both.map(|matrix| unsafe { matrix.context() });
        let numbers_of = |k: usize| {
            let RawMatrix { start, descriptor, .. } = both[k];
            // SAFETY: in a grid, all nine entries of the descriptor are there.
            let entry = |n: usize| unsafe { *descriptor.add(n) };
            let number = |n: usize| wide(if n < 2 { start[n] } else { entry(n) });
            if contexts[k] < 0 { [0; 9] } else { std::array::from_fn(number) }
        };
        Asked { contexts, enclosing: self.context, numbers, matrices: std::array::from_fn(numbers_of) }
    }

    /// The call but for its matrices.
    ///
    /// # Safety
    /// The arguments are those that a caller of the routine of that name gave.
    unsafe fn call(&self, extent: [u64; 2]) -> Result<Call, ArgumentError> {
        // SAFETY: options are one character each.
        let letter = |option: Option<*const u8>| option.map(|at| unsafe { *at }.to_ascii_uppercase());
        let (uplo, diag, trans) = (letter(self.uplo), letter(self.diag), letter(self.trans));
        let family = self.routine.family;
        let unknown = |name: &str, letter: u8, expected: &str| ArgumentError {
            name: name.into(),
            value: letter.into(),
            expected: format!("{expected}: the number is that of the character {:?}", char::from(letter)),
            place: None,
        };
        let part = match (family, uplo.unwrap_or(b'A'), diag) {
            // Anything but U means lower; how the diagonal is dropped differs between upper (anything but N) and lower (only U),
            // as it does in ScaLAPACK.
            (_, uplo, Some(diag)) => {
                let unit = if uplo == b'U' { diag != b'N' } else { diag == b'U' };
                Part::trapezoid(uplo == b'U', unit, extent[0], extent[1])
            }
            (_, b'U', _) => Part::Upper { shift: 1 },
            (_, b'L', _) => Part::Lower { shift: 0 },
            (Family::Tradd, uplo, _) => return Err(unknown("UPLO", uplo, "U or L")),
            _ => Part::Whole,
        };
        let trans = match (family, trans.unwrap_or(b'N')) {
            (Family::Tran | Family::Tranu, _) => b'T',
            (Family::Tranc, _) => b'C',
            (_, trans @ (b'N' | b'T' | b'C')) => trans,
            (_, trans) => return Err(unknown("TRANS", trans, "N, T or C")),
        };
        let update = self.scalars.zip(self.routine.number()).map(|(scalars, number)| {
            // SAFETY: scalars are of the type of the elements.
            let scalars = scalars.map(|at| unsafe { scalar(at, number) });
            Update::new(number, Combine::Add, trans == b'C', scalars).expect("all numbers are added")
        });
        let transposed = trans != b'N';
        Ok(Call { routine: self.routine, extent, part, transposed, update, a: None, b: None })
    }

    /// Copies, where each process does that by itself; whether it is so. Nobody is asked, and nothing is counted.
    ///
    /// # Safety
    /// That of the entry points.
    pub(super) unsafe fn copied(&self, wish: &Wish) -> Result<bool, Error> {
        if self.routine.family != Family::Lacpy || wish.lines || wish.collects() {
            return Ok(false);
        }
        let [m, n] = self.extent()?;
        if m == 0 || n == 0 {
            return Ok(true);
        }
        // SAFETY: this fn's contract.
        let (call, [a, b]) = unsafe { (self.call([m, n])?, self.matrices()?) };
        let Some(call) = call.of_each_process([&a, &b])? else { return Ok(false) };
        // SAFETY: the same; source and destination are gone before anything is copied.
        let ends = unsafe { self.arrays(call.shapes(), self.b.base) };
        if !ends.0.zip(ends.1).is_some_and(|(a, b)| call.may_copy(&a, &b)) {
            return Ok(false);
        }
        let at = |place: u64| usize::try_from(place).expect("a place in memory") * self.routine.element;
        for (from, to, len) in call.copies() {
            // SAFETY: the places are those of elements of both arrays, which the caller promises.
            unsafe { std::ptr::copy(self.a.base.add(at(from)), self.b.base.add(at(to)), at(len)) };
        }
        Ok(true)
    }

    /// This rank's local arrays, of the shapes that these arguments came to, with the one at `b` in the place of B.
    ///
    /// # Safety
    /// That of the entry points; at `b` is B, or an array of the same shape. The arrays are used before the call returns.
    pub(super) unsafe fn arrays<'a>(
        &self,
        [of_a, of_b]: [Option<Shape>; 2],
        b: *mut u8,
    ) -> (Option<Source<'a>>, Option<Destination<'a>>) {
        // SAFETY: the caller promises arrays as large as their descriptors say, which the shapes repeat, and their exclusive
        // use until the call returns, when the values are gone.
        unsafe {
            let source = of_a.map(|shape| Source::new(self.a.base, shape));
            (source, of_b.map(|shape| Destination::new(b, shape)))
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
            options: [self.uplo, self.diag, self.trans],
            extent: self.extent,
            scalars: self.scalars,
            a: (self.a.base, self.a.start, self.a.descriptor),
            b: (b, self.b.start, self.b.descriptor),
            context: self.context,
        }
    }
}

/// # Safety
/// At `at` is a number of this type.
unsafe fn scalar(at: *const u8, number: Number) -> Scalar {
    // SAFETY: this fn's contract.
    Scalar::of(unsafe { std::slice::from_raw_parts(at, number.bytes()) })
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
/// The descriptor is null, or has a context and, unless that is negative between contexts, all its entries: 9, or 11 where its
/// DTYPE is 2 and the routine is one of PBLAS.
unsafe fn arguments(
    name: &'static str,
    matrix: &RawMatrix,
    family: Family,
) -> Result<MatrixArguments, ArgumentError> {
    // SAFETY: this fn's contract.
    let entry = |k: usize| unsafe { *matrix.descriptor.add(k) };
    // SAFETY: the same.
    let context = unsafe { matrix.context() };
    let pair = |k| [wide(entry(k)), wide(entry(k + 1))];
    let plain = || Descriptor::new(pair(2), pair(4), pair(6), wide(entry(8)));
    let with_first_block = || Descriptor {
        extent: pair(2),
        first_block: pair(4),
        block: pair(6),
        first: pair(8),
        ld: wide(entry(10)),
    };
    let descriptor = match (family, context) {
        (_, ..0) => Descriptor::new([0; 2], [0; 2], [0; 2], 0),
        (Family::Gemr2d | Family::Trmr2d | Family::Gemr2do | Family::Trmr2do, _) => plain(),
        (Family::Lacpy, _) if entry(0) != 2 => plain(),
        (_, _) if entry(0) == 1 => plain(),
        (_, _) if entry(0) == 2 && family.has_scalars() => with_first_block(),
        _ => {
            let expected = if family.has_scalars() { "1 or 2" } else { "1" };
            return Err(ArgumentError {
                name: format!("DTYPE_ of DESC{name}"),
                value: wide(entry(0)),
                expected: expected.into(),
                place: None,
            });
        }
    };
    Ok(MatrixArguments { name, context, descriptor, start: matrix.start.map(wide) })
}
