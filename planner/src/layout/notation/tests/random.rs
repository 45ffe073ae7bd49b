//! Random mappings and directives, which the tests print and parse again.

use super::*;
use crate::layout::mapping::{Align, Arrangement, Map, Rest, Template, TemplateAxis};
use fastrand::Rng;
use std::sync::Arc;

fn random_format(rng: &mut Rng, extent: u64, procs: u32) -> Format {
    match rng.u8(0..5) {
        0 => Format::Block(None),
        1 => Format::Block(Some(extent + rng.u64(1..3))),
        2 => Format::GenBlock(GenBlock::new(&vec![extent; procs as usize]).unwrap()),
        3 => {
            // At most 16 runs: a longer list is printed without its owners.
            let runs: Vec<_> = (0..16).map(|_| (rng.u32(0..procs), rng.u64(0..=extent / 16))).collect();
            let rest = extent - runs.iter().map(|(_, len)| len).sum::<u64>();
            let runs = runs[1..].iter().copied().chain([(0, rest + runs[0].1)]);
            Format::Indirect(Indirect::new(procs, runs).unwrap())
        }
        _ => Format::cyclic(rng.u64(1..6)),
    }
}

/// Creates a template. Each axis is distributed over the axis of the arrangement with the same number, or is collapsed.
pub fn random_template(rng: &mut Rng) -> Template {
    let shape: Vec<u32> = (0..rng.usize(1..4)).map(|_| rng.u32(1..5)).collect();
    let arrangement = Arrangement::new(&shape, None, 64).unwrap();
    let count = shape.len() + rng.usize(0..3);
    let mut free = 0..shape.len();
    let axes = (0..count).map(|k| {
        let (lower, extent) = (rng.i64(-50..50), rng.u64(30..90));
        let upper = lower + extent as i64 - 1;
        // If the template has no more axes than the arrangement, all of them are distributed.
        let dealt = rng.bool() || count - k <= free.len();
        match free.next().filter(|_| dealt) {
            Some(onto) => {
                let format = random_format(rng, extent, shape[onto]);
                TemplateAxis { lower, upper, format, onto: Some(onto) }
            }
            None => TemplateAxis::collapsed(lower, upper),
        }
    });
    Template::new(arrangement, axes.collect()).unwrap()
}

/// Creates an array that is aligned with some axes of the template.
pub fn random_map(rng: &mut Rng, template: &Arc<Template>) -> Map {
    let mut order: Vec<usize> = (0..template.axes().len()).collect();
    rng.shuffle(&mut order);
    let axes: Vec<_> = (0..rng.usize(1..5))
        .map(|_| {
            let Some(axis) = order.pop().filter(|_| rng.u8(0..4) > 0) else {
                return (1, 4, Align::Collapsed);
            };
            let stride = *rng.choice(&[1, 1, -1, 2, -3]).unwrap();
            let (lower, len) = (rng.i64(-9..9), rng.i64(1..10));
            let target = &template.axes()[axis];
            let first = if stride > 0 { target.lower } else { target.upper };
            (lower, lower + len - 1, Align::With { axis, stride, offset: first - stride * lower })
        })
        .collect();
    let rest: Vec<Rest> = template
        .axes()
        .iter()
        .map(|axis| if rng.bool() { Rest::Replicated } else { Rest::At(rng.i64(axis.lower..=axis.upper)) })
        .collect();
    Map::new(template.clone(), &axes, Some(&rest)).unwrap()
}

fn random_name(rng: &mut Rng) -> String {
    let names = ["A", "T", "P", "ONTO", "WITH", "BLOCK", "_X9", "ALIGN", "RE"];
    rng.choice(names).unwrap().into()
}

fn random_names(rng: &mut Rng) -> Vec<String> {
    let mut names: Vec<String> = (0..rng.usize(1..4)).map(|_| random_name(rng)).collect();
    names.sort();
    names.dedup();
    names
}

fn some(rng: &mut Rng, index: i64) -> Option<i64> {
    rng.bool().then_some(index)
}

fn random_integer(rng: &mut Rng) -> i64 {
    match rng.u8(0..6) {
        0 => i64::MIN,
        1 => i64::MAX,
        _ => rng.i64(-30..30),
    }
}

