//! Compares the kernel with its naive twin, byte by byte, for all copy methods and widths, at unaligned addresses.

use super::*;
use crate::layout::strides::Shape;
use crate::pack::{Destination, LineInput, Source};

/// Bytes around each array that must stay untouched.
const GUARD: usize = 80;

/// Returns a random line whose sources are read in order, and its runs as (source, src, dst, len). If `whole`, the runs
/// leave no gap in the destination.
fn line(rng: &mut fastrand::Rng, sources: usize, whole: bool) -> (GatherLine, Vec<[usize; 4]>) {
    let mut line = GatherLine::of(sources);
    let mut runs = Vec::new();
    let (mut dst, mut next) = (rng.usize(0..100), vec![0; sources]);
    let (least, most) =
        [(1, 4), (8, 9), (4, 5), (16, 17), (1, 100), (200, 3000), (1, 20_000)][rng.usize(0..7)];
    let count = rng.usize(1..[400, 30][usize::from(most > 200)]);
    for _ in 0..count {
        let (source, len) = (rng.usize(0..sources), rng.usize(least..most));
        let src = next[source] + if rng.bool() { 0 } else { rng.usize(0..50) };
        line.push(source, src, dst, len);
        runs.push([source, src, dst, len]);
        next[source] = src + len;
        dst += len + if whole { 0 } else { rng.usize(0..3) };
    }
    (line.finish(), runs)
}

fn check(rng: &mut fastrand::Rng, whole: bool) {
    let (sources, columns) = (rng.usize(1..6), rng.usize(1..6));
    let (line, runs) = line(rng, sources, whole);
    let step =
        line.end() + [0, 0, rng.usize(0..100)][rng.usize(0..3)] - if rng.bool() { line.start() } else { 0 };
    let steps: Vec<usize> = line.reaches().iter().map(|reach| reach + rng.usize(0..40)).collect();
    let memory: Vec<Vec<u8>> =
        steps.iter().map(|step| (0..step * columns + GUARD).map(|_| rng.u8(..)).collect()).collect();
    let offsets: Vec<usize> = (0..sources).map(|_| rng.usize(0..GUARD)).collect();
    let (at, room) = (GUARD + rng.usize(0..64), line.end() + step * columns);
    let before: Vec<u8> = (0..at + room + GUARD).map(|_| rng.u8(..)).collect();
    let mut want = before.clone();
    for c in 0..columns {
        for &[source, src, dst, len] in &runs {
            let from = offsets[source] + c * steps[source] + src;
            let to = at + c * step + dst;
            want[to..to + len].copy_from_slice(&memory[source][from..from + len]);
        }
    }
    for (&width, method) in Width::ALL
        .iter()
        .filter(|width| width.available())
        .flat_map(|width| {
            [CopyMethod::InPlace, CopyMethod::Direct, CopyMethod::Staged].map(|method| (width, method))
        })
        .filter(|(_, method)| line.is_whole() || *method == CopyMethod::InPlace)
    {
        let mut got = before.clone();
        let from = memory.iter().zip(&offsets).zip(&steps).map(|((m, at), step)| (m[*at..].as_ptr(), *step));
        let to = got[at..].as_mut_ptr();
        let mut all = GatherColumns { line: &line, to, step, count: columns, from: from.collect() };
        // SAFETY: sources and destination have all bytes of the columns.
        Writer::with(|writer| unsafe { dispatch(&mut all, method, width, writer) });
        assert!(got == want, "{method:?} {width:?}, {columns} columns, {step} apart, {runs:?}");
    }
}

#[test]
fn columns_equal_their_naive_twin() {
    let mut rng = fastrand::Rng::with_seed(11);
    for k in 0..600 {
        check(&mut rng, k % 4 > 0);
    }
}

#[test]
fn arrays_and_buffers_are_sources() {
    let shape = Shape::matrix(8, 3, 2, 4);
    let from = [1u64, 2, 3, 4, 5, 6, 7];
    let source = Source::of_slice(&from, 0, &shape).unwrap();
    let packed = [10u8; 32];
    let mut line = GatherLine::of(2);
    line.push(0, 8, 0, 16);
    line.push(1, 0, 16, 16);
    let line = line.finish();
    assert_eq!((line.bytes(), line.reaches()), (32, &[24, 16][..]));
    let mut out = [0u64; 8];
    let mut to = Destination::of_slice(&mut out, 0, &Shape::matrix(8, 4, 2, 4)).unwrap();
    to.gather(&line, (0, 32, 2), &[LineInput::Array(&source, 0, 32), LineInput::Packed(&packed, 16)], false);
    let tens = u64::from_ne_bytes([10; 8]);
    assert_eq!(out, [2, 3, tens, tens, 6, 7, tens, tens]);
}

#[test]
#[should_panic = "outside its source"]
fn a_source_that_is_too_short_is_refused() {
    let mut line = GatherLine::of(1);
    line.push(0, 0, 0, 16);
    let line = line.finish();
    let mut out = [0u64; 4];
    let mut to = Destination::of_slice(&mut out, 0, &Shape::dense(8, &[4])).unwrap();
    to.gather(&line, (0, 16, 2), &[LineInput::Packed(&[0; 31], 16)], true);
}

#[test]
#[should_panic = "bytes that memory holds"]
fn a_run_that_no_memory_holds_is_refused() {
    GatherLine::of(1).push(0, usize::MAX - 3, 0, 8);
}

#[test]
fn parts_of_a_line_add_up_to_the_line() {
    let mut rng = fastrand::Rng::with_seed(3);
    let mut long = 0;
    for _ in 0..200 {
        let (mut line, sources) = (GatherLine::of(3), 3);
        let (mut dst, mut next) = (5, vec![0; sources]);
        // Sometimes a line of several chunks.
        let (longest, most_left) = if rng.u8(0..8) == 0 { (3000, 9000) } else { (40, 60) };
        for _ in 0..rng.usize(1..30) {
            let (source, len) = (rng.usize(0..sources), rng.usize(1..longest));
            line.push(source, next[source], dst, len);
            (next[source], dst) = (next[source] + len, dst + len);
        }
        let line = line.finish();
        long += usize::from(line.chunks().len() > 1);
        let whole: Vec<(usize, usize, usize)> = bytes(&line, &[0; 3]);
        let (mut done, mut taken, mut got) = (0, vec![0; sources], Vec::new());
        while done < line.bytes() {
            let left: Vec<usize> =
                (0..sources).map(|k| (next[k] - taken[k]).min(rng.usize(0..most_left))).collect();
            let in_order: Vec<_> = left.iter().map(|&left| (left, true)).collect();
            let part = line.part(done, &in_order);
            done += part.bytes();
            got.extend(bytes(&part, &taken));
            assert!(part.reaches().iter().zip(&left).all(|(reach, left)| reach <= left));
            taken.iter_mut().zip(part.reaches()).for_each(|(taken, reach)| *taken += reach);
        }
        assert_eq!(got, whole);
    }
    assert!(long > 5, "only {long} lines have several chunks");
}

/// Returns (source, src, dst) of each byte. The line begins after the first `before` bytes of each source.
fn bytes(line: &GatherLine, before: &[usize]) -> Vec<(usize, usize, usize)> {
    let each = |run: &LineRun| {
        let (source, src, dst) = (run.source(), run.offset(), run.place());
        let first = before[source] + src;
        (0..run.bytes()).map(move |k| (source, first + k, dst + k))
    };
    line.runs().iter().flat_map(each).collect()
}
