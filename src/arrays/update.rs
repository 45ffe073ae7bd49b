//! WHAT do plans write in place of a copy? Updates whose factors are of the type of the elements, so that safe Rust cannot confuse
//! types; and which combinations there are.

use crate::collective::failure::Failure;
use crate::pack::{self, Element, Number, Scalar};
pub use pack::Combine;

/// Types of elements that can be updated. A complex number is its real part and its imaginary part.
pub trait Numeric: Element + sealed::Known {}

impl<T: Element + sealed::Known> Numeric for T {}

mod sealed {
    use super::Number;
    #[allow(unnameable_types)] // So no other type is computed with.
    pub trait Known {
        const NUMBER: Number;
        const ONE: Self;
    }
    macro_rules! known {
        ($($t:ty, $number:ident, $one:expr;)*) => {
            $(impl Known for $t { const NUMBER: Number = Number::$number; const ONE: Self = $one; })*
        };
    }
    known! {
        i32, Int32, 1;
        i64, Int64, 1;
        f32, Float, 1.0;
        f64, Double, 1.0;
        [f32; 2], Complex, [1.0, 0.0];
        [f64; 2], DoubleComplex, [1.0, 0.0];
    }
}

/// What becomes of an element of the target: `to := combine(alpha · op(from), beta · to)`, where `op` is the conjugate or
/// nothing.
///
/// A side whose factor is 0 is not read and drops out: the target becomes what is left, or 0. Factors of 1 are not multiplied
/// by. All ranks give the same update.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Update<T> {
    /// How both sides are combined; minima and maxima are not of complex numbers, and/or only of integers.
    pub combine: Combine,
    /// Whether `from` is conjugated; of real numbers that changes nothing.
    pub conjugate: bool,
    /// The factor of the source's elements.
    pub alpha: T,
    /// The factor of the target's elements.
    pub beta: T,
}

impl<T: Numeric> Update<T> {
    /// `to := alpha · from + beta · to`.
    pub fn sum(alpha: T, beta: T) -> Self {
        Self { combine: Combine::Add, conjugate: false, alpha, beta }
    }

    /// `to := combine(from, to)`.
    pub fn combining(combine: Combine) -> Self {
        Self { combine, conjugate: false, alpha: T::ONE, beta: T::ONE }
    }

    /// The same with the conjugates of the source's elements.
    #[must_use]
    pub fn conjugated(self) -> Self {
        Self { conjugate: true, ..self }
    }

    /// As it is carried out.
    pub(super) fn carried_out(&self) -> Result<pack::Update, Failure> {
        let scalar = |factor: T| Scalar::of(pack::bytes_of(&[factor]));
        update_of(T::NUMBER, self.combine, self.conjugate, [scalar(self.alpha), scalar(self.beta)])
    }
}

/// The update that combines numbers of a type so, if they can be.
pub(crate) fn update_of(
    number: Number,
    combine: Combine,
    conjugate: bool,
    factors: [Scalar; 2],
) -> Result<pack::Update, Failure> {
    let none = || Failure::argument(format!("the update: {combine} of {number} is not defined"));
    pack::Update::new(number, combine, conjugate, factors).ok_or_else(none)
}