fn random_pattern(rng: &mut Rng) -> Option<Pattern> {
    if rng.u8(0..5) == 0 {
        return None;
    }
    let (count, base) = (rng.usize(1..6), rng.usize(1..6));
    let mut free: Vec<usize> = (0..base).collect();
    rng.shuffle(&mut free);
    let stride = |rng: &mut Rng| Some(random_integer(rng)).filter(|&n| n != 0).unwrap_or(1);
    let mut axes: Vec<Along> = (0..count)
        .map(|_| match free.pop() {
            Some(axis) if rng.u8(0..3) > 0 => {
                Along::Affine { axis, stride: stride(rng), offset: random_integer(rng) }
            }
            _ => Along::Collapsed,
        })
        .collect();
    // Triplets are in the order of the template's axes.
    free.sort_unstable();
    for along in axes.iter_mut().filter(|along| **along == Along::Collapsed) {
        if free.is_empty() || rng.bool() {
            continue;
        }
        let (first, last) = (random_integer(rng), random_integer(rng));
        let (first, last) = (some(rng, first), some(rng, last));
        *along = Along::Triplet { axis: free.remove(0), first, last, stride: stride(rng) };
    }
    let taken = |k: usize| {
        axes.iter().any(|along| match along {
            Along::Collapsed => false,
            Along::Affine { axis, .. } | Along::Triplet { axis, .. } => *axis == k,
        })
    };
    let rest = (0..base)
        .map(|k| if taken(k) || rng.bool() { Rest::Replicated } else { Rest::At(random_integer(rng)) })
        .collect();
    Some(Pattern { axes, rest })
}

/// Creates a directive that can be printed, but may have no meaning.
pub fn random_directive(rng: &mut Rng) -> Directive {
    let bounded = |rng: &mut Rng| {
        let names = random_names(rng).into_iter();
        names
            .map(|name| {
                let bounds =
                    (0..rng.usize(1..4)).map(|_| (random_integer(rng), random_integer(rng))).collect();
                Bounded { name, bounds }
            })
            .collect()
    };
    match rng.u8(0..8) {
        7 => random_combined(rng),
        0 => {
            let names = random_names(rng).into_iter();
            let shape = |rng: &mut Rng| (0..rng.usize(1..4)).map(|_| rng.u32(1..9)).collect();
            Directive::Processors(names.map(|name| Shaped { name, shape: shape(rng) }).collect())
        }
        1 => Directive::Template(bounded(rng)),
        2 => Directive::Dimension(bounded(rng)),
        3 => {
            let formats: Vec<Format> = (0..rng.usize(1..5))
                .map(|_| match rng.u8(0..4) {
                    0 => Format::Collapsed,
                    // The parser returns no more processes than the owners need.
                    _ => match random_format(rng, 40, 3) {
                        Format::Indirect(_) => Format::Indirect(Indirect::new(2, [(0, 7), (1, 2)]).unwrap()),
                        other => other,
                    },
                })
                .collect();
            let onto = match rng.u8(0..4) {
                0 => None,
                1 => target("Q", &[]),
                2 => target("Q", &[4; 5]),
                _ => target("", &[2; 4]),
            };
            let distribution = Distribution { formats, onto };
            Directive::Distribute { again: rng.bool(), distribution, names: random_names(rng) }
        }
        4 => {
            let alignment = Alignment { template: random_name(rng), pattern: random_pattern(rng) };
            Directive::Align { again: rng.bool(), alignment, names: random_names(rng) }
        }
        5 => Directive::Dynamic(random_names(rng)),
        _ => {
            let widths = (0..rng.usize(1..4)).map(|_| (rng.u64(0..9), rng.u64(0..9))).collect();
            Directive::Shadow(Widths { names: random_names(rng), widths })
        }
    }
}

/// Creates a template or an array, declared and distributed in one line.
fn random_combined(rng: &mut Rng) -> Directive {
    let names = random_names(rng);
    let bounded = |rng: &mut Rng, name: &String| {
        let bounds = (0..rng.usize(1..4)).map(|_| (random_integer(rng), random_integer(rng))).collect();
        Bounded { name: name.clone(), bounds }
    };
    let declared = names.iter().map(|name| bounded(rng, name)).collect();
    let distribution =
        Distribution { formats: vec![Format::Block(None), Format::Collapsed], onto: target("Q", &[]) };
    let distribute = Directive::Distribute { again: false, distribution, names: names.clone() };
    let mut all = vec![
        if rng.bool() { Directive::Template(declared) } else { Directive::Dimension(declared) },
        distribute,
    ];
    if let (Directive::Dimension(_), true) = (&all[0], rng.bool()) {
        all.push(Directive::Shadow(Widths {
            names: names.clone(),
            widths: vec![(rng.u64(0..9), 1), (0, 2)],
        }));
    }
    if rng.bool() {
        all.push(Directive::Dynamic(names));
    }
    Directive::Combined(all)
}
