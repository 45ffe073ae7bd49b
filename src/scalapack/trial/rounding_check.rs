//! Differences between the two results of a trial that rounding explains.

use super::trial_buffer::TrialBuffer;
use crate::scalapack::{Call, Family};
use crate::trial::{ResultRelation, Rounding};
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The target's values before the calls; empty if the result does not depend on them. Later calls reuse the memory.
pub(crate) struct TargetBefore {
    memory: MutexGuard<'static, Vec<u8>>,
    rounding: Option<Rounding>,
}

impl TargetBefore {
    /// Allocates memory for `call` and an array of `bytes` bytes; `None` if there is none. For one call at a time.
    pub(crate) fn of(call: &Call, bytes: u64) -> Option<Self> {
        static MEMORY: Mutex<Vec<u8>> = Mutex::new(Vec::new());
        let adds = call.routine.family == Family::Tradd;
        let rounding = call.update.as_ref().map(|update| Rounding::of(update, adds));
        let bytes = match rounding {
            Some(rounding) if rounding.reads_target() => usize::try_from(bytes).ok()?,
            _ => 0,
        };
        let mut memory = MEMORY.lock().unwrap_or_else(PoisonError::into_inner);
        memory.clear();
        memory.try_reserve_exact(bytes).ok()?;
        memory.resize(bytes, 0);
        Some(Self { memory, rounding })
    }

    /// Keeps the present values.
    ///
    /// # Safety
    /// At `b` are as many bytes as [`TargetBefore::of`] was given, unless it was 0, and nobody writes them.
    pub(crate) unsafe fn fill(&mut self, b: *const u8) {
        let bytes = self.memory.len();
        if bytes > 0 {
            // SAFETY: this fn's contract; the memory is this process's own and as long.
            unsafe { std::ptr::copy_nonoverlapping(b, self.memory.as_mut_ptr(), bytes) };
        }
    }

    /// Replaces elements of the second result by those of B if they differ only by rounding. Returns their number.
    ///
    /// # Safety
    /// At `b` are as many bytes as `second` has, unless it has none, and nobody writes them.
    pub(crate) unsafe fn replace_rounded(&self, call: &Call, b: *const u8, second: &mut TrialBuffer) -> u64 {
        let (Some(rounding), Some(matrix)) = (self.rounding, &call.b) else { return 0 };
        let (element, second) = (call.routine.element, second.bytes());
        if second.is_empty() {
            return 0;
        }
        // SAFETY: this fn's contract.
        let b = unsafe { std::slice::from_raw_parts(b, second.len()) };
        if b == second {
            return 0;
        }
        let mut rounded = 0;
        let mut replace = |places: Range<u64>, rounding: &Rounding| {
            for place in places {
                let at = usize::try_from(place).expect("a place in memory") * element;
                let place = at..at + element;
                let before = self.memory.get(place.clone()).unwrap_or_default();
                if rounding.judge(&b[place.clone()], &second[place.clone()], before)
                    == ResultRelation::Rounded
                {
                    second[place.clone()].copy_from_slice(&b[place]);
                    rounded += 1;
                }
            }
        };
        for places in matrix.local_ranges(call.extent, call.part) {
            replace(places, &rounding);
        }
        if call.routine.family == Family::Tradd {
            // Around the diagonal ScaLAPACK adds 0 to the other triangle, which turns -0 into 0.
            let zero = rounding.exact();
            for places in matrix.local_ranges(call.extent, crate::layout::problem::Part::Whole) {
                replace(places, &zero);
            }
        }
        rounded
    }
}
