//! Updates: instead of a copy, `to := alpha · op(from) + beta · to`, or another combination of the two sides.

use std::fmt;

/// Type of an update's numbers, which have the byte order of this machine.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Number {
    /// Signed integers of 32 bits.
    Int32,
    /// Signed integers of 64 bits.
    Int64,
    /// Floating-point numbers of single precision.
    Float,
    /// Floating-point numbers of double precision.
    Double,
    /// Two floats: real and imaginary part.
    Complex,
    /// Two doubles: real and imaginary part.
    DoubleComplex,
}

/// Combination of `x = alpha · op(from)` and `y = beta · to`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Combine {
    /// The sum x + y.
    Add,
    /// The lesser of x and y; not for complex numbers. The result is NaN if either side is.
    Minimum,
    /// The greater of x and y; not for complex numbers. The result is NaN if either side is.
    Maximum,
    /// 1 if neither side is 0, otherwise 0; for integers only.
    And,
    /// 0 if both sides are 0, otherwise 1; for integers only.
    Or,
}

/// A number of any type, as 16 bytes: its bytes in memory come first, then zeros.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Scalar([u8; 16]);

/// The update `to := combine(alpha · op(from), beta · to)`.
///
/// `op` conjugates complex numbers, or does nothing. If a factor is 0, its side is not read: the result is the other
/// side alone, or 0 if both factors are 0. A factor of 1 causes no multiplication.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Update {
    number: Number,
    combine: Combine,
    conjugate: bool,
    alpha: Scalar,
    beta: Scalar,
}

impl Number {
    /// All number types, in order of declaration.
    pub const ALL: [Self; 6] =
        [Self::Int32, Self::Int64, Self::Float, Self::Double, Self::Complex, Self::DoubleComplex];

    /// Returns the bytes per number.
    pub fn bytes(self) -> usize {
        match self {
            Self::Int32 | Self::Float => 4,
            Self::Int64 | Self::Double | Self::Complex => 8,
            Self::DoubleComplex => 16,
        }
    }

    fn is_complex(self) -> bool {
        matches!(self, Self::Complex | Self::DoubleComplex)
    }

    /// Returns the small integer `n` as a number of this type.
    pub fn scalar(self, n: i8) -> Scalar {
        let mut bytes = [0; 16];
        match self {
            Self::Int32 => bytes[..4].copy_from_slice(&i32::from(n).to_ne_bytes()),
            Self::Int64 => bytes[..8].copy_from_slice(&i64::from(n).to_ne_bytes()),
            Self::Float | Self::Complex => bytes[..4].copy_from_slice(&f32::from(n).to_ne_bytes()),
            Self::Double | Self::DoubleComplex => bytes[..8].copy_from_slice(&f64::from(n).to_ne_bytes()),
        }
        Scalar(bytes)
    }
}

impl Scalar {
    /// Creates a number from its bytes in memory, at most 16.
    pub fn of(bytes: &[u8]) -> Self {
        let mut all = [0; 16];
        all[..bytes.len()].copy_from_slice(bytes);
        Self(all)
    }

    /// Returns the bytes of the number, padded with zeros.
    pub fn bytes(&self) -> &[u8; 16] {
        &self.0
    }

    /// Returns the 16 bytes as two integers, for comparison only.
    pub fn numbers(&self) -> [i64; 2] {
        [0, 8].map(|at| i64::from_ne_bytes(self.0[at..at + 8].try_into().expect("8 bytes")))
    }

    /// Returns real and imaginary part as doubles; 64-bit integers are rounded.
    #[allow(clippy::cast_precision_loss, reason = "this is what the rounding is")]
    pub fn parts(&self, number: Number) -> [f64; 2] {
        let four = |at: usize| self.0[at..at + 4].try_into().expect("4 bytes");
        let eight = |at: usize| self.0[at..at + 8].try_into().expect("8 bytes");
        let (float, double) =
            (|at| f64::from(f32::from_ne_bytes(four(at))), |at| f64::from_ne_bytes(eight(at)));
        match number {
            Number::Int32 => [i32::from_ne_bytes(four(0)).into(), 0.0],
            Number::Int64 => [i64::from_ne_bytes(eight(0)) as f64, 0.0],
            Number::Float => [float(0), 0.0],
            Number::Double => [double(0), 0.0],
            Number::Complex => [float(0), float(4)],
            Number::DoubleComplex => [double(0), double(8)],
        }
    }

    /// Formats the number, of type `number`.
    pub fn text(&self, number: Number) -> String {
        let four = |at: usize| self.0[at..at + 4].try_into().expect("4 bytes");
        let eight = |at: usize| self.0[at..at + 8].try_into().expect("8 bytes");
        match number {
            Number::Int32 => i32::from_ne_bytes(four(0)).to_string(),
            Number::Int64 => i64::from_ne_bytes(eight(0)).to_string(),
            Number::Float => f32::from_ne_bytes(four(0)).to_string(),
            Number::Double => f64::from_ne_bytes(eight(0)).to_string(),
            Number::Complex => format!("({},{})", f32::from_ne_bytes(four(0)), f32::from_ne_bytes(four(4))),
            Number::DoubleComplex => {
                format!("({},{})", f64::from_ne_bytes(eight(0)), f64::from_ne_bytes(eight(8)))
            }
        }
    }

