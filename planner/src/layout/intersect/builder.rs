//! Builds a set of indices run by run, and stores it as families or as a list, whichever takes fewer bytes.
//!
//! Runs at equal distances make one family. Irregular runs take fewer bytes in a list.

use super::families::compress;
use super::family::Family;
use super::list::{Lens, RunList, RunTable};

const MIN_LISTED_FAMILIES: usize = 16;

/// Number of families after which the builder predicts the form of the set.
const PREDICTION_FAMILIES: usize = 64;

/// Maximum average number of pieces per run in a list of equal pieces.
const MAX_PIECES_PER_RUN: u64 = 8;

const DESCENDING: &str = "families that do not ascend";

/// A set under construction, from families that ascend and do not interleave.
///
/// The form is usually chosen at the end. But if the first `PREDICTION_FAMILIES` families take fewer bytes as a list of
/// equal pieces, further families are appended to this list. If a family is not one run of a few such pieces, the list
/// is converted back to runs.
pub struct Builder<const D: usize> {
    /// Starts of the pieces of `unit` indices; `None` unless the set is being built as a list of equal pieces.
    pieces: Option<Vec<[u32; D]>>,
    /// True after [`Self::convert_to_runs`]: all further families are stored as runs.
    mixed: bool,
    /// Starts and lengths of the runs of families of one or two runs.
    runs: Vec<([u64; D], u64)>,
    /// Families of three runs or more, each with the number of `runs` before it.
    regular: Vec<(usize, Family<D>)>,
    /// The last family, which may still grow.
    last: Option<Family<D>>,
    /// Number of runs in `regular`.
    repeated: u64,
    total: u64,
    /// One past the last index, in each coordinate.
    end: [u64; D],
    /// Greatest common divisor of the lengths of all runs.
    unit: u64,
    /// Number of families so far, without `last`.
    begun: usize,
}

pub(super) enum Stored<const D: usize> {
    /// The set has few families, or they take at most as many bytes as a list.
    Families(Vec<Family<D>>),
    List(RunList<D>),
}

impl<const D: usize> Builder<D> {
    pub(super) fn new() -> Self {
        let (pieces, mixed, runs, regular, last) = (None, false, Vec::new(), Vec::new(), None);
        Self { pieces, mixed, runs, regular, last, repeated: 0, total: 0, end: [0; D], unit: 0, begun: 0 }
    }

    /// Appends a family, which must follow all others.
    #[inline(always)]
    pub fn push(&mut self, next: Family<D>) {
        match &mut self.pieces {
            // Fast path for single indices: there may be millions of them.
            Some(pieces) if (next.len, self.unit, next.count) == (1, 1, 1) && ends_below_2_32(&next) => {
                assert!((0..D).all(|d| next.start[d] >= self.end[d]), "{DESCENDING}");
                pieces.push(next.start.map(to_u32));
                self.end = next.start.map(|start| start + 1);
                self.total += 1;
                self.begun += 1;
            }
            _ => self.push_any(next),
        }
    }

    #[inline(never)]
    fn push_any(&mut self, next: Family<D>) {
        if self.pieces.is_some() && self.push_pieces(&next) {
            return;
        }
        if let Some(last) = &mut self.last {
            if let Some(longer) = last.with(&next) {
                return *last = longer;
            }
            self.flush();
            if self.pieces.is_some() {
                return self.push_any(next);
            }
        }
        self.last = Some(next);
    }

    /// Appends `next` as pieces. If that is not possible, converts the pieces to runs and returns false.
    #[inline]
    fn push_pieces(&mut self, next: &Family<D>) -> bool {
        let Some(pieces) = &mut self.pieces else { return false };
        let each = if self.unit == 1 { next.len } else { next.len / self.unit };
        let long =
            each > MAX_PIECES_PER_RUN && pieces.len() as u64 + each > MAX_PIECES_PER_RUN * self.begun as u64;
        if next.count > 1 || long || each * self.unit != next.len || !ends_below_2_32(next) {
            self.convert_to_runs();
            return false;
        }
        assert!((0..D).all(|d| next.start[d] >= self.end[d]), "{DESCENDING}");
        for k in 0..each {
            pieces.push(next.start.map(|start| to_u32(start + k * self.unit)));
        }
        self.begun += 1;
        self.end = next.start.map(|start| start + next.len);
        self.total += next.len;
        true
    }

    /// Converts pieces to runs, and stores all further families as runs.
    #[cold]
    pub(super) fn convert_to_runs(&mut self) {
        let Some(pieces) = self.pieces.take() else { return self.mixed = true };
        let unit = self.unit;
        *self = Self { mixed: true, ..Self::new() };
        for piece in pieces {
            self.push(Family::run(piece.map(u64::from), unit));
        }
    }

    #[inline]
    pub(super) fn flush(&mut self) {
        let Some(last) = self.last.take() else { return };
        // Kernels rely on the last run being at the end of the set.
        assert!((0..D).all(|d| last.start[d] >= self.end[d]), "{DESCENDING}");
        self.end = std::array::from_fn(|d| last.end(d));
        if last.len != self.unit && self.unit != 1 {
            self.unit = num_integer::gcd(self.unit, last.len);
        }
        self.begun += 1;
        self.total += last.total();
        if last.count > 2 {
            self.repeated += last.count;
            self.regular.push((self.runs.len(), last));
        } else {
            let mut start = last.start;
            for _ in 0..last.count {
                self.runs.push((start, last.len));
                (0..D).for_each(|d| start[d] += last.stride[d]);
            }
        }
        if self.begun == PREDICTION_FAMILIES && !self.mixed {
            self.predict_form();
        }
    }

