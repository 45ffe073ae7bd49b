//! Numbers and tables as text.

pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (k, digit) in digits.chars().enumerate() {
        if k > 0 && (digits.len() - k) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats a number of bytes in the largest unit that fits.
pub fn bytes(n: u64) -> String {
    let mut unit = "B";
    #[allow(clippy::cast_precision_loss)]
    let mut size = n as f64;
    for larger in ["KiB", "MiB", "GiB", "TiB", "PiB"] {
        if size < 1024.0 {
            break;
        }
        (size, unit) = (size / 1024.0, larger);
    }
    if unit == "B" { format!("{n} B") } else { format!("{size:.1} {unit}") }
}

/// Formats microseconds, with one decimal below 100.
pub fn microseconds(us: f64) -> String {
    if us < 100.0 {
        return format!("{us:.1}");
    }
    // The cast saturates only far beyond any real time.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let whole = us.round() as u64;
    grouped(whole)
}

/// Formats a count with its noun, in the plural unless it is 1.
pub fn count(n: u64, one: &str) -> String {
    format!("{} {one}{}", grouped(n), if n == 1 { "" } else { "s" })
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    Left,
    Right,
}

/// Formats rows in aligned columns, two spaces apart.
pub fn table(sides: &[Side], rows: &[Vec<String>]) -> String {
    let width = |c: usize| rows.iter().filter_map(|row| row.get(c)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..sides.len()).map(|c| width(c).unwrap_or(0)).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for ((cell, side), width) in row.iter().zip(sides).zip(&widths) {
            let gap = " ".repeat(width - cell.chars().count());
            line += "  ";
            line += &if *side == Side::Left { cell.clone() + &gap } else { gap + cell };
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_readable() {
        assert_eq!([0, 999, 1000, 1234567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([0, 1023, 1024, 3 << 29].map(bytes), ["0 B", "1023 B", "1.0 KiB", "1.5 GiB"]);
        assert_eq!([0.04, 12.34, 99.96, 1234.5].map(microseconds), ["0.0", "12.3", "100.0", "1,235"]);
        assert_eq!([1, 2].map(|n| count(n, "step")), ["1 step", "2 steps"]);
    }

    #[test]
    fn columns_are_aligned() {
        let rows = [vec!["a".into(), "10".into()], vec!["µµµ".into(), "9".into()]];
        assert_eq!(table(&[Side::Left, Side::Right], &rows), "  a    10\n  µµµ   9\n");
    }
}
