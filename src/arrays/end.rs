//! One end of a redistribution as one rank knows it: a map in the ranks of the enclosing communicator, and a section.

use super::Map;
use crate::collective::call::told_list;
use crate::collective::failure::Failure;
use crate::layout::mapping;
use crate::layout::mapping::{End, Layout, Local, Range, Section};
use crate::runtime::session::Session;
use crate::system::digest::digest;
use std::sync::Arc;

/// What a rank passes for one end: nothing where it does not know the array.
#[derive(Clone, Copy, Default)]
pub struct Side<'a> {
    /// The array.
    pub map: Option<&'a Map>,
    /// The section; `None` is the whole array.
    pub section: Option<&'a [Range]>,
}

/// One end, known.
#[derive(Clone)]
pub struct KnownEnd {
    /// The map, in ranks of the enclosing communicator.
    pub map: mapping::Map,
    layout: Layout,
    section: Section,
    /// The calling process's local array, if the program said how it lies in memory.
    local: Option<Local>,
    /// The strides of it that the program gave, if it did.
    strides: Option<Vec<i64>>,
    /// What [`KnownEnd::digests`] says, if that is known.
    digests: Option<[i64; 2]>,
}

impl<'a> Side<'a> {
    /// The whole of an array.
    pub fn whole(map: &'a Map) -> Self {
        Self { map: Some(map), section: None }
    }

    /// A section of an array.
    pub fn section(map: &'a Map, section: &'a [Range]) -> Self {
        Self { map: Some(map), section: Some(section) }
    }

    /// What the calling process knows of this end, called "source" or "target", in ranks of `session`.
    pub(super) fn known(&self, session: &Arc<Session>, name: &str) -> Result<Option<KnownEnd>, Failure> {
        let Some(map) = self.map else {
            return match self.section {
                None => Ok(None),
                Some(_) => {
                    Err(Failure::argument(format!("a section of the {name} is given, but its map is NULL")))
                }
            };
        };
        let within = |why: Failure| Failure { text: format!("the {name}: {}", why.text), ..why };
        let missing =
            || Failure::argument("a process of its arrangement is not in the enclosing communicator");
        let arrangement = map.procs().within(session)?.ok_or_else(missing).map_err(within)?;
        let section = match self.section {
            None => Section::whole(map.map()),
            Some(ranges) => Section::new(map.map(), ranges).map_err(Failure::from).map_err(within)?,
        };
        let local = Some(map.local().clone());
        let strides =
            map.is_strided().then(|| map.local().axes.iter().map(|axis| axis.stride).collect::<Vec<_>>());
        if arrangement == *map.procs().arrangement() {
            let whole = self.section.is_none();
            let digests = || digests(map.map(), &section);
            let digests = whole.then(|| map.digests(digests));
            let (map, layout) = (map.map().clone(), map.layout().clone());
            return Ok(Some(KnownEnd { map, layout, section, local, strides, digests }));
        }
        let map = map.map().onto(arrangement);
        let layout = Layout::of(&map);
        Ok(Some(KnownEnd { strides, ..KnownEnd::new(map, layout, section, local) }))
    }
}

impl KnownEnd {
    fn new(map: mapping::Map, layout: Layout, section: Section, local: Option<Local>) -> Self {
        Self { map, layout, section, local, strides: None, digests: None }
    }

    /// The same array with its template on another arrangement: where the calling process's local array lies is not known
    /// then.
    pub fn onto(&self, template: mapping::Template) -> Result<Self, Failure> {
        let map = self.map.realigned(Arc::new(template))?;
        let layout = Layout::of(&map);
        Ok(Self { strides: self.strides.clone(), ..Self::new(map, layout, self.section.clone(), None) })
    }

    /// Whether rank `rank`, which is the calling process, knows its own indices of all axes. One that was told the map by
    /// others does not, where each process knows its own only.
    pub fn able(&self, rank: u32) -> Result<(), Failure> {
        let Some(part) = self.layout.part(rank) else { return Ok(()) };
        if self.map.boxes().is_some_and(|boxes| boxes.own().is_none()) {
            return Err(Failure::argument(
                "the map is NULL, but this process may have boxes of the array, which no other process knows",
            ));
        }
        let lists = self.layout.axes().iter().zip(&part).all(|(axis, &coord)| {
            axis.dist.part().is_none_or(|part| part.own().is_some_and(|own| own.coord() == coord))
        });
        match lists {
            true => Ok(()),
            false => Err(Failure::argument(
                "the map is NULL, but this process has a part of the array, of which each process knows its own indices only",
            )),
        }
    }

