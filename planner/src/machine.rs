//! Machine model: the parameters that prices of schedules are computed from ([`cost_model`](crate::schedule::cost_model)). Equal
//! on all ranks.

/// Maximum bytes of a message that overlaps with others: a longer one begins only when its predecessor has been
/// received.
pub const LONG: u64 = 16 << 10;

/// A machine as one rank sees it.
#[derive(Clone, Copy, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Machine {
    /// Time to start a message, in seconds.
    pub start_up: f64,
    /// Transfer time per byte, in seconds.
    pub byte: f64,
    /// Time to pack or unpack a byte, in seconds.
    pub copy: f64,
    /// Number of steps in flight.
    pub window: u32,
    /// Bytes that contention adds to each unscheduled message.
    pub contention: f64,
    /// Maximum bytes of a rank's intermediate arrays.
    pub room: u64,
}

impl Machine {
    /// Ranks on different nodes: 2 µs and 10 GB/s, typical of current fabrics.
    pub const NETWORK: Self =
        Self { start_up: 2e-6, byte: 1e-10, copy: 1.5e-10, window: 4, contention: 6e3, room: 32 << 20 };

    /// Only steps take time; ties are broken by cost. Used to order the dimensions of a product.
    pub const STEPS: Self =
        Self { start_up: 1.0, byte: 1e-30, copy: 0.0, window: 1, contention: 1.0, room: 0 };

    /// Ranks on one node that use shared memory.
    pub const NODE: Self =
        Self { start_up: 0.5e-6, byte: 1.5e-10, copy: 1.5e-10, window: 4, contention: 0.0, room: 32 << 20 };

    /// Returns whether messages contend for ports. Within a node they do not, and steps matter little; access to the
    /// arrays does.
    pub fn contends(&self) -> bool {
        self.contention > 0.0
    }

    /// Returns the maximum bytes of a message whose sender need not know of its arrival: it travels for no longer than
    /// another message takes to start, and is at most [`LONG`]. Without contention the limit is [`LONG`].
    pub fn unheard(&self) -> u64 {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates")]
        let meanwhile = (self.start_up / self.byte) as u64;
        if self.contends() { meanwhile.min(LONG) } else { LONG }
    }
}

/// Converts a count to a float; numbers above 2^53 lose their last digits, which does not matter here.
pub(crate) fn real(n: u64) -> f64 {
    #[allow(clippy::cast_precision_loss)]
    let n = n as f64;
    n
}
