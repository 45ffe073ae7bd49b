//! HOW does a rank wait for others without starving them? Ranks may share cores. So a rank spins for a short time, then
//! yields its core between two checks. When it has waited so long that a little more does not matter, it sleeps between
//! checks, so that ranks that wait for a slow rank leave the machine to others.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

static WATCHED: AtomicBool = AtomicBool::new(false);

thread_local! {
    static WAITED: Cell<Duration> = const { Cell::new(Duration::ZERO) };
}

/// From now on it is counted how long threads wait.
pub fn watch() {
    WATCHED.store(true, Ordering::Relaxed);
}

/// Whether it is counted how long threads wait.
pub fn is_watched() -> bool {
    WATCHED.load(Ordering::Relaxed)
}

/// How long this thread has waited since it was first counted, but for waits of a few questions: there the clock would take
/// longer than the wait.
pub fn waited() -> Duration {
    WAITED.get()
}

/// Questions asked at once before the clock is looked at: most waits are shorter.
const AT_ONCE: u32 = 8;
/// Time for which it is asked again at once before the core is given away. A question takes from 20 ns to some µs, so that
/// their number says nothing: while it asks, it may hold the core that the other rank needs.
const EAGER: Duration = Duration::from_micros(5);
/// Questions before the first sleep: some milliseconds of giving the core away.
const PATIENT: u32 = 20_000;
/// Questions from one to the next at which MPI is to have a turn: the host's own messages, which others may wait for,
/// move only while this process is inside MPI.
const TURN: u32 = 256;
/// A sleep: little against the milliseconds waited so far.
const NAP: Duration = Duration::from_micros(100);

/// One wait.
#[derive(Default)]
pub struct Waiting {
    asked: u32,
    /// Whether others run on this core, too.
    crowded: bool,
    /// When the clock was looked at first: from there on the wait counts.
    begin: Option<Instant>,
}

impl Waiting {
    /// One of a rank whose core others run on, too, if `crowded`: who is waited for may need this core.
    pub fn crowded(crowded: bool) -> Self {
        Self { crowded, ..Self::default() }
    }

    /// To be called after each question that was answered "not yet". Says now and then that it is time to let MPI go on
    /// with its work, if the question did not do that.
    pub fn pause(&mut self) -> bool {
        self.asked = self.asked.saturating_add(1);
        if self.asked >= PATIENT {
            std::thread::sleep(NAP);
        } else if (self.asked < AT_ONCE && !self.crowded) || self.is_eager() {
            std::hint::spin_loop();
        } else {
            std::thread::yield_now();
        }
        self.asked >= PATIENT || self.asked % TURN == 0
    }

    /// For how long nothing has happened, as far as that was worth a look at the clock.
    pub fn lasts(&self) -> Duration {
        self.begin.map_or(Duration::ZERO, |begin| begin.elapsed())
    }

    fn is_eager(&mut self) -> bool {
        let begin = *self.begin.get_or_insert_with(Instant::now);
        !self.crowded && begin.elapsed() < EAGER
    }

    /// Something happened: be eager again.
    pub fn reset(&mut self) {
        self.asked = 0;
        if let Some(begin) = self.begin.take().filter(|_| is_watched()) {
            WAITED.set(WAITED.get() + begin.elapsed());
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.reset();
    }
}
