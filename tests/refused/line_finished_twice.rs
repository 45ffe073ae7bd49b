//! error[E0382]: a line is finished twice.
use reblock::pack::GatherLine;

pub fn finished() {
    let mut line = GatherLine::of(1);
    line.push(0, 0, 0, 8);
    line.finish();
    line.finish();
}
