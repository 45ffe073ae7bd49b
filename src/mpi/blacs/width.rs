//! Detects the integer width of the program's BLACS, since with another width reblock would read and write wrong bytes.
//! BLACS gets variables of 64 bits; the bytes that it leaves unchanged show its width.

use super::Int;

/// A variable with room for an integer of 32 or 64 bits.
#[repr(C, align(8))]
pub(super) struct Cell([i32; 2]);

impl Cell {
    /// Creates a variable with a value that fits in 32 bits. On little-endian machines, both widths read the same
    /// value.
    pub fn new(value: Int) -> Self {
        let mut cell = Self([if value < 0 { -1 } else { 0 }; 2]);
        // SAFETY: a cell has room for an integer and is aligned for it.
        unsafe { cell.0.as_mut_ptr().cast::<Int>().write(value) };
        cell
    }

    pub fn address(&mut self) -> *mut Int {
        self.0.as_mut_ptr().cast()
    }

    pub fn value(&self) -> Int {
        // SAFETY: as in `new`; all bits are initialized.
        unsafe { self.0.as_ptr().cast::<Int>().read() }
    }

    /// Returns the width in bits of the integer that BLACS wrote over an initial -1; `None` if BLACS wrote -1.
    fn bits(&self) -> Option<u32> {
        match self.0 {
            [-1, -1] => None,
            [_, -1] => Some(32),
            _ => Some(64),
        }
    }
}

/// Explains why this reblock cannot use the BLACS that filled these variables; `None` if it can.
pub(super) fn explain_width(cells: &[Cell]) -> Option<String> {
    let bits = cells.iter().find_map(Cell::bits)?;
    (bits != Int::BITS).then(|| {
        let other = if bits == 64 { "libreblock_ilp64" } else { "libreblock" };
        format!(
            "the program's BLACS has integers of {bits} bits, but this reblock has {} bits: use {other}",
            Int::BITS
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_written_bytes_show_the_width() {
        let narrow = |n: i32| Cell([n, -1]);
        let half =
            |n: i64, k: usize| i32::from_ne_bytes(n.to_ne_bytes()[4 * k..4 * k + 4].try_into().unwrap());
        let wide = |n: i64| Cell([half(n, 0), half(n, 1)]);
        assert_eq!(
            [narrow(0), narrow(7), wide(0), wide(7)].map(|cell| cell.bits()),
            [Some(32), Some(32), Some(64), Some(64)]
        );
        assert_eq!((Cell::new(-1).bits(), wide(-1).bits()), (None, None));
        assert_eq!([Cell::new(-1), Cell::new(5)].map(|cell| cell.value()), [-1, 5]);
        let (fits, other) = if Int::BITS == 32 { (narrow(2), wide(2)) } else { (wide(2), narrow(2)) };
        assert_eq!(explain_width(&[Cell::new(-1), fits]), None);
        assert!(explain_width(&[Cell::new(-1), other]).unwrap().contains("use libreblock"));
    }
}
