//! Shadows that REDISTRIBUTE and REALIGN fill after they moved an array, if the program has asked for it. A plan of
//! shadows for the new map fills them.

use super::Map;
use super::array::Array;
use super::cargo::Cargo;
use super::options::Options;
use super::plan::Plan;
use super::shadow::{Shadow, shadow_within};
use crate::collective::failure::Failure;
use crate::runtime::session::{KeptStorage, Session};
use std::sync::Arc;

/// Options for filling all shadows of an array.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct FilledShadows {
    periodic: Vec<bool>,
    corners: bool,
}

impl Array {
    /// Makes [`super::redistribute()`] and [`super::realign`] fill the shadows of the array, all that its new map has,
    /// as [`Plan::shadow`] does. `periodic` says which axes are periodic (`None`: none), `corners` whether corners
    /// are filled. Shadows of dead arrays are not filled. All ranks must make the same choice before the array moves.
    pub fn fill_shadows(&self, periodic: Option<&[bool]>, corners: bool) -> Result<(), Failure> {
        let axes = self.map().map().axes().len();
        if let Some(entries) = periodic.map(<[bool]>::len).filter(|&entries| entries != axes) {
            return Err(Failure::argument(format!("{entries} periodic axes, expected {axes}")));
        }
        let periodic = periodic.map_or_else(|| vec![false; axes], <[bool]>::to_vec);
        self.set_filled(Some(FilledShadows { periodic, corners }))
    }

    /// Makes [`super::redistribute()`] and [`super::realign`] leave the shadows, which are zeros in a new storage.
    pub fn leave_shadows(&self) -> Result<(), Failure> {
        self.set_filled(None)
    }
}

impl FilledShadows {
    /// Plans to fill the shadows of an array with this map, if it has any. All ranks have agreed on both. Collective.
    pub fn plan(
        &self,
        session: &Arc<Session>,
        map: &Map,
        element: usize,
    ) -> Result<Option<Arc<Plan>>, Failure> {
        if map.map().axes().iter().all(|axis| axis.shadow == (0, 0)) {
            return Ok(None);
        }
        let (periodic, corners) = (Some(&self.periodic[..]), self.corners);
        let shadow = Shadow { map: Some(map), widths: None, periodic, corners };
        shadow_within(session, Ok((shadow, element, &Options::default()))).map(Some)
    }
}

/// Returns the fill of the shadows in a storage.
pub(super) fn filled_by(plan: Arc<Plan>, storage: &mut KeptStorage) -> Cargo<'static> {
    let ends = plan.source().and_then(|seat| storage.in_place(seat.origin, &seat.shape));
    let (source, destination) = ends.unzip();
    Cargo { plan, source, destination, update: None }
}
