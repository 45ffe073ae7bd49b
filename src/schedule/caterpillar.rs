//! The caterpillar (Prylli and Tourancheau 1997), what ScaLAPACK does: in step d, port p sends to port q with
//! q - p = d, or in ScaLAPACK's own pairing p + q = d, modulo the larger number of ports. Always a schedule; as many steps
//! as ports, whatever the messages are. A baseline.

use super::order::Order;
use super::traffic::{Listed, Traffic};

/// The order of one pairing.
pub fn order(traffic: &Traffic, sum: bool) -> Order {
    Order::Caterpillar { ports: traffic.ports(), sum }
}

/// The steps of one pairing, message by message.
pub fn steps(listed: &Listed, ports: u64, sum: bool) -> Vec<u32> {
    let step = |p: u32, q: u32| {
        let (p, q) = (u64::from(p), u64::from(q));
        let step = if sum { (p + q) % ports } else { (q + ports - p % ports) % ports };
        u32::try_from(step).expect("as many steps as ports")
    };
    listed.graph.edges().iter().map(|e| step(e.sender, e.receiver)).collect()
}
