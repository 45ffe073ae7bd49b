//! Parser of Python literals in `.npy` headers: strings, numbers, truth values, tuples, lists and dictionaries.

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Literal {
    /// A string such as `'text'`. Escapes are refused.
    Text(String),
    /// A number that is not negative.
    Number(u64),
    /// A word of letters, such as `True`, `False` or `None`.
    Word(String),
    /// A tuple or a list: `(a, b)` or `[a, b]`.
    List(Vec<Literal>),
    /// A dictionary, such as `{'a': 1}`, as pairs of key and value in the order of the text.
    Dict(Vec<(Literal, Literal)>),
}

const MAX_DEPTH: usize = 32;

struct LiteralCursor<'a> {
    rest: &'a str,
    depth: usize,
}

impl Literal {
    /// Parses all of `text`; `None` if it is not a literal.
    pub fn parse(text: &str) -> Option<Self> {
        let mut cursor = LiteralCursor { rest: text, depth: 0 };
        let literal = cursor.literal()?;
        cursor.skip_space();
        cursor.rest.is_empty().then_some(literal)
    }

    pub fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    pub fn number(&self) -> Option<u64> {
        if let Self::Number(number) = self { Some(*number) } else { None }
    }

    pub fn list(&self) -> Option<&[Self]> {
        if let Self::List(list) = self { Some(list) } else { None }
    }

    pub fn get(&self, key: &str) -> Option<&Self> {
        let Self::Dict(entries) = self else { return None };
        entries.iter().find(|(name, _)| name.text() == Some(key)).map(|(_, value)| value)
    }
}

impl LiteralCursor<'_> {
    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn take(&mut self, sign: char) -> bool {
        self.skip_space();
        let rest = self.rest.strip_prefix(sign);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Consumes and returns the next characters that satisfy `are`.
    fn run(&mut self, are: impl Fn(char) -> bool) -> String {
        let end = self.rest.find(|c| !are(c)).unwrap_or(self.rest.len());
        let (run, rest) = self.rest.split_at(end);
        self.rest = rest;
        run.to_owned()
    }

    fn literal(&mut self) -> Option<Literal> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        self.skip_space();
        let literal = match self.rest.chars().next()? {
            quote @ ('\'' | '"') => {
                self.take(quote);
                let text = self.run(|c| c != quote && c != '\\');
                self.rest = self.rest.strip_prefix(quote)?;
                Literal::Text(text)
            }
            '0'..='9' => {
                let number = self.run(|c| c.is_ascii_digit()).parse().ok()?;
                // The suffix of Python 2's long integers.
                self.rest = self.rest.strip_prefix('L').unwrap_or(self.rest);
                Literal::Number(number)
            }
            '(' => Literal::List(self.several(')', Self::literal)?),
            '[' => Literal::List(self.several(']', Self::literal)?),
            '{' => Literal::Dict(self.several('}', Self::entry)?),
            _ => Literal::Word(Some(self.run(char::is_alphabetic)).filter(|word| !word.is_empty())?),
        };
        self.depth -= 1;
        Some(literal)
    }

    fn entry(&mut self) -> Option<(Literal, Literal)> {
        let key = self.literal()?;
        if self.take(':') { Some((key, self.literal()?)) } else { None }
    }

    /// Skips the opening bracket, and parses parts with commas between them up to the closing bracket `end`.
    fn several<T>(&mut self, end: char, part: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        self.rest = &self.rest[1..];
        let mut parts = Vec::new();
        loop {
            if self.take(end) {
                return Some(parts);
            }
            parts.push(part(self)?);
            if !self.take(',') {
                return self.take(end).then_some(parts);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_read() {
        let header = "{'descr': '<f8', 'fortran_order': True, 'shape': (3, 4L,), }   \n";
        let dict = Literal::parse(header).unwrap();
        assert_eq!(dict.get("descr").unwrap().text(), Some("<f8"));
        assert_eq!(dict.get("fortran_order"), Some(&Literal::Word("True".into())));
        let shape: Vec<_> = dict.get("shape").unwrap().list().unwrap().iter().map(Literal::number).collect();
        assert_eq!(shape, [Some(3), Some(4)]);
        assert_eq!(dict.get("none"), None);
        assert_eq!(Literal::parse("()").unwrap().list(), Some(&[][..]));
    }

    #[test]
    fn invalid_literals_are_refused() {
        let deep = "[".repeat(100_000);
        for text in
            ["", "{", "{'a'}", "{'a': 1", "(1, 2", "(1 2)", "'a", "1 2", "-1", "99999999999999999999", &deep]
        {
            assert_eq!(Literal::parse(text), None, "{}", &text[..text.len().min(40)]);
        }
    }
}
