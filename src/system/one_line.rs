//! HOW is a text that came from elsewhere, such as a path or a name, shown in one line? Characters that would end the line or hide
//! it are written as in a string of C or Rust.

use std::borrow::Cow;

/// The text, with line breaks and other control characters escaped.
pub fn one_line(text: &str) -> Cow<'_, str> {
    if !text.contains(breaks) {
        return text.into();
    }
    let shown = |c: char| if breaks(c) { c.escape_default().to_string() } else { c.into() };
    text.chars().map(shown).collect::<String>().into()
}

/// Whether a terminal or a reader of lines may take it for the end of the line, or for a command.
fn breaks(c: char) -> bool {
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
