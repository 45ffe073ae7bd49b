//! Backoff of a waiting rank. It spins briefly, then yields its core between checks, since ranks may share cores. After
//! some milliseconds it sleeps between checks: latency no longer matters.

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

static WATCHED: AtomicBool = AtomicBool::new(false);

thread_local! {
    static WAITED: Cell<Duration> = const { Cell::new(Duration::ZERO) };
    // An array needs no destructor, so it lives as long as the thread.
    static WAITS: RefCell<KeptWaits> = const { RefCell::new(KeptWaits { count: 0, list: [None; MAX_WAITS] }) };
}

struct KeptWaits {
    count: usize,
    list: [Option<(Instant, Duration)>; MAX_WAITS],
}

/// Starts to measure how long threads wait.
pub fn watch() {
    WATCHED.store(true, Ordering::Relaxed);
}

pub fn is_watched() -> bool {
    WATCHED.load(Ordering::Relaxed)
}

/// Returns the measured time that this thread has waited. Waits of a few checks do not count: reading the clock would
/// take longer.
pub fn waited() -> Duration {
    WAITED.get()
}

/// Maximum number of recorded waits of a call.
const MAX_WAITS: usize = 32;

/// Returns begin and length of this thread's first measured waits since the last [`forget_waits`].
pub fn waits() -> Vec<(Instant, Duration)> {
    WAITS.with_borrow(|kept| kept.list[..kept.count].iter().flatten().copied().collect())
}

/// Forgets the recorded waits when a call begins.
pub fn forget_waits() {
    WAITS.with_borrow_mut(|kept| kept.count = 0);
}

/// Checks made before the clock is first read; most waits are shorter.
const CHECKS_BEFORE_CLOCK: u32 = 8;
/// Time of spinning before the core is yielded. A count would be no measure: a check takes 20 ns to some µs.
const SPIN_TIME: Duration = Duration::from_micros(5);
/// Checks before the first sleep: some milliseconds of yielding.
const CHECKS_BEFORE_SLEEP: u32 = 20_000;
/// Checks between two calls of MPI. The program's own messages move during such calls only.
const CHECKS_PER_MPI_CALL: u32 = 256;
/// Length of a sleep: short against the wait before it.
const SLEEP_TIME: Duration = Duration::from_micros(100);

#[derive(Default)]
pub struct Backoff {
    checks: u32,
    /// Whether other ranks run on this core, too.
    oversubscribed: bool,
    /// When the clock was first read; the measured wait begins there.
    begin: Option<Instant>,
}

impl Backoff {
    /// Starts a wait. On an `oversubscribed` core it yields at once.
    pub fn oversubscribed(oversubscribed: bool) -> Self {
        Self { oversubscribed, ..Self::default() }
    }

    /// Spins, yields or sleeps after a failed check. Returns true now and then, when MPI should be called.
    pub fn snooze(&mut self) -> bool {
        self.checks = self.checks.saturating_add(1);
        if self.checks >= CHECKS_BEFORE_SLEEP {
            std::thread::sleep(SLEEP_TIME);
        } else if (self.checks < CHECKS_BEFORE_CLOCK && !self.oversubscribed) || self.may_spin() {
            std::hint::spin_loop();
        } else {
            std::thread::yield_now();
        }
        self.checks >= CHECKS_BEFORE_SLEEP || self.checks % CHECKS_PER_MPI_CALL == 0
    }

    /// Returns the time since the clock was first read after the last [`Backoff::reset`]; 0 before.
    pub fn elapsed(&self) -> Duration {
        self.begin.map_or(Duration::ZERO, |begin| begin.elapsed())
    }

    fn may_spin(&mut self) -> bool {
        let begin = *self.begin.get_or_insert_with(Instant::now);
        !self.oversubscribed && begin.elapsed() < SPIN_TIME
    }

    pub fn reset(&mut self) {
        self.checks = 0;
        if let Some(begin) = self.begin.take().filter(|_| is_watched()) {
            let waited = begin.elapsed();
            WAITED.set(WAITED.get() + waited);
            WAITS.with_borrow_mut(|kept| {
                if let Some(place) = kept.list.get_mut(kept.count) {
                    (*place, kept.count) = (Some((begin, waited)), kept.count + 1);
                }
            });
        }
    }
}

impl Drop for Backoff {
    fn drop(&mut self) {
        self.reset();
    }
}
