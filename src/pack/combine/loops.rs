//! The loops over numbers of one type, made by the compiler from one text.

use super::super::arithmetic::{Arithmetic, Complex};
use super::super::rectangle::Instructions;
use super::super::update::{Number, Scalar};

/// What a loop computes from `x` of `from` and `y` of `to`; a number, as it is a parameter of a loop.
pub(super) mod how {
    /// 0.
    pub const ZERO: u8 = 0;
    /// beta · y.
    pub const KEEP: u8 = 1;
    /// x.
    pub const TAKE: u8 = 2;
    /// alpha · x.
    pub const SCALE: u8 = 3;
    /// x + y.
    pub const PLUS: u8 = 4;
    /// x + beta · y.
    pub const PLUS_KEPT: u8 = 5;
    /// alpha · x + y.
    pub const SCALED_PLUS: u8 = 6;
    /// alpha · x + beta · y.
    pub const SCALED_PLUS_KEPT: u8 = 7;
    /// min(x, y).
    pub const MINIMUM: u8 = 8;
    /// max(x, y).
    pub const MAXIMUM: u8 = 9;
    /// x and y.
    pub const AND: u8 = 10;
    /// x or y.
    pub const OR: u8 = 11;
}

/// A loop over `len` numbers at `from` and `to`; factors are alpha and beta.
///
/// # Safety
/// As for [`super::RowUpdate::row`]; the instructions are available.
pub(super) type RowLoop = unsafe fn(from: *const u8, to: *mut u8, len: usize, factors: &[Scalar; 2]);

/// The same over numbers that pairs name: as [`super::RowUpdate::pairs`].
///
/// # Safety
/// As for [`super::RowUpdate::pairs`].
pub(super) type PairLoop =
    unsafe fn(from: *const u8, to: *mut u8, pairs: &[[u32; 2]], strides: [usize; 2], factors: &[Scalar; 2]);

/// The loops of one text.
#[derive(Clone, Copy)]
pub(super) struct Loops {
    pub row: RowLoop,
    pub pairs: PairLoop,
}

/// The loops for numbers of this type. Only of complex numbers there is a conjugate.
pub(super) fn loops(number: Number, how: u8, conjugate: bool, instructions: Instructions) -> Loops {
    match (number, conjugate) {
        (Number::Int32, _) => integer::<i32>(how, instructions),
        (Number::Int64, _) => integer::<i64>(how, instructions),
        (Number::Float, _) => real::<f32>(how, instructions),
        (Number::Double, _) => real::<f64>(how, instructions),
        (Number::Complex, false) => sum::<Complex<f32>, false>(how, instructions),
        (Number::Complex, true) => sum::<Complex<f32>, true>(how, instructions),
        (Number::DoubleComplex, false) => sum::<Complex<f64>, false>(how, instructions),
        (Number::DoubleComplex, true) => sum::<Complex<f64>, true>(how, instructions),
    }
}

fn integer<T: Arithmetic>(how: u8, instructions: Instructions) -> Loops {
    match how {
        how::AND => compiled::<T, { how::AND }, false>(instructions),
        how::OR => compiled::<T, { how::OR }, false>(instructions),
        how => real::<T>(how, instructions),
    }
}

fn real<T: Arithmetic>(how: u8, instructions: Instructions) -> Loops {
    match how {
        how::MINIMUM => compiled::<T, { how::MINIMUM }, false>(instructions),
        how::MAXIMUM => compiled::<T, { how::MAXIMUM }, false>(instructions),
        how => sum::<T, false>(how, instructions),
    }
}

fn sum<T: Arithmetic, const CONJUGATE: bool>(how: u8, instructions: Instructions) -> Loops {
    match how {
        how::ZERO => compiled::<T, { how::ZERO }, false>(instructions),
        how::KEEP => compiled::<T, { how::KEEP }, false>(instructions),
        how::TAKE => compiled::<T, { how::TAKE }, CONJUGATE>(instructions),
        how::SCALE => compiled::<T, { how::SCALE }, CONJUGATE>(instructions),
        how::PLUS => compiled::<T, { how::PLUS }, CONJUGATE>(instructions),
        how::PLUS_KEPT => compiled::<T, { how::PLUS_KEPT }, CONJUGATE>(instructions),
        how::SCALED_PLUS => compiled::<T, { how::SCALED_PLUS }, CONJUGATE>(instructions),
        how::SCALED_PLUS_KEPT => compiled::<T, { how::SCALED_PLUS_KEPT }, CONJUGATE>(instructions),
        _ => unreachable!("numbers of this type are not combined so"),
    }
}

