//! ARE slots written past the caches or through them? On some machines reading a line from another core's cache is faster
//! than from memory, on others three times slower. So a sender measures: it alternates on its first large messages, keeps
//! the faster way, and tries again from time to time. Readers of a slot need not know.

use std::time::{Duration, Instant};

/// Smallest message that counts.
const LARGE: usize = 16 << 10;
/// Bytes of a turn: several times those of all slots, so that the speed is that of the readers, too.
const TURN: usize = 1 << 20;
/// Turns of a trial, of either kind.
const TURNS: usize = 3;
/// Bytes until it is tried again.
const REST: usize = 512 << 20;

/// What was found out so far.
#[derive(Debug, Default)]
pub struct Past {
    past: bool,
    /// Nothing is tried.
    settled: bool,
    /// When the turn began, and its bytes since then.
    turn: Option<(Instant, usize)>,
    /// Times of a turn: in the caches, and past them.
    times: [Vec<Duration>; 2],
    /// Bytes before the next trial.
    rest: usize,
}

impl Past {
    /// The way is given; `None`: it is to be found out.
    pub fn new(given: Option<bool>) -> Self {
        Self { past: given == Some(true), settled: given.is_some(), ..Self::default() }
    }

    /// Whether the next message is written past the caches.
    pub fn is_past(&self) -> bool {
        self.past
    }

    /// A message of so many bytes was sent, at this time.
    pub fn sent(&mut self, bytes: usize, now: impl FnOnce() -> Instant) {
        if bytes < LARGE || self.settled {
            return;
        }
        self.rest = self.rest.saturating_sub(bytes);
        if self.rest > 0 {
            return;
        }
        let now = now();
        let Some((begun, before)) = self.turn else {
            self.turn = Some((now, 0));
            return;
        };
        if before + bytes < TURN {
            self.turn = Some((begun, before + bytes));
            return;
        }
        self.times[usize::from(self.past)].push(now.duration_since(begun));
        self.turn = Some((now, 0));
        if self.times.iter().all(|times| times.len() >= TURNS) {
            self.settle();
        } else {
            self.past = !self.past;
        }
    }

    /// Keeps the faster way. The shortest time of each counts, as the others may be those of interruptions.
    fn settle(&mut self) {
        let [cached, past] = [0, 1].map(|k| self.times[k].iter().min().copied());
        self.past = past < cached;
        self.times.iter_mut().for_each(Vec::clear);
        (self.turn, self.rest) = (None, REST);
    }

    /// Other things come in between: the turn begins anew.
    pub fn pause(&mut self) {
        self.turn = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// After messages that take so many µs a KiB in the caches and past them.
    fn after(past: &mut Past, messages: usize, speeds: [u64; 2], clock: &mut Instant) {
        for _ in 0..messages {
            *clock += Duration::from_micros(64 * speeds[usize::from(past.is_past())]);
            past.sent(64 << 10, || *clock);
        }
    }

    #[test]
    fn the_faster_way_is_kept_until_it_is_tried_again() {
        for (speeds, want) in [([1, 3], false), ([3, 1], true)] {
            let (mut past, mut clock) = (Past::default(), Instant::now());
            after(&mut past, 7 * (TURN >> 16), speeds, &mut clock);
            assert_eq!(past.is_past(), want);
            past.pause();
            after(&mut past, (REST >> 16) - 1, speeds, &mut clock);
            assert_eq!(past.is_past(), want, "it rests");
            let turned = [speeds[1], speeds[0]];
            after(&mut past, 8 * (TURN >> 16), turned, &mut clock);
            assert_eq!(past.is_past(), !want, "the machine has changed");
        }
    }

    #[test]
    fn a_given_way_is_kept() {
        for given in [false, true] {
            let (mut past, mut clock) = (Past::new(Some(given)), Instant::now());
            after(
                &mut past,
                20 * (TURN >> 16),
                [1, 3].map(|speed| if given { 4 - speed } else { speed }),
                &mut clock,
            );
            after(&mut past, 20 * (TURN >> 16), [3, 3], &mut clock);
            assert_eq!(past.is_past(), given);
        }
    }

    #[test]
    fn small_messages_do_not_count() {
        let mut past = Past::default();
        for _ in 0..100_000 {
            past.sent(LARGE - 1, || panic!("no clock is read"));
        }
        assert!(!past.is_past());
    }
}
