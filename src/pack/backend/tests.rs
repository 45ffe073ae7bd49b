//! Compares the kernels with naive loops over elements.

use super::*;
use crate::layout::intersect::{Family, Runs};
use crate::pack::{OwnedArray, in_place};

/// Returns random families within `0..extent`.
fn families(rng: &mut fastrand::Rng, extent: u64) -> Vec<Family<1>> {
    let mut out = Vec::new();
    let mut at = rng.u64(0..4);
    loop {
        let len = rng.u64(1..9);
        let count = rng.u64(1..6);
        let stride = len + rng.u64(0..5);
        let family = Family::new([at], [if count > 1 { stride } else { 0 }], len, count).unwrap();
        if family.end(0) > extent {
            return out;
        }
        at = family.end(0) + rng.u64(0..4);
        out.push(family);
    }
}

fn indices(families: &[Family<1>]) -> Vec<u64> {
    families.iter().flat_map(|family| family.indices()).map(|[i]| i).collect()
}

/// Returns the indices of `families`, sometimes as a list.
fn slice(rng: &mut fastrand::Rng, families: &[Family<1>]) -> Slice<1> {
    let equal = rng.bool();
    if rng.bool() { Runs::listed(families, false, equal).whole() } else { families.to_vec().into() }
}

fn naive_pack(array: &[u8], shape: &Shape, ld: u64, rows: &[u64], cols: &[u64]) -> Vec<u8> {
    let element = |(c, r): (u64, u64)| {
        let at = (c * ld + r) as usize * shape.element();
        array[at..at + shape.element()].to_vec()
    };
    cols.iter().flat_map(|&c| rows.iter().map(move |&r| (c, r))).flat_map(element).collect()
}

#[test]
fn pack_and_unpack_do_what_the_naive_twins_do() {
    let mut rng = fastrand::Rng::with_seed(1);
    for case in 0..2000 {
        let (rows, cols) = (rng.u64(1..70), rng.u64(1..12));
        let (ld, element) = (rows + rng.u64(0..5), [1, 2, 4, 8, 16][case % 5]);
        let shape = Shape::matrix(element, rows, cols, ld);
        // The array begins at any byte: arrays need not be aligned to their element size.
        let skew = rng.usize(0..4);
        let size = (ld * cols) as usize * element;
        let array: Vec<u8> = (0..size + skew).map(|_| rng.u8(..)).collect();
        let (row_runs, col_runs) = (families(&mut rng, rows), families(&mut rng, cols));
        let (r, c) = (indices(&row_runs), indices(&col_runs));

        let source = Source::of_slice(&array, skew as u64, &shape).unwrap();
        let mut packed = vec![0xAA; r.len() * c.len() * element + 3];
        let dims = [slice(&mut rng, &row_runs), slice(&mut rng, &col_runs)];
        let bytes = source.pack(&dims, &mut packed, BufferReader::NearCore);
        assert_eq!(packed[..bytes], naive_pack(&array[skew..], &shape, ld, &r, &c));
        assert_eq!(packed[bytes..], [0xAA; 3], "nothing behind the message is touched");

        let mut back = vec![0x55; size + skew];
        let mut destination = Destination::of_slice(&mut back, skew as u64, &shape).unwrap();
        assert_eq!(destination.unpack(&dims, &packed), bytes);
        let mut want = vec![0x55; size + skew];
        for at in c.iter().flat_map(|c| r.iter().map(move |r| (c * ld + r) as usize * element + skew)) {
            want[at..at + element].copy_from_slice(&array[at..at + element]);
        }
        assert_eq!(back, want);
    }
}

