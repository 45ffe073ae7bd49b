//! Distributions of a template, as in `(CYCLIC(4), BLOCK, *) ONTO P(2,3)`.
//!
//! Parsing does not need the processor arrangement; [`Distribution::apply_to`] applies a distribution to an
//! arrangement.

use super::TextError;
use super::grammar::Rule;
use super::number::{MAX_COUNT, MAX_PROCS, at_most_axes, natural};
use super::pairs::{all, mistake, upper_case};
use crate::layout::distribution::{GenBlock, Indirect};
use crate::layout::mapping::axes;
use crate::layout::mapping::{Format, Mistake};
use pest::iterators::Pair;

/// Maximum owner in an `INDIRECT` list, above the process numbers of any machine. It bounds the table of owners, which
/// takes memory for each process up to the largest owner.
const MAX_OWNER: u64 = (1 << 22) - 1;

/// Formats of a template's axes, and the target arrangement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Distribution {
    /// Format of each axis. The number of processes of an `INDIRECT` format is its largest owner + 1.
    pub formats: Vec<Format>,
    /// The target arrangement, if the text names one.
    pub onto: Option<Target>,
}

/// A processor arrangement as named by a distribution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Target {
    /// Name in upper case. At least one of name and shape is present.
    pub name: Option<String>,
    /// Number of processes along each axis, if the text has a shape.
    pub shape: Option<Vec<u32>>,
}

impl Distribution {
    /// Applies the distribution to an arrangement of `shape`. Returns the format of each template axis and the axis of
    /// the arrangement that it is distributed along. Formats other than `*` take the axes of the arrangement in order.
    /// Along the remaining axes the template is replicated; the notation cannot replicate along an earlier axis.
    pub fn apply_to(&self, shape: &[u32]) -> Result<Vec<(Format, Option<usize>)>, Mistake> {
        if let Some(onto_shape) = self.onto.as_ref().and_then(|onto| onto.shape.as_ref()) {
            if onto_shape != shape {
                let why =
                    format!("ONTO has {}, but the arrangement has {}", extents(onto_shape), extents(shape));
                return Err(Mistake(why));
            }
        }
        let dealt = self.distributed_axes();
        if dealt > shape.len() {
            let why = format!(
                "there are {dealt} formats other than *, but the arrangement has {}",
                axes(shape.len())
            );
            return Err(Mistake(why));
        }
        let mut free = 0..shape.len();
        let mut place = |format: &Format| {
            if *format == Format::Collapsed {
                return Ok((Format::Collapsed, None));
            }
            let onto = free.next().expect("the axes were counted above");
            let format = match format {
                Format::Indirect(owners) => Format::Indirect(with_processes(owners, shape[onto])?),
                other => other.clone(),
            };
            Ok((format, Some(onto)))
        };
        self.formats.iter().map(&mut place).collect()
    }

    /// Returns the number of formats other than `*`.
    pub(super) fn distributed_axes(&self) -> usize {
        self.formats.iter().filter(|format| **format != Format::Collapsed).count()
    }
}

/// Returns the same owners with `procs` processes; an error if an owner is not below `procs`.
fn with_processes(owners: &Indirect, procs: u32) -> Result<Indirect, Mistake> {
    let runs = owners.runs().map(|(owner, run)| (owner, run.end - run.start));
    Indirect::new(procs, runs).ok_or_else(|| {
        let largest = owners.runs().map(|(owner, _)| owner).max().unwrap_or(0);
        Mistake(format!("INDIRECT has owner {largest}, expected 0 to {}", procs - 1))
    })
}

fn extents(shape: &[u32]) -> String {
    let extents: Vec<String> = shape.iter().map(u32::to_string).collect();
    format!("{} processes", extents.join("x"))
}

/// Builds the distribution of parsed `formats` and `target`.
pub fn read(formats: &Pair<'_, Rule>, target: Option<&Pair<'_, Rule>>) -> Result<Distribution, TextError> {
    let list: Vec<_> = formats.clone().into_inner().filter(|pair| pair.as_rule() != Rule::comma).collect();
    let formats = at_most_axes(list, "formats")?.iter().map(format).collect::<Result<_, _>>()?;
    let onto = target.map(read_target).transpose()?;
    let distribution = Distribution { formats, onto };
    let shape = distribution.onto.as_ref().and_then(|onto| onto.shape.as_ref());
    match (target, shape) {
        (Some(target), Some(shape)) if shape.len() < distribution.distributed_axes() => {
            let (available, dealt) = (axes(shape.len()), distribution.distributed_axes());
            Err(mistake(
                target,
                format!("the arrangement has {available}, but there are {dealt} formats other than *"),
            ))
        }
        _ => Ok(distribution),
    }
}

fn read_target(target: &Pair<'_, Rule>) -> Result<Target, TextError> {
    let (mut name, mut extents) = (None, None);
    for part in target.clone().into_inner() {
        match part.as_rule() {
            Rule::name => name = Some(upper_case(&part)),
            Rule::shape => extents = Some(shape(&part)?),
            _ => (),
        }
    }
    Ok(Target { name, shape: extents })
}

pub fn shape(pair: &Pair<'_, Rule>) -> Result<Vec<u32>, TextError> {
    let extent = |pair| {
        let extent = natural(pair, 1, MAX_PROCS, "the number of processes")?;
        Ok(u32::try_from(extent).expect("at most 31 bits"))
    };
    at_most_axes(all(pair, Rule::number), "axes")?.iter().map(extent).collect()
}

fn format(pair: &Pair<'_, Rule>) -> Result<Format, TextError> {
    let numbers = all(pair, Rule::number);
    let block = || numbers.first().map(|n| natural(n, 1, MAX_COUNT, "the block size")).transpose();
    Ok(match pair.as_rule() {
        Rule::block => Format::Block(block()?),
        Rule::cyclic => Format::cyclic(block()?.unwrap_or(1)),
        Rule::gen_block => Format::GenBlock(gen_block(pair, &numbers)?),
        Rule::indirect => Format::Indirect(indirect(pair)?),
        _ => Format::Collapsed,
    })
}

fn gen_block(pair: &Pair<'_, Rule>, numbers: &[Pair<'_, Rule>]) -> Result<GenBlock, TextError> {
    let sizes: Vec<u64> =
        numbers.iter().map(|n| natural(n, 0, MAX_COUNT, "the block size")).collect::<Result<_, _>>()?;
    GenBlock::new(&sizes)
        .filter(|dist| dist.total() <= MAX_COUNT)
        .ok_or_else(|| mistake(pair, format!("the block sizes add up to more than {MAX_COUNT}")))
}

fn indirect(pair: &Pair<'_, Rule>) -> Result<Indirect, TextError> {
    let runs = all(pair, Rule::owner).iter().map(run).collect::<Result<Vec<_>, _>>()?;
    let procs = runs.iter().map(|&(owner, _)| owner + 1).max().unwrap_or(1);
    Indirect::new(procs, runs)
        .filter(|dist| dist.total() <= MAX_COUNT)
        .ok_or_else(|| mistake(pair, format!("there are more than {MAX_COUNT} owners")))
}

/// Returns an owner and its repeat count.
fn run(pair: &Pair<'_, Rule>) -> Result<(u32, u64), TextError> {
    let numbers = all(pair, Rule::number);
    let times = match &numbers[..] {
        [times, _] => natural(times, 1, MAX_COUNT, "the repeat count")?,
        _ => 1,
    };
    let owner = numbers.last().expect("an owner is a number");
    let owner = natural(owner, 0, MAX_OWNER, "the owner")?;
    Ok((u32::try_from(owner).expect("at most 22 bits"), times))
}
