//! HOW MUCH memory did a call take, at most? As Linux counts it for this process.

/// What `body` returned, and the bytes by which the resident memory of this process was larger at its height than before;
/// 0 where the system does not tell.
pub fn grown<R>(body: impl FnOnce() -> R) -> (R, u64) {
    // Sets the peak to what is resident now.
    let reset = std::fs::write("/proc/self/clear_refs", "5").is_ok();
    let before = peak();
    let result = body();
    let grown = before.zip(peak()).map_or(0, |(before, after)| after.saturating_sub(before));
    (result, if reset { grown } else { 0 })
}

/// The most that was resident since the last reset, in bytes.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}