fn compiled<T: Arithmetic, const HOW: u8, const CONJUGATE: bool>(instructions: Instructions) -> Loops {
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    unsafe fn avx2<T: Arithmetic, const HOW: u8, const CONJUGATE: bool>(
        from: *const u8,
        to: *mut u8,
        len: usize,
        factors: &[Scalar; 2],
    ) {
        // SAFETY: the caller's contract.
        unsafe { each::<T, HOW, CONJUGATE>(from, to, len, factors) }
    }
    unsafe fn portable<T: Arithmetic, const HOW: u8, const CONJUGATE: bool>(
        from: *const u8,
        to: *mut u8,
        len: usize,
        factors: &[Scalar; 2],
    ) {
        // SAFETY: the caller's contract.
        unsafe { each::<T, HOW, CONJUGATE>(from, to, len, factors) }
    }
    let row: RowLoop = match instructions {
        Instructions::Portable => portable::<T, HOW, CONJUGATE>,
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx2 => avx2::<T, HOW, CONJUGATE>,
    };
    Loops { row, pairs: each_pair::<T, HOW, CONJUGATE> }
}

/// # Safety
/// As for [`super::RowUpdate::row`]; numbers are of type `T`.
#[inline(always)]
unsafe fn each<T: Arithmetic, const HOW: u8, const CONJUGATE: bool>(
    from: *const u8,
    to: *mut u8,
    len: usize,
    factors: &[Scalar; 2],
) {
    let (from, to) = (from.cast::<T>(), to.cast::<T>());
    // SAFETY: factors are of the type.
    let factors = unsafe { of_type(factors) };
    for k in 0..len {
        // SAFETY: number `k` is readable where the loop reads it, and writable; this fn's contract.
        unsafe { one::<T, HOW, CONJUGATE>(from.add(k), to.add(k), factors) };
    }
}

/// # Safety
/// As for [`super::RowUpdate::pairs`]; numbers are of type `T`.
unsafe fn each_pair<T: Arithmetic, const HOW: u8, const CONJUGATE: bool>(
    from: *const u8,
    to: *mut u8,
    pairs: &[[u32; 2]],
    strides: [usize; 2],
    factors: &[Scalar; 2],
) {
    // SAFETY: factors are of the type.
    let factors = unsafe { of_type(factors) };
    for &[row, number] in pairs {
        let from = from.wrapping_add((number as usize).wrapping_mul(strides[0])).cast();
        let to = to.wrapping_add((row as usize).wrapping_mul(strides[1])).cast();
        // SAFETY: both are readable, and the second one writable; this fn's contract.
        unsafe { one::<T, HOW, CONJUGATE>(from, to, factors) };
    }
}

/// # Safety
/// The first bytes of each factor are a number of the type.
#[inline(always)]
unsafe fn of_type<T: Arithmetic>(factors: &[Scalar; 2]) -> [T; 2] {
    // SAFETY: this fn's contract.
    [0, 1].map(|k| unsafe { factors[k].bytes().as_ptr().cast::<T>().read_unaligned() })
}

/// # Safety
/// The numbers are readable, where they are read, and that at `to` is writable.
#[inline(always)]
unsafe fn one<T: Arithmetic, const HOW: u8, const CONJUGATE: bool>(
    from: *const T,
    to: *mut T,
    [alpha, beta]: [T; 2],
) {
    // SAFETY: this fn's contract.
    let x = || unsafe { from.read_unaligned() };
    let x = || if CONJUGATE { x().conjugate() } else { x() };
    // SAFETY: the same.
    let y = || unsafe { to.read_unaligned() };
    let updated = match HOW {
        how::ZERO => T::ZERO,
        how::KEEP => beta.times(y()),
        how::TAKE => x(),
        how::SCALE => alpha.times(x()),
        how::PLUS => x().plus(y()),
        how::PLUS_KEPT => x().plus(beta.times(y())),
        how::SCALED_PLUS => alpha.times(x()).plus(y()),
        how::SCALED_PLUS_KEPT => alpha.times(x()).plus(beta.times(y())),
        how::MINIMUM => x().minimum(y()),
        how::MAXIMUM => x().maximum(y()),
        how::AND => x().and(y()),
        _ => x().or(y()),
    };
    // SAFETY: the same.
    unsafe { to.write_unaligned(updated) };
}
