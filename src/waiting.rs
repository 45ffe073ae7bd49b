//! How does a rank wait for others without starving them? Ranks may share cores, so after a short while of asking
//! again at once it gives its core away between two questions.

/// Questions asked at once before the core is given away; each is a call into MPI, so some 10 µs in all.
const EAGER: u32 = 100;

/// One wait.
#[derive(Default)]
pub struct Waiting {
    asked: u32,
}

impl Waiting {
    /// To be called after each question that was answered "not yet".
    pub fn pause(&mut self) {
        if self.asked < EAGER {
            self.asked += 1;
            std::hint::spin_loop();
        } else {
            std::thread::yield_now();
        }
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
