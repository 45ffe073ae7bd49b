//! Plans, and arrays that move by them.

use crate::slices::{Local, kind, typed};
use crate::{count, functions, give, list, optional, put, take};
use reblock::arrays::{Element, Failure, Given, Load, Map, Moving, MovingMany, Options, Plan, Range, Side};
use reblock::mpi::Comm;
use std::ffi::{CStr, c_char};
use std::sync::Arc;

/// The C structure `reblock_plan_options`.
#[repr(C)]
pub struct Asked {
    size: i64,
    version: i64,
    scheduler: *const c_char,
    transport: *const c_char,
    buffer: i64,
    window: i64,
    relabel: i64,
    axes: *const i64,
    axes_count: i64,
    copies: i64,
    spread: *const i64,
    spread_count: i64,
    overlap: i64,
    skip: i64,
}

impl Asked {
    /// # Safety
    /// The names are NULL or C strings; `axes` and `spread` are NULL or have the stated numbers of entries.
    pub unsafe fn options(&self) -> Options {
        let name = |at: *const c_char| {
            // SAFETY: the caller's promise.
            (!at.is_null()).then(|| unsafe { CStr::from_ptr(at) }.to_str().expect("ASCII").to_string())
        };
        Options {
            scheduler: name(self.scheduler),
            shared: name(self.transport).map(|transport| transport == "shm"),
            buffer: u64::try_from(self.buffer).ok().filter(|&bytes| bytes > 0),
            window: u32::try_from(self.window).ok().filter(|&messages| messages > 0),
            relabel: self.relabel != 0,
            // SAFETY: the caller's promise.
            axes: unsafe { optional(self.axes, count(self.axes_count)) }
                .map(|axes| axes.iter().map(|&axis| count(axis)).collect()),
            copies: self.copies != 0,
            // SAFETY: the caller's promise.
            spread: unsafe { optional(self.spread, count(self.spread_count)) }
                .map_or_else(Vec::new, |axes| axes.iter().map(|&axis| count(axis)).collect()),
            overlap: self.overlap != 0,
            skip: self.skip != 0,
        }
    }
}

/// Converts an array of `reblock_range`.
fn section(ranges: &[[i64; 3]]) -> Vec<Range> {
    ranges.iter().map(|&[lower, upper, stride]| Range { lower, upper, stride }).collect()
}

/// Converts the section of a map; returns `None` without a map or without a section.
///
/// # Safety
/// `at` is NULL or has a range for each axis of the map.
pub unsafe fn ranges(map: Option<&Map>, at: *const [i64; 3]) -> Option<Vec<Range>> {
    // SAFETY: the caller's promise.
    unsafe { optional(at, map.map_or(0, |map| map.map().axes().len())) }.map(section)
}

/// Converts the caller's options; NULL stands for the defaults.
///
/// # Safety
/// `asked` is NULL or points to a valid `reblock_plan_options`.
pub unsafe fn chosen(asked: *const Asked) -> Options {
    // SAFETY: the caller's promise.
    unsafe { asked.as_ref().map(|asked| asked.options()).unwrap_or_default() }
}

/// An array that is being moved.
pub trait Pending {
    fn is_over(&self) -> Result<bool, Failure>;
    /// Waits for completion, then copies both vectors back to their arrays.
    fn arrive(self: Box<Self>) -> Result<(), Failure>;
}

pub struct Lent<T> {
    pub moving: Moving<T>,
    pub source: Local,
    pub target: Local,
}

impl<T: Element> Pending for Lent<T> {
    fn is_over(&self) -> Result<bool, Failure> {
        self.moving.test()
    }

    fn arrive(self: Box<Self>) -> Result<(), Failure> {
        let (source, target) = self.moving.wait()?;
        // SAFETY: both arrays are valid until the request is complete, and nothing uses them before.
        unsafe {
            self.source.slice_mut().copy_from_slice(&source);
            self.target.slice_mut().copy_from_slice(&target);
        }
        Ok(())
    }
}

pub struct LentMany<T> {
    pub moving: MovingMany<T>,
    pub arrays: Vec<(Local, Local)>,
}

impl<T: Element> Pending for LentMany<T> {
    fn is_over(&self) -> Result<bool, Failure> {
        self.moving.test()
    }

