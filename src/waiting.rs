//! How does a rank wait for others without starving them? Ranks may share cores, so after a short while of asking
//! again at once it gives its core away between two questions; and when it has waited so long that a little more does
//! not matter, it sleeps between them, so that ranks that wait for a slow one leave the machine alone.

use std::time::Duration;

/// Questions asked at once before the core is given away; each takes some 20 to 100 ns, so a few µs in all.
const EAGER: u32 = 100;
/// Questions before the first sleep: some milliseconds of giving the core away.
const PATIENT: u32 = 20_000;
/// Of these, how many until MPI is to have a turn.
const TURN: u32 = 256;
/// A sleep: little against the milliseconds waited so far.
const NAP: Duration = Duration::from_micros(100);

/// One wait.
#[derive(Default)]
pub struct Waiting {
    asked: u32,
}

impl Waiting {
    /// To be called after each question that was answered "not yet". Says now and then that it is time to let MPI go on
    /// with its work, if the question did not do that.
    pub fn pause(&mut self) -> bool {
        self.asked = self.asked.saturating_add(1);
        match self.asked {
            ..EAGER => std::hint::spin_loop(),
            EAGER..PATIENT => std::thread::yield_now(),
            _ => std::thread::sleep(NAP),
        }
        self.asked >= PATIENT || self.asked % TURN == 0
    }

    /// Something happened: be eager again.
    pub fn reset(&mut self) {
        self.asked = 0;
    }
}

/// Asks `question` until it has an answer.
pub fn until<T, E>(mut question: impl FnMut() -> Result<Option<T>, E>) -> Result<T, E> {
    let mut waiting = Waiting::default();
    loop {
        if let Some(answer) = question()? {
            return Ok(answer);
        }
        waiting.pause();
    }
}
