//! Element types in NumPy's notation, as in `.npy` headers: `<f8`, `|V24`, or a list of the fields of a structure.

use super::literal::Literal;

/// An element type as NumPy describes it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dtype {
    literal: Literal,
    text: String,
    bytes: u64,
}

impl Dtype {
    pub fn new(text: &str) -> Result<Self, String> {
        let whole = if text.trim_start().starts_with('[') { text.to_owned() } else { format!("'{text}'") };
        let why = || format!("the element type {text:?} is not in NumPy's notation, such as <f8 or |V16");
        if !whole.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
            return Err(why());
        }
        let literal = Literal::parse(&whole).ok_or_else(why)?;
        Self::from_literal(literal, whole.clone()).map_err(|fault| format!("{}: {fault}", why()))
    }

    /// Returns the type of elements of `bytes` bytes without a meaning: `|V8` for 8 bytes.
    pub fn plain(bytes: u64) -> Self {
        let text = format!("|V{bytes}");
        Self { literal: Literal::Text(text.clone()), text: format!("'{text}'"), bytes }
    }

    /// Makes the type that `literal` describes; `text` is its text in a header.
    pub(super) fn from_literal(literal: Literal, text: String) -> Result<Self, String> {
        let bytes = size(&literal)?;
        if bytes == 0 { Err("it has 0 bytes".into()) } else { Ok(Self { literal, text, bytes }) }
    }

    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn is_like(&self, other: &Self) -> bool {
        self.literal == other.literal
    }
}

fn size(literal: &Literal) -> Result<u64, String> {
    if let Some(text) = literal.text() {
        return basic(text);
    }
    let fields = literal.list().ok_or("neither a text nor a list of fields")?;
    fields.iter().try_fold(0u64, |sum, field| {
        let (of, shape) = match field.list() {
            Some([_, of]) => (of, &[][..]),
            Some([_, of, shape]) => match shape {
                Literal::Number(_) => (of, std::slice::from_ref(shape)),
                _ => (of, shape.list().ok_or("a field with a bad shape")?),
            },
            _ => return Err("a field that is not (name, type) or (name, type, shape)".to_owned()),
        };
        let count = shape.iter().try_fold(1u64, |n, extent| n.checked_mul(extent.number()?));
        let bytes = count.and_then(|count| count.checked_mul(size(of).ok()?));
        size(of)?;
        bytes.and_then(|bytes| sum.checked_add(bytes)).ok_or_else(|| "a field with a bad shape".to_owned())
    })
}

/// Returns the bytes of a basic type such as `<f8`.
fn basic(text: &str) -> Result<u64, String> {
    let mut letters = text.chars();
    let (order, kind) = (letters.next(), letters.next());
    if !matches!(order, Some('<' | '>' | '|')) {
        return Err(format!("the byte order of {text:?} is not <, > or |"));
    }
    if kind == Some('O') {
        return Err("Python objects cannot be stored as plain bytes".into());
    }
    let unit = match kind {
        Some('U') => 4,
        Some('b' | 'i' | 'u' | 'f' | 'c' | 'm' | 'M' | 'S' | 'V') => 1,
        _ => return Err(format!("{text:?} is not a type of NumPy")),
    };
    let rest = letters.as_str();
    let digits = rest.find('[').map_or(rest, |at| &rest[..at]);
    let count: Option<u64> = digits.parse().ok().filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit()));
    count.and_then(|count| count.checked_mul(unit)).ok_or_else(|| format!("{text:?} has no size"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_equal_numpys() {
        let size = |text| Dtype::new(text).map(|dtype| dtype.bytes());
        for (text, bytes) in [
            ("<f8", 8),
            (">c16", 16),
            ("|u1", 1),
            ("|V24", 24),
            ("<U5", 20),
            ("<M8[ns]", 8),
            ("[('x', '<f4'), ('', '|V4'), (('long title', 'n'), '<i8', (2, 3))]", 56),
            ("[('a', [('b', '<i2'), ('c', '|S3')], 2)]", 10),
        ] {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        for text in [
            "",
            "f8",
            "=f8",
            "|O",
            "<x8",
            "<f",
            "<f+8",
            "[",
            "[('x')]",
            "|V0",
            "<f8'",
            "\u{e9}",
            "[('x', '<f8', -1)]",
        ] {
            assert!(size(text).is_err(), "{text}");
        }
        assert_eq!(Dtype::plain(3).text(), "'|V3'");
        assert!(Dtype::new("|V3").unwrap().is_like(&Dtype::plain(3)));
    }
}
