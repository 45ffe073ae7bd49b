//! The setting `REBLOCK_ARRAYS`: how other ranks of a node read the program's arrays in place.

use super::unusable;

/// Default and minimum of the minimum size, in bytes, of arrays that are placed in memory of the node. Both must equal
/// those in `arrays/malloc.c`.
const DEFAULT_BYTES: u64 = 1 << 20;
const MIN_BYTES: u64 = 4096;

/// Arrays that other ranks of the node can read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum NodeArrays {
    /// Arrays of at least this many bytes, allocated by `libreblock_arrays.so`.
    Placed(u64),
    /// All memory of the program, by XPMEM.
    Xpmem,
}

impl NodeArrays {
    pub(super) fn read(variable: &impl Fn(&str) -> Option<String>) -> Result<Option<Self>, String> {
        let Some(value) = variable("REBLOCK_ARRAYS").filter(|value| !value.is_empty()) else {
            return Ok(None);
        };
        let bytes = match value.strip_prefix("node") {
            Some("") => Some(DEFAULT_BYTES),
            Some(rest) => rest.strip_prefix(',').and_then(|bytes| bytes.parse().ok()),
            None if value == "xpmem" => return Ok(Some(Self::Xpmem)),
            None => None,
        };
        let expected =
            || format!("xpmem, node, or node and a number of bytes from {MIN_BYTES} on, as in node,65536");
        let bytes = bytes.filter(|&bytes| bytes >= MIN_BYTES);
        bytes
            .map(|bytes| Some(Self::Placed(bytes)))
            .ok_or_else(|| unusable("REBLOCK_ARRAYS", &value, &expected()))
    }

    pub(super) fn text(self) -> String {
        match self {
            Self::Placed(bytes) => format!("node,{bytes}"),
            Self::Xpmem => "xpmem".into(),
        }
    }
}
