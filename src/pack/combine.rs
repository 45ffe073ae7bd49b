//! Update a row of numbers.
//!
//! ```text
//! for each number: to := combine(alpha · op(from), beta · to)
//! ```
//! Deviations from that text:
//! 1. Which factors are 0 or 1 is asked once a row and not once a number ([`RowUpdate`] has the loop for them): the compiler makes
//!    each loop from one text, for each type of number and instruction set.
//! 2. Minima, maxima, and, or with factors are made in several passes over parts of the row that stay in the first cache.
//! 3. A row of a large array that is not read is made up in such parts and then written past the caches.
//!
//! No instruction set fuses a product and a sum, so all come to the same bits.

use super::arithmetic::{Arithmetic, Complex};
use super::block::{self, STREAM};
use super::rectangle::Instructions;
use super::update::{Combine, Number, Scalar, Update};
use std::mem::MaybeUninit;

/// Bytes of a part of a row.
const PART: usize = 4 << 10;

/// A part of a row.
#[repr(C, align(64))]
struct RowPart(MaybeUninit<[u8; PART]>);

/// What a loop computes from `x` of `from` and `y` of `to`; a number, as it is a parameter of a loop.
mod how {
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
/// As for [`RowUpdate::row`]; the instructions are available.
type RowLoop = unsafe fn(from: *const u8, to: *mut u8, len: usize, factors: &[Scalar; 2]);

/// How rows are updated.
pub(super) struct RowUpdate {
    factors: [Scalar; 2],
    /// Bytes of a number.
    element: usize,
    /// What multiplies what is read and what is there, where `last` does not.
    first: [Option<RowLoop>; 2],
    last: RowLoop,
    /// Whether what is there is read.
    keeps: bool,
    /// Whether `from` is read.
    takes: bool,
    /// Whether the row stays as it is.
    idle: bool,
}

impl RowUpdate {
    /// By instructions that are available.
    pub fn new(update: &Update, instructions: Instructions) -> Self {
        let (number, conjugate) = (update.number(), update.conjugates());
        let (takes, keeps) = (!update.ignores_source(), !update.ignores_target());
        let [alpha, beta] = [update.alpha(), update.beta()].map(|factor| !factor.is_one(number));
        let of = |how, conjugate| row_loop(number, how, conjugate, instructions);
        let combined = match update.combine() {
            Combine::Add => None,
            Combine::Minimum => Some(how::MINIMUM),
            Combine::Maximum => Some(how::MAXIMUM),
            Combine::And => Some(how::AND),
            Combine::Or => Some(how::OR),
        };
        let (first, last) = match (takes, keeps, combined) {
            (true, true, Some(how)) => {
                // Where both sides are the same memory, what is read is kept before what is there is multiplied.
                let x = (alpha || beta).then(|| of(if alpha { how::SCALE } else { how::TAKE }, conjugate));
                ([x, beta.then(|| of(how::KEEP, false))], of(how, false))
            }
            _ => {
                let how = match (takes, keeps) {
                    (false, false) => how::ZERO,
                    (false, true) => how::KEEP,
                    (true, false) => [how::TAKE, how::SCALE][usize::from(alpha)],
                    (true, true) => match (alpha, beta) {
                        (false, false) => how::PLUS,
                        (false, true) => how::PLUS_KEPT,
                        (true, false) => how::SCALED_PLUS,
                        (true, true) => how::SCALED_PLUS_KEPT,
                    },
                };
                ([None, None], of(how, conjugate))
            }
        };
        let factors = [*update.alpha(), *update.beta()];
        Self { factors, element: number.bytes(), first, last, keeps, takes, idle: !takes && keeps && !beta }
    }

    /// Whether `from` is read.
    pub fn takes(&self) -> bool {
        self.takes
    }

    /// Whether what is there is read.
    pub fn keeps(&self) -> bool {
        self.keeps
    }

    /// Updates `len` numbers at `to` with those at `from`; past the caches, if `stream` and what is there is not read. (Then
    /// [`fence`](block::fence) must follow.)
    ///
    /// # Safety
    /// They are readable at `from`, if that is read, and at `to`, if that is; and writable at `to`. Both sides are apart or the
    /// same.
    pub unsafe fn row(&self, from: *const u8, to: *mut u8, len: usize, stream: bool) {
        if self.idle {
            return;
        }
        let stream = stream && !self.keeps && len * self.element >= STREAM;
        // SAFETY: this fn's contract.
        unsafe {
            if stream || self.first[0].is_some() {
                self.in_parts(from, to, len);
            } else {
                (self.last)(from, to, len, &self.factors);
            }
        }
    }

    /// The same through a part of the row that is made up first.
    ///
    /// # Safety
    /// As for [`RowUpdate::row`]; the row is long enough to be streamed, or there is something to be done first.
    #[inline(never)]
    unsafe fn in_parts(&self, from: *const u8, to: *mut u8, len: usize) {
        let mut part = RowPart(MaybeUninit::uninit());
        let part = part.0.as_mut_ptr().cast::<u8>();
        let most = PART / self.element;
        let mut at = 0;
        while at < len {
            // What is left is long enough to be streamed.
            let left = len - at;
            let some = if left <= most || (left - most) * self.element >= STREAM {
                left.min(most)
            } else {
                most / 2
            };
            let (from, to) = (from.wrapping_add(at * self.element), to.wrapping_add(at * self.element));
            // SAFETY: `some` numbers of the row, which the part has room for; what is computed there is not read before.
            unsafe {
                match self.first {
                    [Some(take), keep] => {
                        take(from, part, some, &self.factors);
                        if let Some(keep) = keep {
                            keep(from, to, some, &self.factors);
                        }
                        (self.last)(part, to, some, &self.factors);
                    }
                    _ => {
                        (self.last)(from, part, some, &self.factors);
                        block::stream(part, to, some * self.element);
                    }
                }
            }
            at += some;
        }
    }
}

/// The loop for numbers of this type. Only of complex numbers there is a conjugate.
fn row_loop(number: Number, how: u8, conjugate: bool, instructions: Instructions) -> RowLoop {
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

/// # Safety
/// As for [`RowUpdate::row`]; numbers are of type `T`.
#[inline(always)]
unsafe fn each<T: Arithmetic, const HOW: u8, const CONJUGATE: bool>(
    from: *const u8,
    to: *mut u8,
    len: usize,
    factors: &[Scalar; 2],
) {
    let (from, to) = (from.cast::<T>(), to.cast::<T>());
    // SAFETY: the first bytes are a number of the type.
    let [alpha, beta] = [0, 1].map(|k| unsafe { factors[k].bytes().as_ptr().cast::<T>().read_unaligned() });
    for k in 0..len {
        // SAFETY: number `k` is readable where the loop reads it; this fn's contract.
        let x = || unsafe { from.add(k).read_unaligned() };
        let x = || if CONJUGATE { x().conjugate() } else { x() };
        // SAFETY: the same.
        let y = || unsafe { to.add(k).read_unaligned() };
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
        // SAFETY: number `k` is writable; this fn's contract.
        unsafe { to.add(k).write_unaligned(updated) };
    }
}
