//! One rank's arrays and messages for one kind of runs, filled and checked element by element.

use reblock::layout::{Axis, Cyclic};
use reblock::overlap::{Family, Overlap, Runs};
use reblock::pack::{self, Owned, Reader, Shape};
use reblock::plan::{Piece, Pieces, Rectangle, Share, Strips};
use reblock::problem::Part;

/// Bytes of a slot.
pub const SLOT: usize = 128 << 10;

/// Rows dealt from blocks of `from.0` on `from.1` processes to blocks of `to.0` on `to.1`; every process has all columns.
#[derive(Clone, Copy)]
pub struct Case {
    pub name: &'static str,
    pub element: usize,
    pub from: (u64, u32),
    pub to: (u64, u32),
    /// Local rows of the source, about.
    pub rows: u64,
    /// Rows that each local array has beyond those.
    pub gap: u64,
    pub part: Part,
}

/// The arrays of the first two ranks on either side, and the messages between them.
pub struct Job {
    element: usize,
    part: Part,
    cols: [Share<1>; 1],
    both_cols: Share<2>,
    sources: Vec<Owned>,
    destinations: Vec<Owned>,
    messages: Vec<Message>,
    slot: Vec<u8>,
    strips: Strips<1>,
    both_strips: Strips<2>,
}

struct Message {
    from: usize,
    to: usize,
    here: Share<1>,
    there: Share<1>,
    both: Share<2>,
}

impl Case {
    /// The name of a measurement of this case.
    pub fn title(&self, what: &str) -> String {
        format!("{:<17}{:>3}B {what}", self.name, self.element)
    }

