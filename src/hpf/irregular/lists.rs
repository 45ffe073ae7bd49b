//! HOW is a list of local indices told to their owner? As runs where that takes fewer numbers, else one by one. Where elements are
//! listed, the radices come first by which a number is taken apart into a local index along each axis.

use super::dims::{ListedDims, storage};
use crate::hpf::failure::{Code, Failure};
use crate::mapping::Local;

/// Indices one by one, and runs of them (the first index, how many).
const SINGLES: u64 = 0;
const RUNS: u64 = 1;

/// What is told of `keys`, which ascend and are those of one part, the first of which is `base`.
pub(super) fn written(radices: &[u64], keys: &[u64], base: u64) -> Vec<u64> {
    let count = keys.len().min(1) + keys.windows(2).filter(|pair| pair[0] + 1 != pair[1]).count();
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

/// Runs of local indices, as they were told: (the first index, how many), in the order in which elements travel. They are those of
/// the axis that is listed; where elements are listed, places in the storage of the process whose local array this is.
pub(super) fn read(
    words: &[u64],
    dims: &ListedDims,
    local: &Local,
    order: &[usize],
) -> Result<Vec<([u64; 1], u64)>, Failure> {
    let radices = if dims.axis().is_some() { 0 } else { local.axes.len() };
    let (radices, rest) = words.split_at(radices);
    let Some((&form, rest)) = rest.split_first() else { return Err(garbled()) };
    let mut runs = Runs(Vec::new());
    let mut each = |start: u64, len: u64| match dims.axis() {
        Some(_) => runs.push(start, len),
        None => elements(local, order, radices, (start, len), &mut runs),
    };
    match form {
        SINGLES => rest.iter().for_each(|&start| each(start, 1)),
        _ => rest.chunks_exact(2).for_each(|run| each(run[0], run[1])),
    }
    let Runs(runs) = runs;
    let ascend = runs.windows(2).all(|pair| pair[0].0[0] + pair[0].1 <= pair[1].0[0]);
    let most = match dims.axis() {
        Some(axis) => local.axes[axis].len,
        None => storage(local).map_or(0, |(before, behind)| before + behind),
    };
    if !ascend {
        return Err(Failure::argument(
            "elements are named by all their indices, but the strides of this process's local array do not ascend in the order of its axes",
        ));
    }
    match runs.last() {
        Some(&([start], len)) if start + len > most => Err(garbled()),
        _ => Ok(runs),
    }
}

fn garbled() -> Failure {
    Failure::new(Code::Internal, "a list of indices that are not this process's")
}

/// Runs, of which those that touch are one.
struct Runs(Vec<([u64; 1], u64)>);

impl Runs {
    fn push(&mut self, start: u64, len: u64) {
        match self.0.last_mut() {
            Some(last) if last.0[0] + last.1 == start => last.1 += len,
            _ => self.0.push(([start], len)),
        }
    }
}

/// Appends the places of the elements numbered from `start` on, `len` of them.
fn elements(local: &Local, order: &[usize], radices: &[u64], (start, len): (u64, u64), out: &mut Runs) {
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
        // Elements of one row are neighbours in memory where the first axis is contiguous.
        let count = if row.1 == 1 { row.0.min(end - at) } else { 1 };
        out.push(place, count);
        at += count;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mapping::LocalAxis;

    #[test]
    fn what_is_told_is_what_is_read() {
        let mut rng = fastrand::Rng::with_seed(21);
        let axis = |len, stride| LocalAxis { len, shadow: (0, 0), stride, lower: 0 };
        let local = Local { axes: vec![axis(40, 1)], boxes: None };
        let dims = ListedDims::new(&[0], None, 8);
        for _ in 0..500 {
            let dense = rng.bool();
            let keys: Vec<u64> = (100..140).filter(|_| rng.u8(0..9) < if dense { 8 } else { 3 }).collect();
            let told = written(&[], &keys, 100);
            assert!(told.len() <= keys.len() + 1);
            let read = read(&told, &dims, &local, &[0]).unwrap();
            let again: Vec<u64> = read.iter().flat_map(|&([start], len)| start..start + len).collect();
            assert_eq!(again, keys.iter().map(|key| key - 100).collect::<Vec<_>>());
        }
        assert!(read(&[SINGLES, 40], &dims, &local, &[0]).is_err(), "beyond the end");
        assert!(read(&[], &dims, &local, &[0]).is_err());
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
            let local = Local { axes, boxes: None };
            let dims = ListedDims::new(&[0, 1], None, 8);
            let keys: Vec<u64> = (0..len * width).filter(|_| rng.u8(0..3) > 0).collect();
            let read = read(&written(&[len, width], &keys, 0), &dims, &local, &[0, 1]).unwrap();
            let got: Vec<u64> = read.iter().flat_map(|&([start], len)| start..start + len).collect();
            let place = |key: &u64| key % len + shadow.0 + (key / len + 1) * stride as u64;
            assert_eq!(got, keys.iter().map(place).collect::<Vec<_>>());
        }
        // The other way round rows do not ascend.
        let axis = |stride| LocalAxis { len: 3, shadow: (0, 0), stride, lower: 0 };
        let local = Local { axes: vec![axis(3), axis(1)], boxes: None };
        let dims = ListedDims::new(&[0, 1], None, 8);
        let told = written(&[3, 3], &[0, 1, 2, 3], 0);
        assert!(read(&told, &dims, &local, &[0, 1]).unwrap_err().text.contains("do not ascend"));
    }
}
