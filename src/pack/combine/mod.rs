//! Updates a row of numbers.
//!
//! ```text
//! for each number: to := combine(alpha · op(from), beta · to)
//! ```
//! Deviations from that text:
//! 1. Factors of 0 and 1 have loops of their own, which [`RowUpdate`] chooses once per update. One generic function is
//!    compiled for each formula, number type and instruction set.
//! 2. A minimum, maximum, logical AND or logical OR with factors takes several passes over parts of the row, which stay
//!    in the first-level cache.
//! 3. If the destination is large and its old values are not read, parts are computed in a buffer and then streamed.
//!
//! Products and sums are never fused, so all instruction sets give the same bits.

mod loops;

use super::block::{self, MIN_STREAMED_RUN};
use super::instructions::Instructions;
use super::update::{Combine, Number, Scalar, Update};
use loops::{NumberLoop, RowLoop, formula, number_loop, row_loop};
use std::mem::MaybeUninit;

/// Size of the buffer for a part of a row, in bytes.
const PART_BYTES: usize = 4 << 10;

#[repr(C, align(64))]
struct PartBuffer(MaybeUninit<[u8; PART_BYTES]>);

/// The loops that update rows, chosen for one update.
pub(super) struct RowUpdate {
    factors: [Scalar; 2],
    /// Size of a number, in bytes.
    element: usize,
    /// Loops that compute `alpha · op(from)` and `beta · to` before `last`, if `last` does not include them.
    first: [Option<RowLoop>; 2],
    last: RowLoop,
    /// The formula that `last` computes, a constant of [`formula`].
    formula: u8,
    conjugate: bool,
    number: Number,
    reads_target: bool,
    reads_source: bool,
    /// True if the update leaves the row unchanged.
    idle: bool,
}

impl RowUpdate {
    /// Chooses the loops for `update`; the instructions must be available.
    pub fn new(update: &Update, instructions: Instructions) -> Self {
        let (number, conjugate) = (update.number(), update.conjugates());
        let (reads_source, reads_target) = (!update.ignores_source(), !update.ignores_target());
        let [alpha, beta] = [update.alpha(), update.beta()].map(|factor| !factor.is_one(number));
        let of = |formula, conjugate| row_loop(number, formula, conjugate, instructions);
        let combined = match update.combine() {
            Combine::Add => None,
            Combine::Minimum => Some(formula::MINIMUM),
            Combine::Maximum => Some(formula::MAXIMUM),
            Combine::And => Some(formula::AND),
            Combine::Or => Some(formula::OR),
        };
        let (first, (formula, conjugate)) = match (reads_source, reads_target, combined) {
            (true, true, Some(formula)) => {
                // Both sides may be the same memory, so x is copied to the buffer before y is multiplied in place.
                let x =
                    (alpha || beta).then(|| of(if alpha { formula::ALPHA_X } else { formula::X }, conjugate));
                ([x, beta.then(|| of(formula::BETA_Y, false))], (formula, false))
            }
            _ => {
                let formula = match (reads_source, reads_target) {
                    (false, false) => formula::ZERO,
                    (false, true) => formula::BETA_Y,
                    (true, false) => [formula::X, formula::ALPHA_X][usize::from(alpha)],
                    (true, true) => match (alpha, beta) {
                        (false, false) => formula::X_PLUS_Y,
                        (false, true) => formula::X_PLUS_BETA_Y,
                        (true, false) => formula::ALPHA_X_PLUS_Y,
                        (true, true) => formula::ALPHA_X_PLUS_BETA_Y,
                    },
                };
                ([None, None], (formula, conjugate))
            }
        };
        let factors = [*update.alpha(), *update.beta()];
        let (element, last, idle) =
            (number.bytes(), of(formula, conjugate), !reads_source && reads_target && !beta);
        Self { factors, element, first, last, formula, conjugate, number, reads_target, reads_source, idle }
    }

    pub fn reads_source(&self) -> bool {
        self.reads_source
    }

    pub fn reads_target(&self) -> bool {
        self.reads_target
    }

