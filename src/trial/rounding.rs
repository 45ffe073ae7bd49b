//! Bound on the distance of two results of the same update, computed with different numbers of roundings. These numbers
//! differ if one library fuses a product and a sum into one operation.

use crate::pack::{Number, Scalar, Update};

/// Rounding in the update `alpha · op(from) + beta · to`.
#[derive(Clone, Copy, Debug)]
pub struct Rounding {
    number: Number,
    beta: f64,
    /// Largest distance of two results relative to their terms; 0 if the update rounds at most once.
    share: f64,
    /// True if the update computes, rather than only copies.
    sums: bool,
}

/// Relation of two results of one element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ResultRelation {
    /// Equal in every bit.
    Equal,
    /// Different bits, but as close as rounding explains, or equal as numbers, or both NaN.
    Rounded,
    /// Further apart than rounding explains.
    Different,
}

impl Rounding {
    /// Derives the bound for `update`. `adds` is true if the library always adds, even to 0.
    ///
    /// Let u be half the distance from 1 to the next number, x = alpha · op(from), y = beta · to, and r a result. In
    /// either result each product is wrong by at most u|x| or u|y|, the sum by at most u|r|, and |x| is at most |r| +
    /// |y|. So two results differ by at most 4u(|y| + |r|), up to terms in u². The parts of a complex product are wrong
    /// by at most √5 times as much (Brent, Percival and Zimmermann 2007), and a single complex product is rounded more
    /// than once.
    pub fn of(update: &Update, adds: bool) -> Self {
        let number = update.number();
        let (half, complex) = match number {
            Number::Float => (f64::from(f32::EPSILON) / 2.0, false),
            Number::Complex => (f64::from(f32::EPSILON) / 2.0, true),
            Number::DoubleComplex => (f64::EPSILON / 2.0, true),
            _ => (f64::EPSILON / 2.0, false),
        };
        let one = |factor: &Scalar| factor.is_zero(number) || factor.is_one(number);
        let alone = update.ignores_source() || update.ignores_target();
        let share = match complex {
            // One product, or one sum.
            _ if one(update.alpha()) && one(update.beta()) => 0.0,
            false if alone => 0.0,
            false => 5.0 * half,
            true => 10.0 * half,
        };
        let [re, im] = update.beta().parts(number);
        Self { number, beta: re.hypot(im), share, sums: adds || !update.is_copy() }
    }

    /// Returns a bound of 0: results must be equal as numbers.
    pub fn exact(self) -> Self {
        Self { share: 0.0, sums: false, ..self }
    }

    /// Returns true if the bound depends on the previous value of the element.
    pub fn reads_target(&self) -> bool {
        self.share > 0.0 && self.beta > 0.0
    }

    /// Compares two results of an element whose previous value was `before`.
    pub fn judge(&self, one: &[u8], other: &[u8], before: &[u8]) -> ResultRelation {
        if one == other {
            return ResultRelation::Equal;
        }
        let parts = |bytes: &[u8]| Scalar::of(bytes).parts(self.number);
        let (one, other) = (parts(one), parts(other));
        if one.iter().zip(&other).all(|(a, b)| a == b || (a.is_nan() && b.is_nan())) {
            return ResultRelation::Rounded;
        }
        let to = if self.reads_target() { parts(before) } else { [0.0; 2] };
        let y = self.beta * to[0].hypot(to[1]);
        let size = |r: [f64; 2]| r[0].hypot(r[1]);
        let near = if one.iter().chain(&other).all(|part| part.is_finite()) {
            let room = self.share * y + self.share * size(one).max(size(other)) + self.least_distance();
            self.share > 0.0 && one.iter().zip(&other).all(|(a, b)| (a - b).abs() <= room)
        } else {
            self.may_leave_the_numbers(one, other, y)
        };
        if near { ResultRelation::Rounded } else { ResultRelation::Different }
    }

