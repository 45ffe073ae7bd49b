//! Slices and vectors as local arrays, for safe Rust.

use super::array::{Destination, Source};
use crate::layout::strides::Shape;
use std::cell::UnsafeCell;
use std::sync::Arc;

/// Element types whose values may have any bytes.
pub trait Element: Copy + Send + Sync + sealed::AnyBitPattern + 'static {}

impl<T: Copy + Send + Sync + sealed::AnyBitPattern + 'static> Element for T {}

mod sealed {
    #[allow(unnameable_types)] // Unnameable, so that programs cannot add element types.
    pub trait AnyBitPattern {}
    macro_rules! any_bit_pattern {
        ($($t:ty)*) => { $(impl AnyBitPattern for $t {})* };
    }
    any_bit_pattern!(u8 i8 u16 i16 u32 i32 u64 i64 u128 i128 usize isize f32 f64);
    impl<T: AnyBitPattern, const N: usize> AnyBitPattern for [T; N] {}
}

fn offset(at: u64) -> usize {
    // An array without elements may begin anywhere.
    usize::try_from(at).unwrap_or(0)
}

impl<'a> Source<'a> {
    /// Returns the array of that shape whose first element lies `at` bytes behind the start of `slice`; `None` unless
    /// it lies within.
    pub fn of_slice<T: Element>(slice: &'a [T], at: u64, shape: &Shape) -> Option<Self> {
        let base = slice.as_ptr().cast::<u8>().wrapping_add(offset(at));
        // SAFETY: the array lies within the slice, which is borrowed.
        shape.within(at, size_of_val(slice)).map(|_| unsafe { Self::new(base, shape.clone()) })
    }
}

impl<'a> Destination<'a> {
    /// Returns the array of that shape whose first element lies `at` bytes behind the start of `slice`; `None` unless
    /// it lies within.
    pub fn of_slice<T: Element>(slice: &'a mut [T], at: u64, shape: &Shape) -> Option<Self> {
        let bytes = size_of_val(slice);
        let base = slice.as_mut_ptr().cast::<u8>().wrapping_add(offset(at));
        // SAFETY: the array lies within the slice, which is borrowed exclusively; any bytes are elements.
        shape.within(at, bytes).map(|_| unsafe { Self::new(base, shape.clone()) })
    }
}

/// Returns the array as source and as destination; otherwise as [`Destination::of_slice`]. The caller must not read
/// elements that it has written, nor write an element twice at the same time.
pub(crate) fn in_place<'a, T: Element>(
    slice: &'a mut [T],
    at: u64,
    shape: &Shape,
) -> Option<(Source<'a>, Destination<'a>)> {
    // SAFETY: the array lies within the slice, which is borrowed for these two values exclusively.
    Destination::of_slice(slice, at, shape).map(|destination| unsafe { destination.with_source() })
}

pub fn bytes_of<T: Element>(elements: &[T]) -> &[u8] {
    // SAFETY: elements have no padding, so all bytes of the borrowed slice are initialized.
    unsafe { std::slice::from_raw_parts(elements.as_ptr().cast(), size_of_val(elements)) }
}

/// Returns storage as elements of type `T`, as many as fit.
pub fn elements_of<T: Element>(storage: &mut [u128]) -> &mut [T] {
    const { assert!(align_of::<T>() <= align_of::<u128>()) };
    let count = size_of_val(storage).checked_div(size_of::<T>()).unwrap_or(0);
    // SAFETY: `count` elements lie within the slice, which is borrowed exclusively and aligned for them; any bytes are
    // elements.
    unsafe { std::slice::from_raw_parts_mut(storage.as_mut_ptr().cast(), count) }
}

/// Returns storage as elements of type `T`, as many as fit, for reading only.
pub fn elements_to_read<T: Element>(storage: &[u128]) -> &[T] {
    const { assert!(align_of::<T>() <= align_of::<u128>()) };
    let count = size_of_val(storage).checked_div(size_of::<T>()).unwrap_or(0);
    // SAFETY: `count` elements lie within the slice, which is aligned for them; any bytes are elements.
    unsafe { std::slice::from_raw_parts(storage.as_ptr().cast(), count) }
}

/// A vector that is lent to one transfer at a time, which may outlive a borrow of this value.
pub struct Loan<T> {
    lent: Arc<LentVector<T>>,
    /// True if the last borrower only reads the vector.
    is_read: bool,
}

struct LentVector<T> {
    base: *mut u8,
    bytes: usize,
    vector: UnsafeCell<Vec<T>>,
}

// SAFETY: the address is that of the vector, which may be sent. The memory is accessed only through the `Source` or
// `Destination` that `Loan` hands out one at a time, and through the vector once they are gone.
unsafe impl<T: Element> Send for LentVector<T> {}
// SAFETY: as for Send.
unsafe impl<T: Element> Sync for LentVector<T> {}

impl<T: Element> Loan<T> {
    /// Takes ownership of a vector, to lend it.
    pub fn new(mut vector: Vec<T>) -> Self {
        let (base, bytes) = (vector.as_mut_ptr().cast(), size_of_val(&vector[..]));
        let lent = Arc::new(LentVector { base, bytes, vector: UnsafeCell::new(vector) });
        Self { lent, is_read: false }
    }

