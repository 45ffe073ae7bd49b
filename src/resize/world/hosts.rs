//! Hosts of a job's ranks. Each rank sends its host's name: the machine's, unless the resource manager has set
//! another.

use super::waits::completed;
use crate::collective::failure::{Code, Failure};
use crate::mpi::{Comm, Gathering, again};

/// Environment variable with the resource manager's name of a process's host.
pub const HOST: &str = "REBLOCK_HOST";
/// Length of a name in a message, in words of 8 bytes: host names have at most 64 bytes (HOST_NAME_MAX).
const WORDS: usize = 8;
const BYTES: usize = WORDS * size_of::<u64>();
/// Stands for a name that cannot be used; no text has these bytes.
const UNUSABLE: [u64; WORDS] = [u64::MAX; WORDS];

/// Gathers the host names of all ranks. Collective over `comm`. If the name of one rank cannot be used, all ranks
/// return an error: a rank that returned alone would leave the others waiting.
pub fn hosts_of(comm: Comm) -> Result<Vec<String>, Failure> {
    let (own, ranks) = (own_host(), comm.size()? as usize);
    if ranks == 1 {
        return Ok(vec![own?]);
    }
    let words = own.as_ref().map_or(UNUSABLE, |own| words_of(own));
    let mut gathering = again(|| Gathering::start(comm, ranks, &words))?;
    let all = completed(comm, || gathering.test())?;
    own?;
    if let Some(rank) = all.chunks_exact(WORDS).position(|words| words == UNUSABLE) {
        return Err(Failure::new(Code::Settings, format!("rank {rank}: {}", unusable())));
    }
    Ok(all.chunks_exact(WORDS).map(text_of).collect())
}

/// Returns the name of this process's host; an error if it cannot be used. Ranks also call it early, so that they can
/// report an error before others wait in `hosts_of`.
pub fn own_host() -> Result<String, Failure> {
    let named = std::env::var_os(HOST).filter(|name| !name.is_empty());
    let machine = || std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name = named.map_or_else(|| Ok(machine()), std::ffi::OsString::into_string);
    let good = |name: &String| name.len() <= BYTES && !name.contains([',', '\n']);
    name.ok()
        .map(|name| name.trim().into())
        .filter(good)
        .ok_or_else(|| Failure::new(Code::Settings, unusable()))
}

fn unusable() -> String {
    format!("{HOST} is not a host's name, expected at most {BYTES} bytes of UTF-8 without a comma")
}

fn words_of(name: &str) -> [u64; WORDS] {
    let mut bytes = [0; BYTES];
    bytes[..name.len()].copy_from_slice(name.as_bytes());
    std::array::from_fn(|word| {
        u64::from_le_bytes(std::array::from_fn(|byte| bytes[word * size_of::<u64>() + byte]))
    })
}

fn text_of(words: &[u64]) -> String {
    let bytes: Vec<u8> =
        words.iter().flat_map(|word| word.to_le_bytes()).take_while(|&byte| byte != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_names_are_decoded_unchanged() {
        for name in ["", "node7", &"ö".repeat(BYTES / 2)] {
            assert_eq!(text_of(&words_of(name)), name);
        }
    }
}
