//! Backoff of a rank that waits. Ranks may share cores, so a rank spins for a short time, then yields its core
//! between checks. After some milliseconds it sleeps between checks: more latency no longer matters, and ranks that
//! work get the machine.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

static WATCHED: AtomicBool = AtomicBool::new(false);

thread_local! {
    static WAITED: Cell<Duration> = const { Cell::new(Duration::ZERO) };
}

/// Starts counting the time that threads wait.
pub fn watch() {
    WATCHED.store(true, Ordering::Relaxed);
}

pub fn is_watched() -> bool {
    WATCHED.load(Ordering::Relaxed)
}

/// Returns the counted time that this thread has waited, without waits of a few checks: reading the clock would take
/// longer.
pub fn waited() -> Duration {
    WAITED.get()
}

/// Checks made before the clock is first read; most waits are shorter.
const AT_ONCE: u32 = 8;
/// Time of spinning before the core is yielded. A check takes from 20 ns to some µs, so a count would be no measure.
/// Meanwhile the rank may hold the core that the other rank needs.
const EAGER: Duration = Duration::from_micros(5);
/// Checks before the first sleep: some milliseconds of yielding.
const PATIENT: u32 = 20_000;
/// Checks between two calls of MPI. The program's own messages, which other ranks may wait for, move only while this
/// process is inside MPI.
const TURN: u32 = 256;
/// Length of a sleep: short against the milliseconds waited before it.
const NAP: Duration = Duration::from_micros(100);

#[derive(Default)]
pub struct Waiting {
    asked: u32,
    /// True if other ranks run on this core, too.
    crowded: bool,
    /// Time of the first look at the clock, when the counted wait begins.
    begin: Option<Instant>,
}

impl Waiting {
    /// Starts a wait. On a core `crowded` by other ranks it yields at once: the rank waited for may need this core.
    pub fn crowded(crowded: bool) -> Self {
        Self { crowded, ..Self::default() }
    }

    /// Spins, yields or sleeps, after a failed check. Returns true now and then: it is time to call MPI if the check
    /// has not.
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

    /// Returns the time since the last [`Waiting::reset`], as far as the clock was read.
    pub fn lasts(&self) -> Duration {
        self.begin.map_or(Duration::ZERO, |begin| begin.elapsed())
    }

    fn is_eager(&mut self) -> bool {
        let begin = *self.begin.get_or_insert_with(Instant::now);
        !self.crowded && begin.elapsed() < EAGER
    }

    /// Begins again with spinning, because something happened.
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
