//! Filling of shadows by REDISTRIBUTE and REALIGN, as set by [`Array::fill_shadows`].

use super::Map;
use super::array::{Array, FilledShadows};
use super::operands::MoveOperands;
use super::options::Options;
use super::plan::Plan;
use super::shadow::{Shadow, shadow_in_session};
use crate::collective::failure::Failure;
use crate::runtime::session::{KeptStorage, Session};
use std::sync::Arc;

impl Array {
    /// Makes [`super::redistribute()`] and [`super::realign`] fill all shadows of the array's new map, as
    /// [`Plan::shadow`] does with these values of `periodic` (`None`: no axis is) and `corners`. Shadows of dead arrays
    /// are not filled. All ranks must make the same choice before the array moves.
    pub fn fill_shadows(&self, periodic: Option<&[bool]>, corners: bool) -> Result<(), Failure> {
        let axes = self.map().map().axes().len();
        if let Some(entries) = periodic.map(<[bool]>::len).filter(|&entries| entries != axes) {
            return Err(Failure::argument(format!("periodic has {entries} entries, expected {axes}")));
        }
        let periodic = periodic.map_or_else(|| vec![false; axes], <[bool]>::to_vec);
        self.set_filled(Some(FilledShadows { periodic, corners }))
    }

    /// Makes [`super::redistribute()`] and [`super::realign`] leave the shadows unfilled. In new storage they are
    /// zeros.
    pub fn leave_shadows(&self) -> Result<(), Failure> {
        self.set_filled(None)
    }
}

impl FilledShadows {
    /// Plans to fill all shadows of an array with the map `map`; `None` without shadows. All ranks must have agreed on
    /// the options and the map. Collective.
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
        shadow_in_session(session, Ok((shadow, element, &Options::default()))).map(Some)
    }
}

pub(super) fn fill_operands_of(plan: Arc<Plan>, storage: &mut KeptStorage) -> MoveOperands<'static> {
    let ends = plan.source().and_then(|seat| storage.in_place(seat.origin, &seat.shape));
    let (source, destination) = ends.unzip();
    MoveOperands { plan, source, destination, update: None }
}
