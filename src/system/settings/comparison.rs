//! Compares the settings of all ranks: by a checksum first, and by texts if the checksums differ.

use super::{Medium, NodeArrays, Settings};
use crate::system::one_line::one_line;

/// First character of a text that reports unusable settings.
const UNUSABLE: char = '!';

/// Returns the checksum of a rank's settings for comparison with other ranks.
pub fn checksum(mine: Result<&Settings, &String>) -> u64 {
    // Unusable settings have a number larger than the checksum of any valid settings.
    mine.map_or(u64::MAX >> 1, |settings| settings.digest().unsigned_abs() >> 1)
}

/// Returns the text that a rank sends to the others if the checksums differ.
pub fn text(mine: Result<&Settings, &String>) -> String {
    match mine {
        Ok(settings) => settings.values().map(|(_, value)| value).join("\n"),
        Err(why) => format!("{UNUSABLE}{why}"),
    }
}

/// Describes the first difference between the texts of all ranks, or the first unusable settings.
pub fn difference(texts: &[String]) -> String {
    if let Some((rank, why)) =
        texts.iter().enumerate().find_map(|(rank, text)| Some((rank, text.strip_prefix(UNUSABLE)?)))
    {
        return format!("rank {rank}: {why}");
    }
    let first = &texts[0];
    let other = texts.iter().position(|text| text != first).unwrap_or(0);
    let pairs = first.lines().zip(texts[other].lines()).zip(Settings::defaults().values());
    let differ = pairs.filter(|((a, b), _)| a != b);
    let named: Vec<_> = differ
        .map(|((a, b), (name, _))| {
            format!("{name} differs between ranks: {a} on rank 0, {b} on rank {other}")
        })
        .collect();
    // Texts have rounded numbers, so they may be equal although the settings differ.
    if named.is_empty() { "the settings differ between ranks".into() } else { named.join("; ") }
}

impl Settings {
    /// Returns names and values of the settings that must be equal on all ranks.
    fn values(&self) -> [(&'static str, String); 20] {
        let rate = |per_unit: f64| format_rounded(1e-9 / per_unit);
        let pair = |start_up: f64, byte: f64| format!("{},{}", format_rounded(start_up * 1e6), rate(byte));
        let medium = match self.medium {
            Medium::Best => "shared memory within a node",
            Medium::Mpi => "mpi",
            Medium::Shm => "shm",
        };
        let slots = self.streamed.map_or("as measured", |is| if is { "streamed" } else { "cached" });
        [
            ("REBLOCK_SCHEDULER", self.scheduler.clone().unwrap_or_else(|| "the cheapest".into())),
            ("REBLOCK_NETWORK", pair(self.network.start_up, self.network.byte)),
            ("REBLOCK_NODE", pair(self.node.start_up, self.node.byte)),
            ("REBLOCK_COPY", rate(self.network.copy)),
            ("REBLOCK_WINDOW", self.network.window.to_string()),
            ("REBLOCK_TRANSPORT", medium.into()),
            ("REBLOCK_EARLY", self.early.map_or("as memory allows".into(), |bytes| bytes.to_string())),
            ("REBLOCK_OWNERS", self.owners.to_string()),
            ("REBLOCK_ARRAYS", self.arrays.map_or("not set".into(), NodeArrays::text)),
            ("REBLOCK_GATHER", self.gather.map_or("for large arrays".into(), |is| i32::from(is).to_string())),
            ("REBLOCK_SLOTS", slots.into()),
            ("REBLOCK_DEVICE", i32::from(self.device).to_string()),
            ("REBLOCK_DEVICE_IPC", i32::from(self.device_ipc).to_string()),
            ("REBLOCK_DEVICE_MPI", i32::from(self.device_mpi).to_string()),
            ("REBLOCK_WAIT_SECONDS", self.wait.map_or("no limit".into(), |wait| wait.as_secs().to_string())),
            ("REBLOCK_TRIAL", one_line(&self.trial[0]).into()),
            ("REBLOCK_OFF", one_line(&self.trial[1]).into()),
            ("REBLOCK_ONLY", one_line(&self.trial[2]).into()),
            ("REBLOCK_SPAWNED", i32::from(self.spawned).to_string()),
            ("REBLOCK_BUFFER", self.buffer.map_or("1/8 of the local data".into(), |bytes| bytes.to_string())),
        ]
    }
}

/// Formats a number, rounded to nine digits.
fn format_rounded(n: f64) -> String {
    format!("{n:.8e}").parse().unwrap_or(n).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(variables: &[(&str, &str)]) -> Result<Settings, String> {
        Settings::read(|name| variables.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).into()))
    }

    #[test]
    fn differences_are_reported_with_name_and_values() {
        let ranks = [
            of(&[("REBLOCK_NETWORK", "30, 0.125")]),
            of(&[("REBLOCK_NETWORK", "30,0.125"), ("REBLOCK_THREADS", "2")]),
            of(&[("REBLOCK_WINDOW", "8"), ("REBLOCK_BUFFER", "65536")]),
        ];
        let numbers = ranks.each_ref().map(|settings| checksum(settings.as_ref()));
        assert_eq!(numbers[0], numbers[1]);
        assert_ne!(numbers[0], numbers[2]);
        let texts = ranks.map(|settings| text(settings.as_ref()));
        assert_eq!(
            difference(&texts),
            "REBLOCK_NETWORK differs between ranks: 30,0.125 on rank 0, 2,10 on rank 2; \
             REBLOCK_WINDOW differs between ranks: 4 on rank 0, 8 on rank 2; \
             REBLOCK_BUFFER differs between ranks: 1/8 of the local data on rank 0, 65536 on rank 2"
        );
    }

    #[test]
    fn unusable_values_are_reported_first() {
        let ranks = [of(&[]), of(&[("REBLOCK_WINDOW", "2")]), of(&[("REBLOCK_WINDOW", "wide")])];
        assert_ne!(checksum(ranks[0].as_ref()), checksum(ranks[2].as_ref()));
        let texts = ranks.map(|settings| text(settings.as_ref()));
        assert_eq!(difference(&texts), "rank 2: REBLOCK_WINDOW is wide, expected a number from 1 to 1024");
    }
}
