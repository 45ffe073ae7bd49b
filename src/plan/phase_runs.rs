//! Runs of a small redistribution, listed as byte offsets.
//!
//! Finding the runs of a small message takes longer than copying them. So a phase that is carried out twice in a row
//! with arrays of equal shapes lists its runs, and later executions reuse them. The lists hold no addresses.

use super::{Message, PhaseSide, Piece, RankPhase, Strips};
use crate::layout::strides::Shape;
use crate::pack::CopyRuns;
use std::sync::{Arc, Mutex, PoisonError};

/// Shapes of a rank's source and destination; `None` if the rank is outside that grid.
type Shapes<'a> = [Option<&'a Shape>; 2];

/// Runs of all messages and of the self copy of one phase.
#[derive(Debug)]
pub struct PhaseRuns {
    shapes: [Option<Shape>; 2],
    /// Runs to pack, per message in the order of the phase.
    pub sends: Vec<MessageRuns>,
    /// Runs to unpack, per message in the order of the phase.
    pub receives: Vec<MessageRuns>,
    /// Runs of the self copy, if there is one.
    pub self_copy: Option<CopyRuns>,
}

/// The runs of one message.
#[derive(Debug)]
pub struct MessageRuns {
    /// The runs to pack or unpack.
    pub runs: CopyRuns,
    /// Bytes of all positions of the message, also of elements that do not move. The message is cut by this size.
    pub room: usize,
}

impl PhaseRuns {
    /// Lists the runs for arrays of these shapes, which must hold all elements of the phase; `None` if there are too
    /// many.
    fn new(phase: &RankPhase, shapes: Shapes<'_>) -> Option<Self> {
        let part = &phase.problem.part;
        let (mut piece, mut strips) = (Piece::default(), Strips::default());
        let mut each = |side: &PhaseSide, shape: Option<&Shape>, empty: fn(&Shape) -> CopyRuns| {
            let list_message = |message: &Message| {
                let shape = shape.expect("a rank with messages has an array");
                let mut runs = empty(shape);
                side.positions(message, &mut piece);
                side.product(message).for_each_strip(&piece, part, &mut strips, |dims| runs.add(dims));
                let room = usize::try_from(piece.count()).ok()?.checked_mul(shape.element())?;
                runs.is_whole().then_some(MessageRuns { runs, room })
            };
            side.messages.iter().map(list_message).collect::<Option<Vec<MessageRuns>>>()
        };
        let [from, to] = shapes;
        let sends = each(&phase.sends, from, CopyRuns::pack)?;
        let receives = each(&phase.receives, to, CopyRuns::unpack)?;
        let self_copy = match &phase.copy {
            None => None,
            Some(self_copy) => {
                let mut runs = CopyRuns::copy(from?, to?);
                for product in self_copy.products() {
                    let whole = Piece::of(product.whole());
                    product.for_each_strip(&whole, part, &mut Strips::default(), |dims| runs.add_both(dims));
                }
                Some(Some(runs).filter(CopyRuns::is_whole)?)
            }
        };
        Some(Self { shapes: shapes.map(Option::<&Shape>::cloned), sends, receives, self_copy })
    }
}

/// Cache of the run lists of a phase.
#[derive(Debug, Default)]
pub struct PhaseRunsCache(Mutex<CacheState>);

#[derive(Debug, Default)]
enum CacheState {
    /// The phase has not been carried out yet.
    #[default]
    Unused,
    /// Last carried out with these shapes.
    Used([Option<Shape>; 2]),
    /// Carried out at least twice in a row with the shapes of these lists.
    Listed(Arc<PhaseRuns>),
    /// There are too many runs to list.
    Never,
}

impl PhaseRunsCache {
    /// Returns the runs of `phase` for arrays of these shapes. Lists them if the previous call had equal shapes;
    /// otherwise remembers the shapes and returns `None`. Once there were too many runs to list, always returns `None`.
    pub fn find_or_list(&self, phase: &RankPhase, shapes: Shapes<'_>) -> Option<Arc<PhaseRuns>> {
        let alike = |known: &[Option<Shape>; 2]| known.each_ref().map(Option::as_ref) == shapes;
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &*state {
            CacheState::Never => return None,
            CacheState::Listed(phase_runs) if alike(&phase_runs.shapes) => return Some(phase_runs.clone()),
            CacheState::Used(before) if alike(before) => {
                let phase_runs = PhaseRuns::new(phase, shapes).map(Arc::new);
                *state = phase_runs.clone().map_or(CacheState::Never, CacheState::Listed);
                return phase_runs;
            }
            _ => (),
        }
        *state = CacheState::Used(shapes.map(Option::<&Shape>::cloned));
        None
    }
}
