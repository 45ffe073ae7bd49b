//! Detects lists whose keys ascend within each part of the array. Their elements need no stage.

use crate::layout::intersect::Runs;

struct PartKeys {
    number: u64,
    keys: Vec<u64>,
    runs: Vec<([u64; 1], u64)>,
}

/// Sorts `keys` by part; a part has `span` possible keys. Returns the sorted keys, and for each non-empty part the
/// places of its keys in the list. `None` unless the keys of each part ascend; random lists fail after a few keys.
pub(super) fn in_parts(keys: &[u64], span: u64) -> Option<(Vec<u64>, Vec<Runs<1>>)> {
    let mut parts: Vec<PartKeys> = Vec::new();
    let mut at = 0;
    while let Some(&key) = keys.get(at) {
        let number = key / span;
        let end = (number + 1).saturating_mul(span);
        let ascend = |pair: &[u64]| pair[0] < pair[1] && pair[1] < end;
        let len = 1 + keys[at..].windows(2).take_while(|pair| ascend(pair)).count();
        let which = parts.partition_point(|part| part.number < number);
        if parts.get(which).is_none_or(|part| part.number > number) {
            parts.insert(which, PartKeys { number, keys: Vec::new(), runs: Vec::new() });
        }
        let part = &mut parts[which];
        if part.keys.last().is_some_and(|&last| last >= key) {
            return None;
        }
        part.keys.extend(&keys[at..at + len]);
        part.runs.push(([at as u64], len as u64));
        at += len;
    }
    let places = parts.iter().map(|part| Runs::of_listed(&part.runs)).collect();
    let mut all = Vec::with_capacity(keys.len());
    parts.into_iter().for_each(|part| all.extend(part.keys));
    Some((all, places))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_that_ascend_in_parts_are_detected() {
        let mut rng = fastrand::Rng::with_seed(12);
        for _ in 0..500 {
            let span = 64 * rng.u64(1..4);
            let mut parts: Vec<Vec<u64>> = (0..rng.u64(1..5))
                .map(|part| (part * span..(part + 1) * span).filter(|_| rng.u8(0..9) == 0).collect())
                .collect();
            let (mut list, mut left) = (Vec::new(), parts.clone());
            while left.iter().any(|part| !part.is_empty()) {
                let part = rng.usize(0..left.len());
                let some = rng.usize(0..=left[part].len());
                list.extend(left[part].drain(..some));
            }
            let again = rng.bool() && !list.is_empty();
            if again {
                let at = rng.usize(0..list.len());
                list.push(list[at]);
            }
            let Some((keys, places)) = in_parts(&list, span) else {
                assert!(again);
                continue;
            };
            assert!(!again);
            parts.retain(|part| !part.is_empty());
            assert_eq!(keys, parts.concat());
            assert_eq!(places.len(), parts.len());
            for (part, places) in parts.iter().zip(&places) {
                let mut got = Vec::new();
                places.each_run(|start, len| got.extend((start..start + len).map(|at| list[at as usize])));
                assert_eq!(&got, part);
            }
        }
    }
}
