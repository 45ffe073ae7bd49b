//! Rows beside a program that copies element by element.

use super::*;
use crate::pack::{ArrayDim, Combine, Number, bytes_of};

/// The arrays of a case: extents, and which dimension has rows.
fn shapes(rng: &mut fastrand::Rng, element: usize) -> (Shape, Shape, usize) {
    let rank = rng.usize(1..4);
    let dim = rng.usize(0..rank);
    let from: Vec<u64> = (0..rank).map(|_| rng.u64(1..6)).collect();
    let mut to = from.clone();
    to[dim] = rng.u64(0..9);
    (Shape::dense(element, &from), Shape::dense(element, &to), dim)
}

/// Calls `body` with (destination element, source element) of each element of the destination.
fn each(from: &Shape, to: &Shape, dim: usize, mut body: impl FnMut(usize, usize, u64)) {
    let extents: Vec<u64> = to.dims().iter().map(|dim| dim.extent).collect();
    for n in 0..extents.iter().product::<u64>() {
        let (mut rest, mut a, mut b, mut row) = (n, 0, 0, 0);
        for (d, &extent) in extents.iter().enumerate() {
            let at = rest % extent;
            rest /= extent;
            row = if d == dim { at } else { row };
            b += at * to.dims()[d].stride as u64;
            a += if d == dim { 0 } else { at * from.dims()[d].stride as u64 };
        }
        body(b as usize, a as usize, row);
    }
}

#[test]
#[allow(clippy::undocumented_unsafe_blocks)]
fn rows_are_those_that_the_numbers_name() {
    let mut rng = fastrand::Rng::with_seed(3);
    for _ in 0..if cfg!(miri) { 20 } else { 2000 } {
        let element = [1, 2, 4, 8, 16][rng.usize(0..5)];
        let (from, to, dim) = shapes(&mut rng, element);
        let (theirs, own) = (from.dims()[dim].extent, to.dims()[dim].extent);
        let list: Vec<u64> = (0..own).map(|_| rng.u64(0..theirs)).collect();
        let mut numbers = RowNumbers::new(list.len(), theirs, list.iter().copied());
        if rng.bool() {
            numbers.words = Words::Wide(list.clone());
        }
        let memory: Vec<u8> = (0..from.bytes()).map(|_| rng.u8(..)).collect();
        let mut got = vec![7u8; to.bytes()];
        let mut want = got.clone();
        let stride = from.dims()[dim].stride as usize;
        each(&from, &to, dim, |b, a, row| {
            let a = a + list[row as usize] as usize * stride;
            want[b..b + element].copy_from_slice(&memory[a..a + element]);
        });
        let source = unsafe { Source::new(memory.as_ptr(), from.clone()) };
        let mut destination = unsafe { Destination::new(got.as_mut_ptr(), to.clone()) };
        destination.take_rows(&source, dim, &numbers);
        assert_eq!(got, want, "{list:?} of {from:?} to {to:?}");
    }
}

#[test]
#[allow(clippy::undocumented_unsafe_blocks)]
fn rows_are_updated_in_order() {
    let mut rng = fastrand::Rng::with_seed(4);
    let factor = |n: i64| Number::Int64.scalar(n as i8);
    for _ in 0..if cfg!(miri) { 20 } else { 1000 } {
        let (from, to, dim) = shapes(&mut rng, 8);
        let (theirs, own) = (from.dims()[dim].extent, to.dims()[dim].extent);
        let memory: Vec<i64> = (0..from.bytes() / 8).map(|_| rng.i64(-9..9)).collect();
        let start: Vec<i64> = (0..to.bytes() / 8).map(|_| rng.i64(-9..9)).collect();
        let source = unsafe { Source::new(memory.as_ptr().cast(), from.clone()) };
        let update = Update::new(Number::Int64, Combine::Add, false, [factor(3), factor(-2)]).expect("a sum");
        let list: Vec<u64> = (0..own).map(|_| rng.u64(0..theirs)).collect();
        let (mut got, mut want) = (start.clone(), start.clone());
        each(&from, &to, dim, |b, a, row| {
            let a = a + list[row as usize] as usize * from.dims()[dim].stride as usize;
            want[b / 8] = 3 * memory[a / 8] - 2 * want[b / 8];
        });
        let numbers = RowNumbers::new(list.len(), theirs, list.iter().copied());
        let to_array = unsafe { Destination::new(got.as_mut_ptr().cast(), to.clone()) };
        to_array.updated_by(update).take_rows(&source, dim, &numbers);
        assert_eq!(got, want, "{list:?} of {from:?} to {to:?}");

        // Rows in any order, some several times, also in an array with gaps.
        let rows: Vec<u64> =
            if own == 0 { Vec::new() } else { (0..own + 3).map(|_| rng.u64(0..own)).collect() };
        let pairs: Vec<[u64; 2]> = rows.iter().map(|&row| [row, rng.u64(0..theirs)]).collect();
        let gap = rng.i64(0..3);
        let mut stride = 8;
        let dims: Vec<ArrayDim> = to
            .dims()
            .iter()
            .map(|dim| {
                let wide = ArrayDim { stride, ..*dim };
                stride *= dim.extent as i64 + gap;
                wide
            })
            .collect();
        let to = Shape::new(8, &dims);
        let start: Vec<i64> = (0..to.bytes() / 8).map(|_| rng.i64(-9..9)).collect();
        for update in [None, Some(&update)] {
            let (mut got, mut want) = (start.clone(), start.clone());
            for &[row, number] in &pairs {
                each(&from, &to, dim, |b, a, at| {
                    let a = a + number as usize * from.dims()[dim].stride as usize;
                    if at == row {
                        let factor = update.map_or((1, 0), |_| (3, -2));
                        want[b / 8] = factor.0 * memory[a / 8] + factor.1 * want[b / 8];
                    }
                });
            }
            let mut to_array = unsafe { Destination::new(got.as_mut_ptr().cast(), to.clone()) };
            let wide = u64::from(rng.bool()) << 40;
            let mut rows = RowPairs::below([own | wide, theirs]);
            pairs.iter().for_each(|&pair| rows.push(pair));
            to_array.write_rows(&source, dim, &rows, update);
            assert_eq!(bytes_of(&got), bytes_of(&want), "{pairs:?} of {from:?} to {to:?}");
        }
    }
}
