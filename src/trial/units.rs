//! Formats counts, ratios, times and bytes, with suitable units.

/// Formats a count with its noun, for example "3 ranks".
pub fn count_text(n: u64, one: &str) -> String {
    format!("{n} {one}{}", if n == 1 { "" } else { "s" })
}

/// Formats a ratio with at least two digits.
pub fn ratio(ratio: f64) -> String {
    if ratio < 1.0 { format!("{ratio:.2}") } else { format!("{ratio:.1}") }
}

/// Formats seconds to three decimals, with a suitable unit.
pub fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 1e-3 => format!("{:.3} µs", s * 1e6),
        s if s < 1.0 => format!("{:.3} ms", s * 1e3),
        s => format!("{s:.3} s"),
    }
}

#[allow(clippy::cast_precision_loss, reason = "three digits are shown")]
/// Formats bytes to one decimal, with a suitable unit.
pub fn bytes(bytes: u64) -> String {
    match bytes {
        b if b < 1_000 => format!("{b} B"),
        b if b < 999_950 => format!("{:.1} kB", b as f64 / 1e3),
        b if b < 999_950_000 => format!("{:.1} MB", b as f64 / 1e6),
        b if b < 999_950_000_000 => format!("{:.1} GB", b as f64 / 1e9),
        b => format!("{:.1} TB", b as f64 / 1e12),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_have_no_more_than_three_digits_before_the_point() {
        let of = [0, 999, 1_000, 8_388_608, 999_949, 999_950, 999_950_000, 999_950_000_000].map(bytes);
        assert_eq!(of, ["0 B", "999 B", "1.0 kB", "8.4 MB", "999.9 kB", "1.0 MB", "1.0 GB", "1.0 TB"]);
    }
}
