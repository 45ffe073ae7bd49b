//! HOW FAR apart may two results of one update be, of which one was rounded once more or once less than the other? Libraries differ
//! in this where a product and a sum are one operation in one of them. It knows numbers; it never knows who computed them.

use crate::pack::{Number, Scalar, Update};

/// What rounding may come to in an update: `alpha · op(from) + beta · to`.
#[derive(Clone, Copy, Debug)]
pub struct Rounding {
    number: Number,
    /// The absolute value of beta.
    beta: f64,
    /// Of what is added, the part that two results may be apart; 0 where at most one operation is rounded.
    share: f64,
    /// Whether anything is computed.
    sums: bool,
}

/// What two results of one element are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Apart {
    /// The same bits.
    Equal,
    /// As near as rounding explains, or the same number or no number in other bits.
    Rounded,
    /// Further apart.
    Different,
}

impl Rounding {
    /// Of an update that adds; where a library `adds` in any case, also to 0.
    ///
    /// Let u be half the distance of 1 to the next number, x = alpha · op(from), y = beta · to, and r a result. Each product is wrong by at
    /// most u|x| or u|y|, the sum by at most u|r|, in either result, and |x| is at most |r| + |y|: so two results are apart by at most
    /// 4u(|y| + |r|), but for terms in u². Parts of a complex product are wrong by at most the root of 5 times as much (Brent, Percival and
    /// Zimmermann 2007), and there a single product is rounded more than once.
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

    /// The same where nothing is rounded: only the same numbers are the same.
    pub fn unrounded(self) -> Self {
        Self { share: 0.0, sums: false, ..self }
    }

    /// Whether it matters what was there before.
    pub fn reads_target(&self) -> bool {
        self.share > 0.0 && self.beta > 0.0
    }

    /// What `one` and `other` are, two results of an element that was `before`.
    pub fn judge(&self, one: &[u8], other: &[u8], before: &[u8]) -> Apart {
        if one == other {
            return Apart::Equal;
        }
        let parts = |bytes: &[u8]| Scalar::of(bytes).parts(self.number);
        let (one, other) = (parts(one), parts(other));
        if one.iter().zip(&other).all(|(a, b)| a == b || (a.is_nan() && b.is_nan())) {
            return Apart::Rounded;
        }
        let to = if self.reads_target() { parts(before) } else { [0.0; 2] };
        let y = self.beta * to[0].hypot(to[1]);
        let size = |r: [f64; 2]| r[0].hypot(r[1]);
        let near = if one.iter().chain(&other).all(|part| part.is_finite()) {
            let room = self.share * y + self.share * size(one).max(size(other)) + self.least();
            self.share > 0.0 && one.iter().zip(&other).all(|(a, b)| (a - b).abs() <= room)
        } else {
            self.may_leave_the_numbers(one, other, y)
        };
        if near { Apart::Rounded } else { Apart::Different }
    }

    /// Whether results of which one is infinite or no number may be those of the same element. In a complex product the infinity of
    /// one part makes the other one no number, where a library multiplies by the 0 in 1 + 0i. Real ones must be nearly too large.
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

    /// What results that are nearly 0 may be apart, as numbers become sparse there.
    fn least(&self) -> f64 {
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

    fn judge(rounding: Rounding, one: f64, other: f64, before: f64) -> Apart {
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
            // Sums that nearly cancel, too.
            let c = if case % 2 == 0 { number() } else { -alpha * a / beta * (1.0 + number() * 1e-14) };
            let results = [alpha * a + beta * c, alpha.mul_add(a, beta * c), beta.mul_add(c, alpha * a)];
            for other in results {
                let found = judge(doubles(alpha, beta), results[0], other, c);
                apart += u32::from(found == Apart::Rounded);
                assert_ne!(found, Apart::Different, "seed {seed}, case {case}: {results:?}");
            }
            let far = results[0] + 8.0 * f64::EPSILON * (results[0].abs() + 2.0 * (beta * c).abs());
            assert_eq!(judge(doubles(alpha, beta), results[0], far, c), Apart::Different, "case {case}");
        }
        assert!(apart > 1000, "{apart} of them differ");
    }

    #[test]
    fn one_operation_has_one_result() {
        let next = f64::from_bits(2.5_f64.to_bits() + 1);
        for (alpha, beta) in [(1.0, 0.0), (0.3, 0.0), (0.0, 0.3), (1.0, 1.0), (0.0, 0.0)] {
            assert_eq!(judge(doubles(alpha, beta), 2.5, next, 2.5), Apart::Different);
            assert_eq!(judge(doubles(alpha, beta), 2.5, 2.5, 1.0), Apart::Equal);
            assert_eq!(judge(doubles(alpha, beta), 0.0, -0.0, 1.0), Apart::Rounded);
            assert_eq!(judge(doubles(alpha, beta), f64::NAN, -f64::NAN, 1.0), Apart::Rounded);
            assert_eq!(judge(doubles(alpha, beta), f64::INFINITY, 1.0, 1.0), Apart::Different);
        }
        assert_eq!(judge(doubles(0.3, 0.3), 2.5, next, 2.5), Apart::Rounded);
        assert_eq!(judge(doubles(0.3, 0.3), f64::INFINITY, 2.5, 2.5), Apart::Different);
        assert_eq!(judge(doubles(3.0, 0.3), f64::INFINITY, f64::MAX, 2.5), Apart::Rounded);
        assert_eq!(judge(doubles(0.3, 0.3), f64::NAN, 2.5, 2.5), Apart::Different);
    }
}
