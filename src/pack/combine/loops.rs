//! Loops over numbers of one type, all compiled from one generic function.

use super::super::arithmetic::{Arithmetic, Complex};
use super::super::instructions::Instructions;
use super::super::update::{Number, Scalar};

/// Formulas, such as `x + beta · y`, of a number `x` at `from` and a number `y` at `to`; `to` gets the result. Loops
/// have a formula as const parameter.
pub(super) mod formula {
    pub const ZERO: u8 = 0;
    pub const BETA_Y: u8 = 1;
    pub const X: u8 = 2;
    pub const ALPHA_X: u8 = 3;
    pub const X_PLUS_Y: u8 = 4;
    pub const X_PLUS_BETA_Y: u8 = 5;
    pub const ALPHA_X_PLUS_Y: u8 = 6;
    pub const ALPHA_X_PLUS_BETA_Y: u8 = 7;
    pub const MINIMUM: u8 = 8;
    pub const MAXIMUM: u8 = 9;
    pub const AND: u8 = 10;
    pub const OR: u8 = 11;
}

/// A loop over `len` consecutive numbers at `from` and at `to`; `factors` are alpha and beta.
///
/// # Safety
/// As for [`super::RowUpdate::update_row`]; the instructions are available.
pub(super) type RowLoop = unsafe fn(from: *const u8, to: *mut u8, len: usize, factors: &[Scalar; 2]);

/// A loop over rows of one number each: consecutive rows at `from`, and the rows at `to` that `numbers` lists. If the
/// highest bit of a list item is set, the loop computes the first of two formulas with the first pair of factors,
/// otherwise the second formula with the second pair.
///
/// # Safety
/// As for [`super::NumberUpdates::run`].
pub(super) type NumberLoop =
    unsafe fn(from: *const u8, to: *mut u8, numbers: &[u32], strides: [usize; 2], factors: [&[Scalar; 2]; 2]);

/// Returns the loop that computes `formula`; `conjugate` matters for complex types only.
pub(super) fn row_loop(number: Number, formula: u8, conjugate: bool, instructions: Instructions) -> RowLoop {
    match (number, conjugate) {
        (Number::Int32, _) => integer::<i32>(formula, instructions),
        (Number::Int64, _) => integer::<i64>(formula, instructions),
        (Number::Float, _) => real::<f32>(formula, instructions),
        (Number::Double, _) => real::<f64>(formula, instructions),
        (Number::Complex, false) => sum::<Complex<f32>, false>(formula, instructions),
        (Number::Complex, true) => sum::<Complex<f32>, true>(formula, instructions),
        (Number::DoubleComplex, false) => sum::<Complex<f64>, false>(formula, instructions),
        (Number::DoubleComplex, true) => sum::<Complex<f64>, true>(formula, instructions),
    }
}

fn integer<T: Arithmetic>(formula: u8, instructions: Instructions) -> RowLoop {
    match formula {
        formula::AND => compiled::<T, { formula::AND }, false>(instructions),
        formula::OR => compiled::<T, { formula::OR }, false>(instructions),
        formula => real::<T>(formula, instructions),
    }
}

fn real<T: Arithmetic>(formula: u8, instructions: Instructions) -> RowLoop {
    match formula {
        formula::MINIMUM => compiled::<T, { formula::MINIMUM }, false>(instructions),
        formula::MAXIMUM => compiled::<T, { formula::MAXIMUM }, false>(instructions),
        formula => sum::<T, false>(formula, instructions),
    }
}