    /// Lends the vector for reading; otherwise as [`Source::of_slice`]. Returns `None` also while the vector is lent.
    pub fn source(&mut self, at: u64, shape: &Shape) -> Option<Source<'static>> {
        let base = self.at(at, shape)?;
        self.is_read = true;
        // SAFETY: the array lies within the vector, which the value keeps alive and nobody writes meanwhile.
        Some(unsafe { Source::new(base, shape.clone()) }.kept_by(self.lent.clone()))
    }

    /// Lends the vector for writing; otherwise as [`Destination::of_slice`]. Returns `None` also while the vector is
    /// lent.
    pub fn destination(&mut self, at: u64, shape: &Shape) -> Option<Destination<'static>> {
        let base = self.at(at, shape)?;
        // SAFETY: the array lies within the vector, which the value keeps alive; nobody else reads or writes it
        // meanwhile.
        Some(unsafe { Destination::new(base, shape.clone()) }.kept_by(self.lent.clone()))
    }

    /// Lends the vector as both source and destination; otherwise as [`in_place`]. Returns `None` also while it is
    /// lent.
    pub(crate) fn in_place(
        &mut self,
        at: u64,
        shape: &Shape,
    ) -> Option<(Source<'static>, Destination<'static>)> {
        // SAFETY: the array lies within the vector, which both values keep alive; nobody else accesses it meanwhile.
        self.destination(at, shape).map(|destination| unsafe { destination.with_source() })
    }

    fn at(&mut self, at: u64, shape: &Shape) -> Option<*mut u8> {
        let LentVector { base, bytes, .. } = Arc::get_mut(&mut self.lent)?;
        shape.within(at, *bytes)?;
        self.is_read = false;
        Some(base.wrapping_add(offset(at)))
    }

    /// Returns the elements for writing; `None` while the vector is lent.
    pub fn elements(&mut self) -> Option<&mut [T]> {
        Some(Arc::get_mut(&mut self.lent)?.vector.get_mut())
    }

    /// Returns the elements for reading; `None` while the vector is lent for writing.
    pub fn readable_elements(&mut self) -> Option<&[T]> {
        if self.is_read {
            // SAFETY: the borrower only reads the vector, and it is lent to nobody else while this value is borrowed.
            return Some(unsafe { &*self.lent.vector.get() });
        }
        self.elements().map(|elements| &*elements)
    }

    /// Returns the vector; `None` while it is lent.
    pub fn take(self) -> Option<Vec<T>> {
        Some(Arc::into_inner(self.lent)?.vector.into_inner())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_lie_within_their_slices() {
        let shape = Shape::matrix(8, 3, 2, 4);
        let mut data = [0f64; 8];
        let fits = |data: &[f64], at| Source::of_slice(data, at, &shape).is_some();
        assert!(
            fits(&data, 0) && fits(&data, 8) && !fits(&data, 9) && !fits(&data, 16) && !fits(&data, u64::MAX)
        );
        assert!(Destination::of_slice(&mut data[1..], 0, &shape).is_some());
        assert!(Destination::of_slice(&mut data[2..], 0, &shape).is_none());
        assert!(fits(&[], 0) == (shape.bytes() == 0));
        let none = Shape::matrix(8, 0, 2, 4);
        assert!(Source::of_slice::<f64>(&[], u64::MAX, &none).is_some());
    }

    #[test]
    fn storage_is_seen_as_elements() {
        let mut storage = [0u128; 3];
        let doubles = elements_of::<f64>(&mut storage);
        assert_eq!(doubles.len(), 6);
        doubles.copy_from_slice(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(bytes_of(&storage), bytes_of(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0f64]));
        assert_eq!(elements_of::<[u8; 5]>(&mut storage).len(), 9);
        assert!(elements_of::<f64>(&mut []).is_empty() && elements_of::<[u8; 0]>(&mut storage).is_empty());
    }

    #[test]
    fn a_vector_is_lent_once() {
        let shape = Shape::dense(1, &[4]);
        let mut loan = Loan::new(vec![1u8, 2, 3, 4]);
        let source = loan.source(0, &shape).unwrap();
        assert!(loan.destination(0, &shape).is_none(), "somebody reads it");
        assert!(loan.elements().is_none(), "the same");
        assert_eq!(loan.readable_elements(), Some(&[1, 2, 3, 4][..]));
        let mut out = [0; 4];
        source.pack(
            &[vec![crate::layout::intersect::Family::one_run([0], 4)].into()],
            &mut out,
            crate::pack::BufferReader::NearCore,
        );
        drop(source);
        let mut destination = loan.destination(0, &shape).unwrap();
        assert!(loan.readable_elements().is_none(), "somebody writes it");
        destination.unpack(&[vec![crate::layout::intersect::Family::one_run([0], 4)].into()], &[9, 8, 7, 6]);
        drop(destination);
        assert_eq!(loan.elements(), Some(&mut [9, 8, 7, 6][..]));
        assert_eq!(loan.readable_elements(), Some(&[9, 8, 7, 6][..]));
        assert_eq!((out, loan.take()), ([1, 2, 3, 4], Some(vec![9, 8, 7, 6])));
    }
}
