//! One of ScaLAPACK's routines: a family and the type of elements.

use super::family::{ArgumentRules, Family, Properties, TABLE};
use crate::pack::Number;
use std::fmt;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Routine {
    /// The element type's letter: i, s, d, c or z.
    pub letter: char,
    pub family: Family,
    /// Size of an element, in bytes.
    pub element: usize,
}

impl Family {
    fn properties(self) -> &'static Properties {
        &TABLE[self as usize]
    }

    pub fn chosen_as(self) -> &'static str {
        self.properties().chosen_as
    }

    pub fn rules(self) -> ArgumentRules {
        self.properties().rules
    }

    pub fn is_between_contexts(self) -> bool {
        self.rules() == ArgumentRules::Redistribution
    }

    pub fn has_scalars(self) -> bool {
        self.properties().scalars
    }

    pub fn target(self) -> &'static str {
        self.properties().target()
    }
}

impl Routine {
    /// Returns the number type of the routine with this code; `None` for integers.
    pub fn number_of(code: i64) -> Option<Number> {
        match u8::try_from(code / 16).ok()? {
            b's' => Some(Number::Float),
            b'd' => Some(Number::Double),
            b'c' => Some(Number::Complex),
            b'z' => Some(Number::DoubleComplex),
            _ => None,
        }
    }

    /// Returns the number type of the routine; `None` for integers, which are only copied.
    pub fn number(self) -> Option<Number> {
        Self::number_of(self.code())
    }

    /// Returns the routine's code in messages between ranks.
    pub fn code(self) -> i64 {
        i64::from(u32::from(self.letter)) * 16 + self.family as i64
    }

    pub fn name_of(code: i64) -> String {
        let letter = u32::try_from(code / 16).ok().and_then(char::from_u32).unwrap_or('?');
        let family = Self::family_of(code).map_or("?".into(), |family| format!("{family:?}"));
        format!("p{letter}{family}").to_uppercase()
    }

    pub fn family_of(code: i64) -> Option<Family> {
        usize::try_from(code % 16).ok().and_then(|k| TABLE.get(k)).map(|properties| properties.family)
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
        assert!(ROUTINES.iter().all(|name| TABLE.iter().any(|properties| properties.chosen_as == *name)));
        for (k, &Properties { family, chosen_as, .. }) in TABLE.iter().enumerate() {
            assert!(ROUTINES.contains(&chosen_as));
            assert_eq!(family as usize, k);
            for letter in ['i', 's', 'd', 'c', 'z'] {
                let routine = Routine { letter, family, element: 8 };
                assert_eq!(Routine::family_of(routine.code()), Some(family));
                assert_eq!(routine.to_string(), format!("P{letter}{family:?}").to_uppercase());
            }
        }
    }
}
