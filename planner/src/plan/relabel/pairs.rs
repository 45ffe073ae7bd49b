//! Pairs of a place in the target's process grid and a rank that may get this place.

/// Maximum number of pairs that are listed; each takes 16 bytes.
pub const MAX_PAIRS: u64 = 1 << 22;

/// A place in the target's process grid and a rank that may get this place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct PlacePair {
    /// Row-major number of the place.
    pub place: u32,
    /// Number of the rank among the candidates, which begin with the present ranks of places 0, 1, 2, …
    pub holder: u32,
    pub bytes: u64,
}

impl PlacePair {
    pub fn stays(&self) -> bool {
        self.place == self.holder
    }
}
