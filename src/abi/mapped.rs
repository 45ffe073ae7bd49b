//! WHEN is the library's code in the process? The loader maps none of its pages. A first call comes to some 90 of them, here and there,
//! and to map them one after the other takes longer than all else that it does. So all of them are mapped at once, before.

use std::sync::Once;

/// Sees to it that all code is mapped. Where the system has no call for that, pages are mapped as they are used.
pub(super) fn map_code() {
    static MAPPED: Once = Once::new();
    // SAFETY: no memory changes.
    MAPPED.call_once(|| unsafe { reblock_map_code() });
}

unsafe extern "C" {
    /// Maps what this library, or the program that it is part of, only reads; of src/shim.c.
    fn reblock_map_code();
}
