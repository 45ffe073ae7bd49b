//! WHICH bytes does a rank pack, unpack and copy in a small redistribution? They are listed run by run for local arrays of
//! given shapes, when a leg is carried out with the same shapes again. It knows offsets; it never knows arrays.

use super::{Leg, LegSide, Message, Piece, Strips};
use crate::layout::strides::Shape;
use crate::pack::Flat;
use std::sync::{Arc, Mutex, PoisonError};

/// Local arrays of one rank: source and destination, absent where it is outside the grid.
type Shapes<'a> = [Option<&'a Shape>; 2];

/// All that a rank does in one leg.
#[derive(Debug)]
pub struct Flats {
    shapes: [Option<Shape>; 2],
    /// What is packed, message by message as in the leg.
    pub sends: Vec<Letter>,
    /// What is unpacked, message by message as in the leg.
    pub receives: Vec<Letter>,
    /// What the rank keeps, if it does.
    pub kept: Option<Flat>,
}

/// A message.
#[derive(Debug)]
pub struct Letter {
    /// What is packed or unpacked.
    pub flat: Flat,
    /// Bytes of all positions of the message, whether they move or not: by these it would be cut.
    pub room: usize,
}

impl Flats {
    /// For arrays of these shapes, which hold all that the leg names; `None` where there are too many runs.
    fn new(leg: &Leg, shapes: Shapes<'_>) -> Option<Self> {
        let part = &leg.problem.part;
        let (mut piece, mut strips) = (Piece::default(), Strips::default());
        let mut each = |side: &LegSide, shape: Option<&Shape>, empty: fn(&Shape) -> Flat| {
            let letter = |message: &Message| {
                let shape = shape.expect("a rank with messages has an array");
                let mut flat = empty(shape);
                side.positions(message, &mut piece);
                side.product(message).for_each_strip(&piece, part, &mut strips, |dims| flat.add(dims));
                let room = usize::try_from(piece.count()).ok()?.checked_mul(shape.element())?;
                flat.is_whole().then_some(Letter { flat, room })
            };
            side.messages.iter().map(letter).collect::<Option<Vec<Letter>>>()
        };
        let [from, to] = shapes;
        let sends = each(&leg.sends, from, Flat::pack)?;
        let receives = each(&leg.receives, to, Flat::unpack)?;
        let kept = match &leg.copy {
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

/// What is written out of a leg.
#[derive(Debug, Default)]
pub struct KnownFlats(Mutex<FlatsState>);

#[derive(Debug, Default)]
enum FlatsState {
    /// It was not carried out yet.
    #[default]
    Unused,
    /// It was, with these shapes.
    Used([Option<Shape>; 2]),
    /// It was, with the same ones again.
    Flat(Arc<Flats>),
    /// There are too many runs.
    Never,
}

impl KnownFlats {
    /// What the rank does in `leg` with arrays of these shapes, once they come for the second time in a row.
    pub fn flats(&self, leg: &Leg, shapes: Shapes<'_>) -> Option<Arc<Flats>> {
        let alike = |known: &[Option<Shape>; 2]| known.each_ref().map(Option::as_ref) == shapes;
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &*state {
            FlatsState::Never => return None,
            FlatsState::Flat(flats) if alike(&flats.shapes) => return Some(flats.clone()),
            FlatsState::Used(before) if alike(before) => {
                let flats = Flats::new(leg, shapes).map(Arc::new);
                *state = flats.clone().map_or(FlatsState::Never, FlatsState::Flat);
                return flats;
            }
            _ => (),
        }
        *state = FlatsState::Used(shapes.map(Option::<&Shape>::cloned));
        None
    }
}
