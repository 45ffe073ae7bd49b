//! Update a row of numbers.
//!
//! ```text
//! for each number: to := combine(alpha · op(from), beta · to)
//! ```
//! Deviations from that text:
//! 1. Which factors are 0 or 1 is asked once a row and not once a number ([`RowUpdate`] has the loop for them): the compiler makes
//!    each loop from one text, for each type of number and instruction set.
//! 2. Minima, maxima, and, or with factors are made in several passes over parts of the row that stay in the first cache.
//! 3. A row of a large array that is not read is made up in such parts and then written past the caches.
//!
//! No instruction set fuses a product and a sum, so all come to the same bits.

mod loops;

use super::block::{self, STREAM};
use super::rectangle::Instructions;
use super::update::{Combine, Number, Scalar, Update};
use loops::{NumberLoop, RowLoop, how, number_loop, row_loop};
use std::mem::MaybeUninit;

/// Bytes of a part of a row.
const PART: usize = 4 << 10;

/// A part of a row.
#[repr(C, align(64))]
struct RowPart(MaybeUninit<[u8; PART]>);

/// How rows are updated.
pub(super) struct RowUpdate {
    factors: [Scalar; 2],
    /// Bytes of a number.
    element: usize,
    /// What multiplies what is read and what is there, where `last` does not.
    first: [Option<RowLoop>; 2],
    last: RowLoop,
    /// What `last` computes.
    how: u8,
    /// Whether it conjugates.
    conjugate: bool,
    number: Number,
    /// Whether what is there is read.
    keeps: bool,
    /// Whether `from` is read.
    takes: bool,
    /// Whether the row stays as it is.
    idle: bool,
}

impl RowUpdate {
    /// By instructions that are available.
    pub fn new(update: &Update, instructions: Instructions) -> Self {
        let (number, conjugate) = (update.number(), update.conjugates());
        let (takes, keeps) = (!update.ignores_source(), !update.ignores_target());
        let [alpha, beta] = [update.alpha(), update.beta()].map(|factor| !factor.is_one(number));
        let of = |how, conjugate| row_loop(number, how, conjugate, instructions);
        let combined = match update.combine() {
            Combine::Add => None,
            Combine::Minimum => Some(how::MINIMUM),
            Combine::Maximum => Some(how::MAXIMUM),
            Combine::And => Some(how::AND),
            Combine::Or => Some(how::OR),
        };
        let (first, (how, conjugate)) = match (takes, keeps, combined) {
            (true, true, Some(how)) => {
                // Where both sides are the same memory, what is read is kept before what is there is multiplied.
                let x = (alpha || beta).then(|| of(if alpha { how::SCALE } else { how::TAKE }, conjugate));
                ([x, beta.then(|| of(how::KEEP, false))], (how, false))
            }
            _ => {
                let how = match (takes, keeps) {
                    (false, false) => how::ZERO,
                    (false, true) => how::KEEP,
                    (true, false) => [how::TAKE, how::SCALE][usize::from(alpha)],
                    (true, true) => match (alpha, beta) {
                        (false, false) => how::PLUS,
                        (false, true) => how::PLUS_KEPT,
                        (true, false) => how::SCALED_PLUS,
                        (true, true) => how::SCALED_PLUS_KEPT,
                    },
                };
                ([None, None], (how, conjugate))
            }
        };
        let factors = [*update.alpha(), *update.beta()];
        let (element, last, idle) = (number.bytes(), of(how, conjugate), !takes && keeps && !beta);
        Self { factors, element, first, last, how, conjugate, number, keeps, takes, idle }
    }

    /// Whether `from` is read.
    pub fn takes(&self) -> bool {
        self.takes
    }

    /// Whether what is there is read.
    pub fn keeps(&self) -> bool {
        self.keeps
    }

    /// Updates `len` numbers at `to` with those at `from`; past the caches, if `stream` and what is there is not read. (Then
    /// [`fence`](block::fence) must follow.)
    ///
    /// # Safety
    /// They are readable at `from`, if that is read, and at `to`, if that is; and writable at `to`. Both sides are apart or the
    /// same.
    pub unsafe fn row(&self, from: *const u8, to: *mut u8, len: usize, stream: bool) {
        if self.idle {
            return;
        }
        let stream = stream && !self.keeps && len * self.element >= STREAM;
        // SAFETY: this fn's contract.
        unsafe {
            if stream || self.first[0].is_some() {
                self.in_parts(from, to, len);
            } else {
                (self.last)(from, to, len, &self.factors);
            }
        }
    }

    /// As [`RowUpdate::row`], through a part of the row that is made up first.
    ///
    /// # Safety
    /// As for [`RowUpdate::row`]; the row is long enough to be streamed, or there is something to be done first.
    #[inline(never)]
    unsafe fn in_parts(&self, from: *const u8, to: *mut u8, len: usize) {
        let mut part = RowPart(MaybeUninit::uninit());
        let part = part.0.as_mut_ptr().cast::<u8>();
        let most = PART / self.element;
        let mut at = 0;
        while at < len {
            // What is left is long enough to be streamed.
            let left = len - at;
            let some = if left <= most || (left - most) * self.element >= STREAM {
                left.min(most)
            } else {
                most / 2
            };
            let (from, to) = (from.wrapping_add(at * self.element), to.wrapping_add(at * self.element));
            // SAFETY: `some` numbers of the row, which the part has room for; what is computed there is not read before.
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

/// How rows are updated that are marked, and others.
pub(super) struct RowUpdates {
    /// Others first.
    each: [RowUpdate; 2],
    numbers: Option<NumberLoop>,
}

/// How single numbers are updated, with the factors of marked ones and of others.
pub(super) struct NumberUpdates<'a> {
    run: NumberLoop,
    factors: [&'a [Scalar; 2]; 2],
}

impl RowUpdates {
    /// Of marked rows, and of others.
    pub fn new([marked, other]: [RowUpdate; 2]) -> Self {
        let one_loop = [&marked, &other].iter().all(|update| update.first[0].is_none() && !update.idle);
        let numbers = one_loop.then(|| number_loop(marked.number, [marked.how, other.how], marked.conjugate));
        Self { numbers: numbers.flatten(), each: [other, marked] }
    }

    /// That of marked rows, or of others.
    pub fn of(&self, marked: bool) -> &RowUpdate {
        &self.each[usize::from(marked)]
    }

    /// How rows of one number are updated, if one loop does it.
    pub fn numbers(&self) -> Option<NumberUpdates<'_>> {
        let [other, marked] = &self.each;
        let factors = [&marked.factors, &other.factors];
        self.numbers.map(|run| NumberUpdates { run, factors })
    }
}

impl NumberUpdates<'_> {
    /// Updates numbers at `to`, those that `numbers` name, with those at `from`, one after the other. They are `strides` bytes apart
    /// (at `from`, at `to`).
    ///
    /// # Safety
    /// The numbers are readable at `from`, and readable and writable at `to`.
    pub unsafe fn run(&self, from: *const u8, to: *mut u8, numbers: &[u32], strides: [usize; 2]) {
        // SAFETY: this fn's contract.
        unsafe { (self.run)(from, to, numbers, strides, self.factors) }
    }
}