    /// Returns true if rounding explains two results that are not both finite. For complex numbers it does if the
    /// update computes: an infinite part makes the other part NaN if a library multiplies by the 0 in 1 + 0i. For real
    /// numbers the results must be close to overflow. `y` is |beta · to|.
    fn may_leave_the_numbers(&self, one: [f64; 2], other: [f64; 2], y: f64) -> bool {
        match self.number {
            Number::Complex | Number::DoubleComplex => self.sums,
            _ => {
                let most = if self.number == Number::Float { f64::from(f32::MAX) } else { f64::MAX };
                let finite = [one[0], other[0]].into_iter().filter(|part| part.is_finite());
                let largest = finite.map(f64::abs).fold(0.0, f64::max) / 4.0 + y / 4.0;
                self.share > 0.0 && (largest >= most / 16.0 || largest.is_nan())
            }
        }
    }

    /// Returns the allowed distance of results near 0, where numbers are sparse.
    fn least_distance(&self) -> f64 {
        match self.number {
            Number::Float | Number::Complex => 8.0 * f64::from(f32::from_bits(1)),
            _ => 8.0 * f64::from_bits(1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pack::Combine;

    fn doubles(alpha: f64, beta: f64) -> Rounding {
        let factors = [alpha, beta].map(|factor| Scalar::of(&factor.to_ne_bytes()));
        Rounding::of(&Update::new(Number::Double, Combine::Add, false, factors).unwrap(), false)
    }

    fn judge(rounding: Rounding, one: f64, other: f64, before: f64) -> ResultRelation {
        rounding.judge(&one.to_ne_bytes(), &other.to_ne_bytes(), &before.to_ne_bytes())
    }

    #[test]
    fn products_and_sums_may_be_one_operation() {
        let seed = 3;
        let mut random = fastrand::Rng::with_seed(seed);
        let mut number = || (random.f64() - 0.5) * 2_f64.powi(random.i32(-3..3));
        let mut apart = 0;
        for case in 0..20_000 {
            let [alpha, beta, a] = [number(), number(), number()];
            // Includes sums that nearly cancel.
            let c = if case % 2 == 0 { number() } else { -alpha * a / beta * (1.0 + number() * 1e-14) };
            let results = [alpha * a + beta * c, alpha.mul_add(a, beta * c), beta.mul_add(c, alpha * a)];
            for other in results {
                let found = judge(doubles(alpha, beta), results[0], other, c);
                apart += u32::from(found == ResultRelation::Rounded);
                assert_ne!(found, ResultRelation::Different, "seed {seed}, case {case}: {results:?}");
            }
            let far = results[0] + 8.0 * f64::EPSILON * (results[0].abs() + 2.0 * (beta * c).abs());
            assert_eq!(
                judge(doubles(alpha, beta), results[0], far, c),
                ResultRelation::Different,
                "case {case}"
            );
        }
        assert!(apart > 1000, "{apart} of them differ");
    }

    #[test]
    fn one_operation_has_one_result() {
        let next = f64::from_bits(2.5_f64.to_bits() + 1);
        for (alpha, beta) in [(1.0, 0.0), (0.3, 0.0), (0.0, 0.3), (1.0, 1.0), (0.0, 0.0)] {
            assert_eq!(judge(doubles(alpha, beta), 2.5, next, 2.5), ResultRelation::Different);
            assert_eq!(judge(doubles(alpha, beta), 2.5, 2.5, 1.0), ResultRelation::Equal);
            assert_eq!(judge(doubles(alpha, beta), 0.0, -0.0, 1.0), ResultRelation::Rounded);
            assert_eq!(judge(doubles(alpha, beta), f64::NAN, -f64::NAN, 1.0), ResultRelation::Rounded);
            assert_eq!(judge(doubles(alpha, beta), f64::INFINITY, 1.0, 1.0), ResultRelation::Different);
        }
        assert_eq!(judge(doubles(0.3, 0.3), 2.5, next, 2.5), ResultRelation::Rounded);
        assert_eq!(judge(doubles(0.3, 0.3), f64::INFINITY, 2.5, 2.5), ResultRelation::Different);
        assert_eq!(judge(doubles(3.0, 0.3), f64::INFINITY, f64::MAX, 2.5), ResultRelation::Rounded);
        assert_eq!(judge(doubles(0.3, 0.3), f64::NAN, 2.5, 2.5), ResultRelation::Different);
    }
}
