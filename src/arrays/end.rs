//! Ends of a redistribution: the section that is its source, and the section that is its target.

use super::Map;
use crate::collective::call::broadcast_list;
use crate::collective::failure::Failure;
use crate::layout::mapping;
use crate::layout::mapping::{Layout, LocalArray, MappedSection, Range, Section};
use crate::runtime::session::Session;
use crate::system::digest::digest;
use std::sync::Arc;

/// A rank's arguments for one end. Both are `None` if the rank does not have the array's map.
#[derive(Clone, Copy, Default)]
pub struct Side<'a> {
    /// Map of the array.
    pub map: Option<&'a Map>,
    /// Section of the array; `None`: the whole array.
    pub section: Option<&'a [Range]>,
}

/// Map and section of an end, in ranks of the enclosing communicator.
#[derive(Clone)]
pub struct ResolvedEnd {
    pub map: mapping::Map,
    layout: Layout,
    section: Section,
    /// The calling process's local array; `None` if the map came from another rank or was changed by planning.
    local: Option<LocalArray>,
    /// Strides that the program set for the local array.
    strides: Option<Vec<i64>>,
    digests: Option<[i64; 2]>,
}

impl<'a> Side<'a> {
    /// Selects all elements of an array.
    pub fn whole(map: &'a Map) -> Self {
        Self { map: Some(map), section: None }
    }

    /// Selects a section of an array, one range for each axis.
    pub fn section(map: &'a Map, section: &'a [Range]) -> Self {
        Self { map: Some(map), section: Some(section) }
    }

    /// Converts this end to ranks of `session`; `None` without a map. Error messages call the array `name`, for
    /// instance "source".
    pub(super) fn resolve(&self, session: &Arc<Session>, name: &str) -> Result<Option<ResolvedEnd>, Failure> {
        let Some(map) = self.map else {
            return match self.section {
                None => Ok(None),
                Some(_) => {
                    Err(Failure::argument(format!("a section of the {name} is given, but its map is NULL")))
                }
            };
        };
        let within = |why: Failure| Failure { text: format!("the {name}: {}", why.text), ..why };
        let missing = || {
            Failure::argument(
                "a process of its arrangement is not in the communicator of the call, expected one with the processes of both arrays",
            )
        };
        let arrangement = map.procs().arrangement_in(session)?.ok_or_else(missing).map_err(within)?;
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
            return Ok(Some(ResolvedEnd { map, layout, section, local, strides, digests }));
        }
        let map = map.map().onto(arrangement);
        let layout = Layout::of(&map);
        Ok(Some(ResolvedEnd { strides, ..ResolvedEnd::new(map, layout, section, local) }))
    }
}

impl ResolvedEnd {
    fn new(map: mapping::Map, layout: Layout, section: Section, local: Option<LocalArray>) -> Self {
        Self { map, layout, section, local, strides: None, digests: None }
    }

    /// Returns this end with another template. The local array is then derived from the new map.
    pub fn onto(&self, template: mapping::Template) -> Result<Self, Failure> {
        let map = self.map.realigned(Arc::new(template))?;
        let layout = Layout::of(&map);
        Ok(Self { strides: self.strides.clone(), ..Self::new(map, layout, self.section.clone(), None) })
    }

    /// Checks that this process, of rank `rank`, has its own indices of all axes and its own boxes, which a map
    /// received from another rank may lack.
    pub fn check_own_parts(&self, rank: u32) -> Result<(), Failure> {
        let Some(part) = self.layout.part(rank) else { return Ok(()) };
        if self.map.boxes().is_some_and(|boxes| boxes.own().is_none()) {
            return Err(Failure::argument(
                "the map is NULL, but this process may have boxes of the array, which are only in its own map: pass the map",
            ));
        }
        let lists = self.layout.axes().iter().zip(&part).all(|(axis, &coord)| {
            axis.dist.part().is_none_or(|part| part.own().is_some_and(|own| own.coord() == coord))
        });
        match lists {
            true => Ok(()),
            false => Err(Failure::argument(
                "the map is NULL, but this process has a part of the array, and each process has only its own indices: pass the map",
            )),
        }
    }

    pub fn digests(&self) -> [i64; 2] {
        self.digests.unwrap_or_else(|| digests(&self.map, &self.section))
    }

    /// Returns whether the local arrays of this end and of `other`, which has the same map, have the same strides set
    /// by the program. `None` is an end without such strides.
    pub fn has_strides_of(&self, other: Option<&Self>) -> bool {
        self.strides.as_deref() == other.and_then(|other| other.strides.as_deref())
    }

    pub fn section(&self) -> &Section {
        &self.section
    }

    pub fn with_section(&self, ranges: &[Range]) -> Result<Self, Failure> {
        Ok(Self { section: Section::new(&self.map, ranges)?, digests: None, ..self.clone() })
    }

    /// Returns a scalar on the same arrangement, with a copy on each process.
    pub fn single(&self) -> Result<Self, Failure> {
        let template = mapping::Template::new(self.map.template().arrangement().clone(), Vec::new())?;
        let map = mapping::Map::new(Arc::new(template), &[], None)?;
        let (layout, section) = (Layout::of(&map), Section::whole(&map));
        Ok(Self::new(map, layout, section, None))
    }

    /// Returns the end without the program's strides, so that its local array has no gaps.
    pub fn dense(&self) -> Self {
        Self { local: None, strides: None, ..self.clone() }
    }

    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    pub fn mapped_section(&self) -> MappedSection<'_> {
        MappedSection { map: &self.map, layout: &self.layout, section: &self.section }
    }

    /// Returns the local array of the calling process, `rank`. If relabelling gave it another part of the array, the
    /// program's strides are kept; an error if they do not fit the new part.
    pub fn local(&self, rank: u32) -> Result<LocalArray, Failure> {
        if let Some(local) = &self.local {
            return Ok(local.clone());
        }
        let part = self.layout.part(rank);
        let dense = LocalArray::of(&self.map, &self.layout, part.as_deref());
        match self.strides.as_ref().filter(|_| part.is_some()) {
            None => Ok(dense),
            Some(strides) => dense.with_strides(strides).map_err(|why| {
                Failure::argument(format!(
                    "the strides do not fit the part of the target that relabelling gives to this process: {why}"
                ))
            }),
        }
    }

    /// Broadcasts an end from rank `root`. A rank that has the end passes it as `mine` and gets it back. Collective
    /// over the communicator of `session`. The inner result is this rank's own failure; the outer one is MPI's.
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
        let all = broadcast_list(session, root, numbers.as_deref())?;
        Ok(mine.map_or_else(|| Self::from_numbers(&all), Ok))
    }

    fn from_numbers(all: &[i64]) -> Result<Self, Failure> {
        let garbled = || {
            Failure::new(
                crate::collective::failure::Code::Internal,
                "internal error: cannot decode a map from another rank",
            )
        };
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

fn digests(map: &mapping::Map, section: &Section) -> [i64; 2] {
    [digest(&map.numbers()), digest(&triplets(section))]
}

fn triplets(section: &Section) -> Vec<i64> {
    section.ranges().iter().flat_map(|range| [range.lower, range.upper, range.stride]).collect()
}
