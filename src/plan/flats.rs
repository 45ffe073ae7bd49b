//! Runs of a small redistribution, listed as byte offsets.
//!
//! Finding the runs of a small message takes longer than copying them. So a phase that is carried out twice in a row
//! with arrays of equal shapes lists its runs, and later executions reuse them. The lists hold no addresses.

use super::{Message, PhaseSide, Piece, RankPhase, Strips};
use crate::layout::strides::Shape;
use crate::pack::Flat;
use std::sync::{Arc, Mutex, PoisonError};

/// Shapes of a rank's source and destination; `None` if the rank is outside that grid.
type Shapes<'a> = [Option<&'a Shape>; 2];

/// Runs of all messages and of the self copy of one phase.
#[derive(Debug)]
pub struct Flats {
    shapes: [Option<Shape>; 2],
    /// Runs to pack, per message in the order of the phase.
    pub sends: Vec<FlatMessage>,
    /// Runs to unpack, per message in the order of the phase.
    pub receives: Vec<FlatMessage>,
    /// Runs of the self copy, if there is one.
    pub kept: Option<Flat>,
}

/// The runs of one message.
#[derive(Debug)]
pub struct FlatMessage {
    /// The runs to pack or unpack.
    pub flat: Flat,
    /// Bytes of all positions of the message, also of elements that do not move. The message is cut by this size.
    pub room: usize,
}

impl Flats {
    /// Lists the runs for arrays of these shapes, which must hold all elements of the phase; `None` if there are too
    /// many.
    fn new(phase: &RankPhase, shapes: Shapes<'_>) -> Option<Self> {
        let part = &phase.problem.part;
        let (mut piece, mut strips) = (Piece::default(), Strips::default());
        let mut each = |side: &PhaseSide, shape: Option<&Shape>, empty: fn(&Shape) -> Flat| {
            let flat_message = |message: &Message| {
                let shape = shape.expect("a rank with messages has an array");
                let mut flat = empty(shape);
                side.positions(message, &mut piece);
                side.product(message).for_each_strip(&piece, part, &mut strips, |dims| flat.add(dims));
                let room = usize::try_from(piece.count()).ok()?.checked_mul(shape.element())?;
                flat.is_whole().then_some(FlatMessage { flat, room })
            };
            side.messages.iter().map(flat_message).collect::<Option<Vec<FlatMessage>>>()
        };
        let [from, to] = shapes;
        let sends = each(&phase.sends, from, Flat::pack)?;
        let receives = each(&phase.receives, to, Flat::unpack)?;
        let kept = match &phase.copy {
            None => None,
            Some(kept) => {
                let mut flat = Flat::copy(from?, to?);
                for product in kept.products() {
                    let whole = Piece::of(product.whole());
                    product.for_each_strip(&whole, part, &mut Strips::default(), |dims| flat.add_both(dims));
                }
                Some(Some(flat).filter(Flat::is_whole)?)
            }
        };
        Some(Self { shapes: shapes.map(Option::<&Shape>::cloned), sends, receives, kept })
    }
}

/// Cache of the run lists of a phase.
#[derive(Debug, Default)]
pub struct KnownFlats(Mutex<FlatsState>);

#[derive(Debug, Default)]
enum FlatsState {
    /// The phase has not been carried out yet.
    #[default]
    Unused,
    /// Last carried out with these shapes.
    Used([Option<Shape>; 2]),
    /// Carried out at least twice in a row with the shapes of these lists.
    Flat(Arc<Flats>),
    /// There are too many runs to list.
    Never,
}

impl KnownFlats {
    /// Returns the run lists of `phase`, from the second call in a row with these shapes on.
    pub fn flats(&self, phase: &RankPhase, shapes: Shapes<'_>) -> Option<Arc<Flats>> {
        let alike = |known: &[Option<Shape>; 2]| known.each_ref().map(Option::as_ref) == shapes;
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &*state {
            FlatsState::Never => return None,
            FlatsState::Flat(flats) if alike(&flats.shapes) => return Some(flats.clone()),
            FlatsState::Used(before) if alike(before) => {
                let flats = Flats::new(phase, shapes).map(Arc::new);
                *state = flats.clone().map_or(FlatsState::Never, FlatsState::Flat);
                return flats;
            }
            _ => (),
        }
        *state = FlatsState::Used(shapes.map(Option::<&Shape>::cloned));
        None
    }
}
