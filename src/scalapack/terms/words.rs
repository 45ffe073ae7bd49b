//! HOW does a user read of a number on which ranks disagree?

use super::{A, ALL, B, CALL, MATRIX, SCALARS, TRANS, Terms};
use crate::error::Error;
use crate::pack::Scalar;
use crate::scalapack::Routine;

impl Terms {
    /// The disagreement about number `k`, which is another one on `rank`.
    pub(super) fn disagreement(&self, k: usize, other: &Self, rank: Option<u32>) -> Error {
        let name = match k {
            k if k < A => CALL[k].into(),
            k if k < B => MATRIX[k - A].replace('?', "A"),
            k if k < SCALARS => MATRIX[k - B].replace('?', self.target()),
            k => ["ALPHA", "BETA"][(k - SCALARS) / 2].into(),
        };
        let [here, there] = [self, other].map(|terms| terms.show(k));
        Error::Disagreement { name, here, there, rank }
    }

    /// Number `k` as the user knows it.
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
