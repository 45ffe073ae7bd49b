//! Arithmetic of updates, as in C and Fortran: integers wrap around, each floating-point operation rounds, and a
//! complex product takes four products and two sums.

/// Operations of updates on one number type.
pub(super) trait Arithmetic: Copy {
    const ZERO: Self;

    /// Returns this number, or `other` if `other_one`, without a branch.
    fn or_else(self, other_one: bool, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
    fn plus(self, other: Self) -> Self;
    fn conjugate(self) -> Self {
        self
    }
    /// Returns the smaller number. From here on, operations are not called for complex numbers; `and` and `or` are
    /// called for integers only.
    fn minimum(self, _: Self) -> Self {
        self
    }
    fn maximum(self, _: Self) -> Self {
        self
    }
    fn and(self, _: Self) -> Self {
        self
    }
    fn or(self, _: Self) -> Self {
        self
    }
}

/// A complex number with the memory layout of C and Fortran.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct Complex<T> {
    re: T,
    im: T,
}

macro_rules! integer {
    ($($t:ty)+) => {$(
        impl Arithmetic for $t {
            const ZERO: Self = 0;

            #[inline(always)]
            fn or_else(self, other_one: bool, other: Self) -> Self {
                self ^ (self ^ other) & -Self::from(other_one)
            }

            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn minimum(self, other: Self) -> Self {
                self.min(other)
            }
            #[inline(always)]
            fn maximum(self, other: Self) -> Self {
                self.max(other)
            }
            #[inline(always)]
            fn and(self, other: Self) -> Self {
                Self::from(self != 0 && other != 0)
            }
            #[inline(always)]
            fn or(self, other: Self) -> Self {
                Self::from(self != 0 || other != 0)
            }
        }
    )+};
}
integer!(i32 i64);

macro_rules! floating {
    ($($t:ty, $bits:ty;)+) => {$(
        impl Arithmetic for $t {
            const ZERO: Self = 0.0;

            #[inline(always)]
            fn or_else(self, other_one: bool, other: Self) -> Self {
                let (bits, others) = (self.to_bits(), other.to_bits());
                Self::from_bits(bits ^ (bits ^ others) & <$bits>::from(other_one).wrapping_neg())
            }

            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self * other
            }
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self + other
            }
            // `min` and `max` of the standard library drop NaNs.
            #[inline(always)]
            fn minimum(self, other: Self) -> Self {
                if self < other || self.is_nan() { self } else { other }
            }
            #[inline(always)]
            fn maximum(self, other: Self) -> Self {
                if self > other || self.is_nan() { self } else { other }
            }
        }
    )+};
}
floating!(f32, u32; f64, u64;);

impl<T: Arithmetic + std::ops::Mul<Output = T> + std::ops::Sub<Output = T> + std::ops::Neg<Output = T>>
    Arithmetic for Complex<T>
{
    const ZERO: Self = Self { re: T::ZERO, im: T::ZERO };

    #[inline(always)]
    fn or_else(self, other_one: bool, other: Self) -> Self {
        Self { re: self.re.or_else(other_one, other.re), im: self.im.or_else(other_one, other.im) }
    }

    #[inline(always)]
    fn times(self, other: Self) -> Self {
        Self {
            re: self.re * other.re - self.im * other.im,
            im: (self.re * other.im).plus(self.im * other.re),
        }
    }
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        Self { re: self.re.plus(other.re), im: self.im.plus(other.im) }
    }
    #[inline(always)]
    fn conjugate(self) -> Self {
        Self { im: -self.im, ..self }
    }
}
