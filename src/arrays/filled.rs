//! WHICH arrays have their shadows filled where HPF's REDISTRIBUTE and REALIGN move them? Those of which the program has said so. How
//! they are filled is the plan's for shadows, of the map that the array has then.

use super::Map;
use super::array::Array;
use super::cargo::Cargo;
use super::options::Options;
use super::plan::Plan;
use super::shadow::{Shadow, shadow_within};
use crate::collective::failure::Failure;
use crate::runtime::session::{KeptStorage, Session};
use std::sync::Arc;

/// How the shadows of an array are filled: all that its map has.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct FilledShadows {
    /// [`Shadow::periodic`].
    periodic: Vec<bool>,
    /// [`Shadow::corners`].
    corners: bool,
}

impl Array {
    /// From now on [`super::redistribute`] and [`super::realign`] leave the shadows of the array filled, as a plan for all shadows
    /// of its new map does ([`Plan::shadow`]) with these periodic axes (`None`: none is) and with corners or without. Shadows of
    /// dead arrays are not filled. All ranks say the same before they move it.
    pub fn fill_shadows(&self, periodic: Option<&[bool]>, corners: bool) -> Result<(), Failure> {
        let axes = self.map().map().axes().len();
        if let Some(entries) = periodic.map(<[bool]>::len).filter(|&entries| entries != axes) {
            return Err(Failure::argument(format!("{entries} periodic axes, expected {axes}")));
        }
        let periodic = periodic.map_or_else(|| vec![false; axes], <[bool]>::to_vec);
        self.set_filled(Some(FilledShadows { periodic, corners }))
    }

    /// From now on they are not: a new storage has zeros in its shadows.
    pub fn leave_shadows(&self) -> Result<(), Failure> {
        self.set_filled(None)
    }
}

impl FilledShadows {
    /// Collective: the plan that fills those of an array with that map, if it has any. All ranks have agreed on both.
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

/// What `plan` fills in a storage.
pub(super) fn filled_by(plan: Arc<Plan>, storage: &mut KeptStorage) -> Cargo<'static> {
    let ends = plan.source().and_then(|seat| storage.in_place(seat.origin, &seat.shape));
    let (source, destination) = ends.unzip();
    Cargo { plan, source, destination, update: None }
}
