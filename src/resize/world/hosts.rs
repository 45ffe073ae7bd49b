//! Hosts of a job's ranks: the names of their machines, or the names that the resource manager has set.

use super::waits::wait_for_all;
use crate::collective::failure::{Code, Failure};
use crate::mpi::{Comm, Gathering, retry};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

/// Environment variable with the resource manager's name of a process's host.
pub const HOST: &str = "REBLOCK_HOST";
/// Words of 8 bytes of a name in a message: host names have at most 64 bytes (HOST_NAME_MAX).
const WORDS: usize = 8;
const BYTES: usize = WORDS * size_of::<u64>();
/// Markers for unusable names, of [`HOST`] and of the machine. No text has these bytes.
const UNUSABLE: [u64; WORDS] = [u64::MAX; WORDS];
const UNUSABLE_MACHINE: [u64; WORDS] = [u64::MAX - 1; WORDS];

/// Gathers the host names of all ranks. If one is unusable, all ranks return an error: a rank that returned alone would
/// leave the others waiting. Collective over `comm`.
pub fn hosts_of(comm: Comm) -> Result<Vec<String>, Failure> {
    let (own, ranks) = (own_host(), comm.size()? as usize);
    if ranks == 1 {
        return Ok(vec![own?]);
    }
    let words = own
        .as_ref()
        .map_or_else(|_| if is_named() { UNUSABLE } else { UNUSABLE_MACHINE }, |own| words_of(own));
    let mut gathering = retry(|| Gathering::start(comm, ranks, &words))?;
    let all = wait_for_all(comm, || gathering.test())?;
    own?;
    for (named, marker) in [(true, UNUSABLE), (false, UNUSABLE_MACHINE)] {
        if let Some(rank) = all.chunks_exact(WORDS).position(|words| words == marker) {
            return Err(Failure::new(Code::Settings, format!("rank {rank}: {}", unusable_reason(named))));
        }
    }
    Ok(all.chunks_exact(WORDS).map(text_of).collect())
}

/// Returns the name of this process's host; an error if it is unusable. Called before `hosts_of`, too, to report an
/// error before others wait.
pub fn own_host() -> Result<String, Failure> {
    let machine = || std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default().into_bytes();
    let name = set_name().map_or_else(machine, OsString::into_vec);
    usable_name(name).ok_or_else(|| Failure::new(Code::Settings, unusable_reason(is_named())))
}

fn set_name() -> Option<OsString> {
    std::env::var_os(HOST).filter(|name| !name.is_empty())
}

fn is_named() -> bool {
    set_name().is_some()
}

/// Returns a name as text without space at its ends; `None` if it does not fit into a message, or has a comma.
fn usable_name(name: Vec<u8>) -> Option<String> {
    let name = String::from_utf8(name).ok()?;
    let name = name.trim();
    (name.len() <= BYTES && !name.contains([',', '\n'])).then(|| name.into())
}

/// Returns why a name is unusable: that of [`HOST`] if `named`, otherwise the machine's.
fn unusable_reason(named: bool) -> String {
    let expected = format!("expected at most {BYTES} bytes of UTF-8 without a comma");
    match named {
        true => format!("{HOST} is not a host's name, {expected}"),
        false => format!("the machine's name is not a host's name, {expected}: set {HOST}"),
    }
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
    fn a_name_without_commas_is_usable() {
        for (name, text) in [("node7\n", "node7"), ("", ""), (" a.b ", "a.b")] {
            assert_eq!(usable_name(name.into()).as_deref(), Some(text));
        }
        for name in [&b"a,b"[..], b"a\nb", b"a\xff", &[b'a'; BYTES + 1]] {
            assert_eq!(usable_name(name.to_vec()), None);
        }
        assert!(
            unusable_reason(true).starts_with(HOST)
                && unusable_reason(false).starts_with("the machine's name")
        );
    }

    #[test]
    fn host_names_are_decoded_unchanged() {
        for name in ["", "node7", &"ö".repeat(BYTES / 2)] {
            assert_eq!(text_of(&words_of(name)), name);
        }
    }
}
