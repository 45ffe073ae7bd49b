//! Memory of the program's own arrays that other ranks can read. There are two kinds: memory of the allocator
//! `libreblock_arrays.so` (`arrays/`), if it is preloaded; and, through XPMEM, the address ranges of the heap and of
//! new mappings.

use super::xpmem::look_up;
use super::{Location, Segment, xpmem};
use crate::system::settings::NodeArrays;
use std::io::{Error, Result};
use std::mem::transmute;
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

/// Memory that holds new arrays, laid out as `struct reblock_arrays` in `arrays/space.c`. `file` is device and inode.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Space {
    number: u64,
    base: u64,
    bytes: u64,
    descriptor: u64,
    file: [u64; 2],
}

type SpaceOf = unsafe extern "C" fn(*mut Space) -> i32;
type NumberOf = unsafe extern "C" fn() -> u64;
type CountsOf = unsafe extern "C" fn(*mut [u64; 2]);
type UsedOf = unsafe extern "C" fn() -> i32;
type ShownOf = unsafe extern "C" fn(u64, u64) -> i32;

/// Functions that `libreblock_arrays.so` exports, as declared in `arrays/space.c`.
#[derive(Clone, Copy)]
struct ArraysLibrary {
    space: SpaceOf,
    number: NumberOf,
    counts: CountsOf,
    used: UsedOf,
    shown: ShownOf,
}

impl ArraysLibrary {
    /// Returns the functions of this process's library, if it is preloaded.
    fn get() -> Option<Self> {
        static FOUND: OnceLock<Option<ArraysLibrary>> = OnceLock::new();
        *FOUND.get_or_init(|| {
            let names = [
                c"reblock_arrays_space",
                c"reblock_arrays_number",
                c"reblock_arrays_counts",
                c"reblock_arrays_used",
                c"reblock_arrays_shown",
            ];
            // SAFETY: this handle stands for all loaded libraries.
            let found = unsafe { look_up(libc::RTLD_DEFAULT, names) }?;
            // SAFETY: only this library exports these names, with these types; it is never unloaded.
            Some(unsafe {
                Self {
                    space: transmute::<*mut libc::c_void, SpaceOf>(found[0]),
                    number: transmute::<*mut libc::c_void, NumberOf>(found[1]),
                    counts: transmute::<*mut libc::c_void, CountsOf>(found[2]),
                    used: transmute::<*mut libc::c_void, UsedOf>(found[3]),
                    shown: transmute::<*mut libc::c_void, ShownOf>(found[4]),
                }
            })
        })
    }
}

/// Memory of this process that can hold arrays of the program.
pub struct ProgramSpace {
    /// Number of the memory, unique in this process.
    pub number: u64,
    /// Location of the memory, to send to other processes.
    pub location: [u64; 4],
    /// The memory as mapped in this process.
    pub segment: Arc<Segment>,
}

/// The [`ProgramSpace::number`] of memory that other processes can read until this process ends.
const PERMANENT: u64 = 0;

impl NodeArrays {
    /// Returns the number of memory stretches that hold a process's arrays.
    pub(crate) fn spaces(self) -> usize {
        match self {
            Self::Placed(_) => 1,
            Self::Xpmem => xpmem::STRETCHES,
        }
    }