    /// Updates `len` numbers at `to` with those at `from`. If `stream` is set and old values are not read, streams the
    /// results of long rows; then [`fence`](block::fence) must follow.
    ///
    /// # Safety
    /// The numbers at `from` and `to` are readable if the update reads them, and those at `to` are writable. The two
    /// sides are disjoint or identical.
    pub unsafe fn update_row(&self, from: *const u8, to: *mut u8, len: usize, stream: bool) {
        if self.idle {
            return;
        }
        let stream = stream && !self.reads_target && len * self.element >= MIN_STREAMED_RUN;
        // SAFETY: this fn's contract.
        unsafe {
            if stream || self.first[0].is_some() {
                self.update_in_parts(from, to, len);
            } else {
                (self.last)(from, to, len, &self.factors);
            }
        }
    }

    /// Updates a row as [`RowUpdate::update_row`] does, part by part through a buffer.
    ///
    /// # Safety
    /// As for [`RowUpdate::update_row`]. The row is long enough to be streamed, or there are preparing loops.
    #[inline(never)]
    unsafe fn update_in_parts(&self, from: *const u8, to: *mut u8, len: usize) {
        let mut buffer = PartBuffer(MaybeUninit::uninit());
        let part = buffer.0.as_mut_ptr().cast::<u8>();
        let most = PART_BYTES / self.element;
        let mut at = 0;
        while at < len {
            // The rest after this part must be long enough to be streamed.
            let left = len - at;
            let some = if left <= most || (left - most) * self.element >= MIN_STREAMED_RUN {
                left.min(most)
            } else {
                most / 2
            };
            let (from, to) = (from.wrapping_add(at * self.element), to.wrapping_add(at * self.element));
            // SAFETY: `some` numbers of the row, which fit in the buffer; its bytes are read only after they were
            // computed.
            unsafe {
                match self.first {
                    [Some(take), keep] => {
                        take(from, part, some, &self.factors);
                        if let Some(keep) = keep {
                            keep(from, to, some, &self.factors);
                        }
                        (self.last)(part, to, some, &self.factors);
                    }
                    _ => {
                        (self.last)(from, part, some, &self.factors);
                        block::stream(part, to, some * self.element);
                    }
                }
            }
            at += some;
        }
    }
}

/// Updates of marked rows, which receive their first value, and of other rows.
pub(super) struct RowUpdates {
    /// The update of other rows, then that of marked rows.
    each: [RowUpdate; 2],
    numbers: Option<NumberLoop>,
}

/// A loop over rows of one number, with the factors for marked rows and for others.
pub(super) struct NumberUpdates<'a> {
    run: NumberLoop,
    factors: [&'a [Scalar; 2]; 2],
}

impl RowUpdates {
    /// Pairs the update of marked rows with that of others; both have the same number type and conjugation.
    pub fn new([marked, other]: [RowUpdate; 2]) -> Self {
        let one_loop = [&marked, &other].iter().all(|update| update.first[0].is_none() && !update.idle);
        let numbers =
            one_loop.then(|| number_loop(marked.number, [marked.formula, other.formula], marked.conjugate));
        Self { numbers: numbers.flatten(), each: [other, marked] }
    }

    pub fn of(&self, marked: bool) -> &RowUpdate {
        &self.each[usize::from(marked)]
    }

    /// Returns the loop for rows of one number, if one loop can compute both updates.
    pub fn numbers(&self) -> Option<NumberUpdates<'_>> {
        let [other, marked] = &self.each;
        let factors = [&marked.factors, &other.factors];
        self.numbers.map(|run| NumberUpdates { run, factors })
    }
}

impl NumberUpdates<'_> {
    /// Updates the rows at `to` that `numbers` lists, in order, with consecutive rows at `from`; a row is one number.
    /// `strides` are the bytes between rows at `from` and at `to`.
    ///
    /// # Safety
    /// The numbers are readable at `from`, and readable and writable at `to`.
    pub unsafe fn update_rows(&self, from: *const u8, to: *mut u8, numbers: &[u32], strides: [usize; 2]) {
        // SAFETY: this fn's contract.
        unsafe { (self.run)(from, to, numbers, strides, self.factors) }
    }
}