#[test]
fn a_copy_is_a_pack_and_an_unpack() {
    let mut rng = fastrand::Rng::with_seed(2);
    for case in 0..500 {
        let element = [4, 8, 16][case % 3];
        let (rows, cols) = (families(&mut rng, 60), families(&mut rng, 10));
        let moved = |f: &[Family<1>], by: u64| -> Slice<2> {
            let both = |x: [u64; 1], by| [x[0], x[0] + by];
            f.iter()
                .map(|f| {
                    Family::new(both(f.start(), by), both(f.stride(), 0), f.run_len(), f.count()).unwrap()
                })
                .collect::<Vec<_>>()
                .into()
        };
        let from = Shape::matrix(element, 60, 10, 61);
        let to = Shape::matrix(element, 65, 12, 70);
        let array: Vec<u8> = (0..61 * 10 * element).map(|_| rng.u8(..)).collect();
        let (mut direct, mut via) = (vec![7; 70 * 12 * element], vec![7; 70 * 12 * element]);
        let mut buffer = vec![0; 60 * 10 * element];
        let source = Source::of_slice(&array, 0, &from).unwrap();
        let both = [moved(&rows, 5), moved(&cols, 2)];
        copy(&source, &mut Destination::of_slice(&mut direct, 0, &to).unwrap(), &both);
        source.pack(&[slice(&mut rng, &rows), slice(&mut rng, &cols)], &mut buffer, BufferReader::NearCore);
        let shifted = |f: &[Family<1>], by| f.iter().map(|f| f.shifted([by])).collect::<Vec<_>>().into();
        let mut destination = Destination::of_slice(&mut via, 0, &to).unwrap();
        destination.unpack(&[shifted(&rows, 5), shifted(&cols, 2)], &buffer);
        assert!(direct == via);
    }
}

#[test]
fn an_array_copied_onto_itself_stays() {
    let mut array: Vec<u8> = (0..64).collect();
    let shape = Shape::matrix(8, 4, 2, 4);
    let all = |len| vec![Family::one_run([0, 0], len)].into();
    let (source, mut destination) = in_place(&mut array, 0, &shape).unwrap();
    copy(&source, &mut destination, &[all(4), all(2)]);
    assert_eq!(array, (0..64).collect::<Vec<u8>>());
}

#[test]
#[should_panic(expected = "outside a local array")]
fn indices_outside_the_array_are_refused() {
    let array = [0u8; 64];
    let shape = Shape::matrix(8, 4, 2, 4);
    let source = Source::of_slice(&array, 0, &shape).unwrap();
    source.pack(
        &[vec![Family::one_run([2], 3)].into(), vec![Family::one_run([0], 1)].into()],
        &mut [0; 64],
        BufferReader::NearCore,
    );
}

#[test]
fn indices_that_64_bits_do_not_hold_are_refused() {
    let mut array = OwnedArray::new(Shape::dense(8, &[4])).unwrap();
    let most = u64::MAX;
    for (start, stride, count) in [(most - 1, 0, 1), (1, most - 2, 2), (1, 1 << 63, 3)] {
        let rows = Family::unchecked([start], [stride], 3, count);
        let written = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            array.destination().unpack(&[vec![rows].into()], &[0; 72])
        }));
        let why = written.unwrap_err();
        let why = why.downcast_ref::<String>().expect("a text");
        assert!(why.contains("outside a local array"), "{rows:?}: {why}");
    }
}

#[test]
fn another_core_reads_the_same_bytes() {
    let shape = Shape::matrix(8, 4096, 16, 4099);
    let bytes = 4099 * 16 * 8;
    let array: Vec<u8> = (0..bytes).map(|at| (at * 31 % 251) as u8).collect();
    let source = Source::of_slice(&array, 0, &shape).unwrap();
    // Runs that are streamed directly and runs that go through the stage; whole lines and parts of lines.
    for (len, stride, first_col, skew) in
        [(1024, 2048, 0, 0), (29, 36, 3, 1), (1, 2, 0, 8), (100, 101, 15, 40)]
    {
        let rows = vec![Family::new([5], [stride], len, (4096 - 5 - len) / stride + 1).unwrap()];
        let dims = [rows.into(), vec![Family::one_run([first_col], 16 - first_col)].into()];
        let mut near = vec![0; bytes + 64];
        let mut far = vec![0; bytes + 64];
        let packed = source.pack(&dims, &mut near[skew..], BufferReader::NearCore);
        assert_eq!(source.pack(&dims, &mut far[skew..], BufferReader::FarCore), packed);
        assert!(near == far, "runs of {len}, {packed} bytes");
    }
}