    /// Returns whether the number, of type `number`, is 0 (or -0.0).
    pub fn is_zero(&self, number: Number) -> bool {
        self.is(number, 0)
    }

    /// Returns whether the number, of type `number`, is 1.
    pub fn is_one(&self, number: Number) -> bool {
        self.is(number, 1)
    }

    /// Returns whether the number has the value `n`; -0.0 equals 0.
    fn is(&self, number: Number, n: i8) -> bool {
        let float = |at: usize| f32::from_ne_bytes(self.0[at..at + 4].try_into().expect("4 bytes"));
        let double = |at: usize| f64::from_ne_bytes(self.0[at..at + 8].try_into().expect("8 bytes"));
        #[allow(clippy::float_cmp, reason = "exactly this number is meant")]
        match number {
            Number::Int32 | Number::Int64 => *self == number.scalar(n),
            Number::Float => float(0) == f32::from(n),
            Number::Double => double(0) == f64::from(n),
            Number::Complex => float(0) == f32::from(n) && float(4) == 0.0,
            Number::DoubleComplex => double(0) == f64::from(n) && double(8) == 0.0,
        }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Int32 => "32-bit integers",
            Self::Int64 => "64-bit integers",
            Self::Float => "floats",
            Self::Double => "doubles",
            Self::Complex => "complex numbers",
            Self::DoubleComplex => "double complex numbers",
        })
    }
}

impl fmt::Display for Combine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Add => "a sum",
            Self::Minimum => "a minimum",
            Self::Maximum => "a maximum",
            Self::And => "a logical and",
            Self::Or => "a logical or",
        })
    }
}

impl Update {
    /// Creates an update; `None` if the number type does not have this combination. `conjugate` is ignored for real
    /// types.
    pub fn new(
        number: Number,
        combine: Combine,
        conjugate: bool,
        [alpha, beta]: [Scalar; 2],
    ) -> Option<Self> {
        let fits = match combine {
            Combine::Add => true,
            Combine::Minimum | Combine::Maximum => !number.is_complex(),
            Combine::And | Combine::Or => matches!(number, Number::Int32 | Number::Int64),
        };
        let conjugate = conjugate && number.is_complex();
        fits.then_some(Self { number, combine, conjugate, alpha, beta })
    }

    /// Returns the type of the elements.
    pub fn number(&self) -> Number {
        self.number
    }

    /// Returns the combination of the two sides.
    pub fn combine(&self) -> Combine {
        self.combine
    }

    /// Returns whether `from` is conjugated.
    pub fn conjugates(&self) -> bool {
        self.conjugate
    }

    /// Returns the factor of the source.
    pub fn alpha(&self) -> &Scalar {
        &self.alpha
    }

    /// Returns the factor of the target's old value.
    pub fn beta(&self) -> &Scalar {
        &self.beta
    }

    /// Returns this update with a beta of 1, for later values of an element: the results accumulate.
    #[must_use]
    pub fn accumulating(self) -> Self {
        Self { beta: self.number.scalar(1), ..self }
    }

    /// Returns the plain copy of numbers of this type.
    #[must_use]
    pub fn as_copy(self) -> Self {
        let [one, zero] = [1, 0].map(|n| self.number.scalar(n));
        Self { combine: Combine::Add, conjugate: false, alpha: one, beta: zero, ..self }
    }

    /// Returns the combination without factors and conjugation: `to := combine(from, to)`.
    #[must_use]
    pub fn without_factors(self) -> Self {
        let one = self.number.scalar(1);
        Self { conjugate: false, alpha: one, beta: one, ..self }
    }

    /// Returns whether the update is a plain copy, `to := from`. False unless the combination is a sum.
    pub fn is_copy(&self) -> bool {
        self.alpha.is_one(self.number) && self.ignores_target() && !self.conjugate && self.is_sum()
    }

    /// Returns whether the source is not read.
    pub fn ignores_source(&self) -> bool {
        self.alpha.is_zero(self.number)
    }

    /// Returns whether the old value of the target is not read.
    pub fn ignores_target(&self) -> bool {
        self.beta.is_zero(self.number)
    }

    /// Returns whether beta is 1.
    pub fn keeps_target(&self) -> bool {
        self.beta.is_one(self.number)
    }

    /// Returns whether the update leaves the target as it is. False unless the combination is a sum.
    pub fn changes_nothing(&self) -> bool {
        self.ignores_source() && self.beta.is_one(self.number) && self.is_sum()
    }

    fn is_sum(&self) -> bool {
        self.combine == Combine::Add
    }
}
