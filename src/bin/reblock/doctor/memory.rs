//! Checks the memory that ranks of a node share, REBLOCK_ARRAYS, and huge pages. The figures of free memory and the
//! sizes of buffers come from the library's own code.

use super::Finding;
use reblock::system::room::{Room, Wanted};
use reblock::trial::bytes;
use reblock_plan::budget::{Budget, NODE_REST};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// The file system at `/dev/shm`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ShmState {
    Missing,
    /// A directory in the file system of `/dev`.
    Directory,
    /// A file system of its own.
    Mounted,
}

impl ShmState {
    fn now() -> Self {
        let device = |path: &str| std::fs::metadata(path).ok().filter(|it| it.is_dir()).map(|it| it.dev());
        match (device("/dev/shm"), device("/dev")) {
            (None, _) => Self::Missing,
            (shm, dev) if shm == dev => Self::Directory,
            _ => Self::Mounted,
        }
    }
}

/// Returns two sizes, in bytes, of the buffers that `ranks` ranks of a node share: the largest, which the library tries
/// to allocate first, and the smallest, which it tries last.
fn shared_bytes(ranks: u64) -> [u64; 2] {
    let all = |(slots, slot): (usize, usize)| {
        let part = slots.saturating_mul(slot) as u64 + NODE_REST;
        part.saturating_mul(ranks)
    };
    let mut tried = Budget::node_slots(None, ranks).map(all);
    let first = tried.next().unwrap_or(0);
    [first, tried.last().unwrap_or(first)]
}

/// Returns the effect of having only `left` bytes of shared memory for `ranks` ranks of a node; `None` if they suffice.
fn effect_of_shortage(left: u64, ranks: u64) -> Option<&'static str> {
    let [first, least] = shared_bytes(ranks);
    match left {
        left if left < least => Some("ranks of the node would exchange data by MPI"),
        left if left < first => Some("ranks of the node would use smaller buffers"),
        _ => None,
    }
}

pub fn findings(ranks: u64) -> Vec<Finding> {
    let room = Room::now();
    let read = |path: &str| std::fs::read_to_string(path).ok();
    let mut findings = vec![objects(ShmState::now(), room.objects(), ranks)];
    findings.extend(group(&room, ranks));
    findings.extend(limits(&room, ranks));
    let asked = std::env::var_os("REBLOCK_ARRAYS").filter(|value| !value.is_empty());
    let [overcommit, limits] = ["/proc/sys/vm/overcommit_memory", "/proc/self/limits"].map(read);
    findings.push(match asked {
        Some(asked) if asked == "xpmem" => xpmem(Path::new("/dev/xpmem").exists()),
        _ => arrays([overcommit.as_deref(), limits.as_deref()], asked.is_some()),
    });
    findings.push(pages(read("/sys/kernel/mm/transparent_hugepage/enabled").as_deref()));
    findings
}

fn wanted(ranks: u64) -> Wanted {
    let [_, all] = shared_bytes(ranks);
    Wanted { mapped: all, taken: all, grouped: all, object: true }
}

fn objects(state: ShmState, there: u64, ranks: u64) -> Finding {
    const ABOUT: &str = "shared memory";
    let [need, _] = shared_bytes(ranks);
    let found = match (state, there) {
        (ShmState::Missing, _) => format!("there is no /dev/shm; reblock's buffers take {}", bytes(need)),
        (_, u64::MAX) => format!("/dev/shm has no limit; reblock's buffers take {}", bytes(need)),
        _ => format!("{} free in /dev/shm; reblock's buffers take {}", bytes(there), bytes(need)),
    };
    let Some(why) = effect_of_shortage(there, ranks) else { return Finding::good(ABOUT, found) };
    let size = need.saturating_mul(2).div_ceil(1 << 20).next_power_of_two();
    let mount = format!("mount -t tmpfs -o size={size}M,mode=1777 tmpfs /dev/shm");
    let mend = match state {
        ShmState::Missing => format!("mkdir /dev/shm && {mount}"),
        ShmState::Directory => mount,
        ShmState::Mounted => format!("mount -o remount,size={size}M /dev/shm"),
    };
    Finding::slow(ABOUT, found, why, format!("{mend} (as root); of a container, --shm-size={size}m"))
}

