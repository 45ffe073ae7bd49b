//! WHICH of ScaLAPACK's routines was called? Its name, and what the routines of a family have in common.

use crate::pack::Number;
use std::fmt;

/// Routines that differ in the type of elements only.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    /// A section is copied.
    Gemr2d,
    /// A trapezoid is copied.
    Trmr2d,
    /// p?gemr2d without ICTXT: all processes of the program call it.
    Gemr2do,
    /// p?trmr2d without ICTXT.
    Trmr2do,
    /// A section is transposed, scaled and added; of real numbers.
    Tran,
    /// The same of complex numbers.
    Tranu,
    /// The same with conjugates.
    Tranc,
    /// A section is scaled and added.
    Geadd,
    /// The same of a trapezoid.
    Tradd,
    /// A section or trapezoid is copied within a context.
    Lacpy,
}

/// A ScaLAPACK routine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Routine {
    /// The element type's letter: i, s, d, c or z.
    pub letter: char,
    /// Its family.
    pub family: Family,
    /// Bytes an element.
    pub element: usize,
}

impl Family {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Gemr2d,
        Self::Trmr2d,
        Self::Gemr2do,
        Self::Trmr2do,
        Self::Tran,
        Self::Tranu,
        Self::Tranc,
        Self::Geadd,
        Self::Tradd,
        Self::Lacpy,
    ];

    /// Its name behind `p` and the letter.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gemr2d => "gemr2d",
            Self::Trmr2d => "trmr2d",
            Self::Gemr2do => "gemr2do",
            Self::Trmr2do => "trmr2do",
            Self::Tran => "tran",
            Self::Tranu => "tranu",
            Self::Tranc => "tranc",
            Self::Geadd => "geadd",
            Self::Tradd => "tradd",
            Self::Lacpy => "lacpy",
        }
    }

    /// The name by which it is chosen in `REBLOCK_ONLY`.
    pub fn chosen_as(self) -> &'static str {
        match self {
            Self::Gemr2do => Self::Gemr2d.name(),
            Self::Trmr2do => Self::Trmr2d.name(),
            Self::Tranu | Self::Tranc => Self::Tran.name(),
            _ => self.name(),
        }
    }

    /// Whether it is one of the routines between any two contexts: the other ones are within one.
    pub fn is_between_contexts(self) -> bool {
        matches!(self, Self::Gemr2d | Self::Trmr2d | Self::Gemr2do | Self::Trmr2do)
    }

    /// Whether it computes with ALPHA and BETA.
    pub fn has_scalars(self) -> bool {
        matches!(self, Self::Tran | Self::Tranu | Self::Tranc | Self::Geadd | Self::Tradd)
    }

    /// What the matrix that is written is called.
    pub fn target(self) -> &'static str {
        if self.has_scalars() { "C" } else { "B" }
    }
}

impl Routine {
    /// The type of the elements that the routine with that number computes with; `None` for integers.
    pub fn number_of(code: i64) -> Option<Number> {
        match u8::try_from(code / 16).ok()? {
            b's' => Some(Number::Float),
            b'd' => Some(Number::Double),
            b'c' => Some(Number::Complex),
            b'z' => Some(Number::DoubleComplex),
            _ => None,
        }
    }

    /// The type of the elements that it computes with; `None` for integers, which are only copied.
    pub fn number(self) -> Option<Number> {
        Self::number_of(self.code())
    }

    /// A number that stands for it.
    pub fn code(self) -> i64 {
        i64::from(u32::from(self.letter)) * 16 + self.family as i64
    }

    /// The name of the routine with that number.
    pub fn name_of(code: i64) -> String {
        let letter = u32::try_from(code / 16).ok().and_then(char::from_u32).unwrap_or('?');
        let family = Self::family_of(code).map_or("?", Family::name);
        format!("p{letter}{family}").to_uppercase()
    }

    /// The family of the routine with that number.
    pub fn family_of(code: i64) -> Option<Family> {
        Family::ALL.into_iter().find(|&family| family as i64 == code % 16)
    }
}

impl fmt::Display for Routine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&Self::name_of(self.code()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::ROUTINES;

    #[test]
    fn numbers_stand_for_routines() {
        for (k, family) in Family::ALL.into_iter().enumerate() {
            assert!(ROUTINES.contains(&family.chosen_as()));
            assert_eq!(family as usize, k);
            for letter in ['i', 's', 'd', 'c', 'z'] {
                let routine = Routine { letter, family, element: 8 };
                assert_eq!(Routine::family_of(routine.code()), Some(family));
                assert_eq!(routine.to_string(), format!("P{letter}{}", family.name()).to_uppercase());
            }
        }
    }
}
