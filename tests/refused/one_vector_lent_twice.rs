//! error[E0499]: two threads receive the same vector for writing.
use reblock::pack::{Loan, Shape};

pub fn lent(loan: &mut Loan<u8>, shape: &Shape) {
    std::thread::scope(|threads| {
        threads.spawn(|| loan.destination(0, shape).is_some());
        threads.spawn(|| loan.destination(0, shape).is_some());
    });
}
