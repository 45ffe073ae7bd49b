//! Builds directives of HPF, and mappings in their printed form, from parsed text. Objects are given by name only.

mod combined;

use super::TextError;
use super::alignment::{self, Alignment};
use super::distribution::{self, Distribution};
use super::grammar::Rule;
use super::number::{MAX_COUNT, at_most_axes, integer, natural};
use super::pairs::{all, child, mistake, upper_case};
use pest::iterators::Pair;

/// A directive. Names are in upper case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Directive {
    /// `PROCESSORS P(2,3)` declares arrangements.
    Processors(Vec<Shaped>),
    /// `TEMPLATE T(100,0:9)` declares templates.
    Template(Vec<Bounded>),
    /// `DIMENSION A(10,-2:20)` declares arrays.
    Dimension(Vec<Bounded>),
    /// `DISTRIBUTE T(BLOCK,*) ONTO P` and `DISTRIBUTE (BLOCK,*) ONTO P :: T, U`.
    Distribute {
        /// Whether the directive is `REDISTRIBUTE`.
        again: bool,
        /// Formats of the axes, and the arrangement after `ONTO`.
        distribution: Distribution,
        /// Names of templates, or of arrays that are their own templates.
        names: Vec<String>,
    },
    /// `ALIGN A(i,j) WITH T(j,i)` and `ALIGN (i,j) WITH T(j,i) :: A, B`.
    Align {
        /// Whether the directive is `REALIGN`.
        again: bool,
        /// Alignment, with the template's name.
        alignment: Alignment,
        /// Names of the arrays, in upper case.
        names: Vec<String>,
    },
    /// `DYNAMIC A, T` has no effect, because all objects are dynamic.
    Dynamic(Vec<String>),
    /// `SHADOW A(1:2,0)` sets the shadows of arrays.
    Shadow(Widths),
    /// `DISTRIBUTE (BLOCK), DYNAMIC :: A, B`: one directive for each attribute, in the order of execution.
    Combined(Vec<Directive>),
}

/// An arrangement with its shape.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shaped {
    /// Name of the arrangement, in upper case.
    pub name: String,
    /// Number of processes along each axis.
    pub shape: Vec<u32>,
}

/// A template or an array with its bounds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bounded {
    /// Name of the object, in upper case.
    pub name: String,
    /// First and last index of each axis. The last index is less than the first if the axis has no index.
    pub bounds: Vec<(i64, i64)>,
}

/// Shadow widths of arrays, as in `SHADOW A(1:2,0)`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Widths {
    /// Names of the arrays, in upper case.
    pub names: Vec<String>,
    /// Shadow elements before and after a process's own elements, for each axis.
    pub widths: Vec<(u64, u64)>,
}

/// A mapping in the format that [`crate::layout::mapping::Map`] is printed in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mapping {
    /// Name of the array, in upper case.
    pub array: String,
    /// Alignment of the array with a template, which the alignment names.
    pub alignment: Alignment,
    /// Distribution of that template.
    pub distribution: Distribution,
}

/// Builds the directive of a parsed line.
pub fn read(line: &Pair<'_, Rule>) -> Result<Directive, TextError> {
    let hidden = [Rule::sentinel, Rule::comment, Rule::EOI];
    let statement = line.clone().into_inner().find(|pair| !hidden.contains(&pair.as_rule()));
    let statement = statement.expect("a directive has a statement");
    let again = statement.as_str().get(..2).is_some_and(|start| start.eq_ignore_ascii_case("RE"));
    Ok(match statement.as_rule() {
        Rule::combined => return combined::read(&statement),
        Rule::processors => Directive::Processors(read_declarations(&statement, Rule::shaped, read_shaped)?),
        Rule::template => Directive::Template(read_declarations(&statement, Rule::bounded, read_bounded)?),
        Rule::dimension => Directive::Dimension(read_declarations(&statement, Rule::bounded, read_bounded)?),
        Rule::distribute => {
            let target = all(&statement, Rule::target);
            let distribution = distribution::read(&child(&statement, Rule::formats), target.first())?;
            Directive::Distribute { again, distribution, names: names(&statement)? }
        }
        Rule::align => align(again, &statement)?,
        Rule::dynamic => Directive::Dynamic(names(&statement)?),
        _ => Directive::Shadow(Widths { names: names(&statement)?, widths: widths(&statement)? }),
    })
}

