//! Header of an array file: a magic word, a version, and a dictionary that describes the data.

use super::dtype::Dtype;
use super::literal::Literal;

/// Bytes of the part of a header that gives the header's length.
pub const PRELUDE: usize = 12;
const ALIGNMENT: usize = 64;
const MAGIC: &[u8; 6] = b"\x93NUMPY";
/// Maximum bytes of a header; a longer one is refused as damaged.
const MAX_HEADER_BYTES: usize = 1 << 20;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileHeader {
    pub dtype: Dtype,
    /// True if the first index varies fastest; otherwise the last one does.
    pub fortran: bool,
    /// Number of indices of each axis.
    pub shape: Vec<u64>,
}

impl FileHeader {
    /// Returns the bytes of the file before the data.
    pub fn bytes(&self) -> Vec<u8> {
        let order = if self.fortran { "True" } else { "False" };
        let shape: String = self.shape.iter().map(|extent| format!("{extent}, ")).collect();
        let dict =
            format!("{{'descr': {}, 'fortran_order': {order}, 'shape': ({shape}), }}", self.dtype.text());
        // Version 1.0 has two bytes for the length, version 2.0 four.
        let rounded = |before: usize| (before + dict.len() + 1).next_multiple_of(ALIGNMENT) - before;
        let mut bytes = MAGIC.to_vec();
        let end = match u16::try_from(rounded(10)) {
            Ok(length) => {
                bytes.extend([1, 0]);
                bytes.extend(length.to_le_bytes());
                usize::from(length) + 10
            }
            Err(_) => {
                bytes.extend([2, 0]);
                bytes.extend(u32::try_from(rounded(12)).unwrap_or(u32::MAX).to_le_bytes());
                rounded(12) + 12
            }
        };
        bytes.extend(dict.as_bytes());
        bytes.resize(end - 1, b' ');
        bytes.push(b'\n');
        bytes
    }

    /// Returns the number of bytes before the data in a file that begins with `prelude`; an error if it is not an array
    /// file.
    pub fn length(prelude: &[u8]) -> Result<usize, String> {
        let bad = || "it does not begin like a NumPy file (.npy)".to_owned();
        if prelude.len() < PRELUDE || !prelude.starts_with(MAGIC) {
            return Err(bad());
        }
        let length = match prelude[6] {
            1 => usize::from(u16::from_le_bytes([prelude[8], prelude[9]])) + 10,
            2 | 3 => {
                let length = u32::from_le_bytes([prelude[8], prelude[9], prelude[10], prelude[11]]);
                usize::try_from(length).unwrap_or(usize::MAX).saturating_add(12)
            }
            version => return Err(format!("its version is {version}, expected 1, 2 or 3")),
        };
        if (PRELUDE..=MAX_HEADER_BYTES).contains(&length) { Ok(length) } else { Err(bad()) }
    }

    /// Parses `bytes`, which are all bytes of a file before its data.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        let bad = || "its header is not that of a NumPy file".to_owned();
        let begin = if bytes.get(6) == Some(&1) { 10 } else { 12 };
        let text = bytes.get(begin..).and_then(|text| std::str::from_utf8(text).ok()).ok_or_else(bad)?;
        let dict = Literal::parse(text).ok_or_else(bad)?;
        let descr = dict.get("descr").ok_or_else(bad)?.clone();
        // The text of the type: a string in single quotes, or a list up to the last `]` of the header.
        let written = match &descr {
            Literal::Text(text) => format!("'{text}'"),
            _ => {
                let from =
                    text.find("descr").and_then(|at| Some(at + text[at..].find('[')?)).ok_or_else(bad)?;
                let to = text[from..].rfind(']').ok_or_else(bad)?;
                text[from..=from + to].to_owned()
            }
        };
        let dtype = Dtype::from_literal(descr, written).map_err(|why| format!("its element type: {why}"))?;
        let fortran = match dict.get("fortran_order") {
            Some(Literal::Word(word)) if word == "True" => true,
            Some(Literal::Word(word)) if word == "False" => false,
            _ => return Err(bad()),
        };
        let shape = dict.get("shape").and_then(Literal::list).ok_or_else(bad)?;
        let shape = shape.iter().map(Literal::number).collect::<Option<Vec<u64>>>().ok_or_else(bad)?;
        Ok(Self { dtype, fortran, shape })
    }

    /// Returns the number of bytes of the data; `None` if it exceeds 63 bits.
    pub fn data(&self) -> Option<u64> {
        let bytes = self.shape.iter().try_fold(self.dtype.bytes(), |n, &extent| n.checked_mul(extent));
        bytes.filter(|&bytes| i64::try_from(bytes).is_ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(text: &str, shape: &[u64]) -> FileHeader {
        FileHeader { dtype: Dtype::new(text).unwrap(), fortran: true, shape: shape.to_vec() }
    }

    #[test]
    fn headers_equal_numpys() {
        let bytes = header("<f8", &[3, 4]).bytes();
        let text = String::from_utf8_lossy(&bytes[10..]);
        assert_eq!(bytes[..10], *b"\x93NUMPY\x01\x00\x76\x00");
        assert_eq!(text.trim_end(), "{'descr': '<f8', 'fortran_order': True, 'shape': (3, 4, ), }");
        assert!(bytes.len() == 128 && bytes.ends_with(b" \n"));
    }

    #[test]
    fn headers_are_read_back() {
        let long = format!("[{}]", (0..9000).map(|k| format!("('f{k}', '<f8'), ")).collect::<String>());
        for (text, shape) in
            [("<f8", &[3u64, 4][..]), ("|V7", &[5_000_000_000]), (&long, &[0, 1, 2]), ("<i4", &[])]
        {
            let written = header(text, shape);
            let bytes = written.bytes();
            assert_eq!(bytes.len() % ALIGNMENT, 0);
            assert_eq!(FileHeader::length(&bytes[..PRELUDE]), Ok(bytes.len()));
            let read = FileHeader::parse(&bytes).unwrap();
            assert!(read.dtype.is_like(&written.dtype) && read.shape == shape && read.fortran);
            let again = Dtype::new(read.dtype.text().trim_matches('\'')).unwrap();
            assert!(again.is_like(&written.dtype), "{}", read.dtype.text());
        }
        assert_eq!(header("<f8", &[1 << 60]).data(), None);
    }

    #[test]
    fn a_changed_byte_does_not_panic() {
        let good = header("[('x', '<f4')]", &[3, 4]).bytes();
        for at in 0..good.len() {
            for to in [0, b' ', b'(', b'9', b'\'', 0xff] {
                let mut bytes = good.clone();
                bytes[at] = to;
                if let Ok(length) = FileHeader::length(&bytes) {
                    let _ = FileHeader::parse(&bytes[..length.min(bytes.len())]);
                }
            }
        }
        assert!(FileHeader::length(b"\x93NUMPY\x04\0\0\0\0\0").unwrap_err().contains("version is 4"));
        assert!(FileHeader::length(b"PK\x03\x04").is_err());
    }
}
