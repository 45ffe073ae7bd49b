//! Parses alignments of an array with a template, such as `(i,:) WITH T(2*i+1,:,*)`.
//!
//! Parsing does not need the bounds of array and template; [`Alignment::apply`] applies an alignment to them.

use super::TextError;
use super::grammar::Rule;
use super::number::at_most_axes;
use super::pairs::{mistake, upper_case};
use super::subscript::{self, Subscript};
use crate::layout::mapping::axes;
use crate::layout::mapping::{Align, Mistake, Rest};
use pest::iterators::Pair;

/// Alignment of arrays with a template.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Alignment {
    /// Name of the template, in upper case.
    pub template: String,
    /// Alignment of each axis. `None` if the text has no lists: each axis is then aligned with the template's axis of
    /// the same number, over the whole length of both.
    pub pattern: Option<Pattern>,
}

/// Alignment of each axis of an array and of a template.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pattern {
    /// An alignment for each axis of the array.
    pub axes: Vec<Along>,
    /// A position for each axis of the template, used only if no axis of the array is aligned with it.
    pub rest: Vec<Rest>,
}

/// Alignment of one axis of an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Along {
    /// No alignment: every process has all indices.
    Collapsed,
    /// Alignment of array index i with template index `stride * i + offset`.
    Affine {
        /// Axis of the template, counted from 0.
        axis: usize,
        /// Factor of the array index; not 0.
        stride: i64,
        /// Template index of array index 0.
        offset: i64,
    },
    /// Alignment of the axis's indices, in order, with the template indices of a triplet.
    Triplet {
        /// Axis of the template, counted from 0.
        axis: usize,
        /// `None`: the first index of the template's axis.
        first: Option<i64>,
        /// `None`: the last index of the template's axis.
        last: Option<i64>,
        /// Distance of template indices; not 0.
        stride: i64,
    },
}

impl Alignment {
    /// Applies the alignment to an array and a template with bounds (first, last) for each axis. Returns each axis's
    /// alignment and the `rest` for [`crate::layout::mapping::Map::new`].
    pub fn apply(
        &self,
        array: &[(i64, i64)],
        template: &[(i64, i64)],
    ) -> Result<(Vec<Align>, Vec<Rest>), Mistake> {
        let whole = |axis| Along::Triplet { axis, first: None, last: None, stride: 1 };
        let plain = || Pattern {
            axes: (0..array.len()).map(whole).collect(),
            rest: vec![Rest::Replicated; array.len()],
        };
        let Pattern { axes: along, rest } = self.pattern.clone().unwrap_or_else(plain);
        for (what, said, known) in
            [("array", along.len(), array.len()), ("template", rest.len(), template.len())]
        {
            if said != known {
                let why =
                    format!("the alignment names {} of the {what}, which has {}", axes(said), axes(known));
                return Err(Mistake(why));
            }
        }
        let aligns = along.iter().zip(array).enumerate().map(|(k, (along, bounds))| {
            apply_axis(*along, *bounds, template)
                .map_err(|why| Mistake(format!("axis {k} of the array: {why}")))
        });
        Ok((aligns.collect::<Result<_, _>>()?, rest))
    }
}

/// Applies the alignment of an axis with the bounds `array`.
fn apply_axis(along: Along, array: (i64, i64), template: &[(i64, i64)]) -> Result<Align, Mistake> {
    let (axis, first, last, stride) = match along {
        Along::Collapsed => return Ok(Align::Collapsed),
        Along::Affine { axis, stride, offset } => return Ok(Align::With { axis, stride, offset }),
        Along::Triplet { axis, first, last, stride } => (axis, first, last, stride),
    };
    let (lower, upper) = template[axis];
    let (first, last) = (first.unwrap_or(lower), last.unwrap_or(upper));
    let (indices, there) = (count(array.0, array.1, 1), count(first, last, stride));
    if indices != there {
        let by = if stride == 1 { String::new() } else { format!(":{stride}") };
        let triplet = format!("{first}:{last}{by} of axis {axis} of the template");
        return Err(Mistake(format!("it has {indices} indices, but {triplet} has {there}")));
    }
    let offset = i128::from(first) - i128::from(stride) * i128::from(array.0);
    let offset =
        i64::try_from(offset).map_err(|_| Mistake(format!("the offset {offset} does not fit in 64 bits")))?;
    Ok(Align::With { axis, stride, offset })
}

/// Returns the number of indices of a triplet, as in Fortran.
fn count(first: i64, last: i64, stride: i64) -> i128 {
    ((i128::from(last) - i128::from(first) + i128::from(stride)) / i128::from(stride)).max(0)
}

