//! Encoding of a list of local indices for their owner: as runs, one by one, or as bits, whichever takes the fewest
//! words. Keys in [`Marks`] are never sent one by one. If elements are listed, the radices that split a number into
//! local indices come first.

use super::dims::{ListedDims, storage};
use super::marks::{self, Marks};
use super::ranked::{Keys, KeysOfPart};
use crate::collective::failure::{Code, Failure};
use crate::layout::intersect::Runs;
use crate::layout::mapping::LocalArray;

/// Form of an encoding: indices one by one.
const SINGLES: u64 = 0;
/// Form: runs of indices, each as first index and length.
const RUNS: u64 = 1;
/// Form: the first index, a multiple of 64, then a bit for each index from there on.
const BITS: u64 = 2;

/// Encodes the keys of part `of`; parts have `span` keys each.
pub(super) fn encode(radices: &[u64], keys: &Keys, of: &KeysOfPart, span: u64) -> Vec<u64> {
    let base = of.number * span;
    match keys {
        Keys::Listed(keys) => encode_list(radices, &keys[of.range.clone()], base),
        Keys::Marked(marks, _) => {
            let (bits, first) = marks.words(base, base + span);
            encode_marks(radices, bits, first - base)
        }
    }
}

fn encode_list(radices: &[u64], keys: &[u64], base: u64) -> Vec<u64> {
    let (Some(first), Some(last)) = (keys.first(), keys.last()) else {
        return [radices, &[SINGLES]].concat();
    };
    let count = 1 + keys.windows(2).filter(|pair| pair[0] + 1 != pair[1]).count();
    let dense = (last - first) / 64 + 3 < keys.len() as u64;
    if dense && (last - first) / 64 + 3 < 2 * count as u64 {
        let mut marks = Marks::new(first - base, last - base);
        keys.iter().for_each(|key| marks.put(key - base));
        let (bits, first) = marks.words(0, last - base + 64);
        return encode_marks(radices, bits, first);
    }
    let mut words = Vec::with_capacity(radices.len() + 1 + keys.len().min(2 * count));
    words.extend(radices);
    if 2 * count < keys.len() {
        words.push(RUNS);
        let runs = keys.chunk_by(|a, b| a + 1 == *b);
        runs.for_each(|run| words.extend([run[0] - base, run.len() as u64]));
    } else {
        words.push(SINGLES);
        words.extend(keys.iter().map(|key| key - base));
    }
    words
}

fn encode_marks(radices: &[u64], bits: &[u64], first: u64) -> Vec<u64> {
    let runs = marks::runs(bits);
    if 2 * runs <= bits.len() as u64 {
        let mut words = [radices, &[RUNS]].concat();
        marks::each_run(bits, |start, len| words.extend([first + start, len]));
        return words;
    }
    [radices, &[BITS, first], bits].concat()
}

/// Received local indices, in the order of their elements in messages.
pub(super) enum ReceivedIndices {
    Ascending(Runs<1>),
    /// Runs in any order: the strides of the local array do not ascend in the order of its axes.
    Anywhere(Vec<([u64; 1], u64)>),
}

impl ReceivedIndices {
    pub fn total(&self) -> u64 {
        match self {
            Self::Ascending(runs) => runs.total(),
            Self::Anywhere(runs) => runs.iter().map(|(_, len)| len).sum(),
        }
    }

    pub fn runs(&self) -> u64 {
        match self {
            Self::Ascending(runs) => runs.runs(),
            Self::Anywhere(runs) => runs.len() as u64,
        }
    }

    pub fn each_run(&self, mut body: impl FnMut(u64, u64)) {
        match self {
            Self::Ascending(runs) => runs.each_run(body),
            Self::Anywhere(runs) => runs.iter().for_each(|&([start], len)| body(start, len)),
        }
    }

    pub fn ascending(&self) -> Option<&Runs<1>> {
        match self {
            Self::Ascending(runs) => Some(runs),
            Self::Anywhere(_) => None,
        }
    }
}

