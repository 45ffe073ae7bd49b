//! Memory limits of the process's control groups (cgroups, versions 1 and 2). Groups are nested; the one with the least
//! memory left limits the process.
//!
//! The caller passes a function that reads files.

/// Memory left in a control group.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MemoryGroup {
    /// Path of the group in the kernel's file system.
    pub path: String,
    /// Bytes that the group may still take. Memory of the file cache counts as free, because the kernel can drop it.
    pub left: u64,
}

/// File names of one version of control groups.
struct Version {
    roots: &'static [&'static str],
    limit: &'static str,
    usage: &'static str,
    caches: [&'static str; 2],
}

/// Limits of this many bytes or more mean that there is no limit: version 1 then shows 2⁶³ rounded down to whole pages.
const UNLIMITED: u64 = 1 << 62;

const VERSION_1: Version = Version {
    roots: &["/sys/fs/cgroup/memory"],
    limit: "memory.limit_in_bytes",
    usage: "memory.usage_in_bytes",
    caches: ["total_inactive_file", "total_active_file"],
};
const VERSION_2: Version = Version {
    roots: &["/sys/fs/cgroup", "/sys/fs/cgroup/unified"],
    limit: "memory.max",
    usage: "memory.current",
    caches: ["inactive_file", "active_file"],
};

/// Returns the process's group with the least memory left, if any has a limit. `read` returns the text of a file.
pub fn find_tightest(read: impl Fn(&str) -> Option<String>) -> Option<MemoryGroup> {
    let groups = read("/proc/self/cgroup").unwrap_or_default();
    let memberships = groups.lines().filter_map(membership);
    let limited = memberships.flat_map(|(version, path)| {
        // From the root down to the process's own group. In a container the parents are hidden, and the container's
        // group is the root.
        let own = Some(path.trim_end_matches('/')).filter(|own| !own.is_empty());
        let paths = path.match_indices('/').map(|(at, _)| &path[..at]).chain(own);
        let folders = paths.flat_map(|path| version.roots.iter().map(move |root| format!("{root}{path}")));
        folders
            .filter_map(|folder| {
                Some(MemoryGroup { left: bytes_left(version, &folder, &read)?, path: folder })
            })
            .collect::<Vec<_>>()
    });
    limited.min_by_key(|group| group.left)
}

/// Parses a line of /proc/self/cgroup: version and path of a memory group.
fn membership(line: &str) -> Option<(&'static Version, &str)> {
    let mut parts = line.splitn(3, ':');
    let (number, controllers, path) = (parts.next()?, parts.next()?, parts.next()?);
    match (number, controllers) {
        ("0", "") => Some((&VERSION_2, path)),
        (_, controllers) => controllers.split(',').any(|c| c == "memory").then_some((&VERSION_1, path)),
    }
}

/// Returns the bytes left in the group at `folder`, if it has a limit.
fn bytes_left(version: &Version, folder: &str, read: &impl Fn(&str) -> Option<String>) -> Option<u64> {
    let number = |file: &str| read(&format!("{folder}/{file}"))?.trim().parse::<u64>().ok();
    // The limit comes first, because reading the usage takes longer.
    let limit = number(version.limit).filter(|&limit| limit < UNLIMITED)?;
    let usage = number(version.usage)?;
    let stat = read(&format!("{folder}/memory.stat")).unwrap_or_default();
    let caches = stat.lines().filter_map(|line| line.split_once(' '));
    let caches = caches.filter(|(name, _)| version.caches.contains(name));
    let caches: u64 = caches.filter_map(|(_, bytes)| bytes.trim().parse::<u64>().ok()).sum();
    Some(limit.saturating_sub(usage.saturating_sub(caches)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(files: &[(&str, &str)]) -> Option<(String, u64)> {
        let read = |path: &str| files.iter().find(|(name, _)| *name == path).map(|(_, text)| (*text).into());
        find_tightest(read).map(|group| (group.path, group.left))
    }

    #[test]
    fn the_innermost_of_version_2_may_not_be_the_tightest() {
        let files = [
            ("/proc/self/cgroup", "0::/job/step\n"),
            ("/sys/fs/cgroup/job/step/memory.max", "max\n"),
            ("/sys/fs/cgroup/job/step/memory.current", "5\n"),
            ("/sys/fs/cgroup/job/memory.max", "1000\n"),
            ("/sys/fs/cgroup/job/memory.current", "700\n"),
            ("/sys/fs/cgroup/job/memory.stat", "anon 400\nfile 300\ninactive_file 100\nactive_file 50\n"),
        ];
        assert_eq!(of(&files), Some(("/sys/fs/cgroup/job".into(), 450)));
    }

    #[test]
    fn in_a_container_the_root_is_its_own_group() {
        let files = [
            ("/proc/self/cgroup", "9:name=systemd:/docker/1\n4:cpu,memory:/docker/1\n0::/\n"),
            ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "4096\n"),
            ("/sys/fs/cgroup/memory/memory.usage_in_bytes", "5000\n"),
            ("/sys/fs/cgroup/memory/memory.stat", "inactive_file 4000\ntotal_inactive_file 1000\n"),
        ];
        assert_eq!(of(&files), Some(("/sys/fs/cgroup/memory".into(), 96)));
    }

    #[test]
    fn usage_above_the_limit_leaves_nothing() {
        let files = [
            ("/proc/self/cgroup", "4:memory:/a\n"),
            ("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "10\n"),
            ("/sys/fs/cgroup/memory/a/memory.usage_in_bytes", "30\n"),
            ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"),
            ("/sys/fs/cgroup/memory/memory.usage_in_bytes", "30\n"),
        ];
        assert_eq!(of(&files), Some(("/sys/fs/cgroup/memory/a".into(), 0)));
        assert_eq!(of(&[("/proc/self/cgroup", "0::/\n")]), None, "no limit");
        assert_eq!(of(&[]), None, "no groups");
    }
}
