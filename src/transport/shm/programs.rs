//! WHERE does the program itself have its large arrays, if others can map them? `libreblock_arrays.so` knows (`arrays/`), where it
//! is preloaded; this asks it.

use super::{Location, Segment};
use std::io::{Error, Result};
use std::mem::transmute;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

/// As in `arrays/space.c`.
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

/// What the library exports.
#[derive(Clone, Copy)]
struct Allocator {
    space: SpaceOf,
    number: NumberOf,
    counts: CountsOf,
    used: UsedOf,
}

impl Allocator {
    /// The one of this process, if it is preloaded.
    fn get() -> Option<Self> {
        static FOUND: OnceLock<Option<Allocator>> = OnceLock::new();
        *FOUND.get_or_init(|| {
            let names = [
                c"reblock_arrays_space",
                c"reblock_arrays_number",
                c"reblock_arrays_counts",
                c"reblock_arrays_used",
            ];
            // SAFETY: the names are C strings.
            let found = names.map(|name| unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) });
            if found.iter().any(|function| function.is_null()) {
                return None;
            }
            // SAFETY: nobody else exports these names, which stand for functions of these types; the library is never unloaded.
            Some(unsafe {
                Self {
                    space: transmute::<*mut libc::c_void, SpaceOf>(found[0]),
                    number: transmute::<*mut libc::c_void, NumberOf>(found[1]),
                    counts: transmute::<*mut libc::c_void, CountsOf>(found[2]),
                    used: transmute::<*mut libc::c_void, UsedOf>(found[3]),
                }
            })
        })
    }
}

/// The memory of this process in which the program's new arrays lie.
pub struct ProgramSpace {
    /// Another number for each such memory of this process.
    pub number: u64,
    /// Where others find it.
    pub place: Location,
    /// As this process has it.
    pub segment: Arc<Segment>,
}

/// Why no arrays of the program lie where others can read them, whatever memory there is.
pub fn obstacle() -> Option<&'static str> {
    let Some(allocator) = Allocator::get() else {
        return Some("libreblock_arrays.so is not preloaded (LD_PRELOAD)");
    };
    // SAFETY: the function takes nothing.
    let used = unsafe { (allocator.used)() } != 0;
    (!used).then_some("the program has another allocator than that of libreblock_arrays.so")
}

/// Where the program's new arrays lie; `None`: where others cannot read them.
pub fn space() -> Option<ProgramSpace> {
    let mut space = Space::default();
    // SAFETY: `space` is what the function fills in.
    (unsafe { (Allocator::get()?.space)(&mut space) } != 0).then_some(())?;
    let base = NonNull::new(std::ptr::without_provenance_mut(usize::try_from(space.base).ok()?))?;
    let segment = Arc::new(Segment::of_others(base, usize::try_from(space.bytes).ok()?));
    let place = Location::here(space.descriptor, space.file).ok()?;
    Some(ProgramSpace { number: space.number, place, segment })
}

/// Whether the memory with that number still is what others have mapped: a fork may have ended that.
pub fn is_current(number: u64) -> bool {
    // SAFETY: the function takes nothing.
    Allocator::get().is_some_and(|allocator| unsafe { (allocator.number)() } == number)
}

/// Arrays that lay in such memory so far, and large ones that did not; `None` where nobody allocates so.
pub fn counts() -> Option<[u64; 2]> {
    if obstacle().is_some() {
        return None;
    }
    let mut counts = [0; 2];
    // SAFETY: `counts` is what the function fills in.
    unsafe { (Allocator::get()?.counts)(&mut counts) };
    Some(counts)
}

/// What other processes have, as this one has mapped it.
static MAPPED: Mutex<Vec<([u64; 4], Weak<Segment>)>> = Mutex::new(Vec::new());

/// The `bytes` bytes of another process's memory at `place`: mapped once, for all communicators.
pub fn mapped(place: &Location, bytes: u64) -> Result<Arc<Segment>> {
    let mut mapped = MAPPED.lock().unwrap_or_else(PoisonError::into_inner);
    mapped.retain(|(_, segment)| segment.strong_count() > 0);
    let known = mapped.iter().find(|(numbers, _)| *numbers == place.numbers());
    if let Some(segment) = known.and_then(|(_, segment)| segment.upgrade()) {
        return Ok(segment);
    }
    let bytes = usize::try_from(bytes).map_err(Error::other)?;
    let segment = Arc::new(Segment::to_read(place, bytes)?);
    mapped.push((place.numbers(), Arc::downgrade(&segment)));
    Ok(segment)
}