    /// Converts the set to a list of equal pieces if that form takes fewer bytes.
    #[cold]
    fn predict_form(&mut self) {
        if let Some(Some(unit)) = self.as_list().filter(|_| self.is_narrow()) {
            self.pieces = Some(self.table(Some(unit), to_u32).starts);
        }
    }

    pub(super) fn families(mut self) -> Vec<Family<D>> {
        self.convert_to_runs();
        self.flush();
        compress(self.all().collect())
    }

    /// Returns the set in its smaller form.
    pub(super) fn finish(mut self) -> Stored<D> {
        if let (0, Some(only)) = (self.begun, self.last) {
            return Stored::Families(vec![only]);
        }
        self.flush();
        if let Some(mut starts) = self.pieces {
            starts.shrink_to_fit();
            let (lens, total) = (Lens::Equal(self.unit), self.total);
            return Stored::List(RunList::Narrow(RunTable { starts, lens, total }));
        }
        match self.as_list() {
            None => Stored::Families(compress(self.all().collect())),
            Some(unit) => Stored::List(self.listed(self.is_narrow(), unit)),
        }
    }

    fn is_narrow(&self) -> bool {
        self.end.iter().all(|&end| u32::try_from(end).is_ok())
    }

    /// Chooses the form: `None` for families, `Some(Some(unit))` for pieces of `unit` indices, `Some(None)` for a list
    /// of runs.
    fn as_list(&self) -> Option<Option<u64>> {
        let runs = self.runs.len() as u64 + self.repeated;
        let family = (size_of::<Family<D>>() + size_of::<u64>()) as u64;
        let word = if self.is_narrow() { 4 } else { 8 };
        let (equal, each) = (
            (self.total / self.unit.max(1)).saturating_mul(word * D as u64),
            runs.saturating_mul(word * (D as u64 + 1)),
        );
        let fewer = equal.min(each) < self.begun as u64 * family && self.begun >= MIN_LISTED_FAMILIES;
        // Equal short pieces are copied faster than runs of different lengths.
        fewer.then(|| (equal <= 2 * each).then_some(self.unit))
    }

    /// Returns the set as a list of pieces of `unit` indices, or for `None` as a list of its runs. `narrow`: all
    /// indices are below 2^32.
    pub(super) fn listed(&self, narrow: bool, unit: Option<u64>) -> RunList<D> {
        match narrow {
            true => RunList::Narrow(self.table(unit, to_u32)),
            false => RunList::Wide(self.table(unit, |n| n)),
        }
    }

    fn all(&self) -> impl Iterator<Item = Family<D>> + '_ {
        let mut at = 0;
        let behind = self.runs.len();
        let none = std::iter::once((behind, None));
        let marks = self.regular.iter().map(|&(before, family)| (before, Some(family))).chain(none);
        marks.flat_map(move |(before, family)| {
            let runs = self.runs[std::mem::replace(&mut at, before)..before].iter();
            runs.map(|&(start, len)| Family::run(start, len)).chain(family)
        })
    }

    /// Like [`Builder::listed`], with numbers of type `W`.
    fn table<W: Copy + Into<u64>>(&self, unit: Option<u64>, narrow: impl Fn(u64) -> W) -> RunTable<W, D> {
        let runs = self.runs.len() as u64 + self.repeated;
        let room = |n: u64| usize::try_from(n).expect("a list fits in memory");
        let (starts, lens) = match unit {
            Some(unit) => (room(self.total / unit), Lens::Equal(unit)),
            None => (room(runs), Lens::Before(Vec::with_capacity(room(runs + 1)))),
        };
        let mut table = RunTable { starts: Vec::with_capacity(starts), lens, total: self.total };
        let mut held = 0;
        for family in self.all() {
            let mut start = family.start;
            for _ in 0..family.count {
                let (each, pieces) = match &mut table.lens {
                    Lens::Equal(unit) => (*unit, family.len / *unit),
                    Lens::Before(before) => {
                        before.push(narrow(held));
                        (family.len, 1)
                    }
                };
                let mut piece = start;
                for _ in 0..pieces {
                    table.starts.push(piece.map(&narrow));
                    piece = piece.map(|at| at + each);
                }
                (0..D).for_each(|d| start[d] += family.stride[d]);
                held += family.len;
            }
        }
        if let Lens::Before(before) = &mut table.lens {
            before.push(narrow(held));
        }
        table
    }
}

#[inline]
fn ends_below_2_32<const D: usize>(run: &Family<D>) -> bool {
    (0..D).all(|d| run.start[d].saturating_add(run.len) <= u64::from(u32::MAX))
}

/// Converts a number below 2^32 to 32 bits.
#[inline]
fn to_u32(n: u64) -> u32 {
    u32::try_from(n & u64::from(u32::MAX)).expect("32 bits")
}
