//! The loops over numbers of one type, all compiled from one generic source.

use super::super::arithmetic::{Arithmetic, Complex};
use super::super::rectangle::Instructions;
use super::super::update::{Number, Scalar};

/// Functions that a loop computes from `x` of `from` and `y` of `to`, as const parameters.
pub(super) mod how {
    /// `to := 0`.
    pub const ZERO: u8 = 0;
    /// `to := beta · y`.
    pub const KEEP: u8 = 1;
    /// `to := x`.
    pub const TAKE: u8 = 2;
    /// `to := alpha · x`.
    pub const SCALE: u8 = 3;
    /// `to := x + y`.
    pub const PLUS: u8 = 4;
    /// `to := x + beta · y`.
    pub const PLUS_KEPT: u8 = 5;
    /// `to := alpha · x + y`.
    pub const SCALED_PLUS: u8 = 6;
    /// `to := alpha · x + beta · y`.
    pub const SCALED_PLUS_KEPT: u8 = 7;
    /// `to := min(x, y)`.
    pub const MINIMUM: u8 = 8;
    /// `to := max(x, y)`.
    pub const MAXIMUM: u8 = 9;
    /// `to := x and y`.
    pub const AND: u8 = 10;
    /// `to := x or y`.
    pub const OR: u8 = 11;
}

/// A loop over `len` numbers at `from` and `to`; `factors` are alpha and beta.
///
/// # Safety
/// As for [`super::RowUpdate::row`]; the instructions are available.
pub(super) type RowLoop = unsafe fn(from: *const u8, to: *mut u8, len: usize, factors: &[Scalar; 2]);

/// A loop over consecutive numbers at `from`, and the numbers at `to` that `numbers` lists. If the highest bit of a
/// list item is set, the first function is computed with the first pair of factors, otherwise the second function with
/// the second pair.
///
/// # Safety
/// As for [`super::NumberUpdates::run`].
pub(super) type NumberLoop =
    unsafe fn(from: *const u8, to: *mut u8, numbers: &[u32], strides: [usize; 2], factors: [&[Scalar; 2]; 2]);

