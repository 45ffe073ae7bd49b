//! Compares copies and updates of rows with loops over elements.

use super::numbers::Words;
use super::*;
use crate::layout::intersect::Family;
use crate::layout::strides::ArrayDim;
use crate::pack::{Combine, Destination, Number, Source, Update, bytes_of, copy};

/// Returns two random shapes, and the dimension of their rows. The shapes differ in no other dimension.
fn shapes(rng: &mut fastrand::Rng, element: usize) -> (Shape, Shape, usize) {
    let rank = rng.usize(1..4);
    let dim = rng.usize(0..rank);
    let from: Vec<u64> = (0..rank).map(|_| rng.u64(1..6)).collect();
    let mut to = from.clone();
    to[dim] = rng.u64(0..9);
    (Shape::dense(element, &from), Shape::dense(element, &to), dim)
}

/// Calls `body` for each element of the destination: with its offset, the offset of its counterpart in row 0 of the
/// source, and its row. Offsets are in bytes.
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
fn rows_equal_those_of_the_numbers() {
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
        each(&from, &to, dim, |b, a, row| {
            let a = a + list[row as usize] as usize * from.dims()[dim].stride as usize;
            want[b..b + element].copy_from_slice(&memory[a..a + element]);
        });
        let source = Source::of_slice(&memory, 0, &from).unwrap();
        let mut destination = Destination::of_slice(&mut got, 0, &to).unwrap();
        destination.take_rows(&source, dim, &numbers);
        assert_eq!(got, want, "{list:?} of {from:?} to {to:?}");
    }
}

fn update(rng: &mut fastrand::Rng, number: Number) -> Update {
    let factors = [0; 2].map(|_| number.scalar([1, 0, 1, 3, -2][rng.usize(0..5)]));
    let all = [Combine::Add, Combine::Minimum, Combine::Maximum, Combine::And, Combine::Or];
    let combine = all[rng.usize(0..5)];
    let alpha = if factors[0].is_zero(number) { number.scalar(1) } else { factors[0] };
    Update::new(number, combine, rng.bool(), [alpha, factors[1]])
        .unwrap_or_else(|| Update::new(number, Combine::Add, true, [alpha, factors[1]]).expect("a sum"))
}

#[test]
fn rows_are_sent_in_order() {
    let mut rng = fastrand::Rng::with_seed(6);
    for _ in 0..if cfg!(miri) { 20 } else { 3000 } {
        let number = Number::ALL[rng.usize(0..6)];
        let element = number.bytes();
        // Both arrays have at least one row.
        let (to, _, dim) = shapes(&mut rng, element);
        let own = to.dims()[dim].extent;
        let mut extents: Vec<u64> = to.dims().iter().map(|dim| dim.extent).collect();
        extents[dim] = rng.u64(1..40);
        let from = Shape::dense(element, &extents);
        let values = |rng: &mut fastrand::Rng, shape: &Shape| -> Vec<u8> {
            let one = |rng: &mut fastrand::Rng| number.scalar(rng.i8(-9..9)).bytes()[..element].to_vec();
            (0..shape.bytes() / element).flat_map(|_| one(rng)).collect()
        };
        let sources = [values(&mut rng, &from), values(&mut rng, &from)];
        let (mut numbers, mut parts) = (RowNumbers::below(0, own | u64::from(rng.bool()) << 40), Vec::new());
        let mut want_rows = Vec::new();
        for _ in 0..rng.u64(0..4) {
            let source = rng.usize(0..2);
            let start = rng.u64(0..extents[dim]);
            let len = rng.u64(0..=extents[dim] - start);
            let first = numbers.len();
            let to = if rng.bool() {
                (0..len).for_each(|_| numbers.push(rng.u64(0..own), rng.bool()));
                let row = |k: u64| (first + k as usize, k);
                want_rows.extend(
                    (0..len)
                        .map(row)
                        .map(|(at, k)| (source, start + k, numbers.get(at), numbers.is_marked(at))),
                );
                RowTargets::Numbers(first..numbers.len())
            } else {
                let (at, marked) = (rng.u64(0..own), rng.bool());
                let len = len.min(own - at);
                want_rows.extend((0..len).map(|k| (source, start + k, at + k, marked)));
                RowTargets::Run { start: at, len, marked }
            };
            parts.push(RowPart { source, from: start, to });
        }
        let updates = rng.bool().then(|| {
            let one = update(&mut rng, number);
            if rng.bool() { [one, one.accumulating()] } else { [one.as_copy(), one.without_factors()] }
        });
        let start = values(&mut rng, &to);
        let (mut got, mut want) = (start.clone(), start);
        // The expected result, row by row and element by element.
        let single = Shape::dense(element, &[1]);
        for (source, row, at, marked) in want_rows {
            let strides = [from.dims()[dim].stride, to.dims()[dim].stride].map(|stride| stride as usize);
            each(&from, &to, dim, |b, a, of| {
                if of != at {
                    return;
                }
                let from = &sources[source][a + row as usize * strides[0]..];
                let from = Source::of_slice(from, 0, &single).unwrap();
                let mut to = Destination::of_slice(&mut want[b..], 0, &single).unwrap();
                if let Some(updates) = updates {
                    to = to.updated_by(updates[usize::from(!marked)]);
                }
                copy(&from, &mut to, &[vec![Family::one_run([0; 2], 1)].into()]);
            });
        }
        let sources = sources.each_ref().map(|memory| Source::of_slice(memory, 0, &from).unwrap());
        let mut destination = Destination::of_slice(&mut got, 0, &to).unwrap();
        let sources = sources.each_ref().map(Some);
        destination.send_rows(sources, dim, (&numbers, &parts), updates);
        assert_eq!(got, want, "{parts:?} {updates:?} of {from:?} to {to:?}");
    }
}