fn sum<T: Arithmetic, const CONJUGATE: bool>(formula: u8, instructions: Instructions) -> RowLoop {
    match formula {
        formula::ZERO => compiled::<T, { formula::ZERO }, false>(instructions),
        formula::BETA_Y => compiled::<T, { formula::BETA_Y }, false>(instructions),
        formula::X => compiled::<T, { formula::X }, CONJUGATE>(instructions),
        formula::ALPHA_X => compiled::<T, { formula::ALPHA_X }, CONJUGATE>(instructions),
        formula::X_PLUS_Y => compiled::<T, { formula::X_PLUS_Y }, CONJUGATE>(instructions),
        formula::X_PLUS_BETA_Y => compiled::<T, { formula::X_PLUS_BETA_Y }, CONJUGATE>(instructions),
        formula::ALPHA_X_PLUS_Y => compiled::<T, { formula::ALPHA_X_PLUS_Y }, CONJUGATE>(instructions),
        formula::ALPHA_X_PLUS_BETA_Y => {
            compiled::<T, { formula::ALPHA_X_PLUS_BETA_Y }, CONJUGATE>(instructions)
        }
        _ => unreachable!("numbers of this type are not combined so"),
    }
}

fn compiled<T: Arithmetic, const FORMULA: u8, const CONJUGATE: bool>(instructions: Instructions) -> RowLoop {
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    unsafe fn avx2<T: Arithmetic, const FORMULA: u8, const CONJUGATE: bool>(
        from: *const u8,
        to: *mut u8,
        len: usize,
        factors: &[Scalar; 2],
    ) {
        // SAFETY: the caller's contract.
        unsafe { each::<T, FORMULA, CONJUGATE>(from, to, len, factors) }
    }
    unsafe fn portable<T: Arithmetic, const FORMULA: u8, const CONJUGATE: bool>(
        from: *const u8,
        to: *mut u8,
        len: usize,
        factors: &[Scalar; 2],
    ) {
        // SAFETY: the caller's contract.
        unsafe { each::<T, FORMULA, CONJUGATE>(from, to, len, factors) }
    }
    match instructions {
        Instructions::Portable => portable::<T, FORMULA, CONJUGATE>,
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx2 => avx2::<T, FORMULA, CONJUGATE>,
    }
}

/// Returns the loop for this pair of formulas (for marked numbers, for others), if there is one. `conjugate` matters
/// for complex types only.
pub(super) fn number_loop(number: Number, formulas: [u8; 2], conjugate: bool) -> Option<NumberLoop> {
    match (number, conjugate) {
        (Number::Int32, _) => integers::<i32>(formulas),
        (Number::Int64, _) => integers::<i64>(formulas),
        (Number::Float, _) => reals::<f32>(formulas),
        (Number::Double, _) => reals::<f64>(formulas),
        (Number::Complex, false) => sums::<Complex<f32>, false>(formulas),
        (Number::Complex, true) => sums::<Complex<f32>, true>(formulas),
        (Number::DoubleComplex, false) => sums::<Complex<f64>, false>(formulas),
        (Number::DoubleComplex, true) => sums::<Complex<f64>, true>(formulas),
    }
}

fn integers<T: Arithmetic>(formulas: [u8; 2]) -> Option<NumberLoop> {
    Some(match formulas {
        [formula::AND, formula::AND] => each_number::<T, { formula::AND }, { formula::AND }, false>,
        [formula::X, formula::AND] => each_number::<T, { formula::X }, { formula::AND }, false>,
        [formula::OR, formula::OR] => each_number::<T, { formula::OR }, { formula::OR }, false>,
        [formula::X, formula::OR] => each_number::<T, { formula::X }, { formula::OR }, false>,
        formulas => return reals::<T>(formulas),
    })
}

fn reals<T: Arithmetic>(formulas: [u8; 2]) -> Option<NumberLoop> {
    Some(match formulas {
        [formula::MINIMUM, formula::MINIMUM] => {
            each_number::<T, { formula::MINIMUM }, { formula::MINIMUM }, false>
        }
        [formula::X, formula::MINIMUM] => each_number::<T, { formula::X }, { formula::MINIMUM }, false>,
        [formula::MAXIMUM, formula::MAXIMUM] => {
            each_number::<T, { formula::MAXIMUM }, { formula::MAXIMUM }, false>
        }
        [formula::X, formula::MAXIMUM] => each_number::<T, { formula::X }, { formula::MAXIMUM }, false>,
        formulas => return sums::<T, false>(formulas),
    })
}