fn group(room: &Room, ranks: u64) -> Option<Finding> {
    const ABOUT: &str = "memory group";
    // Without a limit, version 1 of memory groups (cgroups) reports more bytes than any machine has.
    let (path, left) = room.group_left().filter(|&(_, left)| left < 1 << 60)?;
    let found = format!("{} left in {path}", bytes(left));
    Some(match effect_of_shortage(left, ranks) {
        Some(why) => Finding::slow(ABOUT, found, why, "ask for more memory for the job"),
        None => Finding::good(ABOUT, found),
    })
}

/// Checks the limits of this process, which its children inherit, and the free memory of the machine.
fn limits(room: &Room, ranks: u64) -> Option<Finding> {
    let found = [("addresses (ulimit -v)", room.addresses()), ("a file (ulimit -f)", room.file())];
    let tight: Vec<String> = found
        .iter()
        .filter(|&&(_, left)| effect_of_shortage(left, ranks).is_some())
        .map(|(what, left)| format!("{what}: {}", bytes(*left)))
        .collect();
    if tight.is_empty()
        && !room.has_room_for(&wanted(ranks))
        && effect_of_shortage(room.objects(), ranks).is_none()
    {
        let why = "ranks of the node would exchange data by MPI";
        return Some(Finding::slow(
            "memory",
            "little is free on this machine",
            why,
            "end the programs that take it",
        ));
    }
    let why = found.iter().map(|&(_, left)| left).min().and_then(|least| effect_of_shortage(least, ranks))?;
    Some(Finding::slow("limits", tight.join(", "), why, "ulimit -v unlimited -f unlimited"))
}

const ARRAYS: &str = "REBLOCK_ARRAYS";

/// Returns the finding for REBLOCK_ARRAYS=xpmem. `module`: the kernel's module XPMEM is loaded.
fn xpmem(module: bool) -> Finding {
    match module {
        true => Finding::good(
            ARRAYS,
            "set: each element of arrays is copied once within a node instead of twice, by XPMEM",
        ),
        false => {
            let found = "there is no /dev/xpmem";
            let mend = "load the kernel's module xpmem, or set REBLOCK_ARRAYS=node";
            Finding::slow(ARRAYS, found, "all arrays are copied twice", mend)
        }
    }
}

/// Checks whether `libreblock_arrays.so` would put a program's arrays into memory that other ranks of the node can
/// read. The two texts are the contents of `/proc/sys/vm/overcommit_memory` and `/proc/self/limits`. `asked`:
/// REBLOCK_ARRAYS is set.
fn arrays([overcommit, limits]: [Option<&str>; 2], asked: bool) -> Finding {
    let is_limited = |what: &&str| {
        let line = limits.and_then(|text| text.lines().find_map(|line| line.strip_prefix(what)));
        line.is_some_and(|line| line.split_whitespace().next() != Some("unlimited"))
    };
    let why = match overcommit.map(str::trim) {
        Some("2") => Some(("memory is granted strictly", "sysctl vm.overcommit_memory=0 (as root)")),
        _ if is_limited(&"Max address space") => {
            Some(("addresses are limited (ulimit -v)", "ulimit -v unlimited"))
        }
        _ if is_limited(&"Max data size") => Some(("data are limited (ulimit -d)", "ulimit -d unlimited")),
        _ => None,
    };
    match (why, asked) {
        (None, true) => Finding::good(
            ARRAYS,
            "set: each element of large arrays is copied once within a node instead of twice",
        ),
        (None, false) => Finding::good(
            ARRAYS,
            "not set; with \"node\", each element of large arrays is copied once within a node instead of twice",
        ),
        (Some((why, _)), false) => {
            Finding::good(ARRAYS, format!("not set; it would have no effect, because {why}"))
        }
        (Some((found, mend)), true) => {
            Finding::slow(ARRAYS, found, "all arrays lie in usual memory and are copied twice", mend)
        }
    }
}