/// Decodes a list to local indices of the listed axis or, if elements are listed, to places in the storage of the
/// calling process.
pub(super) fn decode(
    words: &[u64],
    dims: &ListedDims,
    local: &LocalArray,
    order: &[usize],
) -> Result<ReceivedIndices, Failure> {
    let radices = if dims.axis().is_some() { 0 } else { local.axes.len() };
    let (radices, rest) = words.split_at_checked(radices).ok_or_else(invalid_message)?;
    let Some((&form, rest)) = rest.split_first() else { return Err(invalid_message()) };
    let most = match dims.axis() {
        Some(axis) => local.axes[axis].len,
        None => storage(local).map_or(0, |(before, behind)| before + behind),
    };
    if let (Some(_), Some(singles)) = (dims.axis(), singles(form, rest, most)) {
        return Runs::of_singles(singles).map(ReceivedIndices::Ascending).ok_or_else(invalid_message);
    }
    let mut runs = MergedRuns(Vec::new());
    let mut each = |start: u64, len: u64| match dims.axis() {
        Some(_) => runs.push(start, len),
        None => elements(local, order, radices, (start, len), &mut runs),
    };
    match (form, rest.split_first()) {
        (SINGLES, _) => rest.iter().for_each(|&start| each(start, 1)),
        (BITS, Some((first, bits))) => marks::each_run(bits, |start, len| each(first + start, len)),
        _ => rest.chunks_exact(2).for_each(|run| each(run[0], run[1])),
    }
    let MergedRuns(runs) = runs;
    if runs.iter().any(|&([start], len)| start.saturating_add(len) > most) {
        return Err(invalid_message());
    }
    match runs.windows(2).all(|pair| pair[0].0[0] + pair[0].1 <= pair[1].0[0]) {
        true => Ok(ReceivedIndices::Ascending(Runs::of_listed(&runs))),
        false => Ok(ReceivedIndices::Anywhere(runs)),
    }
}

/// Returns the indices one by one, if they are below 2^32 and take no more bytes than a list of runs.
fn singles(form: u64, rest: &[u64], most: u64) -> Option<Vec<u32>> {
    let low = |at: u64| u32::try_from(at).unwrap_or(u32::MAX);
    let within = |last: u64| last < most && last < u64::from(u32::MAX);
    match (form, rest.split_first()) {
        (SINGLES, Some(_)) if within(*rest.last()?) => Some(rest.iter().map(|&at| low(at)).collect()),
        (BITS, Some((&first, bits))) => {
            let (total, last) = (marks::total(bits), u64::from(bits.last()?.checked_ilog2()?));
            let last = first + 64 * (bits.len() as u64 - 1) + last;
            if total > 4 * marks::runs(bits) || !within(last) {
                return None;
            }
            let mut singles = Vec::with_capacity(usize::try_from(total).ok()?);
            marks::each(bits, |at| singles.push(low(first + at)));
            Some(singles)
        }
        _ => None,
    }
}

fn invalid_message() -> Failure {
    Failure::new(Code::Internal, "internal error: a list has indices of another process")
}

/// Runs; adjacent ones are merged.
struct MergedRuns(Vec<([u64; 1], u64)>);

impl MergedRuns {
    fn push(&mut self, start: u64, len: u64) {
        match self.0.last_mut() {
            Some(last) if last.0[0] + last.1 == start => last.1 += len,
            _ => self.0.push(([start], len)),
        }
    }
}

