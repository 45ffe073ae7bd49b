//! Prints directives in a form that can be parsed again. Dummies are named i, j, k and so on.

use super::{Alignment, Along, Bounded, Directive, Distribution, Mapping, Shaped, Target, Widths};
use crate::layout::mapping::{Rest, dummy, subscript};
use std::fmt::{self, Display};

fn list<T>(entries: &[T], text: impl Fn(&T) -> String) -> String {
    entries.iter().map(text).collect::<Vec<_>>().join(",")
}

impl Display for Distribution {
    /// Writes, for instance, `(CYCLIC(4),BLOCK,*) ONTO P(2,3)`, or only the formats if `onto` is `None`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({})", list(&self.formats, ToString::to_string))?;
        self.onto.as_ref().map_or(Ok(()), |onto| write!(f, " {onto}"))
    }
}

impl Display for Target {
    /// Writes `ONTO P(2,3)`, or `ONTO P` or `ONTO (2,3)` if there is no shape or no name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ONTO {}", self.name.as_deref().unwrap_or(""))?;
        self.shape.as_ref().map_or(Ok(()), |shape| write!(f, "({})", list(shape, u32::to_string)))
    }
}

impl Alignment {
    fn sources(&self) -> String {
        let Some(pattern) = &self.pattern else { return String::new() };
        let source = |(k, along): &(usize, Along)| match along {
            Along::Collapsed => "*".into(),
            Along::Affine { .. } => dummy(*k),
            Along::Triplet { .. } => ":".into(),
        };
        format!("({})", list(&pattern.axes.iter().copied().enumerate().collect::<Vec<_>>(), source))
    }

    fn base(&self) -> String {
        let Some(pattern) = &self.pattern else { return self.template.clone() };
        let mut entries: Vec<String> = pattern.rest.iter().map(rest).collect();
        for (k, along) in pattern.axes.iter().enumerate() {
            match *along {
                Along::Collapsed => (),
                Along::Affine { axis, stride, offset } => entries[axis] = subscript(k, stride, offset),
                Along::Triplet { axis, first, last, stride } => entries[axis] = triplet(first, last, stride),
            }
        }
        format!("{}({})", self.template, entries.join(","))
    }
}

fn rest(rest: &Rest) -> String {
    match rest {
        Rest::Replicated => "*".into(),
        Rest::At(index) => index.to_string(),
    }
}

fn triplet(first: Option<i64>, last: Option<i64>, stride: i64) -> String {
    let end = |end: Option<i64>| end.map_or_else(String::new, |end| end.to_string());
    let by = if stride == 1 { String::new() } else { format!(":{stride}") };
    format!("{}:{}{by}", end(first), end(last))
}

impl Display for Mapping {
    /// Writes the mapping in the format of a printed [`crate::layout::mapping::Map`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { array, alignment, distribution } = self;
        let (sources, base, template) = (alignment.sources(), alignment.base(), &alignment.template);
        write!(f, "{array}{sources} WITH {base}, {template}{distribution}")
    }
}

impl Display for Shaped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({})", self.name, list(&self.shape, u32::to_string))
    }
}

impl Display for Bounded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bounds = |&(lower, upper): &(i64, i64)| match lower {
            1 => upper.to_string(),
            _ => format!("{lower}:{upper}"),
        };
        write!(f, "{}({})", self.name, list(&self.bounds, bounds))
    }
}

impl Display for Directive {
    /// Writes the directive without a sentinel.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let re = |again: &bool| if *again { "RE" } else { "" };
        match self {
            Self::Processors(shaped) => write!(f, "PROCESSORS {}", list(shaped, Shaped::to_string)),
            Self::Template(bounded) => write!(f, "TEMPLATE {}", list(bounded, Bounded::to_string)),
            Self::Dimension(bounded) => write!(f, "DIMENSION {}", list(bounded, Bounded::to_string)),
            Self::Distribute { again, distribution, names } => match &names[..] {
                [name] => write!(f, "{}DISTRIBUTE {name}{distribution}", re(again)),
                _ => write!(f, "{}DISTRIBUTE {distribution} :: {}", re(again), names.join(",")),
            },
            Self::Align { again, alignment, names } => {
                let (sources, base) = (alignment.sources(), alignment.base());
                match &names[..] {
                    [name] => write!(f, "{}ALIGN {name}{sources} WITH {base}", re(again)),
                    _ if sources.is_empty() => {
                        write!(f, "{}ALIGN WITH {base} :: {}", re(again), names.join(","))
                    }
                    _ => write!(f, "{}ALIGN {sources} WITH {base} :: {}", re(again), names.join(",")),
                }
            }
            Self::Dynamic(names) => write!(f, "DYNAMIC {}", names.join(",")),
            Self::Shadow(Widths { names, widths }) => {
                let widths = list(widths, |(before, behind)| format!("{before}:{behind}"));
                match &names[..] {
                    [name] => write!(f, "SHADOW {name}({widths})"),
                    _ => write!(f, "SHADOW ({widths}) :: {}", names.join(",")),
                }
            }
            Self::Combined(all) => {
                write!(
                    f,
                    "{} :: {}",
                    list(all, Self::attribute),
                    all.first().map_or_else(String::new, Self::entities)
                )
            }
        }
    }
}

impl Directive {
    /// Formats the directive as an attribute before a `::`.
    fn attribute(&self) -> String {
        match self {
            Self::Processors(_) => "PROCESSORS".into(),
            Self::Template(_) => "TEMPLATE".into(),
            Self::Dimension(bounded) => {
                let first =
                    bounded.first().map(|one| Bounded { name: String::new(), bounds: one.bounds.clone() });
                format!("DIMENSION{}", first.map_or_else(String::new, |first| first.to_string()))
            }
            Self::Distribute { distribution, .. } => format!("DISTRIBUTE {distribution}"),
            Self::Align { alignment, .. } => {
                format!("ALIGN {} WITH {}", alignment.sources(), alignment.base())
            }
            Self::Dynamic(_) => "DYNAMIC".into(),
            Self::Shadow(Widths { widths, .. }) => {
                format!("SHADOW ({})", list(widths, |(before, behind)| format!("{before}:{behind}")))
            }
            Self::Combined(all) => list(all, Self::attribute),
        }
    }

    /// Formats the names after a `::`, with declared bounds.
    fn entities(&self) -> String {
        match self {
            Self::Processors(shaped) => list(shaped, Shaped::to_string),
            Self::Template(bounded) | Self::Dimension(bounded) => list(bounded, Bounded::to_string),
            Self::Distribute { names, .. } | Self::Align { names, .. } | Self::Dynamic(names) => {
                names.join(",")
            }
            Self::Shadow(Widths { names, .. }) => names.join(","),
            Self::Combined(all) => all.first().map_or_else(String::new, Self::entities),
        }
    }
}
