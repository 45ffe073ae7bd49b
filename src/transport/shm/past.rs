//! Measures whether streaming stores or cached stores fill slots faster. On some machines reading a line from another
//! core's cache is faster than from memory, on others three times slower. So each sender alternates between both on its
//! first large messages, keeps the faster kind, and measures again from time to time. Receivers do not depend on the
//! choice.

use std::time::{Duration, Instant};

/// Smallest message, in bytes, that is measured.
const MIN_MEASURED_BYTES: usize = 16 << 10;
/// Bytes of a turn, during which a sender uses one kind of store. With up to 4 ranks on a node, the sender's slots have
/// fewer bytes, so the measured time includes the reading by the receivers.
const TURN_BYTES: usize = 1 << 20;
/// Number of turns of each kind in a trial.
const MIN_TURNS: usize = 3;
/// Bytes of large messages sent between two trials.
const TRIAL_INTERVAL_BYTES: usize = 512 << 20;

/// The chosen kind of store, and the measurements of a trial.
#[derive(Debug, Default)]
pub struct StorePolicy {
    streams: bool,
    /// Whether the kind is fixed, without trials.
    fixed: bool,
    /// Start of the present turn, and bytes sent since.
    turn: Option<(Instant, usize)>,
    /// Durations of turns: through the caches, and streamed.
    times: [Vec<Duration>; 2],
    /// Bytes left until the next trial.
    rest: usize,
}

impl StorePolicy {
    /// Creates the policy. `fixed_way` says whether messages are streamed; `None` lets the policy measure.
    pub fn new(fixed_way: Option<bool>) -> Self {
        Self { streams: fixed_way == Some(true), fixed: fixed_way.is_some(), ..Self::default() }
    }

    /// Returns whether the next message is streamed.
    pub fn streams(&self) -> bool {
        self.streams
    }

    /// Counts a sent message of `bytes` bytes. Reads the clock by `now` only during a trial.
    pub fn record_send(&mut self, bytes: usize, now: impl FnOnce() -> Instant) {
        if bytes < MIN_MEASURED_BYTES || self.fixed {
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
        if before + bytes < TURN_BYTES {
            self.turn = Some((begun, before + bytes));
            return;
        }
        self.times[usize::from(self.streams)].push(now.duration_since(begun));
        self.turn = Some((now, 0));
        if self.times.iter().all(|times| times.len() >= MIN_TURNS) {
            self.settle();
        } else {
            self.streams = !self.streams;
        }
    }

    /// Keeps the faster kind. Compares the shortest turns, since longer ones may include interruptions.
    fn settle(&mut self) {
        let [cached, past] = [0, 1].map(|k| self.times[k].iter().min().copied());
        self.streams = past < cached;
        self.times.iter_mut().for_each(Vec::clear);
        (self.turn, self.rest) = (None, TRIAL_INTERVAL_BYTES);
    }

    /// Restarts the present turn, because other work interrupted it.
    pub fn pause(&mut self) {
        self.turn = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sends `messages` messages of 64 KiB. `speeds` are the times in µs per KiB through the caches, and streamed.
    fn after(past: &mut StorePolicy, messages: usize, speeds: [u64; 2], clock: &mut Instant) {
        for _ in 0..messages {
            *clock += Duration::from_micros(64 * speeds[usize::from(past.streams())]);
            past.record_send(64 << 10, || *clock);
        }
    }

    #[test]
    fn the_faster_way_is_kept_until_it_is_tried_again() {
        for (speeds, want) in [([1, 3], false), ([3, 1], true)] {
            let (mut past, mut clock) = (StorePolicy::default(), Instant::now());
            after(&mut past, 7 * (TURN_BYTES >> 16), speeds, &mut clock);
            assert_eq!(past.streams(), want);
            past.pause();
            after(&mut past, (TRIAL_INTERVAL_BYTES >> 16) - 1, speeds, &mut clock);
            assert_eq!(past.streams(), want, "it rests");
            let swapped = [speeds[1], speeds[0]];
            after(&mut past, 8 * (TURN_BYTES >> 16), swapped, &mut clock);
            assert_eq!(past.streams(), !want, "the machine has changed");
        }
    }

    #[test]
    fn a_setting_is_kept() {
        for fixed_way in [false, true] {
            let (mut past, mut clock) = (StorePolicy::new(Some(fixed_way)), Instant::now());
            after(
                &mut past,
                20 * (TURN_BYTES >> 16),
                [1, 3].map(|speed| if fixed_way { 4 - speed } else { speed }),
                &mut clock,
            );
            after(&mut past, 20 * (TURN_BYTES >> 16), [3, 3], &mut clock);
            assert_eq!(past.streams(), fixed_way);
        }
    }

    #[test]
    fn small_messages_do_not_count() {
        let mut past = StorePolicy::default();
        for _ in 0..100_000 {
            past.record_send(MIN_MEASURED_BYTES - 1, || panic!("no clock is read"));
        }
        assert!(!past.streams());
    }
}
