//! Layouts as HPF's directives: an array that is aligned with a template. The planner parses the directives.

use super::hpf::count;
use crate::layout::{Aligned, MAX_RANKS};
use reblock_plan::layout::mapping::{Arrangement, Map, Mistake, Template, TemplateAxis};
use reblock_plan::layout::notation::{Alignment, Directive, Distribution, directive};
use std::collections::HashMap;
use std::sync::Arc;

/// Bounds (first, last) of each axis of a template or of the array.
type Bounds = Vec<(i64, i64)>;

/// The objects that directives have declared so far.
#[derive(Default)]
struct Declared {
    arrangements: HashMap<String, Vec<u32>>,
    bounds: HashMap<String, Bounds>,
    distribution: Option<(String, Distribution)>,
    alignment: Option<(String, Alignment)>,
}

/// Returns the layout that the directives in `text`, separated by semicolons, give an array of extents `shape`. Indices
/// begin at 1 unless DIMENSION declares other bounds.
pub fn layout(text: &str, shape: &[u64]) -> Result<Aligned, String> {
    let (directives, at) = first_rank(text)?;
    let mut declared = Declared::default();
    for line in directives.split(';').map(str::trim).filter(|line| !line.is_empty()) {
        let parsed = directive(line).map_err(|error| format!("{}\n{}", error.show(line), error.message))?;
        declared.add(parsed).map_err(|why| format!("{line}\n{why}"))?;
    }
    Ok(Aligned { map: declared.map(shape)?, at })
}

/// Splits `AT rank` off the end of a text; without it, the rank is 0.
fn first_rank(text: &str) -> Result<(&str, u32), String> {
    let text = text.trim_end_matches([' ', '\t', '\r', '\n', ';']);
    let found = text.rsplit_once(char::is_whitespace).and_then(|(before, number)| {
        let before = before.trim_end();
        let at = before.len().checked_sub(2)?;
        let is_at = before.get(at..)?.eq_ignore_ascii_case("AT");
        let is_word = !before[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        (is_at && is_word && !number.starts_with('(')).then_some((&before[..at], number))
    });
    let Some((directives, number)) = found else { return Ok((text, 0)) };
    let most = super::LAST_RANK - MAX_RANKS;
    let rank = number.parse().ok().filter(|&rank| u64::from(rank) <= most);
    rank.map(|rank| (directives, rank))
        .ok_or_else(|| format!("found \"AT {number}\" at the end, expected AT and a rank from 0 to {most}"))
}

impl Declared {
    fn add(&mut self, directive: Directive) -> Result<(), String> {
        let only = |names: Vec<String>| match <[String; 1]>::try_from(names) {
            Ok([name]) => Ok(name),
            Err(_) => Err("expected one name".to_string()),
        };
        match directive {
            Directive::Processors(list) => {
                self.arrangements.extend(list.into_iter().map(|one| (one.name, one.shape)));
            }
            Directive::Template(list) | Directive::Dimension(list) => {
                self.bounds.extend(list.into_iter().map(|one| (one.name, one.bounds)));
            }
            Directive::Distribute { distribution, names, again: false } if self.distribution.is_none() => {
                self.distribution = Some((only(names)?, distribution));
            }
            Directive::Align { alignment, names, again: false } if self.alignment.is_none() => {
                self.alignment = Some((only(names)?, alignment));
            }
            Directive::Combined(list) => return list.into_iter().try_for_each(|one| self.add(one)),
            _ => return Err("expected PROCESSORS, TEMPLATE, DIMENSION, one ALIGN and one DISTRIBUTE".into()),
        }
        Ok(())
    }

    /// Returns the map of the array of extents `shape`.
    fn map(self, shape: &[u64]) -> Result<Map, String> {
        let (array, alignment) = self.alignment.ok_or("there is no ALIGN")?;
        let template = &alignment.template;
        let in_terms_of_array = |mistake: Mistake| in_dimensions(&mistake.0, &array, template);
        let (name, distribution) = self.distribution.ok_or("there is no DISTRIBUTE")?;
        if name != *template {
            return Err(format!("{name} is distributed, but {array} is aligned with {template}"));
        }
        let onto = distribution.onto.as_ref();
        let named = onto.and_then(|onto| self.arrangements.get(onto.name.as_ref()?));
        let procs = onto.and_then(|onto| onto.shape.as_ref()).or(named);
        let procs = procs.ok_or("the number of processes is missing: write for instance ONTO P(2,3)")?;
        let ranks = procs.iter().fold(1u64, |n, &procs| n.saturating_mul(procs.into()));
        if ranks > MAX_RANKS {
            return Err(format!("more than {MAX_RANKS} ranks"));
        }
        let arrangement = Arrangement::new(procs, None, u32::MAX).map_err(in_terms_of_array)?;
        let there = self.bounds.get(template);
        let there = there.ok_or_else(|| format!("{template} has no bounds: declare it by TEMPLATE"))?;
        let dealt = distribution.apply_to(procs).map_err(in_terms_of_array)?;
        if dealt.len() != there.len() {
            let formats = count(dealt.len(), "format");
            return Err(format!("{formats} for {} of {template}", count(there.len(), "dimension")));
        }
        let axis = |(&(lower, upper), (format, onto))| TemplateAxis { lower, upper, format, onto };
        let axes = there.iter().zip(dealt).map(axis).collect();
        let distributed = Template::new(arrangement, axes).map_err(in_terms_of_array)?;
        let too_long = |len: u64| format!("--shape has an extent of {len}, expected at most {}", i64::MAX);
        let from_one = |&len: &u64| i64::try_from(len).map(|last| (1, last)).map_err(|_| too_long(len));
        let bounds = match self.bounds.get(&array) {
            Some(bounds) => bounds.clone(),
            None => shape.iter().map(from_one).collect::<Result<Bounds, _>>()?,
        };
        let extent = |&(lower, upper): &(i64, i64)| i128::from(upper) - i128::from(lower) + 1;
        if !bounds.iter().map(extent).eq(shape.iter().map(|&len| i128::from(len))) {
            return Err(format!("DIMENSION gives {array} other extents than --shape"));
        }
        let (aligns, rest) = alignment.apply(&bounds, there).map_err(in_terms_of_array)?;
        let axes: Vec<_> =
            bounds.iter().zip(aligns).map(|(&(lower, upper), one)| (lower, upper, one)).collect();
        Map::new(Arc::new(distributed), &axes, Some(&rest)).map_err(in_terms_of_array)
    }
}

/// Rewrites an error of the planner, which counts axes from 0: names the array and the template, and counts dimensions
/// from 1.
fn in_dimensions(why: &str, array: &str, template: &str) -> String {
    let mut after_axis = false;
    let word = |word: &str| {
        let end = word.trim_end_matches([':', ',']);
        let number = end.parse::<usize>().ok().filter(|_| after_axis);
        after_axis = end == "axis";
        let rewritten = match (number, end) {
            (Some(axis), _) => (axis + 1).to_string(),
            (_, "axis") => "dimension".into(),
            (_, "axes") => "dimensions".into(),
            _ => end.into(),
        };
        rewritten + &word[end.len()..]
    };
    let text = why.split(' ').map(word).collect::<Vec<_>>().join(" ");
    let text = text.replace("the array", array).replace("the template", template);
    text.replace("rest names", "ALIGN names")
}