/// Appends the places of `len` elements from number `start` on.
fn elements(
    local: &LocalArray,
    order: &[usize],
    radices: &[u64],
    (start, len): (u64, u64),
    out: &mut MergedRuns,
) {
    let (before, _) = storage(local).unwrap_or_default();
    let (mut at, end) = (start, start + len);
    while at < end {
        let (mut rest, mut place, mut row) = (at, before, (1, 1));
        for (n, (&k, &radix)) in order.iter().zip(radices).enumerate() {
            let (axis, own) = (&local.axes[k], rest % radix);
            rest /= radix;
            let steps = i64::try_from(own + axis.shadow.0).unwrap_or(i64::MAX);
            place = place.wrapping_add_signed(steps.wrapping_mul(axis.stride));
            if n == 0 {
                row = (radix - own, axis.stride);
            }
        }
        // Elements of a row are neighbours in memory if the first axis is contiguous.
        let count = if row.1 == 1 { row.0.min(end - at) } else { 1 };
        out.push(place, count);
        at += count;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arrays::irregular::ranked::Ranked;
    use crate::layout::mapping::LocalAxis;

    /// Encodes `keys`, all of the part from `base` on, from each representation that they can have.
    fn encoded(radices: &[u64], keys: &[u64], base: u64) -> Vec<Vec<u64>> {
        let again: Vec<u64> = keys.iter().chain(keys.last()).copied().collect();
        let ways = [keys.to_vec(), again].map(|keys| Ranked::new(keys, base).keys);
        let encoded = |keys: &Keys| {
            let parts = keys.parts(base);
            parts
                .iter()
                .map(|part| encode(radices, keys, part, base))
                .next()
                .unwrap_or_else(|| encode_list(radices, &[], 0))
        };
        ways.iter().map(encoded).collect()
    }

    fn indices(encoded: &ReceivedIndices) -> Vec<u64> {
        let mut all = Vec::new();
        encoded.each_run(|start, len| all.extend(start..start + len));
        all
    }

    #[test]
    fn encoded_lists_are_decoded_unchanged() {
        let mut rng = fastrand::Rng::with_seed(21);
        let axis = |len, stride| LocalAxis { len, shadow: (0, 0), stride, lower: 0 };
        let local = LocalArray { axes: vec![axis(1000, 1)], boxes: None };
        let dims = ListedDims::new(&[0], None, 8);
        for _ in 0..500 {
            let (of, len) = (rng.u64(0..40), rng.u64(0..1000));
            // Sparse, dense, or in runs.
            let (chance, run) = (rng.u64(1..40), rng.u64(1..20));
            let mut keys: Vec<u64> = (0..len).filter(|at| (at / run * 7919 + of) % 40 < chance).collect();
            keys.iter_mut().for_each(|key| *key += 1024);
            for encoded in encoded(&[], &keys, 1024) {
                assert!(encoded.len() <= keys.len() + 2, "{encoded:?} of {keys:?}");
                let read = decode(&encoded, &dims, &local, &[0]).unwrap();
                assert_eq!(indices(&read), keys.iter().map(|key| key - 1024).collect::<Vec<_>>());
            }
        }
        for bad in [&[SINGLES, 1000][..], &[BITS, 960, 1 << 40], &[RUNS, 990, 11], &[]] {
            assert!(decode(bad, &dims, &local, &[0]).is_err(), "beyond the end");
        }
    }

    #[test]
    fn elements_are_where_strides_say() {
        let mut rng = fastrand::Rng::with_seed(22);
        for _ in 0..500 {
            let shadow = (rng.u64(0..3), rng.u64(0..3));
            let (len, width) = (rng.u64(1..6), rng.u64(1..6));
            let stride = (len + shadow.0 + shadow.1 + rng.u64(0..3)) as i64;
            let axes = vec![
                LocalAxis { len, shadow, stride: 1, lower: 0 },
                LocalAxis { len: width, shadow: (1, 0), stride, lower: 0 },
            ];
            let local = LocalArray { axes, boxes: None };
            let dims = ListedDims::new(&[0, 1], None, 8);
            let keys: Vec<u64> = (64..64 + len * width).filter(|_| rng.u8(0..3) > 0).collect();
            for encoded in encoded(&[len, width], &keys, 64) {
                let read = decode(&encoded, &dims, &local, &[0, 1]).unwrap();
                let place = |key: &u64| {
                    let key = key - 64;
                    key % len + shadow.0 + (key / len + 1) * stride as u64
                };
                assert_eq!(indices(&read), keys.iter().map(place).collect::<Vec<_>>());
            }
        }
        // In row-major order, rows do not ascend.
        let axis = |stride| LocalAxis { len: 3, shadow: (0, 0), stride, lower: 0 };
        let local = LocalArray { axes: vec![axis(3), axis(1)], boxes: None };
        let dims = ListedDims::new(&[0, 1], None, 8);
        let encoded = decode(&encode_list(&[3, 3], &[0, 1, 2, 3], 0), &dims, &local, &[0, 1]).unwrap();
        assert!(encoded.ascending().is_none());
        assert_eq!((indices(&encoded), encoded.total()), (vec![0, 3, 6, 1], 4));
    }
}