    /// Numbers that tell the map, and the section, from others.
    pub fn digests(&self) -> [i64; 2] {
        self.digests.unwrap_or_else(|| digests(&self.map, &self.section))
    }

    /// Whether the calling process's local array lies in its storage as that of `other` does, which has the same map. One that is
    /// not known has no gaps.
    pub fn lies_like(&self, other: Option<&Self>) -> bool {
        self.strides.as_deref() == other.and_then(|other| other.strides.as_deref())
    }

    /// The section.
    pub fn section(&self) -> &Section {
        &self.section
    }

    /// The same with another section.
    pub fn with_section(&self, ranges: &[Range]) -> Result<Self, Failure> {
        Ok(Self { section: Section::new(&self.map, ranges)?, digests: None, ..self.clone() })
    }

    /// A scalar of which each process of its arrangement has a copy.
    pub fn single(&self) -> Result<Self, Failure> {
        let template = mapping::Template::new(self.map.template().arrangement().clone(), Vec::new())?;
        let map = mapping::Map::new(Arc::new(template), &[], None)?;
        let (layout, section) = (Layout::of(&map), Section::whole(&map));
        Ok(Self::new(map, layout, section, None))
    }

    /// The same with a local array without gaps.
    pub fn dense(&self) -> Self {
        Self { local: None, strides: None, ..self.clone() }
    }

    /// As planning sees it.
    pub fn end(&self) -> End<'_> {
        End { map: &self.map, layout: &self.layout, section: &self.section }
    }

    /// The local array of `rank`, which is the calling process. Where it has become another part of the array, it keeps the
    /// strides that the program gave, if they do for that.
    pub fn local(&self, rank: u32) -> Result<Local, Failure> {
        if let Some(local) = &self.local {
            return Ok(local.clone());
        }
        let part = self.layout.part(rank);
        let dense = Local::of(&self.map, &self.layout, part.as_deref());
        match self.strides.as_ref().filter(|_| part.is_some()) {
            None => Ok(dense),
            Some(strides) => dense.with_strides(strides).map_err(|why| {
                Failure::argument(format!(
                    "after relabelling, the part of the target that this process gets: {why}"
                ))
            }),
        }
    }

    /// Collective over the communicator of `session`: an end that rank `root` knows, for those that do not.
    /// What is wrong with it is told apart from what MPI says, as other ranks do not know of it.
    pub fn from_root(
        session: &Session,
        root: u32,
        mine: Option<Self>,
    ) -> Result<Result<Self, Failure>, Failure> {
        let numbers = mine.as_ref().map(|known| {
            let map = known.map.numbers();
            let len = i64::try_from(map.len()).unwrap_or(i64::MAX);
            [vec![len], map, triplets(&known.section)].concat()
        });
        let all = told_list(session, root, numbers.as_deref())?;
        Ok(mine.map_or_else(|| Self::from_numbers(&all), Ok))
    }

    fn from_numbers(all: &[i64]) -> Result<Self, Failure> {
        let garbled =
            || Failure::new(crate::collective::failure::Code::Internal, "a map that was told is none");
        let (len, rest) = all.split_first().ok_or_else(garbled)?;
        let parts = usize::try_from(*len).ok().and_then(|len| rest.split_at_checked(len));
        let (map, triplets) = parts.ok_or_else(garbled)?;
        let map = mapping::Map::from_numbers(map).ok_or_else(garbled)?;
        let range = |n: &[i64]| Range { lower: n[0], upper: n[1], stride: n[2] };
        let ranges: Vec<Range> = triplets.chunks_exact(3).map(range).collect();
        let section = Section::new(&map, &ranges)?;
        let layout = Layout::of(&map);
        Ok(Self::new(map, layout, section, None))
    }
}

/// Numbers that tell a map, and a section of it, from others.
fn digests(map: &mapping::Map, section: &Section) -> [i64; 2] {
    [digest(&map.numbers()), digest(&triplets(section))]
}

fn triplets(section: &Section) -> Vec<i64> {
    section.ranges().iter().flat_map(|range| [range.lower, range.upper, range.stride]).collect()
}