/// Reads text such as `always [madvise] never`; the mode in brackets is active.
fn pages(enabled: Option<&str>) -> Finding {
    const ABOUT: &str = "huge pages";
    let now = enabled.and_then(|text| text.split_once('[')?.1.split_once(']')).map(|(now, _)| now);
    match now {
        Some("always") => Finding::good(ABOUT, "the program's large arrays get them"),
        Some(now) => Finding::slow(
            ABOUT,
            format!("{now}: arrays get them only if the program asks"),
            "large arrays have more pages than the processor's address cache (TLB) holds, in ScaLAPACK and in reblock",
            "echo always >/sys/kernel/mm/transparent_hugepage/enabled (as root), or GLIBC_TUNABLES=glibc.malloc.hugetlb=1",
        ),
        None => Finding::good(ABOUT, "this system does not report it"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_as_the_kernel_says() {
        assert_eq!(pages(Some("[always] madvise never\n")).slow, None);
        assert!(pages(Some("always [madvise] never\n")).found.starts_with("madvise"));
        assert!(pages(Some("always madvise [never]\n")).mend.is_some());
        assert_eq!(pages(None).slow, None);
    }

    #[test]
    fn xpmem_needs_a_module() {
        assert!(xpmem(true).slow.is_none() && xpmem(false).mend.is_some());
    }

    #[test]
    fn arrays_need_memory_without_limits() {
        let limits = |space: &str, data: &str| {
            format!(
                "Limit   Soft Limit  Hard Limit\nMax data size  {data}  unlimited bytes\nMax address space  {space} unlimited bytes\n"
            )
        };
        let of = |overcommit: &str, space: &str, data: &str, asked| {
            arrays([Some(overcommit), Some(&limits(space, data))], asked)
        };
        for asked in [false, true] {
            assert_eq!(of("0\n", "unlimited", "unlimited", asked).slow, None);
            for (bad, mend) in [
                (of("2\n", "unlimited", "unlimited", asked), "sysctl"),
                (of("1\n", "800000000", "unlimited", asked), "ulimit -v"),
                (of("0\n", "unlimited", "8000", asked), "ulimit -d"),
            ] {
                assert_eq!(bad.slow.is_some(), asked, "{bad:?}");
                assert!(bad.mend.is_none_or(|text| text.starts_with(mend)));
            }
        }
    }

    #[test]
    fn few_ranks_share_little() {
        let [few, many] = [2, 128].map(shared_bytes);
        assert!(few[0] < 4 << 20 && many[1] < 128 << 20, "{few:?} {many:?}");
        assert!(few[1] <= few[0] && many[1] <= many[0], "{few:?} {many:?}");
    }

    #[test]
    fn the_fix_fits_the_memory_that_exists() {
        let [first, least] = shared_bytes(4);
        for (state, found, mend) in [
            (ShmState::Missing, "there is no /dev/shm; ", "mkdir /dev/shm && mount -t tmpfs -o size="),
            (ShmState::Directory, "0 B free in /dev/shm; ", "mount -t tmpfs -o size="),
            (ShmState::Mounted, "0 B free in /dev/shm; ", "mount -o remount,size="),
        ] {
            let finding = objects(state, 0, 4);
            assert!(finding.found.starts_with(found), "{finding:?}");
            assert!(finding.mend.as_ref().is_some_and(|text| text.starts_with(mend)), "{finding:?}");
        }
        assert_eq!(objects(ShmState::Mounted, first, 4).slow, None);
        assert!(objects(ShmState::Mounted, least - 1, 4).slow.unwrap().contains("by MPI"));
        if least < first {
            assert!(objects(ShmState::Mounted, least, 4).slow.unwrap().contains("smaller buffers"));
        }
    }

    #[test]
    fn too_many_ranks_do_not_fit() {
        let found = findings(1 << 40);
        assert!(
            found.iter().any(|finding| finding.slow.is_some() && finding.about != "huge pages"),
            "{found:?}"
        );
    }
}
