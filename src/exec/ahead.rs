//! WHAT is sent before all ranks have agreed that anything is to be written? The first messages, which takes reading only. They may
//! come to nothing, and then be sent again.

use super::Exchange;
use crate::transport::Transport;

/// Bytes after which no further message is sent ahead: of more, what ranks keep is copied along with what they send.
const AHEAD: usize = 64 << 10;

impl Exchange<'_> {
    /// Sends the first of its messages, as far as there are slots: nothing is written to an array.
    pub fn send_ahead<T: Transport>(&mut self, transport: &mut T) -> Result<(), T::Error> {
        self.choose(transport);
        let mut ahead = 0;
        while ahead < AHEAD {
            match self.send(transport)? {
                0 => break,
                sent => ahead += sent,
            }
        }
        Ok(())
    }

    /// Nothing was sent: what was goes to nobody.
    pub fn rewind(&mut self) {
        self.state.sending.rewind();
        self.state.turn = 0;
    }
}
