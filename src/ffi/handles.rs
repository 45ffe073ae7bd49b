//! Handles of objects, for programs in other languages. A handle is an integer in a pointer type. It contains the index
//! of a table entry and the entry's generation, which is the number of objects that the entry has held. A handle that
//! is freed, invalid or of another type is therefore detected; no handle is dereferenced.
//!
//! The table grows and never shrinks. Each entry has its own lock; free entries form a lock-free stack.

use super::job::JobObject;
#[cfg(feature = "text")]
use crate::arrays::Scope;
use crate::arrays::{Array, Map, Plan, Procs, Request, Template};
use crate::collective::failure::{Code, Failure};
use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// An object with a handle in the program.
#[derive(Clone)]
pub enum Object {
    Procs(Arc<Procs>),
    Template(Arc<Template>),
    Map(Arc<Map>),
    Plan(Arc<Plan>),
    /// Object of `reblock_request`; `None` after a thread has taken the request out to wait for it.
    Request(Arc<Mutex<Option<Request>>>),
    Array(Arc<Array>),
    Job(Arc<JobObject>),
    #[cfg(feature = "text")]
    Scope(Arc<Scope>),
}

/// A type whose objects can have handles.
pub trait Handled: Sized {
    /// The name of the type in C, for messages.
    const NAME: &'static str;

    fn wrap(self) -> Object;

    /// Returns the object if it is of this type.
    fn unwrap(object: Object) -> Option<Self>;
}

macro_rules! handled {
    ($($kind:ident $type:ty, $name:literal;)*) => {$(
        impl Handled for $type {
            const NAME: &'static str = $name;

            fn wrap(self) -> Object {
                Object::$kind(self)
            }

            fn unwrap(object: Object) -> Option<Self> {
                if let Object::$kind(own) = object { Some(own) } else { None }
            }
        }
    )*};
}

#[cfg(feature = "text")]
handled! {
    Scope Arc<Scope>, "reblock_scope";
}

handled! {
    Procs Arc<Procs>, "reblock_procs";
    Template Arc<Template>, "reblock_template";
    Map Arc<Map>, "reblock_map";
    Plan Arc<Plan>, "reblock_plan";
    Request Arc<Mutex<Option<Request>>>, "reblock_request";
    Array Arc<Array>, "reblock_array";
    Job Arc<JobObject>, "reblock_job";
}

/// Entries of the first chunk; each further chunk has twice as many entries as the previous chunk.
const FIRST_CHUNK_ENTRIES: u32 = 64;
/// Maximum number of chunks; all chunks together have about 2^30 entries.
const MAX_CHUNKS: usize = 24;

struct Held {
    /// The number of objects that the entry has held, modulo 2^31.
    generation: u32,
    object: Option<Object>,
}

struct TableEntry {
    held: Mutex<Held>,
    /// Index of the next free entry on the stack, plus 1; 0 at the bottom.
    next_free: AtomicU32,
}

struct Table {
    chunks: [OnceLock<Box<[TableEntry]>>; MAX_CHUNKS],
    /// Number of entries that were ever used.
    used: AtomicU32,
    /// Lower half: the index of the top of the stack of free entries, plus 1. Upper half: the number of changes of the
    /// top, which prevents the ABA problem.
    free: AtomicU64,
}

static TABLE: Table = Table {
    chunks: [const { OnceLock::new() }; MAX_CHUNKS],
    used: AtomicU32::new(0),
    free: AtomicU64::new(0),
};

impl Table {
    /// Returns the entry with the given index, or `None` if the index exceeds the table's maximum size. Allocates a
    /// chunk at its first use.
    fn entry(&self, index: u32) -> Option<&TableEntry> {
        let chunk = (index / FIRST_CHUNK_ENTRIES + 1).ilog2();
        let start = FIRST_CHUNK_ENTRIES * ((1 << chunk) - 1);
        let chunk = usize::try_from(chunk).ok()?;
        let make = || {
            let entry = |_| TableEntry {
                held: Mutex::new(Held { generation: 0, object: None }),
                next_free: AtomicU32::new(0),
            };
            (0..u64::from(FIRST_CHUNK_ENTRIES) << chunk).map(entry).collect()
        };
        self.chunks.get(chunk)?.get_or_init(make).get(usize::try_from(index - start).ok()?)
    }

    fn pop_free(&self) -> Option<u32> {
        loop {
            let top = self.free.load(Ordering::Acquire);
            let index = lower_half(top).checked_sub(1)?;
            let next = self.entry(index)?.next_free.load(Ordering::Relaxed);
            let changed = ((top >> 32).wrapping_add(1) << 32) | u64::from(next);
            if self.free.compare_exchange_weak(top, changed, Ordering::AcqRel, Ordering::Acquire).is_ok() {
                return Some(index);
            }
        }
    }