/// Builds the mapping of a parsed text.
pub fn mapping(text: &Pair<'_, Rule>) -> Result<Mapping, TextError> {
    let names = all(text, Rule::name);
    let [array, template, again] = &names[..] else { unreachable!("a mapping has 3 names") };
    let subscripts = child(text, Rule::subscripts);
    let alignment = alignment::read(Some(&child(text, Rule::sources)), template, Some(&subscripts))?;
    if upper_case(again) != alignment.template {
        let why = format!("found {:?}, expected {}", again.as_str(), alignment.template);
        return Err(mistake(again, why));
    }
    let formats = child(text, Rule::formats);
    let distribution = distribution::read(&formats, all(text, Rule::target).first())?;
    let axes = alignment.pattern.as_ref().map_or(0, |pattern| pattern.rest.len());
    if distribution.formats.len() != axes {
        let why = format!("the number of formats is {}, expected {axes}", distribution.formats.len());
        return Err(mistake(&formats, format!("{why}, as many as subscripts")));
    }
    Ok(Mapping { array: upper_case(array), alignment, distribution })
}

fn align(again: bool, statement: &Pair<'_, Rule>) -> Result<Directive, TextError> {
    let names = all(statement, Rule::name);
    Ok(Directive::Align { again, alignment: alignment(statement)?, names: distinct_names(&names[..1])? })
}

/// Builds the alignment of a statement, whose last name is the template's.
fn alignment(statement: &Pair<'_, Rule>) -> Result<Alignment, TextError> {
    let part = |rule| all(statement, rule).into_iter().next();
    let template = all(statement, Rule::name).pop().expect("a template is named");
    alignment::read(part(Rule::sources).as_ref(), &template, part(Rule::subscripts).as_ref())
}

fn names(statement: &Pair<'_, Rule>) -> Result<Vec<String>, TextError> {
    distinct_names(&all(statement, Rule::name))
}

fn distinct_names(pairs: &[Pair<'_, Rule>]) -> Result<Vec<String>, TextError> {
    let mut names = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for pair in pairs {
        let name = upper_case(pair);
        if !seen.insert(name.clone()) {
            return Err(mistake(pair, format!("{} is named twice", super::error::short(&name))));
        }
        names.push(name);
    }
    Ok(names)
}

fn read_declarations<T>(
    statement: &Pair<'_, Rule>,
    rule: Rule,
    read: impl Fn(String, &Pair<'_, Rule>) -> Result<T, TextError>,
) -> Result<Vec<T>, TextError> {
    let entries = all(statement, rule);
    let names: Vec<_> = entries.iter().map(|entry| child(entry, Rule::name)).collect();
    distinct_names(&names)?.into_iter().zip(&entries).map(|(name, entry)| read(name, entry)).collect()
}

fn read_shaped(name: String, entry: &Pair<'_, Rule>) -> Result<Shaped, TextError> {
    Ok(Shaped { name, shape: distribution::shape(&child(entry, Rule::shape))? })
}

fn read_bounded(name: String, entry: &Pair<'_, Rule>) -> Result<Bounded, TextError> {
    let list = at_most_axes(all(entry, Rule::bounds), "axes")?;
    Ok(Bounded { name, bounds: list.iter().map(bounds).collect::<Result<_, _>>()? })
}

fn bounds(pair: &Pair<'_, Rule>) -> Result<(i64, i64), TextError> {
    let ends = all(pair, Rule::integer).iter().map(integer).collect::<Result<Vec<_>, _>>()?;
    Ok(match ends[..] {
        [lower, upper] => (lower, upper),
        _ => (1, ends[0]),
    })
}

fn widths(statement: &Pair<'_, Rule>) -> Result<Vec<(u64, u64)>, TextError> {
    at_most_axes(all(&child(statement, Rule::widths), Rule::width), "widths")?.iter().map(width).collect()
}

/// Parses a width: `2` for both sides, or `1:2`.
fn width(pair: &Pair<'_, Rule>) -> Result<(u64, u64), TextError> {
    let ends = all(pair, Rule::number)
        .iter()
        .map(|number| natural(number, 0, MAX_COUNT, "the width"))
        .collect::<Result<Vec<_>, _>>()?;
    Ok((ends[0], ends[ends.len() - 1]))
}