/// Parses an alignment: the array's list and the template's list, both optional.
pub fn read(
    sources: Option<&Pair<'_, Rule>>,
    template: &Pair<'_, Rule>,
    subscripts: Option<&Pair<'_, Rule>>,
) -> Result<Alignment, TextError> {
    let named = |pattern| Alignment { template: upper_case(template), pattern };
    if sources.is_none() && subscripts.is_none() {
        return Ok(named(None));
    }
    let sources = sources.map(read_sources).transpose()?;
    let dummies: Vec<Option<&str>> = sources.iter().flatten().map(|source| source.dummy()).collect();
    let colons = |sources: &[Source<'_>]| sources.iter().filter(|source| **source == Source::Whole).count();
    let given = match (subscripts, &sources) {
        (Some(list), _) => read_subscripts(list, &dummies)?,
        // If the template has no list, it counts as one colon for each colon of the array's list.
        (None, sources) => {
            let colons = colons(sources.as_deref().unwrap_or_default());
            if colons == 0 {
                let why = "found no subscripts, expected some: the array's list has no \":\"";
                return Err(mistake(template, why.into()));
            }
            let whole = Subscript::Triplet { first: None, last: None, stride: 1 };
            vec![(whole, template.clone()); colons]
        }
    };
    let triplets = given.iter().filter(|(subscript, _)| subscript.is_triplet()).count();
    let sources = sources.unwrap_or_else(|| vec![Source::Whole; triplets]);
    let colons = colons(&sources);
    if triplets != colons {
        let count = if triplets == 1 { "1 triplet".into() } else { format!("{triplets} triplets") };
        let why = format!("found {count}, expected {colons}, one for each \":\" of the array's list");
        return Err(mistake(subscripts.unwrap_or(template), why));
    }
    match_axes(&sources, &given).map(|pattern| named(Some(pattern)))
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Source<'a> {
    Collapsed,
    Whole,
    Dummy(&'a str),
}

impl<'a> Source<'a> {
    fn dummy(self) -> Option<&'a str> {
        match self {
            Self::Dummy(name) => Some(name),
            _ => None,
        }
    }
}

fn read_sources<'a>(list: &Pair<'a, Rule>) -> Result<Vec<Source<'a>>, TextError> {
    let mut sources: Vec<Source<'a>> = Vec::new();
    for entry in at_most_axes(entries(list), "axes of an array")? {
        let part = entry.clone().into_inner().next().expect("an entry has a part");
        let source = match part.as_rule() {
            Rule::colon => Source::Whole,
            Rule::name => Source::Dummy(part.as_str()),
            _ => Source::Collapsed,
        };
        let same = |other: &Source<'_>| match (source, other) {
            (Source::Dummy(a), Source::Dummy(b)) => a.eq_ignore_ascii_case(b),
            _ => false,
        };
        if sources.iter().any(same) {
            return Err(mistake(&entry, format!("dummy {} is given twice", entry.as_str().trim_end())));
        }
        sources.push(source);
    }
    Ok(sources)
}

fn entries<'a>(list: &Pair<'a, Rule>) -> Vec<Pair<'a, Rule>> {
    let punctuation = [Rule::open, Rule::comma, Rule::close];
    list.clone().into_inner().filter(|pair| !punctuation.contains(&pair.as_rule())).collect()
}

fn read_subscripts<'a>(
    list: &Pair<'a, Rule>,
    dummies: &[Option<&str>],
) -> Result<Vec<(Subscript, Pair<'a, Rule>)>, TextError> {
    let entries = at_most_axes(entries(list), "subscripts")?;
    entries.into_iter().map(|pair| Ok((subscript::read(&pair, dummies)?, pair))).collect()
}

/// Matches axes of the array with subscripts of the template: dummies by name, colons with triplets in order. An axis
/// whose dummy is in no subscript is collapsed.
fn match_axes(
    sources: &[Source<'_>],
    subscripts: &[(Subscript, Pair<'_, Rule>)],
) -> Result<Pattern, TextError> {
    let mut axes = vec![Along::Collapsed; sources.len()];
    let mut rest = vec![Rest::Replicated; subscripts.len()];
    let mut colons = (0..sources.len()).filter(|&k| sources[k] == Source::Whole);
    for (axis, (subscript, pair)) in subscripts.iter().enumerate() {
        match *subscript {
            Subscript::Replicated => (),
            Subscript::At(index) => rest[axis] = Rest::At(index),
            Subscript::Triplet { first, last, stride } => {
                let k = colons.next().expect("as many colons as triplets");
                axes[k] = Along::Triplet { axis, first, last, stride };
            }
            Subscript::Affine { dummy, stride, offset } => {
                if axes[dummy] != Along::Collapsed {
                    let name = sources[dummy].dummy().unwrap_or_default();
                    return Err(mistake(
                        pair,
                        format!("dummy {name} is in 2 subscripts, expected at most 1"),
                    ));
                }
                axes[dummy] = Along::Affine { axis, stride, offset };
            }
        }
    }
    Ok(Pattern { axes, rest })
}
