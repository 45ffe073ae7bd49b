//! WHAT becomes of an element that is written? `to := alpha · op(from) + beta · to`, or another combination of the two; a
//! copy where nothing is said. It knows numbers; it never knows where they are or how many.

use std::fmt;

/// The type of the elements that are computed with. Their bytes are those of this machine.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Number {
    /// 32 bits, signed.
    Int32,
    /// 64 bits, signed.
    Int64,
    /// Single precision.
    Float,
    /// Double precision.
    Double,
    /// Two floats: the real part and the imaginary one.
    Complex,
    /// Two doubles.
    DoubleComplex,
}

/// How `x = alpha · op(from)` and `y = beta · to` are combined.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Combine {
    /// x + y.
    Add,
    /// The lesser; not of complex numbers. A NaN on either side stays.
    Minimum,
    /// The greater; not of complex numbers. A NaN on either side stays.
    Maximum,
    /// 1 if neither is 0, else 0; of integers.
    And,
    /// 0 if both are 0, else 1; of integers.
    Or,
}

/// A number of one of these types, in the first bytes, as it is in memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Scalar([u8; 16]);

/// `to := combine(alpha · op(from), beta · to)`.
///
/// A side whose factor is 0 is not read and drops out: `to := y`, or `to := x`; where both do, `to := 0`. Factors of 1 are not
/// multiplied by.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Update {
    number: Number,
    combine: Combine,
    conjugate: bool,
    alpha: Scalar,
    beta: Scalar,
}

impl Number {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Int32, Self::Int64, Self::Float, Self::Double, Self::Complex, Self::DoubleComplex];

    /// Bytes of one.
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

    /// The number `n` of this type; `n` is small.
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
    /// The number whose bytes are the first ones, as many as its type has.
    pub fn of(bytes: &[u8]) -> Self {
        let mut all = [0; 16];
        all[..bytes.len()].copy_from_slice(bytes);
        Self(all)
    }

    /// Its bytes, and zeros.
    pub fn bytes(&self) -> &[u8; 16] {
        &self.0
    }

    /// Its bytes as two numbers, which only tell it from others.
    pub fn numbers(&self) -> [i64; 2] {
        [0, 8].map(|at| i64::from_ne_bytes(self.0[at..at + 8].try_into().expect("8 bytes")))
    }

    /// Its real and its imaginary part, of type `number`, where doubles hold them: integers of 64 bits are rounded.
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

    /// As text, of type `number`.
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

    /// Whether it is 0, of type `number`; -0.0 is.
    pub fn is_zero(&self, number: Number) -> bool {
        self.is(number, 0)
    }

    /// Whether it is 1.
    pub fn is_one(&self, number: Number) -> bool {
        self.is(number, 1)
    }

    /// By value, not by bits.
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
    /// `None` if numbers of this type cannot be combined so. Of real numbers the conjugate is the number itself.
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

    /// The type of the elements.
    pub fn number(&self) -> Number {
        self.number
    }

    /// How both sides are combined.
    pub fn combine(&self) -> Combine {
        self.combine
    }

    /// Whether `from` is conjugated.
    pub fn conjugates(&self) -> bool {
        self.conjugate
    }

    /// The factor of what is read.
    pub fn alpha(&self) -> &Scalar {
        &self.alpha
    }

    /// The factor of what is there.
    pub fn beta(&self) -> &Scalar {
        &self.beta
    }

    /// The same for the next of several sources: what the first ones came to is kept as it is.
    #[must_use]
    pub fn more(self) -> Self {
        Self { beta: self.number.scalar(1), ..self }
    }

    /// A copy of the same numbers.
    #[must_use]
    pub fn taken(self) -> Self {
        let [one, zero] = [1, 0].map(|n| self.number.scalar(n));
        Self { combine: Combine::Add, conjugate: false, alpha: one, beta: zero, ..self }
    }

    /// The same without factors and conjugates: `to := combine(from, to)`.
    #[must_use]
    pub fn plainly(self) -> Self {
        let one = self.number.scalar(1);
        Self { conjugate: false, alpha: one, beta: one, ..self }
    }

    /// Whether nothing is computed: `to := from`.
    pub fn is_copy(&self) -> bool {
        self.alpha.is_one(self.number) && self.ignores_target() && !self.conjugate && self.is_sum()
    }

    /// Whether nothing is read of the source.
    pub fn ignores_source(&self) -> bool {
        self.alpha.is_zero(self.number)
    }

    /// Whether nothing is read of the target.
    pub fn ignores_target(&self) -> bool {
        self.beta.is_zero(self.number)
    }

    /// Whether what is there is taken as it is.
    pub fn keeps_target(&self) -> bool {
        self.beta.is_one(self.number)
    }

    /// Whether the target stays as it is.
    pub fn changes_nothing(&self) -> bool {
        self.ignores_source() && self.beta.is_one(self.number) && self.is_sum()
    }

    fn is_sum(&self) -> bool {
        self.combine == Combine::Add
    }
}
