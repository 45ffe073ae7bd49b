//! WHAT does a schedule take on a machine? A linear model, the same on every rank, in seconds.
//!
//! Where messages contend for ports and are few enough to be listed, a schedule takes as long as its last port
//! ([`clock`](super::clock)). Elsewhere a step costs a
//! start-up and its longest message. With a window of w steps in flight, the start-ups of w steps overlap, if messages are short,
//! and a port that waits for a longer message of others does so only once in w steps; the busiest port's own bytes remain.
//! Packing and unpacking cost time by the byte on each rank, in every phase. Messages that are all sent at once contend
//! for ports: each costs as much more as a number of further bytes would.

use super::certificate::Certificate;

/// Bytes of a message that begins only when the one before has been taken.
pub(super) const LONG: u64 = 16 << 10;

/// Prices that differ by no more than this part of them are alike: no machine is known so exactly.
pub const ALIKE: f64 = 1e-3;

/// Whether one price is like another. What costs nothing is like nothing else.
pub fn alike(one: f64, other: f64) -> bool {
    (one - other).abs() <= ALIKE * other
}

/// A machine, as seen by one rank.
#[derive(Clone, Copy, PartialEq, Debug)]
#[cfg_attr(feature = "trial", derive(serde::Serialize, serde::Deserialize))]
pub struct Machine {
    /// Seconds to start a message.
    pub start_up: f64,
    /// Seconds a byte on the way.
    pub byte: f64,
    /// Seconds a byte to pack or unpack.
    pub copy: f64,
    /// Steps in flight.
    pub window: u32,
    /// Bytes by which contention lengthens each message that is not scheduled.
    pub contention: f64,
    /// Bytes that intermediate arrays of a rank may take.
    pub room: u64,
}

impl Machine {
    /// Ranks on different nodes: 2 µs, 10 GB/s, as today's fabrics have it.
    pub const NETWORK: Self =
        Self { start_up: 2e-6, byte: 1e-10, copy: 1.5e-10, window: 4, contention: 6e3, room: 32 << 20 };

    /// Ranks on one node, through shared memory.
    pub const NODE: Self =
        Self { start_up: 0.5e-6, byte: 1.5e-10, copy: 1.5e-10, window: 4, contention: 0.0, room: 32 << 20 };

    /// Whether messages contend for ports. Within a node they do not, and steps matter little: what counts there is when
    /// arrays are read and written.
    pub fn contends(&self) -> bool {
        self.contention > 0.0
    }

    /// Bytes of a message of which its sender need not hear that it was received: it is on the way for no longer than another
    /// takes to start, and no long one. Where messages do not contend for ports: of none that is not long.
    pub fn unheard(&self) -> u64 {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates")]
        let meanwhile = (self.start_up / self.byte) as u64;
        if self.contends() { meanwhile.min(LONG) } else { LONG }
    }

    /// A schedule's time.
    pub fn scheduled(&self, c: &Certificate) -> f64 {
        // Long messages begin one by one.
        let long = self.contends() && c.cost / c.steps.max(1) > LONG;
        let waves = if long { c.steps } else { c.steps.div_ceil(u64::from(self.window)) };
        let idle = real(c.cost.saturating_sub(c.bounds.load)) / f64::from(self.window);
        let load = real(c.bounds.load);
        real(waves) * self.start_up + (load + idle) * self.byte + 2.0 * load * self.copy
    }

    /// The time of a schedule whose last port is done after so many seconds.
    pub fn overlapped(&self, c: &Certificate, seconds: f64) -> f64 {
        seconds + 2.0 * real(c.bounds.load) * self.copy
    }

    /// The time of the busiest port if it never waits and starts its messages one by one.
    pub fn busy(&self, c: &Certificate) -> f64 {
        let seconds = real(c.bounds.steps) * self.start_up + real(c.bounds.load) * self.byte;
        self.overlapped(c, seconds)
    }

    /// The time of sending everything at once.
    pub fn at_once(&self, c: &Certificate) -> f64 {
        let extra = real(c.bounds.steps) * self.contention;
        let waves = c.bounds.steps.div_ceil(u64::from(self.window));
        real(waves) * self.start_up
            + (real(c.bounds.load) + extra) * self.byte
            + 2.0 * real(c.bounds.load) * self.copy
    }
}

/// Counts as numbers to reckon with; beyond 2^53 they lose their last digits, which does not matter.
pub(super) fn real(n: u64) -> f64 {
    #[allow(clippy::cast_precision_loss)]
    let n = n as f64;
    n
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_alike_within_a_thousandth_and_nothing_is_like_nothing() {
        assert!(alike(1.0, 1.0009) && alike(1.0009, 1.0) && alike(0.0, 0.0));
        assert!(!alike(1.0, 1.002) && !alike(1e-9, 0.0) && !alike(f64::INFINITY, f64::INFINITY));
    }
}
