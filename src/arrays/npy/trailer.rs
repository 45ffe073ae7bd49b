//! Checksum of a file: behind the data, another array file with one element, the CRC-32 of all bytes before it.
//!
//! A comment in the header would confuse simple readers. A separate file could not be replaced together with the
//! array's file in one step.

use super::dtype::Dtype;
use super::header::FileHeader;

/// Bytes of the trailer: header and checksum.
pub const TRAILER: usize = 128 + 4;

fn head() -> Vec<u8> {
    let dtype = Dtype::new("[('crc32', '<u4')]").expect("a description of NumPy's");
    FileHeader { dtype, fortran: true, shape: vec![1] }.bytes()
}

pub fn trailer(sum: u32) -> Vec<u8> {
    [head(), sum.to_le_bytes().to_vec()].concat()
}

/// Returns the checksum of a trailer; `None` if the bytes are no trailer.
pub fn sum_of(bytes: &[u8]) -> Option<u32> {
    let sum = bytes.strip_prefix(&head()[..])?;
    Some(u32::from_le_bytes(sum.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trailer_is_an_array_of_one_sum() {
        let bytes = trailer(0x1234_5678);
        assert_eq!((bytes.len(), sum_of(&bytes)), (TRAILER, Some(0x1234_5678)));
        assert_eq!(FileHeader::parse(&bytes[..128]).unwrap().data(), Some(4));
        assert_eq!(sum_of(&bytes[1..]), None);
        assert!((0..128).all(|at| {
            let mut bad = bytes.clone();
            bad[at] ^= 1;
            sum_of(&bad).is_none()
        }));
    }
}