    /// Returns why other ranks cannot read any of the program's arrays; `None` if they can.
    pub(crate) fn obstacle(self) -> Option<&'static str> {
        match self {
            Self::Placed(_) => allocator_obstacle(),
            Self::Xpmem => xpmem::exported_memory().err(),
        }
    }

    /// Returns the memory that holds new arrays of the program; `None` if others cannot read it.
    pub(crate) fn own(self) -> Option<Vec<ProgramSpace>> {
        match self {
            Self::Placed(_) => Some(vec![allocator_space()?]),
            Self::Xpmem => {
                let exported = xpmem::exported_memory().ok()?;
                let number = exported.number.unsigned_abs();
                let space_of = |stretch: &Range<usize>| {
                    let base = NonNull::new(std::ptr::without_provenance_mut(stretch.start))?;
                    let segment = Segment::unowned(base, stretch.len()).into();
                    let location = [number, stretch.start as u64, 0, 0];
                    Some(ProgramSpace { number: PERMANENT, location, segment })
                };
                exported.stretches.iter().map(space_of).collect()
            }
        }
    }

    /// Maps `bytes` bytes of another process's memory at the [`ProgramSpace::location`] `numbers`. All communicators
    /// share the mapping.
    pub(crate) fn mapped(self, numbers: [u64; 4], bytes: u64) -> Result<Arc<Segment>> {
        static MAPPED: Mutex<Vec<([u64; 4], Weak<Segment>)>> = Mutex::new(Vec::new());
        let mut mapped = MAPPED.lock().unwrap_or_else(PoisonError::into_inner);
        mapped.retain(|(_, segment)| segment.strong_count() > 0);
        let known = mapped.iter().find(|(known, _)| *known == numbers);
        if let Some(segment) = known.and_then(|(_, segment)| segment.upgrade()) {
            return Ok(segment);
        }
        let bytes = usize::try_from(bytes).map_err(Error::other)?;
        let segment = Arc::new(match self {
            Self::Placed(_) => Segment::map_for_reading(&Location::of(numbers), bytes)?,
            Self::Xpmem => {
                let start = usize::try_from(numbers[1]).map_err(Error::other)?;
                xpmem::attach(
                    i64::try_from(numbers[0]).map_err(Error::other)?,
                    start..start.saturating_add(bytes),
                )?
            }
        });
        mapped.push((numbers, Arc::downgrade(&segment)));
        Ok(segment)
    }
}

/// Returns why `libreblock_arrays.so` does not allocate the program's arrays; `None` if it does.
fn allocator_obstacle() -> Option<&'static str> {
    let Some(library) = ArraysLibrary::get() else {
        return Some("libreblock_arrays.so is not preloaded (LD_PRELOAD)");
    };
    // SAFETY: the function has no arguments.
    let used = unsafe { (library.used)() } != 0;
    (!used).then_some("the program uses another allocator than that of libreblock_arrays.so")
}

/// Returns the memory of new arrays of `libreblock_arrays.so`.
fn allocator_space() -> Option<ProgramSpace> {
    let mut space = Space::default();
    // SAFETY: the function fills in `space`.
    (unsafe { (ArraysLibrary::get()?.space)(&mut space) } != 0).then_some(())?;
    let base = NonNull::new(std::ptr::without_provenance_mut(usize::try_from(space.base).ok()?))?;
    let segment = Arc::new(Segment::unowned(base, usize::try_from(space.bytes).ok()?));
    let location = Location::here(space.descriptor, space.file).ok()?.numbers();
    Some(ProgramSpace { number: space.number, location, segment })
}

/// Returns whether other processes still see this process's data in the memory `number`. After a fork they do not: the
/// memory has become private, and new arrays lie in memory with another number.
pub fn is_current(number: u64) -> bool {
    // SAFETY: the function has no arguments.
    number == PERMANENT || ArraysLibrary::get().is_some_and(|library| unsafe { (library.number)() } == number)
}

/// Returns whether processes that map the memory `number` see this process's data in `bytes`, a range of addresses.
/// They do not if the program has mapped a file over a part of its array, or has moved the array's pages.
pub fn is_visible(number: u64, bytes: &Range<usize>) -> bool {
    // SAFETY: the function takes numbers.
    let shown =
        |library: ArraysLibrary| unsafe { (library.shown)(bytes.start as u64, bytes.len() as u64) } != 0;
    number == PERMANENT || ArraysLibrary::get().is_some_and(shown)
}

/// Returns the number of arrays that `libreblock_arrays.so` has placed in memory that others can map, and the number of
/// other large arrays. `None` if it does not allocate the program's arrays.
pub fn counts() -> Option<[u64; 2]> {
    if allocator_obstacle().is_some() {
        return None;
    }
    let mut counts = [0; 2];
    // SAFETY: the function fills in `counts`.
    unsafe { (ArraysLibrary::get()?.counts)(&mut counts) };
    Some(counts)
}
