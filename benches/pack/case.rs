//! Local arrays and messages of a redistribution of rows, with runs of one length, filled and checked element by
//! element.

use reblock::pack::{self, BufferReader, OwnedArray, Shape};
use reblock_plan::layout::distribution::{Axis, Cyclic};
use reblock_plan::layout::intersect::{Family, Overlap, Runs, Slice};
use reblock_plan::layout::problem::Part;
use reblock_plan::plan::{Piece, Pieces, Product, Share, Strips};

/// Bytes of a slot.
pub const SLOT: usize = 128 << 10;

/// A move of rows from blocks of `from.0` on `from.1` processes to blocks of `to.0` on `to.1` processes. Every process
/// has all columns.
#[derive(Clone, Copy)]
pub struct Case {
    pub name: &'static str,
    pub element: usize,
    pub from: (u64, u32),
    pub to: (u64, u32),
    /// Local rows of the source, approximately.
    pub rows: u64,
    /// Additional rows of each local array.
    pub gap: u64,
    pub part: Part,
}

/// The arrays of the first two ranks on either side, and the messages between them.
pub struct Job {
    element: usize,
    part: Part,
    sources: Vec<OwnedArray>,
    destinations: Vec<OwnedArray>,
    messages: Vec<Message>,
    slot: Vec<u8>,
    strips: Strips<1>,
    both_strips: Strips<2>,
}

struct Message {
    from: usize,
    to: usize,
    /// Rows and columns in the sender's array, in the receiver's array, and in both.
    here: [Vec<Share<1>>; 2],
    there: [Vec<Share<1>>; 2],
    both: [Vec<Share<2>>; 2],
}

impl Case {
    /// Returns the name of a measurement of this case.
    pub fn title(&self, what: &str) -> String {
        format!("{:<17}{:>3}B {what}", self.name, self.element)
    }

    /// Makes arrays of about `bytes` for at most `ranks` ranks.
    pub fn job(&self, bytes: usize, ranks: u32) -> Job {
        let cyclic = |(block, procs): (u64, u32)| Cyclic::new(block, procs, 0).expect("a valid distribution");
        let (from, to) = (cyclic(self.from), cyclic(self.to));
        let rows = self.rows * u64::from(self.from.1);
        let cols = (bytes / self.element) as u64 / self.rows;
        let one = Axis::new(cyclic((1, 1)), 0);
        let dim = Overlap { from: Axis::new(from, 0), to: Axis::new(to, 0), len: rows };
        let all = || Overlap { from: one.clone(), to: one.clone(), len: cols }.shared(0, 0);
        let array = |rows: u64| {
            let shape = Shape::matrix(self.element, rows, cols, rows + self.gap);
            OwnedArray::new(shape).expect("memory for an array")
        };
        let (senders, receivers) = (self.from.1.min(ranks), self.to.1.min(ranks));
        let pairs = (0..senders).flat_map(|p| (0..receivers).map(move |q| (p, q)));
        let message = |(p, q)| {
            let shared = || dim.shared(p, q);
            Message {
                from: p as usize,
                to: q as usize,
                here: [vec![Share::new(shared(), [&dim.from])], vec![Share::new(all(), [&one])]],
                there: [vec![Share::new(shared(), [&dim.to])], vec![Share::new(all(), [&one])]],
                both: [
                    vec![Share::new(shared(), [&dim.from, &dim.to])],
                    vec![Share::new(all(), [&one, &one])],
                ],
            }
        };
        let mut job = Job {
            element: self.element,
            part: self.part,
            messages: pairs.filter(|&(p, q)| !dim.shared(p, q).is_empty()).map(message).collect(),
            sources: (0..senders).map(|p| array(from.local_len(rows, p))).collect(),
            destinations: (0..receivers).map(|q| array(to.local_len(rows, q))).collect(),
            slot: vec![0; SLOT],
            strips: Strips::default(),
            both_strips: Strips::default(),
        };
        for (p, source) in job.sources.iter_mut().enumerate() {
            fill(source, p);
        }
        job
    }
}

impl Job {
    /// Returns the number of bytes that move.
    pub fn bytes(&self) -> usize {
        let count = |m: &Message| {
            let product = of(&m.here);
            product.elements(&Piece::of(product.whole()), &self.part)
        };
        self.messages.iter().map(count).sum::<u64>() as usize * self.element
    }

    /// Moves all data through a slot: packs and unpacks a piece of each message in turn.
    pub fn slots(&mut self) {
        let here = |m: &Message| Cut::new(of(&m.here), self.most());
        let cuts: Vec<Cut> = self.messages.iter().map(here).collect();
        for k in 0..cuts.iter().map(Cut::count).max().unwrap_or(0) {
            for (m, cut) in cuts.iter().enumerate().filter(|(_, cut)| k < cut.count()) {
                let piece = cut.piece(k);
                self.pack(m, &piece);
                self.unpack(m, &piece);
            }
        }
    }

    fn most(&self) -> u64 {
        (SLOT / self.element) as u64
    }

