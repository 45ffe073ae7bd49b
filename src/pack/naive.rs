//! Naive twin of the update kernels: updates one element as [`Update`] defines it.

use super::arithmetic::{Arithmetic, Complex};
use super::update::{Combine, Number, Scalar, Update};

impl Update {
    pub(crate) fn naive(&self, from: &[u8], to: &mut [u8]) {
        assert_eq!([from.len(), to.len()], [self.number().bytes(); 2]);
        // SAFETY: each slice has the bytes of one element (asserted).
        unsafe { self.element(from.as_ptr(), to.as_mut_ptr()) }
    }

    /// Updates the element at `to` with the one at `from`.
    ///
    /// # Safety
    /// At `to` lies an element that is writable, and readable unless beta is 0. At `from` lies a readable element,
    /// unless alpha is 0.
    pub(super) unsafe fn element(&self, from: *const u8, to: *mut u8) {
        // SAFETY: this fn's contract.
        unsafe {
            match self.number() {
                Number::Int32 => self.apply::<i32>(from, to),
                Number::Int64 => self.apply::<i64>(from, to),
                Number::Float => self.apply::<f32>(from, to),
                Number::Double => self.apply::<f64>(from, to),
                Number::Complex => self.apply::<Complex<f32>>(from, to),
                Number::DoubleComplex => self.apply::<Complex<f64>>(from, to),
            }
        }
    }

    /// # Safety
    /// As for [`Update::element`], of elements of type `T`.
    unsafe fn apply<T: Arithmetic>(&self, from: *const u8, to: *mut u8) {
        let times = |factor: &Scalar, value: T| match factor.is_one(self.number()) {
            true => value,
            // SAFETY: the first bytes of a `Scalar` are a number of its type.
            false => unsafe { factor.bytes().as_ptr().cast::<T>().read_unaligned() }.times(value),
        };
        let (from, to) = (from.cast::<T>(), to.cast::<T>());
        // SAFETY: this fn's contract.
        unsafe {
            let x = (!self.ignores_source()).then(|| from.read_unaligned());
            let y = (!self.ignores_target()).then(|| to.read_unaligned());
            let x = x.map(|x| times(self.alpha(), if self.conjugates() { x.conjugate() } else { x }));
            let y = y.map(|y| times(self.beta(), y));
            to.write_unaligned(match (x, y) {
                (None, None) => T::ZERO,
                (Some(one), None) | (None, Some(one)) => one,
                (Some(x), Some(y)) => match self.combine() {
                    Combine::Add => x.plus(y),
                    Combine::Minimum => x.minimum(y),
                    Combine::Maximum => x.maximum(y),
                    Combine::And => x.and(y),
                    Combine::Or => x.or(y),
                },
            });
        }
    }
}
