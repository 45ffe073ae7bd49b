//! Measures whether slots are written faster with streaming stores or through the caches. On some machines reading a
//! line from another core's cache is faster than from memory, on others three times slower. So each sender alternates
//! between both ways on its first large messages, keeps the faster one, and measures again from time to time. Receivers
//! do not depend on the choice.

use std::time::{Duration, Instant};

/// Smallest message, in bytes, that is measured.
const LARGE: usize = 16 << 10;
/// Bytes of a turn: several times those of all slots, so that the measured speed includes the receivers.
const TURN: usize = 1 << 20;
/// Number of turns of each kind in a trial.
const TURNS: usize = 3;
/// Bytes sent between two trials.
const REST: usize = 512 << 20;

/// The chosen way of writing, and the measurements of a trial.
#[derive(Debug, Default)]
pub struct Past {
    past: bool,
    /// Whether the way is fixed, without trials.
    settled: bool,
    /// Start of the present turn, and the bytes sent since.
    turn: Option<(Instant, usize)>,
    /// Durations of turns: through the caches, and streamed.
    times: [Vec<Duration>; 2],
    /// Bytes left until the next trial.
    rest: usize,
}

impl Past {
    /// Creates the policy; `None` lets it measure, otherwise the way is fixed.
    pub fn new(given: Option<bool>) -> Self {
        Self { past: given == Some(true), settled: given.is_some(), ..Self::default() }
    }

    /// Returns whether the next message is streamed.
    pub fn is_past(&self) -> bool {
        self.past
    }

    /// Counts a sent message of `bytes` bytes; calls `now` only if it measures.
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

    /// Keeps the faster way. Compares the shortest turns, since longer ones may include interruptions.
    fn settle(&mut self) {
        let [cached, past] = [0, 1].map(|k| self.times[k].iter().min().copied());
        self.past = past < cached;
        self.times.iter_mut().for_each(Vec::clear);
        (self.turn, self.rest) = (None, REST);
    }

    /// Restarts the present turn, because other work came in between.
    pub fn pause(&mut self) {
        self.turn = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sends `messages` messages that take these µs per KiB through the caches and streamed.
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
