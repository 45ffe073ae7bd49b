//! Sends the first messages before all ranks have agreed on the call.
//!
//! Sending only reads arrays. If the call fails, the receivers drop these messages. If it begins again, they are sent
//! again.

use super::PhaseExecution;
use crate::transport::Transport;

/// Bytes after which no further message is sent ahead. Larger exchanges interleave the other sends with self copies.
const MAX_AHEAD_BYTES: usize = 64 << 10;

impl PhaseExecution<'_> {
    /// Sends the first messages, as far as slots are free; writes to no array.
    pub fn send_ahead<T: Transport>(&mut self, transport: &mut T) -> Result<(), T::Error> {
        self.choose(transport);
        let mut ahead = 0;
        while ahead < MAX_AHEAD_BYTES {
            match self.send(transport)? {
                0 => break,
                sent => ahead += sent,
            }
        }
        Ok(())
    }

    /// Rewinds the send cursor; messages already sent are dropped by their receivers.
    pub fn rewind(&mut self) {
        self.state.sending.rewind();
        self.state.turn = 0;
    }
}
