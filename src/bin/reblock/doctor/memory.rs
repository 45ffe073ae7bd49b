//! IS there memory for what ranks of a node share, and are its pages large? As the library itself asks before it takes any.

use super::Finding;
use reblock::budget::{Budget, NODE_REST};
use reblock::transport::shm::{Room, Wanted};
use reblock::trial::bytes;

/// What the slots of `ranks` ranks of a node take, all together.
fn shared(ranks: u64) -> u64 {
    let (slots, slot) = Budget::node_slots(None, ranks);
    let part = slots.saturating_mul(slot) as u64 + NODE_REST;
    part.saturating_mul(ranks)
}

/// For so many ranks of a node.
pub fn findings(ranks: u64) -> Vec<Finding> {
    let room = Room::now();
    let read = |path: &str| std::fs::read_to_string(path).ok();
    let mut findings = vec![objects(&room, ranks)];
    findings.extend(group(&room, ranks));
    findings.extend(limits(&room, ranks));
    findings.push(pages(read("/sys/kernel/mm/transparent_hugepage/enabled").as_deref()));
    findings
}

fn wanted(ranks: u64) -> Wanted {
    let all = shared(ranks);
    Wanted { mapped: all, taken: all, grouped: all, object: true }
}

fn objects(room: &Room, ranks: u64) -> Finding {
    const ABOUT: &str = "shared memory";
    let (there, need) = (room.objects(), shared(ranks));
    let found = match there {
        u64::MAX => format!("/dev/shm has no limit; ranks share {}", bytes(need)),
        _ => format!("{} free in /dev/shm; ranks share {}", bytes(there), bytes(need)),
    };
    match there < need {
        true => Finding::slow(
            ABOUT,
            found,
            "ranks of the node would exchange by MPI",
            format!(
                "mount -o remount,size={}M /dev/shm; of a container, --shm-size={0}m",
                need.saturating_mul(2).div_ceil(1 << 20).next_power_of_two()
            ),
        ),
        false => Finding::good(ABOUT, found),
    }
}

fn group(room: &Room, ranks: u64) -> Option<Finding> {
    const ABOUT: &str = "memory group";
    // Without a limit, version 1 of groups names one that no machine has.
    let (path, left) = room.group_left().filter(|&(_, left)| left < 1 << 60)?;
    let found = format!("{} left in {path}", bytes(left));
    Some(match left < shared(ranks) {
        true => Finding::slow(
            ABOUT,
            found,
            "ranks of the node would exchange by MPI",
            "ask for more memory for the job",
        ),
        false => Finding::good(ABOUT, found),
    })
}

/// Limits of this process, which its children have, too.
fn limits(room: &Room, ranks: u64) -> Option<Finding> {
    let found = [("addresses (ulimit -v)", room.addresses()), ("a file (ulimit -f)", room.file())];
    let tight: Vec<String> = found
        .iter()
        .filter(|&&(_, left)| left < shared(ranks))
        .map(|(what, left)| format!("{what}: {}", bytes(*left)))
        .collect();
    if tight.is_empty() && !room.holds(&wanted(ranks)) && room.objects() >= shared(ranks) {
        let why = "ranks of the node would exchange by MPI";
        return Some(Finding::slow("memory", "little is free on this machine", why, "end what takes it"));
    }
    (!tight.is_empty()).then(|| {
        Finding::slow(
            "limits",
            tight.join(", "),
            "ranks of the node would exchange by MPI",
            "ulimit -v unlimited -f unlimited",
        )
    })
}

/// `always [madvise] never`: what is in brackets is the case.
fn pages(enabled: Option<&str>) -> Finding {
    const ABOUT: &str = "huge pages";
    let now = enabled.and_then(|text| text.split_once('[')?.1.split_once(']')).map(|(now, _)| now);
    match now {
        Some("always") => Finding::good(ABOUT, "the program's large arrays get them"),
        Some(now) => Finding::slow(
            ABOUT,
            format!("{now}: arrays get them only if the program asks"),
            "large arrays take more entries of the address cache than there are, in ScaLAPACK and in reblock",
            "echo always >/sys/kernel/mm/transparent_hugepage/enabled (as root), or GLIBC_TUNABLES=glibc.malloc.hugetlb=1",
        ),
        None => Finding::good(ABOUT, "this system does not tell"),
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
    fn few_ranks_share_little() {
        assert!(shared(2) < 4 << 20 && shared(128) < 128 << 20, "{} {}", shared(2), shared(128));
    }

    #[test]
    fn so_many_ranks_find_no_room() {
        let found = findings(1 << 40);
        assert!(
            found.iter().any(|finding| finding.slow.is_some() && finding.about != "huge pages"),
            "{found:?}"
        );
    }
}