    fn push_free(&self, index: u32, entry: &TableEntry) {
        loop {
            let top = self.free.load(Ordering::Acquire);
            entry.next_free.store(lower_half(top), Ordering::Relaxed);
            let changed = ((top >> 32).wrapping_add(1) << 32) | u64::from(index + 1);
            if self.free.compare_exchange_weak(top, changed, Ordering::AcqRel, Ordering::Acquire).is_ok() {
                return;
            }
        }
    }
}

fn lower_half(n: u64) -> u32 {
    u32::try_from(n & u64::from(u32::MAX)).unwrap_or(0)
}

fn lock(entry: &TableEntry) -> MutexGuard<'_, Held> {
    entry.held.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Stores an object and returns its handle. The upper 32 bits are the entry's generation, the next 31 bits its index.
/// The lowest bit is 1, so that no handle equals an aligned address.
pub fn insert<T: Handled>(object: T) -> Result<*mut c_void, Failure> {
    let full = || Failure::new(Code::Memory, "there are too many objects");
    let index = match TABLE.pop_free() {
        Some(index) => index,
        None => TABLE.used.fetch_add(1, Ordering::Relaxed),
    };
    let mut held = lock(TABLE.entry(index).ok_or_else(full)?);
    held.generation = held.generation.wrapping_add(1) & 0x7fff_ffff;
    held.object = Some(object.wrap());
    let handle = (u64::from(held.generation) << 32) | (u64::from(index) << 1) | 1;
    let handle = usize::try_from(handle).map_err(|_| full())?;
    Ok(std::ptr::without_provenance_mut(handle))
}

/// Returns a handle's index, its entry and its generation; `None` if the handle is even or the entry was never used.
fn find_entry(handle: *const c_void) -> Option<(u32, &'static TableEntry, u32)> {
    let handle = handle.addr() as u64;
    let index = lower_half(handle) >> 1;
    let was_used = handle & 1 == 1 && index < TABLE.used.load(Ordering::Relaxed);
    was_used.then(|| Some((index, TABLE.entry(index)?, lower_half(handle >> 32)))).flatten()
}

/// Returns the object of a handle. Fails if the handle is NULL, freed, or of an object of another type.
pub fn get<T: Handled>(handle: *const c_void) -> Result<T, Failure> {
    if handle.is_null() {
        return Err(Failure::new(Code::Handle, format!("the {} is NULL", T::NAME)));
    }
    let found = find_entry(handle).and_then(|(_, entry, generation)| {
        let held = lock(entry);
        held.object.clone().filter(|_| held.generation == generation)
    });
    let other = || {
        Failure::new(
            Code::Handle,
            format!("the handle is not a {}: it has been freed, or never was one", T::NAME),
        )
    };
    let object = found.ok_or_else(other)?;
    T::unwrap(object).ok_or_else(|| {
        Failure::new(Code::Handle, format!("the handle is not a {}, but another object", T::NAME))
    })
}

/// Takes the object of a handle out of the table.
pub fn remove<T: Handled>(handle: *const c_void) -> Result<T, Failure> {
    let object = get::<T>(handle)?;
    if let Some((index, entry, generation)) = find_entry(handle) {
        let mut held = lock(entry);
        if held.generation == generation && held.object.take().is_some() {
            drop(held);
            TABLE.push_free(index, entry);
        }
    }
    Ok(object)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> Arc<Mutex<Option<Request>>> {
        Arc::new(Mutex::new(None))
    }

    #[test]
    fn invalid_handles_are_refused() {
        type Requests = Arc<Mutex<Option<Request>>>;
        let all: Vec<_> = (0..1000).map(|_| insert(request()).unwrap()).collect();
        assert!(all.iter().all(|&handle| get::<Requests>(handle).is_ok()));
        let code = |handle: *const c_void| get::<Arc<Plan>>(handle).map(drop).unwrap_err().code;
        let number = 7u32;
        for bad in [
            std::ptr::null(),
            (&raw const number).cast(),
            all[3].cast_const(),
            std::ptr::without_provenance(!0),
        ] {
            assert_eq!(code(bad), Code::Handle);
        }
        remove::<Requests>(all[5]).unwrap();
        assert!(get::<Requests>(all[5]).is_err() && remove::<Requests>(all[5]).is_err());
        let again = insert(request()).unwrap();
        assert!(again != all[5] && get::<Requests>(all[5]).is_err(), "another object at the same place");
        all.iter().chain([&again]).for_each(|&handle| drop(remove::<Requests>(handle)));
    }

    #[test]
    fn threads_share_the_table() {
        let threads: Vec<_> = (0..4)
            .map(|_| {
                std::thread::spawn(|| {
                    for _ in 0..2000 {
                        let mine = request();
                        let handle = insert(mine.clone()).unwrap().addr();
                        let found =
                            get::<Arc<Mutex<Option<Request>>>>(std::ptr::without_provenance(handle)).unwrap();
                        assert!(Arc::ptr_eq(&mine, &found));
                        let gone =
                            remove::<Arc<Mutex<Option<Request>>>>(std::ptr::without_provenance(handle));
                        assert!(Arc::ptr_eq(&mine, &gone.unwrap()));
                    }
                })
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    }
}
