//! Table of ScaLAPACK's routines: names, and properties of each family.

use crate::pack::Number;
use std::fmt;

/// Routines that differ only in the type of elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    /// Copies a section.
    Gemr2d,
    /// Copies a trapezoid.
    Trmr2d,
    /// p?gemr2d without ICTXT: all processes of the program call it.
    Gemr2do,
    /// p?trmr2d without ICTXT.
    Trmr2do,
    /// Transposes, scales and adds a section of real numbers.
    Tran,
    /// Transposes, scales and adds a section of complex numbers.
    Tranu,
    /// Like `Tranu`, with conjugates.
    Tranc,
    /// Scales and adds a section.
    Geadd,
    /// Scales and adds a trapezoid.
    Tradd,
    /// Copies a section or trapezoid within a context.
    Lacpy,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Routine {
    /// The element type's letter: i, s, d, c or z.
    pub letter: char,
    pub family: Family,
    pub element: usize,
}

impl Family {
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

    /// Returns the routine's name after `p` and the letter.
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

    /// Returns the name that selects it in `REBLOCK_ONLY`.
    pub fn chosen_as(self) -> &'static str {
        match self {
            Self::Gemr2do => Self::Gemr2d.name(),
            Self::Trmr2do => Self::Trmr2d.name(),
            Self::Tranu | Self::Tranc => Self::Tran.name(),
            _ => self.name(),
        }
    }

    /// Returns whether the routine moves between any two contexts; the others work within one.
    pub fn is_between_contexts(self) -> bool {
        matches!(self, Self::Gemr2d | Self::Trmr2d | Self::Gemr2do | Self::Trmr2do)
    }

    /// Returns whether the routine has ALPHA and BETA.
    pub fn has_scalars(self) -> bool {
        matches!(self, Self::Tran | Self::Tranu | Self::Tranc | Self::Geadd | Self::Tradd)
    }

    /// Returns the name of the matrix that is written.
    pub fn target(self) -> &'static str {
        if self.has_scalars() { "C" } else { "B" }
    }
}

impl Routine {
    /// Returns the element type for computations of the routine with this code; `None` for integers.
    pub fn number_of(code: i64) -> Option<Number> {
        match u8::try_from(code / 16).ok()? {
            b's' => Some(Number::Float),
            b'd' => Some(Number::Double),
            b'c' => Some(Number::Complex),
            b'z' => Some(Number::DoubleComplex),
            _ => None,
        }
    }

    /// Returns the type of the elements for computations; `None` for integers, which are only copied.
    pub fn number(self) -> Option<Number> {
        Self::number_of(self.code())
    }

    /// Returns the number that stands for the routine in messages.
    pub fn code(self) -> i64 {
        i64::from(u32::from(self.letter)) * 16 + self.family as i64
    }

    /// Returns the name of the routine with this code.
    pub fn name_of(code: i64) -> String {
        let letter = u32::try_from(code / 16).ok().and_then(char::from_u32).unwrap_or('?');
        let family = Self::family_of(code).map_or("?", Family::name);
        format!("p{letter}{family}").to_uppercase()
    }

    /// Returns the family of the routine with this code.
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
