//! Combined directives: attributes of the names after a `::` (HPF 2.0, section 3.8), as in
//! `TEMPLATE, DIMENSION(100), DISTRIBUTE (BLOCK) :: T, U`.
//!
//! Each attribute becomes a directive of its own. `DIMENSION` gives bounds to processor arrangements and templates that
//! have none after their names; without `PROCESSORS` and `TEMPLATE`, it declares arrays.

use super::super::TextError;
use super::super::distribution;
use super::super::grammar::Rule;
use super::super::number::{MAX_PROCS, at_most_axes};
use super::super::pairs::{all, child, mistake};
use super::{Bounded, Directive, Shaped, Widths, alignment, bounds, distinct_names, widths};
use pest::iterators::Pair;

/// The kinds of attributes, in the order of execution.
const KINDS: [(Rule, &str); 7] = [
    (Rule::is_processors, "PROCESSORS"),
    (Rule::is_template, "TEMPLATE"),
    (Rule::dimensions, "DIMENSION"),
    (Rule::distributed, "DISTRIBUTE"),
    (Rule::aligned, "ALIGN"),
    (Rule::shadowed, "SHADOW"),
    (Rule::is_dynamic, "DYNAMIC"),
];

/// Attributes that exclude each other.
const EXCLUSIVE: [(Rule, &[Rule]); 3] = [
    (
        Rule::is_processors,
        &[Rule::is_template, Rule::distributed, Rule::aligned, Rule::shadowed, Rule::is_dynamic],
    ),
    (Rule::is_template, &[Rule::aligned, Rule::shadowed]),
    (Rule::distributed, &[Rule::aligned]),
];

/// Builds the directive, or the directives, of a line with a `::`.
pub fn read(statement: &Pair<'_, Rule>) -> Result<Directive, TextError> {
    let attributes: Vec<_> = statement.clone().into_inner().filter(|part| kind(part).is_some()).collect();
    check_combination(&attributes)?;
    let entities = all(statement, Rule::entity);
    let names = distinct_names(&entities.iter().map(|entity| child(entity, Rule::name)).collect::<Vec<_>>())?;
    let has = |rule| attributes.iter().find(|attribute| attribute.as_rule() == rule);
    if [Rule::is_processors, Rule::is_template, Rule::dimensions].into_iter().all(|rule| has(rule).is_none())
    {
        if let Some(list) = entities.iter().find_map(|entity| all(entity, Rule::extents_of).pop()) {
            let why = "found \"(\", expected the end or \",\": only PROCESSORS, TEMPLATE and DIMENSION declare bounds";
            return Err(mistake(&list, why.into()));
        }
    }
    let mut directives = Vec::new();
    for (rule, _) in KINDS {
        let Some(attribute) = has(rule) else { continue };
        let names = names.clone();
        let again = attribute.as_str().get(..2).is_some_and(|start| start.eq_ignore_ascii_case("RE"));
        directives.push(match rule {
            Rule::is_processors => {
                let shaped = each_shape(&entities, has(Rule::dimensions), procs)?;
                Directive::Processors(
                    names.into_iter().zip(shaped).map(|(name, shape)| Shaped { name, shape }).collect(),
                )
            }
            Rule::is_template | Rule::dimensions => {
                if rule == Rule::dimensions
                    && (has(Rule::is_processors).is_some() || has(Rule::is_template).is_some())
                {
                    continue;
                }
                let all =
                    each_shape(&entities, has(Rule::dimensions), |list| list.iter().map(bounds).collect())?;
                let bounded =
                    names.into_iter().zip(all).map(|(name, bounds)| Bounded { name, bounds }).collect();
                if rule == Rule::is_template {
                    Directive::Template(bounded)
                } else {
                    Directive::Dimension(bounded)
                }
            }
            Rule::distributed => {
                let target = all(attribute, Rule::target);
                let distribution = distribution::read(&child(attribute, Rule::formats), target.first())?;
                Directive::Distribute { again, distribution, names }
            }
            Rule::aligned => Directive::Align { again, alignment: alignment(attribute)?, names },
            Rule::shadowed => Directive::Shadow(Widths { names, widths: widths(attribute)? }),
            _ => Directive::Dynamic(names),
        });
    }
    Ok(if directives.len() == 1 { directives.remove(0) } else { Directive::Combined(directives) })
}

fn kind(part: &Pair<'_, Rule>) -> Option<&'static str> {
    KINDS.iter().find(|(rule, _)| *rule == part.as_rule()).map(|(_, name)| *name)
}

fn check_combination(attributes: &[Pair<'_, Rule>]) -> Result<(), TextError> {
    let name = |part: &Pair<'_, Rule>| kind(part).unwrap_or_default();
    for (k, later) in attributes.iter().enumerate() {
        let again = later.as_str().get(..2).is_some_and(|start| start.eq_ignore_ascii_case("RE"));
        if again && attributes.len() > 1 {
            return Err(mistake(
                later,
                format!("RE{} cannot be combined with other attributes", name(later)),
            ));
        }
        for earlier in &attributes[..k] {
            let (a, b) = (earlier.as_rule(), later.as_rule());
            if a == b {
                return Err(mistake(later, format!("{} is given twice", name(later))));
            }
            let excludes = |a, b| EXCLUSIVE.iter().any(|(one, others)| *one == a && others.contains(&b));
            if excludes(a, b) || excludes(b, a) {
                let why = format!("{} cannot be combined with {}", name(later), name(earlier));
                return Err(mistake(later, why));
            }
        }
    }
    Ok(())
}

/// Calls `read` with the bounds of each name: its own bounds, or the bounds of the attribute `DIMENSION`.
fn each_shape<T>(
    entities: &[Pair<'_, Rule>],
    dimension: Option<&Pair<'_, Rule>>,
    read: impl Fn(&[Pair<'_, Rule>]) -> Result<T, TextError>,
) -> Result<Vec<T>, TextError> {
    let shape = |entity: &Pair<'_, Rule>| {
        let own = all(entity, Rule::extents_of).pop();
        let list = own.or_else(|| dimension.map(|dimension| child(dimension, Rule::extents_of)));
        let list = list.ok_or_else(|| {
            let name = entity.as_str().trim_end();
            mistake(
                entity,
                format!("{name} has no bounds: expected {name}(...), or the attribute DIMENSION(...)"),
            )
        })?;
        read(&at_most_axes(all(&list, Rule::bounds), "axes")?)
    };
    entities.iter().map(shape).collect()
}

fn procs(list: &[Pair<'_, Rule>]) -> Result<Vec<u32>, TextError> {
    let extent = |pair: &Pair<'_, Rule>| {
        if all(pair, Rule::integer).len() > 1 {
            let why = "found a lower bound, expected the number of processes: axes of PROCESSORS begin at 1";
            return Err(mistake(pair, why.into()));
        }
        let (_, count) = bounds(pair)?;
        let procs = u32::try_from(count).ok().filter(|&n| n > 0 && u64::from(n) <= MAX_PROCS);
        procs.ok_or_else(|| {
            mistake(pair, format!("the number of processes is {count}, expected 1 to {MAX_PROCS}"))
        })
    };
    list.iter().map(extent).collect()
}