fn sums<T: Arithmetic, const CONJUGATE: bool>(formulas: [u8; 2]) -> Option<NumberLoop> {
    Some(match formulas {
        [formula::X, formula::X_PLUS_Y] => each_number::<T, { formula::X }, { formula::X_PLUS_Y }, CONJUGATE>,
        [formula::ALPHA_X, formula::ALPHA_X_PLUS_Y] => {
            each_number::<T, { formula::ALPHA_X }, { formula::ALPHA_X_PLUS_Y }, CONJUGATE>
        }
        [formula::X_PLUS_Y, formula::X_PLUS_Y] => {
            each_number::<T, { formula::X_PLUS_Y }, { formula::X_PLUS_Y }, CONJUGATE>
        }
        [formula::X_PLUS_BETA_Y, formula::X_PLUS_Y] => {
            each_number::<T, { formula::X_PLUS_BETA_Y }, { formula::X_PLUS_Y }, CONJUGATE>
        }
        [formula::ALPHA_X_PLUS_Y, formula::ALPHA_X_PLUS_Y] => {
            each_number::<T, { formula::ALPHA_X_PLUS_Y }, { formula::ALPHA_X_PLUS_Y }, CONJUGATE>
        }
        [formula::ALPHA_X_PLUS_BETA_Y, formula::ALPHA_X_PLUS_Y] => {
            each_number::<T, { formula::ALPHA_X_PLUS_BETA_Y }, { formula::ALPHA_X_PLUS_Y }, CONJUGATE>
        }
        _ => return None,
    })
}

/// # Safety
/// As for [`super::RowUpdate::update_row`]; the numbers have type `T`.
#[inline(always)]
unsafe fn each<T: Arithmetic, const FORMULA: u8, const CONJUGATE: bool>(
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
        unsafe { one::<T, FORMULA, CONJUGATE>(from.add(k), to.add(k), factors) };
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
            let marked = combine::<T, MARKED, CONJUGATE>(|| x, || y, of_marked);
            let other = combine::<T, OTHER, CONJUGATE>(|| x, || y, of_others);
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
unsafe fn one<T: Arithmetic, const FORMULA: u8, const CONJUGATE: bool>(
    from: *const T,
    to: *mut T,
    factors: [T; 2],
) {
    // SAFETY: this fn's contract.
    unsafe {
        let updated =
            combine::<T, FORMULA, CONJUGATE>(|| from.read_unaligned(), || to.read_unaligned(), factors);
        to.write_unaligned(updated);
    }
}

/// Computes formula `FORMULA`; calls `x` and `y` only if the formula has them.
#[inline(always)]
fn combine<T: Arithmetic, const FORMULA: u8, const CONJUGATE: bool>(
    x: impl Fn() -> T,
    y: impl Fn() -> T,
    [alpha, beta]: [T; 2],
) -> T {
    let x = || if CONJUGATE { x().conjugate() } else { x() };
    match FORMULA {
        formula::ZERO => T::ZERO,
        formula::BETA_Y => beta.times(y()),
        formula::X => x(),
        formula::ALPHA_X => alpha.times(x()),
        formula::X_PLUS_Y => x().plus(y()),
        formula::X_PLUS_BETA_Y => x().plus(beta.times(y())),
        formula::ALPHA_X_PLUS_Y => alpha.times(x()).plus(y()),
        formula::ALPHA_X_PLUS_BETA_Y => alpha.times(x()).plus(beta.times(y())),
        formula::MINIMUM => x().minimum(y()),
        formula::MAXIMUM => x().maximum(y()),
        formula::AND => x().and(y()),
        _ => x().or(y()),
    }
}
