//! Times transposed copies and updates of a large matrix of doubles, each beside a competitor: the same copy without
//! transposition, memcpy, or a loop written by hand. Checks results before timing.

use super::median;
use reblock::pack::{BufferReader, Combine, Destination, Number, Scalar, Shape, Source, Update, copy};
use reblock_plan::layout::intersect::{Family, Slice};
use reblock_plan::plan::{Piece, Pieces};
use std::hint::black_box;
use std::ops::Range;
use std::time::Instant;

/// Number of turns of each candidate.
const TIMES: usize = 15;
/// Bytes of a message buffer, as within a node.
const SLOT: usize = 120 << 10;
/// Side of a block that is transposed by hand.
const BLOCK: usize = 32;
const FACTORS: [f64; 2] = [1.25, -0.5];

/// A square source and a square target.
struct Pair {
    n: usize,
    a: Vec<f64>,
    b: Vec<f64>,
}

/// A name and the function to time.
type Loop = (&'static str, fn(&mut Pair));

const COPIES: [Loop; 6] = [
    ("copy, transposed", |pair| pair.copy(true)),
    ("copy", |pair| pair.copy(false)),
    ("memcpy", |pair| pair.b.copy_from_slice(&pair.a)),
    ("blocks by hand, transposed", by_hand),
    ("slots, transposed", |pair| pair.slots(true)),
    ("slots, columns transposed", |pair| pair.slots(false)),
];

const UPDATES: [Loop; 4] = [
    ("update", |pair| pair.update(false, FACTORS)),
    ("plain loop", |pair| axpby(FACTORS, &pair.a, &mut pair.b)),
    ("update, transposed", |pair| pair.update(true, FACTORS)),
    ("multiple, transposed", |pair| pair.update(true, [FACTORS[0], 0.0])),
];

impl Pair {
    fn new(n: usize) -> Self {
        Self { n, a: (0..n * n).map(|k| k as f64 + 0.5).collect(), b: vec![1.0; n * n] }
    }

    /// Returns both arrays with their axes in the order of B's; A's axes are exchanged if `transposed` is set.
    fn ends(&mut self, transposed: bool) -> (Source<'_>, Destination<'_>) {
        let n = self.n as u64;
        let shape = Shape::dense(8, &[n, n]);
        let [inner, outer] = [0, 1].map(|d| shape.dims()[d]);
        let from = if transposed { [outer, inner] } else { [inner, outer] };
        let source = Source::of_slice(&self.a, 0, &Shape::new(8, &from)).expect("a whole matrix");
        let to = Destination::of_slice(&mut self.b, 0, &shape);
        (source, to.expect("a whole matrix"))
    }

    fn copy(&mut self, transposed: bool) {
        let whole = whole(self.n);
        let (from, mut to) = self.ends(transposed);
        copy(&from, &mut to, &whole);
    }

    fn update(&mut self, transposed: bool, factors: [f64; 2]) {
        let whole = whole(self.n);
        let (from, to) = self.ends(transposed);
        let factors = factors.map(|factor| Scalar::of(&factor.to_ne_bytes()));
        let update = Update::new(Number::Double, Combine::Add, false, factors).expect("a sum");
        copy(&from, &mut to.updated_by(update), &whole);
    }

    /// Copies transposed through a message buffer, in pieces that suit both sides (`cut_both_ways`) or in pieces of
    /// whole columns.
    fn slots(&mut self, cut_both_ways: bool) {
        let whole = Piece::of([0..self.n as u64, 0..self.n as u64]);
        let pieces = Pieces::new(&whole, SLOT as u64 / 8, cut_both_ways.then_some(64));
        let (from, mut to) = self.ends(true);
        let mut slot = vec![0; SLOT];
        for k in 0..pieces.count(&whole) {
            let mut piece = whole.clone();
            pieces.cut_out(k, &mut piece);
            let dims: Vec<Slice<1>> = piece.ranges().iter().cloned().map(run).collect();
            from.pack(&dims, &mut slot, BufferReader::NearCore);
            to.unpack(&dims, &slot);
        }
    }
}

fn run<const D: usize>(range: Range<u64>) -> Slice<D> {
    vec![Family::new([range.start; D], [0; D], range.end - range.start, 1).expect("a run")].into()
}

fn whole(n: usize) -> [Slice<2>; 2] {
    [run(0..n as u64), run(0..n as u64)]
}

/// B := A^T as a simple program would compute it.
fn by_hand(Pair { n, a, b }: &mut Pair) {
    let n = *n;
    let blocks = |k: usize| k..(k + BLOCK).min(n);
    for (i, j) in (0..n).step_by(BLOCK).flat_map(|i| (0..n).step_by(BLOCK).map(move |j| (i, j))) {
        for i in blocks(i) {
            for j in blocks(j) {
                b[i * n + j] = a[j * n + i];
            }
        }
    }
}

/// B := alpha A + beta B as a simple program would compute it, with the best instructions that the library may choose.
fn axpby(factors: [f64; 2], a: &[f64], b: &mut [f64]) {
    #[inline(always)]
    fn plain([alpha, beta]: [f64; 2], a: &[f64], b: &mut [f64]) {
        b.iter_mut().zip(a).for_each(|(b, a)| *b = alpha * a + beta * *b);
    }
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        #[target_feature(enable = "avx2")]
        fn avx2(factors: [f64; 2], a: &[f64], b: &mut [f64]) {
            plain(factors, a, b);
        }
        #[allow(unsafe_code)]
        // SAFETY: the processor has these instructions.
        return unsafe { avx2(factors, a, b) };
    }
    plain(factors, a, b);
}

/// Checks each candidate's result.
fn check(n: usize) {
    let [alpha, beta] = FACTORS;
    let one = |(name, act): &Loop, want: &dyn Fn(f64, f64) -> f64| {
        let mut pair = Pair::new(n);
        act(&mut pair);
        let from = |k: usize| if name.contains("transposed") { k % n * n + k / n } else { k };
        assert!((0..n * n).all(|k| pair.b[k] == want(pair.a[from(k)], 1.0)), "{name}");
    };
    COPIES.iter().for_each(|candidate| one(candidate, &|a, _| a));
    UPDATES[..3].iter().for_each(|candidate| one(candidate, &|a, b| alpha * a + beta * b));
    one(&UPDATES[3], &|a, _| alpha * a);
}

/// Times all candidates in turn. Prints medians, and the medians of their ratios to the second and the third candidate.
pub fn rows(filter: &str) {
    if !"transposed and updated".contains(filter) {
        return;
    }
    [100, 1000].into_iter().for_each(check);
    println!("\n{:<40}{:>12}{:>18}{:>18}", "", "ms", "times the second", "times the third");
    for n in [1024, 2048, 4096, 4100] {
        let mut pair = Pair::new(n);
        for candidates in [&COPIES[..], &UPDATES[..]] {
            let mut times = vec![Vec::new(); candidates.len()];
            for _ in 0..TIMES {
                for ((_, act), times) in candidates.iter().zip(&mut times) {
                    let start = Instant::now();
                    act(black_box(&mut pair));
                    times.push(start.elapsed().as_secs_f64());
                }
            }
            for ((name, _), own) in candidates.iter().zip(&times) {
                let ratio = |to: usize| median(own.iter().zip(&times[to]).map(|(a, b)| a / b).collect());
                let ms = median(own.clone()) * 1e3;
                println!("{n:>5}  {name:<33}{ms:>12.2}{:>18.2}{:>18.2}", ratio(1), ratio(2));
            }
        }
    }
}
