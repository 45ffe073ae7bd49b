//! error[E0308]: a line is gathered before all its runs have been added.
use reblock::pack::{Destination, LineInput, GatherLine};

pub fn gathered(to: &mut Destination<'_>, bytes: &[u8]) {
    let mut line = GatherLine::of(1);
    line.push(0, 0, 0, 8);
    to.gather(&line, (0, 0, 1), &[LineInput::Packed(bytes, 0)], false);
}
