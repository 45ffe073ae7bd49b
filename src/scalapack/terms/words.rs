//! Error texts for the numbers of a call's terms that differ between ranks.

use super::{A, ALL, B, BLOCK, CALL, CallTerms, FIRST_BLOCK, MATRIX, SCALARS, TRANS};
use crate::pack::Scalar;
use crate::scalapack::Routine;
use crate::transport::error::Error;

impl CallTerms {
    /// Returns the error for number `k`, which differs on `rank`.
    pub(super) fn disagreement(&self, k: usize, other: &Self, rank: Option<u32>) -> Error {
        let named = self.without_first_block(k, other);
        let name = match named {
            k if k < A => CALL[k].into(),
            k if k < B => MATRIX[k - A].replace('?', "A"),
            k if k < SCALARS => MATRIX[k - B].replace('?', self.target()),
            k => ["ALPHA", "BETA"][(k - SCALARS) / 2].into(),
        };
        let [here, there] = [self, other].map(|terms| terms.show(k));
        Error::Disagreement { name, here, there, rank }
    }

    /// Replaces the position of a first block size (IMB_, INB_) by that of the block size (MB_, NB_) if both first
    /// blocks have the usual size, as in descriptors of nine integers, which have no IMB_ and INB_.
    fn without_first_block(&self, k: usize, other: &Self) -> usize {
        let at = if k < B { A } else { B };
        let [first_block, block] = [FIRST_BLOCK, BLOCK].map(|first| at + first..at + first + 2);
        if !first_block.contains(&k) {
            return k;
        }
        let of_one_size = |terms: &Self| terms.numbers[first_block.clone()] == terms.numbers[block.clone()];
        if of_one_size(self) && of_one_size(other) { k - FIRST_BLOCK + BLOCK } else { k }
    }

    fn show(&self, k: usize) -> String {
        let n = self.numbers[k];
        let among = |words: [&str; 3]| words[usize::try_from(n).unwrap_or(0).min(2)].into();
        match k {
            0 => Routine::name_of(n),
            3 => among(["absent", "upper", "lower"]),
            TRANS => among(["N", "T", "C"]),
            ALL => (n != 0).to_string(),
            k if k >= SCALARS => {
                let at = SCALARS + (k - SCALARS) / 2 * 2;
                let bytes = [self.numbers[at], self.numbers[at + 1]].map(i64::to_ne_bytes);
                match Routine::number_of(self.numbers[0]) {
                    Some(number) => Scalar::of(bytes.as_flattened()).text(number),
                    None => n.to_string(),
                }
            }
            _ => n.to_string(),
        }
    }
}
