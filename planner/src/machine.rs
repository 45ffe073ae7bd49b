//! Machine model: the parameters for the prices of schedules ([`cost_model`](crate::schedule::cost_model)). Equal on
//! all ranks.

/// Maximum bytes that a rank has in flight (sent, not yet received) when it begins its next message. Start-ups of
/// longer messages do not overlap. This is for prices: the library takes 64 KiB (docs/schedulers.md).
pub const MAX_IN_FLIGHT_BYTES: u64 = 16 << 10;

/// Parameters of a machine, for one rank.
#[derive(Clone, Copy, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Machine {
    /// Time to start a message, in seconds.
    pub start_up: f64,
    /// Transfer time per byte, in seconds.
    pub byte: f64,
    /// Time to pack or unpack a byte, in seconds.
    pub copy: f64,
    /// Number of steps of a rank that may be in flight at a time.
    pub window: u32,
    /// Bytes that contention costs per message if all messages are sent at once; 0 if messages do not contend.
    pub contention: f64,
    /// Maximum bytes of a rank's intermediate arrays.
    pub room: u64,
    /// Maximum bytes of an *early* message: those from one node to another travel together. 0 if each message travels
    /// alone. Reports of versions without early messages lack it.
    #[cfg_attr(feature = "serde", serde(default))]
    pub early: u64,
}

/// Placement of the ranks of a redistribution on nodes; equal on all of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Proximity {
    /// On one node, whose memory they share.
    OneNode,
    /// On several nodes, or on an unknown number.
    Nodes {
        /// Maximum bytes of an early message ([`Machine::early`]).
        early: u64,
    },
}

impl Machine {
    /// Ranks on different nodes: 2 µs and 10 GB/s, typical of current fabrics.
    pub const NETWORK: Self = Self {
        start_up: 2e-6,
        byte: 1e-10,
        copy: 1.5e-10,
        window: 4,
        contention: 6e3,
        room: 32 << 20,
        early: 0,
    };

    /// Machine whose prices order schedules by steps, then by cost. Used to choose the parts of products and chains.
    pub const STEPS: Self =
        Self { start_up: 1.0, byte: 1e-30, copy: 0.0, window: 1, contention: 1.0, room: 0, early: 0 };

    /// Ranks on one node that use shared memory.
    pub const NODE: Self = Self {
        start_up: 0.5e-6,
        byte: 1.5e-10,
        copy: 1.5e-10,
        window: 4,
        contention: 0.0,
        room: 32 << 20,
        early: 0,
    };

    /// Returns whether messages contend for ports. Within a node they do not: access to the arrays matters more.
    pub fn contends(&self) -> bool {
        self.contention > 0.0
    }

    /// Returns the maximum bytes of a piece that needs no acknowledgement: its transfer takes at most the time to start
    /// a message, and it has at most [`MAX_IN_FLIGHT_BYTES`] bytes. Without contention the limit is
    /// [`MAX_IN_FLIGHT_BYTES`].
    pub fn max_unacknowledged(&self) -> u64 {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates")]
        let meanwhile = (self.start_up / self.byte) as u64;
        if self.contends() { meanwhile.min(MAX_IN_FLIGHT_BYTES) } else { MAX_IN_FLIGHT_BYTES }
    }
}

/// Converts a count to a float. Numbers above 2^53 are rounded, which does not matter for prices.
pub(crate) fn real(n: u64) -> f64 {
    #[allow(clippy::cast_precision_loss)]
    let n = n as f64;
    n
}
