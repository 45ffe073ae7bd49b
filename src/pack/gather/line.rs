//! A column of an array as a list of runs from several sources, built once for many columns.

use std::ops::Range;

/// Maximum bytes of a run; longer ones are split.
const MAX_RUN_BYTES: usize = 8 << 10;
/// Maximum bytes of a chunk; the writer's stage has room for one.
pub(super) const MAX_CHUNK_BYTES: usize = 16 << 10;

/// Bytes that are contiguous both in their source and in the column.
#[derive(Clone, Copy, Debug)]
pub(super) struct LineRun {
    src: usize,
    dst: u32,
    len: u16,
    source: u16,
}

/// Consecutive runs that fit in the stage together.
#[derive(Clone, Debug)]
pub(super) struct Chunk {
    pub runs: Range<usize>,
    /// Position of the first run in the column, in bytes.
    pub start: usize,
    pub bytes: usize,
    /// Bytes of all runs before the chunk.
    before: usize,
}

/// A column as a list of runs in ascending order of their places in the column; made by a [`LineBuilder`].
#[derive(Debug)]
pub struct GatherLine {
    runs: Vec<LineRun>,
    chunks: Vec<Chunk>,
    /// End of the bytes that are read, for each source.
    reaches: Vec<usize>,
    bytes: usize,
    /// End of the bytes that are written.
    end: usize,
    /// True if there is no gap between the first and the last byte.
    whole: bool,
    /// True if all runs have the same length.
    equal: bool,
}

/// Builds a [`GatherLine`] from runs in ascending order of their places in the column.
#[derive(Debug)]
pub struct LineBuilder(GatherLine);

impl LineRun {
    #[inline(always)]
    pub fn source(&self) -> usize {
        usize::from(self.source)
    }

    #[inline(always)]
    pub fn bytes(&self) -> usize {
        usize::from(self.len)
    }

    #[inline(always)]
    pub fn offset(&self) -> usize {
        self.src
    }

    #[inline(always)]
    pub fn place(&self) -> usize {
        self.dst as usize
    }
}

impl LineBuilder {
    /// Appends `len` bytes of `source`, from position `src` in the source to position `dst` in the column. Panics if
    /// `dst` lies before the present end.
    pub fn push(&mut self, source: usize, src: usize, dst: usize, len: usize) {
        let (Self(line), from) = (self, narrow(source));
        let [reach, end] = [src, dst].map(|at| at.checked_add(len).expect("bytes that memory holds"));
        assert!(source < line.reaches.len() && (line.runs.is_empty() || dst >= line.end) && len > 0);
        assert!(end <= GatherLine::BYTES, "a line of {end} bytes");
        line.whole &= line.runs.is_empty() || dst == line.end;
        let mut at = 0;
        if let Some(last) = line.runs.last_mut().filter(|last| last.is_followed_by(source, src, dst)) {
            at = len.min(MAX_RUN_BYTES - last.bytes());
            last.len += narrow(at);
        }
        for at in (at..len).step_by(MAX_RUN_BYTES) {
            let len = narrow(MAX_RUN_BYTES.min(len - at));
            let dst = u32::try_from(dst + at).expect("a line of no more than `BYTES`");
            line.runs.push(LineRun { src: src + at, dst, len, source: from });
        }
        (line.end, line.bytes) = (end, line.bytes + len);
        line.reaches[source] = line.reaches[source].max(reach);
    }

    /// Divides the line into chunks and returns it.
    pub fn finish(self) -> GatherLine {
        let Self(mut line) = self;
        line.equal = line.runs.iter().all(|run| run.len == line.runs[0].len);
        let mut before = 0;
        for (k, run) in line.runs.iter().enumerate() {
            let (start, bytes) = (run.place(), run.bytes());
            match line.chunks.last_mut().filter(|chunk| chunk.bytes + bytes <= MAX_CHUNK_BYTES) {
                Some(chunk) => (chunk.runs.end, chunk.bytes) = (k + 1, chunk.bytes + bytes),
                None => line.chunks.push(Chunk { runs: k..k + 1, start, bytes, before }),
            }
            before += bytes;
        }
        line
    }
}

impl GatherLine {
    /// Starts a line with this number of sources.
    pub fn of(sources: usize) -> LineBuilder {
        LineBuilder(Self::empty(vec![0; sources]))
    }

    fn empty(reaches: Vec<usize>) -> Self {
        Self { runs: Vec::new(), chunks: Vec::new(), reaches, bytes: 0, end: 0, whole: true, equal: true }
    }

    /// Maximum number of sources of a line.
    pub const SOURCES: usize = 1 << 16;
    /// Maximum end of a line, in bytes.
    pub const BYTES: usize = (1 << 32) - 1;

    pub(super) fn runs(&self) -> &[LineRun] {
        &self.runs
    }

    pub(super) fn chunks(&self) -> &[Chunk] {
        &self.chunks
    }

    /// Returns the end of the bytes that are read, for each source.
    pub fn reaches(&self) -> &[usize] {
        &self.reaches
    }

    /// Returns the total bytes of the runs.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn start(&self) -> usize {
        self.runs.first().map_or(0, LineRun::place)
    }

    pub(in crate::pack) fn end(&self) -> usize {
        self.end
    }

    /// Returns whether the line has no gap.
    pub(super) fn is_whole(&self) -> bool {
        self.whole
    }

    pub(super) fn average(&self) -> usize {
        self.bytes / self.runs.len().max(1)
    }

    pub(super) fn equal(&self) -> Option<usize> {
        self.runs.first().filter(|_| self.equal).map(LineRun::bytes)
    }

    /// Returns the part of this line from byte `done` on, up to the first byte that its source lacks. `available` has,
    /// for each source, its available bytes, and true if these are packed: then offsets count from the first of them.
    /// Otherwise the source is read at the offsets of its runs.
    pub fn part(&self, done: usize, available: &[(usize, bool)]) -> GatherLine {
        let mut out = Self::of(available.len());
        let mut taken = vec![0; available.len()];
        // A binary search, because a long line is written in many parts.
        let chunk = self.chunks.partition_point(|chunk| chunk.before + chunk.bytes <= done);
        let Some(chunk) = self.chunks.get(chunk) else { return out.finish() };
        let mut before = chunk.before;
        for run in &self.runs[chunk.runs.start..] {
            let skip = done.saturating_sub(before).min(run.bytes());
            before += run.bytes();
            if skip == run.bytes() {
                continue;
            }
            let (bytes, packed) = available[run.source()];
            let taken = &mut taken[run.source()];
            let len = (run.bytes() - skip).min(bytes - *taken);
            if len > 0 {
                let src = if packed { *taken } else { run.offset() + skip };
                out.push(run.source(), src, run.place() + skip, len);
                *taken += len;
            }
            if len < run.bytes() - skip {
                break;
            }
        }
        out.finish()
    }

    /// Returns the number of bytes that the line takes from each source.
    pub fn taken(&self) -> Vec<usize> {
        let mut taken = vec![0; self.reaches.len()];
        self.runs.iter().for_each(|run| taken[run.source()] += run.bytes());
        taken
    }
}

impl LineRun {
    fn is_followed_by(&self, source: usize, src: usize, dst: usize) -> bool {
        let end = (self.source(), self.offset() + self.bytes(), self.place() + self.bytes());
        end == (source, src, dst)
    }
}

/// Converts a number that is below 2^16 by the limits of a line.
fn narrow(n: usize) -> u16 {
    u16::try_from(n).expect("no more than a line may have")
}