/// Returns the row loop for this number type; `conjugate` matters for complex types only.
pub(super) fn row_loop(number: Number, how: u8, conjugate: bool, instructions: Instructions) -> RowLoop {
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

fn integer<T: Arithmetic>(how: u8, instructions: Instructions) -> RowLoop {
    match how {
        how::AND => compiled::<T, { how::AND }, false>(instructions),
        how::OR => compiled::<T, { how::OR }, false>(instructions),
        how => real::<T>(how, instructions),
    }
}

fn real<T: Arithmetic>(how: u8, instructions: Instructions) -> RowLoop {
    match how {
        how::MINIMUM => compiled::<T, { how::MINIMUM }, false>(instructions),
        how::MAXIMUM => compiled::<T, { how::MAXIMUM }, false>(instructions),
        how => sum::<T, false>(how, instructions),
    }
}

fn sum<T: Arithmetic, const CONJUGATE: bool>(how: u8, instructions: Instructions) -> RowLoop {
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

fn compiled<T: Arithmetic, const HOW: u8, const CONJUGATE: bool>(instructions: Instructions) -> RowLoop {
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
    match instructions {
        Instructions::Portable => portable::<T, HOW, CONJUGATE>,
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx2 => avx2::<T, HOW, CONJUGATE>,
    }
}

/// Returns the loop that computes this pair of functions, if one exists; `conjugate` matters for complex types only.
pub(super) fn number_loop(number: Number, hows: [u8; 2], conjugate: bool) -> Option<NumberLoop> {
    match (number, conjugate) {
        (Number::Int32, _) => integers::<i32>(hows),
        (Number::Int64, _) => integers::<i64>(hows),
        (Number::Float, _) => reals::<f32>(hows),
        (Number::Double, _) => reals::<f64>(hows),
        (Number::Complex, false) => sums::<Complex<f32>, false>(hows),
        (Number::Complex, true) => sums::<Complex<f32>, true>(hows),
        (Number::DoubleComplex, false) => sums::<Complex<f64>, false>(hows),
        (Number::DoubleComplex, true) => sums::<Complex<f64>, true>(hows),
    }
}

fn integers<T: Arithmetic>(hows: [u8; 2]) -> Option<NumberLoop> {
    Some(match hows {
        [how::AND, how::AND] => each_number::<T, { how::AND }, { how::AND }, false>,
        [how::TAKE, how::AND] => each_number::<T, { how::TAKE }, { how::AND }, false>,
        [how::OR, how::OR] => each_number::<T, { how::OR }, { how::OR }, false>,
        [how::TAKE, how::OR] => each_number::<T, { how::TAKE }, { how::OR }, false>,
        hows => return reals::<T>(hows),
    })
}

fn reals<T: Arithmetic>(hows: [u8; 2]) -> Option<NumberLoop> {
    Some(match hows {
        [how::MINIMUM, how::MINIMUM] => each_number::<T, { how::MINIMUM }, { how::MINIMUM }, false>,
        [how::TAKE, how::MINIMUM] => each_number::<T, { how::TAKE }, { how::MINIMUM }, false>,
        [how::MAXIMUM, how::MAXIMUM] => each_number::<T, { how::MAXIMUM }, { how::MAXIMUM }, false>,
        [how::TAKE, how::MAXIMUM] => each_number::<T, { how::TAKE }, { how::MAXIMUM }, false>,
        hows => return sums::<T, false>(hows),
    })
}

fn sums<T: Arithmetic, const CONJUGATE: bool>(hows: [u8; 2]) -> Option<NumberLoop> {
    Some(match hows {
        [how::TAKE, how::PLUS] => each_number::<T, { how::TAKE }, { how::PLUS }, CONJUGATE>,
        [how::SCALE, how::SCALED_PLUS] => each_number::<T, { how::SCALE }, { how::SCALED_PLUS }, CONJUGATE>,
        [how::PLUS, how::PLUS] => each_number::<T, { how::PLUS }, { how::PLUS }, CONJUGATE>,
        [how::PLUS_KEPT, how::PLUS] => each_number::<T, { how::PLUS_KEPT }, { how::PLUS }, CONJUGATE>,
        [how::SCALED_PLUS, how::SCALED_PLUS] => {
            each_number::<T, { how::SCALED_PLUS }, { how::SCALED_PLUS }, CONJUGATE>
        }
        [how::SCALED_PLUS_KEPT, how::SCALED_PLUS] => {
            each_number::<T, { how::SCALED_PLUS_KEPT }, { how::SCALED_PLUS }, CONJUGATE>
        }
        _ => return None,
    })
}

/// # Safety
/// As for [`super::RowUpdate::row`]; the numbers have type `T`.
#[inline(always)]
unsafe fn each<T: Arithmetic, const HOW: u8, const CONJUGATE: bool>(
    from: *const u8,
    to: *mut u8,
    len: usize,
    factors: &[Scalar; 2],
) {
    let (from, to) = (from.cast::<T>(), to.cast::<T>());
    // SAFETY: the factors have type `T`.
    let factors = unsafe { typed_factors(factors) };
    for k in 0..len {
        // SAFETY: number `k` is readable if the loop reads it, and writable; this fn's contract.
        unsafe { one::<T, HOW, CONJUGATE>(from.add(k), to.add(k), factors) };
    }
}

/// # Safety
/// As for [`super::NumberUpdates::run`]; the numbers have type `T`.
unsafe fn each_number<T: Arithmetic, const MARKED: u8, const OTHER: u8, const CONJUGATE: bool>(
    from: *const u8,
    to: *mut u8,
    numbers: &[u32],
    strides: [usize; 2],
    factors: [&[Scalar; 2]; 2],
) {
    // SAFETY: the factors have type `T`.
    let [of_marked, of_others] = factors.map(|factors| unsafe { typed_factors(factors) });
    for (k, &number) in numbers.iter().enumerate() {
        let from = from.wrapping_add(k.wrapping_mul(strides[0])).cast::<T>();
        let to = to.wrapping_add(((number & u32::MAX >> 1) as usize).wrapping_mul(strides[1])).cast::<T>();
        // SAFETY: both numbers are readable, and the second one is writable; this fn's contract.
        unsafe {
            let (x, y) = (from.read_unaligned(), to.read_unaligned());
            let marked = combined::<T, MARKED, CONJUGATE>(|| x, || y, of_marked);
            let other = combined::<T, OTHER, CONJUGATE>(|| x, || y, of_others);
            to.write_unaligned(if MARKED == OTHER {
                other
            } else {
                marked.or_else(number >> 31 == 0, other)
            });
        }
    }
}

/// # Safety
/// The first bytes of each factor are a number of type `T`.
#[inline(always)]
unsafe fn typed_factors<T: Arithmetic>(factors: &[Scalar; 2]) -> [T; 2] {
    // SAFETY: this fn's contract.
    [0, 1].map(|k| unsafe { factors[k].bytes().as_ptr().cast::<T>().read_unaligned() })
}

/// # Safety
/// The numbers are readable if the function reads them, and that at `to` is writable.
#[inline(always)]
unsafe fn one<T: Arithmetic, const HOW: u8, const CONJUGATE: bool>(
    from: *const T,
    to: *mut T,
    factors: [T; 2],
) {
    // SAFETY: this fn's contract.
    unsafe {
        let updated =
            combined::<T, HOW, CONJUGATE>(|| from.read_unaligned(), || to.read_unaligned(), factors);
        to.write_unaligned(updated);
    }
}

/// Computes function `HOW`; calls `x` and `y` only if it needs them.
#[inline(always)]
fn combined<T: Arithmetic, const HOW: u8, const CONJUGATE: bool>(
    x: impl Fn() -> T,
    y: impl Fn() -> T,
    [alpha, beta]: [T; 2],
) -> T {
    let x = || if CONJUGATE { x().conjugate() } else { x() };
    match HOW {
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
    }
}