    fn arrive(self: Box<Self>) -> Result<(), Failure> {
        for ((source, target), (from, to)) in self.arrays.iter().zip(self.moving.wait()?) {
            // SAFETY: as above.
            unsafe {
                source.slice_mut().copy_from_slice(&from);
                target.slice_mut().copy_from_slice(&to);
            }
        }
        Ok(())
    }
}

/// A request; NULL once it is complete.
pub type Request = Box<dyn Pending>;

functions! {
    fn rust_plan_create(
        comm: i32, from: *const Map, from_section: *const [i64; 3], to: *const Map,
        to_section: *const [i64; 3], element: i64, options: *const Asked, plan: *mut *mut Arc<Plan>,
    ) {
        let (from, to) = (from.as_ref(), to.as_ref());
        let (from_section, to_section) = (ranges(from, from_section), ranges(to, to_section));
        let from = Side { map: from, section: from_section.as_deref() };
        let to = Side { map: to, section: to_section.as_deref() };
        give(plan, Plan::create(&Comm::from_fortran(comm), from, to, count(element), &chosen(options))?)
    }

    fn rust_plan_inquire(plan: *const Arc<Plan>, info: *mut i64) {
        let volume = (*plan).volume();
        // The fields after size and version.
        put(info.add(2), [volume.sent, volume.received, volume.kept, volume.sends, volume.receives, volume.buffers]);
        Ok(())
    }

    fn rust_plan_target(plan: *const Arc<Plan>, map: *mut *mut Map) {
        (*plan).target().map_or(Ok(()), |target| give(map, target.clone()))
    }

    fn rust_plan_free(plan: *mut *mut Arc<Plan>) {
        drop(take(plan));
        Ok(())
    }

    fn rust_plan_execute(plan: *const Arc<Plan>, source: *const Local, target: *const Local) {
        let (source, target) = (*source, *target);
        typed!(kind(&[source, target]), T => (*plan).execute::<T>(source.slice(), target.slice_mut()))
    }

    fn rust_plan_execute_many(
        moves: i64, plans: *const *const Arc<Plan>, sources: *const Local, targets: *const Local,
    ) {
        let moves = count(moves);
        // An empty batch still has one plan, which determines the communicator.
        let (first, kinds) = (list(plans, 1)[0], list(sources, moves.max(1)));
        let (plans, sources, targets) = (list(plans, moves), list(sources, moves), list(targets, moves));
        typed!(kind(kinds), T => {
            let load = |k: usize| Load::<T> { plan: &*plans[k], source: sources[k].slice(), target: targets[k].slice_mut() };
            (*first).execute_many(&mut (0..moves).map(load).collect::<Vec<_>>())
        })
    }

    fn rust_plan_start(
        plan: *const Arc<Plan>, source: *const Local, target: *const Local, request: *mut *mut Request,
    ) {
        let (source, target) = (*source, *target);
        typed!(kind(&[source, target]), T => {
            let moving = (*plan).start::<T>(source.slice().to_vec(), target.slice_mut().to_vec())?;
            give(request, Box::new(Lent { moving, source, target }) as Request)
        })
    }

    fn rust_plan_start_many(
        moves: i64, plans: *const *const Arc<Plan>, sources: *const Local, targets: *const Local,
        request: *mut *mut Request,
    ) {
        let moves = count(moves);
        let (plans, sources, targets) = (list(plans, moves), list(sources, moves), list(targets, moves));
        typed!(kind(sources), T => {
            let given = |k: usize| Given::<T> {
                plan: (*plans[k]).clone(), source: sources[k].slice().to_vec(), target: targets[k].slice_mut().to_vec(),
            };
            let moving = (*plans[0]).start_many((0..moves).map(given).collect())?;
            let arrays = sources.iter().copied().zip(targets.iter().copied()).collect();
            give(request, Box::new(LentMany { moving, arrays }) as Request)
        })
    }

    fn rust_request_test(request: *mut *mut Request, done: *mut i32) {
        let is_over = (**request).is_over()?;
        put(done, [i32::from(is_over)]);
        if is_over { take(request).map_or(Ok(()), |request| request.arrive()) } else { Ok(()) }
    }

    fn rust_request_wait(request: *mut *mut Request) {
        take(request).map_or(Ok(()), |request| request.arrive())
    }
}