#[test]
fn rows_are_updated_in_order() {
    let mut rng = fastrand::Rng::with_seed(4);
    let factor = |n: i64| Number::Int64.scalar(n as i8);
    for _ in 0..if cfg!(miri) { 20 } else { 1000 } {
        let (from, to, dim) = shapes(&mut rng, 8);
        let (theirs, own) = (from.dims()[dim].extent, to.dims()[dim].extent);
        let memory: Vec<i64> = (0..from.bytes() / 8).map(|_| rng.i64(-9..9)).collect();
        let start: Vec<i64> = (0..to.bytes() / 8).map(|_| rng.i64(-9..9)).collect();
        let source = Source::of_slice(&memory, 0, &from).unwrap();
        let update = Update::new(Number::Int64, Combine::Add, false, [factor(3), factor(-2)]).expect("a sum");
        let list: Vec<u64> = (0..own).map(|_| rng.u64(0..theirs)).collect();
        let (mut got, mut want) = (start.clone(), start.clone());
        each(&from, &to, dim, |b, a, row| {
            let a = a + list[row as usize] as usize * from.dims()[dim].stride as usize;
            want[b / 8] = 3 * memory[a / 8] - 2 * want[b / 8];
        });
        let numbers = RowNumbers::new(list.len(), theirs, list.iter().copied());
        let to_array = Destination::of_slice(&mut got, 0, &to).unwrap();
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
            let mut to_array = Destination::of_slice(&mut got, 0, &to).unwrap();
            let wide = u64::from(rng.bool()) << 40;
            let mut rows = RowPairs::below([own | wide, theirs]);
            pairs.iter().for_each(|&pair| rows.push(pair));
            to_array.write_rows(&source, dim, &rows, update);
            assert_eq!(bytes_of(&got), bytes_of(&want), "{pairs:?} of {from:?} to {to:?}");
        }
    }
}

/// A row outside the destination is refused, even if the next row number exceeds 64 bits.
#[test]
#[should_panic(expected = "of [2, 2]")]
fn runs_that_do_not_end_are_refused() {
    send(RowTargets::Run { start: u64::MAX, len: 1, marked: true }, &RowNumbers::below(0, 0));
}

#[test]
#[should_panic(expected = "of [2, 2]")]
fn numbers_that_have_no_next_one_are_refused() {
    let mut numbers = RowNumbers::below(1, u64::MAX);
    numbers.push(u64::MAX, false);
    send(RowTargets::Numbers(0..1), &numbers);
}

fn send(to: RowTargets, numbers: &RowNumbers) {
    let (shape, mut target) = (Shape::dense(8, &[2]), [0u64; 2]);
    let source = Source::of_slice(&[1u64, 2], 0, &shape).unwrap();
    let mut destination = Destination::of_slice(&mut target, 0, &shape).unwrap();
    destination.send_rows([Some(&source), None], 0, (numbers, &[RowPart { source: 0, from: 0, to }]), None);
}
