//! Formats a text of the user, such as a path or a name, in one line, with escapes as in Rust.

use std::borrow::Cow;

/// Returns the text with line breaks and other control characters escaped.
pub fn one_line(text: &str) -> Cow<'_, str> {
    if !text.contains(breaks_line) {
        return text.into();
    }
    let shown = |c: char| if breaks_line(c) { c.escape_default().to_string() } else { c.into() };
    text.chars().map(shown).collect::<String>().into()
}

/// Returns whether a terminal or a line reader may interpret `c` as a line break or a command.
fn breaks_line(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped_and_nothing_else() {
        assert_eq!(one_line("/tmp/ä b/\"c\".npy"), "/tmp/ä b/\"c\".npy");
        assert_eq!(
            one_line("a\nb\r\tc\0\u{1b}[2J\u{85}\u{2028}"),
            "a\\nb\\r\\tc\\u{0}\\u{1b}[2J\\u{85}\\u{2028}"
        );
    }
}