    /// Returns the first piece of the first message.
    pub fn first(&self) -> Piece {
        Cut::new(of(&self.messages[0].here), self.most()).piece(0)
    }

    /// Packs a piece of a message into the slot; returns its bytes.
    pub fn pack(&mut self, message: usize, piece: &Piece) -> usize {
        let Self { part, sources, messages, slot, strips, .. } = self;
        let Message { from, here, .. } = &messages[message];
        let source = sources[*from].source();
        let mut at = 0;
        of(here).for_each_strip(piece, part, strips, |dims| {
            at += source.pack(dims, &mut slot[at..], BufferReader::NearCore);
        });
        at
    }

    /// Unpacks a piece of a message from the slot.
    pub fn unpack(&mut self, message: usize, piece: &Piece) {
        let Self { part, destinations, messages, slot, strips, .. } = self;
        let Message { to, there, .. } = &messages[message];
        let mut destination = destinations[*to].destination();
        let mut at = 0;
        of(there).for_each_strip(piece, part, strips, |dims| {
            at += destination.unpack(dims, &slot[at..]);
        });
    }

    /// Copies from the sources to the targets without a slot, a piece of each message in turn.
    pub fn copy(&mut self) {
        let most = self.most();
        let Self { part, sources, destinations, messages, both_strips, .. } = self;
        let cuts: Vec<Cut> = messages.iter().map(|m| Cut::new(of(&m.both), most)).collect();
        for k in 0..cuts.iter().map(Cut::count).max().unwrap_or(0) {
            for (m, cut) in messages.iter().zip(&cuts).filter(|(_, cut)| k < cut.count()) {
                let piece = cut.piece(k);
                let (from, mut to) = (sources[m.from].source(), destinations[m.to].destination());
                of(&m.both)
                    .for_each_strip(&piece, part, both_strips, |dims| pack::copy(&from, &mut to, dims));
            }
        }
    }

    /// Checks that each moved element is in its place; clears the arrays for the next check.
    pub fn check(&mut self, name: &str) {
        for (q, array) in self.destinations.iter_mut().enumerate() {
            let [rows, cols] = [0, 1].map(|d| array.shape().dims()[d].extent);
            let mut column = vec![0; rows as usize * self.element];
            let messages: Vec<&Message> = self.messages.iter().filter(|m| m.to == q).collect();
            let pairs: Vec<Vec<(u64, u64)>> = messages
                .iter()
                .map(|m| indices(&m.here[0][0].local).zip(indices(&m.there[0][0].local)).collect())
                .collect();
            for j in 0..cols {
                let col = part(rows, j);
                array.source().pack(&col, &mut column, BufferReader::NearCore);
                let mut want = vec![0; column.len()];
                for (message, pairs) in messages.iter().zip(&pairs) {
                    let moving = self.part.positions(message.here[0][0].indices_to_cut(), j);
                    for &(i, k) in &pairs[moving.start as usize..moving.end as usize] {
                        let at = k as usize * self.element;
                        want[at..at + self.element]
                            .copy_from_slice(&value(message.from, i, j)[..self.element]);
                    }
                }
                assert!(column == want, "{name}: column {j}");
                array.destination().unpack(&col, &vec![0; column.len()]);
            }
        }
    }
}

/// A message cut into pieces.
struct Cut {
    whole: Piece,
    pieces: Pieces,
}

impl Cut {
    fn new<const D: usize>(product: Product<'_, D>, most: u64) -> Self {
        let whole = Piece::of(product.whole());
        Self { pieces: Pieces::new(&whole, most, None), whole }
    }

    fn count(&self) -> u64 {
        self.pieces.count(&self.whole)
    }

    fn piece(&self, k: u64) -> Piece {
        let mut piece = self.whole.clone();
        self.pieces.cut_out(k, &mut piece);
        piece
    }
}

/// Writes a different value to each element of process `p`'s array.
fn fill(array: &mut OwnedArray, p: usize) {
    let (element, [rows, cols]) = (array.shape().element(), [0, 1].map(|d| array.shape().dims()[d].extent));
    for j in 0..cols {
        let column: Vec<u8> = (0..rows).flat_map(|i| value(p, i, j).into_iter().take(element)).collect();
        array.destination().unpack(&part(rows, j), &column);
    }
}

/// Returns the first `rows` rows of column `j`.
fn part(rows: u64, j: u64) -> [Slice<1>; 2] {
    let run = |start, len| vec![Family::new([start], [0], len, 1).expect("a run")].into();
    [run(0, rows), run(j, 1)]
}

fn of<const D: usize>(shares: &[Vec<Share<D>>; 2]) -> Product<'_, D> {
    Product { shares, which: &[0, 0] }
}

fn value(p: usize, i: u64, j: u64) -> [u8; 16] {
    let mixed = ((p as u64) << 56 | i << 28 | j << 1 | 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (u128::from(mixed) << 64 | u128::from(mixed.rotate_left(29))).to_le_bytes()
}

fn indices(runs: &Runs<1>) -> impl Iterator<Item = u64> + use<> {
    runs.families().into_iter().flat_map(Family::indices).map(|[i]| i)
}
