//! Updates: combinations of moved elements with those of the target. Factors have the type of the elements.

use crate::collective::failure::Failure;
use crate::pack::{self, Element, Number, Scalar};
pub use pack::Combine;

/// Types of elements that can be updated. A complex number is an array of its real and its imaginary part.
pub trait Numeric: Element + sealed::Known {}

impl<T: Element + sealed::Known> Numeric for T {}

mod sealed {
    use super::Number;
    #[allow(unnameable_types)] // Sealed: updates are defined for these types only.
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

/// Update of a target's element: `to := combine(alpha · op(from), beta · to)`, with `op` the conjugate or the
/// identity.
///
/// A side with factor 0 is not read and drops out: the target becomes the other side, or 0. Factors of 1 are not
/// multiplied. All ranks give the same update.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Update<T> {
    /// Combination of both sides. Complex numbers have no minima and maxima; bitwise operations are for integers only.
    pub combine: Combine,
    /// Conjugates `from`; real numbers are unchanged.
    pub conjugate: bool,
    /// Factor of the source's elements.
    pub alpha: T,
    /// Factor of the target's elements.
    pub beta: T,
}

impl<T: Numeric> Update<T> {
    /// Makes the update `to := alpha · from + beta · to`.
    pub fn sum(alpha: T, beta: T) -> Self {
        Self { combine: Combine::Add, conjugate: false, alpha, beta }
    }

    /// Makes the update `to := combine(from, to)`.
    pub fn combining(combine: Combine) -> Self {
        Self { combine, conjugate: false, alpha: T::ONE, beta: T::ONE }
    }

    /// Returns the update with the source's elements conjugated.
    #[must_use]
    pub fn conjugated(self) -> Self {
        Self { conjugate: true, ..self }
    }

    /// Returns the update for the kernels; an error if it is not defined for the type.
    pub(super) fn kernel_update(&self) -> Result<pack::Update, Failure> {
        let scalar = |factor: T| Scalar::of(pack::bytes_of(&[factor]));
        update_of(T::NUMBER, self.combine, self.conjugate, [scalar(self.alpha), scalar(self.beta)])
    }
}

/// Makes the update for a type of numbers; an error if the combination is not defined for them.
pub(crate) fn update_of(
    number: Number,
    combine: Combine,
    conjugate: bool,
    factors: [Scalar; 2],
) -> Result<pack::Update, Failure> {
    let none = || Failure::argument(format!("the update: {combine} of {number} is not defined"));
    pack::Update::new(number, combine, conjugate, factors).ok_or_else(none)
}
