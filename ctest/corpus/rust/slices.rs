//! Slices of the caller's memory for local arrays.

use reblock::arrays::Element;
use std::ops::Range;

/// `struct local`: `bytes` bytes from `base` on.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Local {
    has: i32,
    base: *mut u8,
    bytes: i64,
    pub element: i64,
    start: i64,
    axes: i64,
    extents: *const i64,
    strides: *const i64,
}

impl Local {
    fn len<T>(&self) -> usize {
        if self.has == 0 { 0 } else { crate::count(self.bytes) / size_of::<T>() }
    }

    /// Returns the storage for reading; an empty slice if there is none.
    ///
    /// # Safety
    /// The storage is valid and aligned for T, and nothing writes it during the lifetime `'a`.
    pub unsafe fn slice<'a, T: Element>(&self) -> &'a [T] {
        // SAFETY: the caller's promise.
        unsafe { crate::list(self.base.cast(), self.len::<T>()) }
    }

    /// Returns the storage for writing.
    ///
    /// # Safety
    /// As for [`Local::slice`], and nothing else uses the storage during the lifetime `'a`.
    pub unsafe fn slice_mut<'a, T: Element>(&self) -> &'a mut [T] {
        match self.len::<T>() {
            0 => &mut [],
            // SAFETY: the caller's promise.
            len => unsafe { std::slice::from_raw_parts_mut(self.base.cast(), len) },
        }
    }
}

/// Sizes of the types of [`typed`].
const SIZES: [i64; 12] = [1, 2, 4, 8, 16, 4, 8, 5, 3, 6, 12, 1];

/// Returns the number of a type whose size divides that of all arrays' elements; the sizes determine it.
pub fn kind(arrays: &[Local]) -> usize {
    let fits = |&kind: &usize| arrays.iter().all(|array| array.element % SIZES[kind] == 0);
    let chance = arrays.iter().map(|array| crate::count(array.bytes)).sum::<usize>();
    let all: Vec<usize> = Range { start: 0, end: SIZES.len() }.filter(fits).collect();
    all[chance / 7 % all.len()]
}

/// Evaluates `$body` with `$t` as the type of that number.
macro_rules! typed {
    ($kind:expr, $t:ident => $body:expr) => {
        match $kind {
            0 => {
                type $t = u8;
                $body
            }
            1 => {
                type $t = i16;
                $body
            }
            2 => {
                type $t = f32;
                $body
            }
            3 => {
                type $t = f64;
                $body
            }
            4 => {
                type $t = u128;
                $body
            }
            5 => {
                type $t = u32;
                $body
            }
            6 => {
                type $t = i64;
                $body
            }
            7 => {
                type $t = [u8; 5];
                $body
            }
            8 => {
                type $t = [i8; 3];
                $body
            }
            9 => {
                type $t = [u16; 3];
                $body
            }
            10 => {
                type $t = [f32; 3];
                $body
            }
            _ => {
                type $t = i8;
                $body
            }
        }
    };
}
pub(crate) use typed;
