//! WHAT is a machine, as seen by one rank? A few numbers, the same on every rank. What a schedule takes on it is said elsewhere
//! ([`price`](crate::schedule::price)).

/// Bytes of a message that begins only when the one before has been received: as the executor does it.
pub const LONG: u64 = 16 << 10;

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

    /// One on which nothing takes time but steps, and of as many the cost: what the dimensions of a product are ordered for.
    pub const STEPS: Self =
        Self { start_up: 1.0, byte: 1e-30, copy: 0.0, window: 1, contention: 1.0, room: 0 };

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
}

/// Counts as numbers to reckon with; beyond 2^53 they lose their last digits, which does not matter.
pub(crate) fn real(n: u64) -> f64 {
    #[allow(clippy::cast_precision_loss)]
    let n = n as f64;
    n
}
