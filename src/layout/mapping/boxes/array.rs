//! WHICH map has an array in boxes? Its axes tell the extents and its arrangement the ranks; where elements are, its boxes tell.

use super::LocalBoxes;
use crate::layout::mapping::{Arrangement, Map, Mistake, Template, TemplateAxis, ensure};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// The boxes of an array.
#[derive(Clone, Debug)]
pub struct ArrayBoxes {
    /// Tells the boxes of all processes from others, with their places: the same on all processes.
    identity: [u64; 2],
    /// The calling process's boxes, if they are known.
    own: Option<Arc<LocalBoxes>>,
}

impl ArrayBoxes {
    /// Those of an array whose boxes have that identity, with those of the calling process, if they are known.
    pub fn new(identity: [u64; 2], own: Option<LocalBoxes>) -> Self {
        Self { identity, own: own.map(Arc::new) }
    }

    /// Tells the boxes of all processes from others.
    pub fn identity(&self) -> [u64; 2] {
        self.identity
    }

    /// The calling process's boxes, if they are known.
    pub fn own(&self) -> Option<&Arc<LocalBoxes>> {
        self.own.as_ref()
    }
}

impl PartialEq for ArrayBoxes {
    /// Whether all processes have the same boxes in the same places, whichever are known here.
    fn eq(&self, other: &Self) -> bool {
        self.identity == other.identity
    }
}

impl Eq for ArrayBoxes {}

impl Hash for ArrayBoxes {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.identity.hash(state);
    }
}

impl Map {
    /// An array of `extents` elements in boxes, whose indices count from 0, on ranks 0, 1, 2, … of `size`. `row_major`: messages have
    /// elements in that order.
    pub fn in_boxes(extents: &[i64], boxes: ArrayBoxes, row_major: bool, size: u32) -> Result<Self, Mistake> {
        let axis = |(k, &extent): (usize, &i64)| {
            ensure(extent >= 0, || format!("axis {k} has {extent} elements, expected at least 0"))?;
            Ok(TemplateAxis::collapsed(0, extent - 1))
        };
        let axes = extents.iter().enumerate().map(axis).collect::<Result<Vec<_>, Mistake>>()?;
        let template = Template::new(Arrangement::new(&[size], None, size)?, axes)?;
        let map = Self::whole(Arc::new(template));
        Ok(if row_major { map.row_major() } else { map }.with_boxes(boxes))
    }

    /// The same in these boxes.
    pub(in crate::layout::mapping) fn with_boxes(mut self, boxes: ArrayBoxes) -> Self {
        self.boxes = Some(boxes);
        self
    }

    /// The boxes in which it lies, if it does.
    pub fn boxes(&self) -> Option<&ArrayBoxes> {
        self.boxes.as_ref()
    }

    /// An error that names `what` if it lies in boxes.
    pub(in crate::layout::mapping) fn without_boxes(&self, what: &str) -> Result<(), Mistake> {
        ensure(self.boxes.is_none(), || {
            format!("{what} of an array in boxes, whose places are given with them")
        })
    }
}
