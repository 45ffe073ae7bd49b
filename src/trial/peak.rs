//! Measures the peak memory of a call by Linux's counters of this process.

/// Runs `body`; returns its result and the growth of the peak resident memory in bytes, 0 if the system has no counter.
pub fn measure_growth<R>(body: impl FnOnce() -> R) -> (R, u64) {
    // Resets the peak to the present resident memory.
    let reset = std::fs::write("/proc/self/clear_refs", "5").is_ok();
    let before = peak_memory();
    let result = body();
    let grown = before.zip(peak_memory()).map_or(0, |(before, after)| after.saturating_sub(before));
    (result, if reset { grown } else { 0 })
}

fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}
