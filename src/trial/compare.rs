//! Finds the first difference between two local arrays, including the bytes between columns.

use std::fmt;

/// Storage of a local array by columns.
#[derive(Clone, Copy, Debug)]
pub struct Columns {
    /// Size of an element, in bytes.
    pub element: usize,
    pub rows: u64,
    /// Leading dimension: elements from one column to the next.
    pub ld: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Difference {
    /// Local row and column, from 0.
    pub at: [u64; 2],
    /// True if the position is below the last row, between two columns.
    pub padding: bool,
}

/// Returns the first difference of `one` and `other`. Panics unless both have the same length.
pub fn difference(one: &[u8], other: &[u8], columns: Columns) -> Option<Difference> {
    assert_eq!(one.len(), other.len(), "the same array twice");
    if one == other {
        return None;
    }
    let byte = one.iter().zip(other).position(|(a, b)| a != b)?;
    let index = (byte / columns.element) as u64;
    let ld = columns.ld.max(1);
    let at = [index % ld, index / ld];
    Some(Difference { at, padding: at[0] >= columns.rows })
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [row, col] = self.at.map(|k| k + 1);
        match self.padding {
            false => write!(f, "local element ({row},{col})"),
            true => write!(f, "row {row} of local column {col}, below the array's last row"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_counts() {
        let columns = Columns { element: 8, rows: 3, ld: 5 };
        let len = (3 * 5 + 3) * 8;
        let one: Vec<u8> = (0..len).map(|k| (k % 251) as u8).collect();
        assert_eq!(difference(&one, &one, columns), None);
        for byte in 0..len {
            let mut other = one.clone();
            other[byte] ^= 1;
            let (row, col) = ((byte / 8 % 5) as u64, (byte / 40) as u64);
            let found = difference(&one, &other, columns).unwrap();
            assert_eq!(found, Difference { at: [row, col], padding: row >= 3 });
        }
        let below = Difference { at: [3, 0], padding: true };
        assert_eq!(below.to_string(), "row 4 of local column 1, below the array's last row");
    }
}