    /// Arrays of about `bytes`, of `ranks` ranks at most.
    pub fn job(&self, bytes: usize, ranks: u32) -> Job {
        let cyclic = |(block, procs): (u64, u32)| Cyclic::new(block, procs, 0).expect("a valid distribution");
        let (from, to) = (cyclic(self.from), cyclic(self.to));
        let rows = self.rows * u64::from(self.from.1);
        let cols = (bytes / self.element) as u64 / self.rows;
        let one = Axis::new(cyclic((1, 1)), 0);
        let dim = Overlap { from: Axis::new(from, 0), to: Axis::new(to, 0), len: rows };
        let all = || Overlap { from: one.clone(), to: one.clone(), len: cols }.shared(0, 0);
        let array = |rows: u64| {
            let shape = Shape { rows, cols, ld: rows + self.gap, element: self.element };
            Owned::new(shape).expect("memory for an array")
        };
        let (senders, receivers) = (self.from.1.min(ranks), self.to.1.min(ranks));
        let pairs = (0..senders).flat_map(|p| (0..receivers).map(move |q| (p, q)));
        let message = |(p, q)| {
            let shared = || dim.shared(p, q);
            Message {
                from: p as usize,
                to: q as usize,
                here: Share::new(shared(), |i| [dim.from.local(i).0]),
                there: Share::new(shared(), |i| [dim.to.local(i).0]),
                both: Share::new(shared(), |i| [dim.from.local(i).0, dim.to.local(i).0]),
            }
        };
        let mut job = Job {
            element: self.element,
            part: self.part,
            cols: [Share::new(all(), |j| [j])],
            both_cols: Share::new(all(), |j| [j, j]),
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
    /// Bytes that move.
    pub fn bytes(&self) -> usize {
        let count = |m: &Message| {
            let rectangle = Rectangle { rows: &m.here, cols: &self.cols[0] };
            rectangle.elements(&whole(&rectangle), &self.part)
        };
        self.messages.iter().map(count).sum::<u64>() as usize * self.element
    }

    /// Packs a slot and unpacks it, a piece of each message in turn.
    pub fn slots(&mut self) {
        let cols = &self.cols[0];
        let here = |m: &Message| Pieces::new(whole(&Rectangle { rows: &m.here, cols }), self.most());
        let mut pieces: Vec<Pieces> = self.messages.iter().map(here).collect();
        let mut any = true;
        while std::mem::take(&mut any) {
            for (m, pieces) in pieces.iter_mut().enumerate() {
                if let Some(piece) = pieces.next() {
                    self.pack(m, &piece);
                    self.unpack(m, &piece);
                    any = true;
                }
            }
        }
    }

    fn most(&self) -> u64 {
        (SLOT / self.element) as u64
    }

    /// The first piece of the first message.
    pub fn first(&self) -> Piece {
        let here = Rectangle { rows: &self.messages[0].here, cols: &self.cols[0] };
        Pieces::new(whole(&here), self.most()).next().expect("a piece")
    }

    /// Packs a piece of a message into the slot; returns its bytes.
    pub fn pack(&mut self, message: usize, piece: &Piece) -> usize {
        let Self { part, cols: [cols], sources, messages, slot, strips, .. } = self;
        let Message { from, here, .. } = &messages[message];
        let source = sources[*from].source();
        let mut at = 0;
        Rectangle { rows: here, cols }.for_each_strip(piece, part, strips, |rows, cols| {
            at += source.pack(rows, cols, &mut slot[at..], Reader::ThisCore);
        });
        at
    }

    /// Unpacks a piece of a message from the slot.
    pub fn unpack(&mut self, message: usize, piece: &Piece) {
        let Self { part, cols: [cols], destinations, messages, slot, strips, .. } = self;
        let Message { to, there, .. } = &messages[message];
        let destination = destinations[*to].destination();
        let mut at = 0;
        Rectangle { rows: there, cols }.for_each_strip(piece, part, strips, |rows, cols| {
            at += destination.unpack(rows, cols, &slot[at..]);
        });
    }

    /// Copies straight from the arrays of one side to those of the other, a piece of each message in turn.
    pub fn copy(&mut self) {
        let most = self.most();
        let Self { part, both_cols: cols, sources, destinations, messages, both_strips, .. } = self;
        let both = |m: &Message| {
            let all = Piece { rows: 0..m.both.local.total(), cols: 0..cols.local.total() };
            Pieces::new(all, most)
        };
        let mut pieces: Vec<Pieces> = messages.iter().map(both).collect();
        let mut any = true;
        while std::mem::take(&mut any) {
            for (m, pieces) in messages.iter().zip(&mut pieces) {
                let Some(piece) = pieces.next() else { continue };
                any = true;
                let (from, to) = (sources[m.from].source(), destinations[m.to].destination());
                Rectangle { rows: &m.both, cols }.for_each_strip(&piece, part, both_strips, |rows, cols| {
                    pack::copy(&from, &to, rows, cols);
                });
            }
        }
    }

    /// Whether each element that moves is where it belongs; clears the arrays for the next check.
    pub fn check(&mut self, name: &str) {
        for (q, array) in self.destinations.iter_mut().enumerate() {
            let shape = *array.shape();
            let mut column = vec![0; shape.rows as usize * self.element];
            let all = [Family::run([0], shape.rows)];
            let messages: Vec<&Message> = self.messages.iter().filter(|m| m.to == q).collect();
            let pairs: Vec<Vec<(u64, u64)>> = messages
                .iter()
                .map(|m| indices(&m.here.local).zip(indices(&m.there.local)).collect())
                .collect();
            for j in 0..shape.cols {
                let col = [Family::run([j], 1)];
                array.source().pack(&all, &col, &mut column, Reader::ThisCore);
                let mut want = vec![0; column.len()];
                for (message, pairs) in messages.iter().zip(&pairs) {
                    let moving = self.part.positions(&message.here.indices, j);
                    for &(i, k) in &pairs[moving.start as usize..moving.end as usize] {
                        let at = k as usize * self.element;
                        want[at..at + self.element]
                            .copy_from_slice(&value(message.from, i, j)[..self.element]);
                    }
                }
                assert!(column == want, "{name}: column {j}");
                array.destination().unpack(&all, &col, &vec![0; column.len()]);
            }
        }
    }
}

/// Every element of process `p`'s array another value.
fn fill(array: &mut Owned, p: usize) {
    let Shape { rows, cols, element, .. } = *array.shape();
    for j in 0..cols {
        let column: Vec<u8> = (0..rows).flat_map(|i| value(p, i, j).into_iter().take(element)).collect();
        array.destination().unpack(&[Family::run([0], rows)], &[Family::run([j], 1)], &column);
    }
}

fn whole(rectangle: &Rectangle<1>) -> Piece {
    Piece { rows: 0..rectangle.rows.local.total(), cols: 0..rectangle.cols.local.total() }
}

fn value(p: usize, i: u64, j: u64) -> [u8; 16] {
    let mixed = ((p as u64) << 56 | i << 28 | j << 1 | 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (u128::from(mixed) << 64 | u128::from(mixed.rotate_left(29))).to_le_bytes()
}

fn indices(runs: &Runs<1>) -> impl Iterator<Item = u64> + use<> {
    let run = |f: Family<1>, k: u64| (0..f.len).map(move |e| f.start[0] + k * f.stride[0] + e);
    runs.families().into_iter().flat_map(move |f| (0..f.count).flat_map(move |k| run(f, k)))
}
