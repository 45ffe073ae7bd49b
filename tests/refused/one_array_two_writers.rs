//! error[E0499]: two threads write the same elements.
use reblock::layout::intersect::Slice;
use reblock::pack::Destination;

pub fn written(to: &mut Destination<'_>, dims: &[Slice<1>]) {
    std::thread::scope(|threads| {
        threads.spawn(|| to.unpack(dims, &[1; 8]));
        threads.spawn(|| to.unpack(dims, &[2; 8]));
    });
}
