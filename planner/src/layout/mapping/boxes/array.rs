//! Maps of arrays in boxes. The map's axes give the extents and its arrangement the ranks; the boxes place the
//! elements.

use super::LocalBoxes;
use crate::layout::mapping::{Arrangement, Map, Mistake, Template, TemplateAxis, ensure};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// The boxes of an array.
#[derive(Clone, Debug)]
pub struct ArrayBoxes {
    /// Checksum of the boxes of all processes and their places; equal on all processes.
    identity: [u64; 2],
    /// Boxes of the calling process, if it has them.
    own: Option<Arc<LocalBoxes>>,
}

impl ArrayBoxes {
    /// Takes the checksum of all boxes, and the boxes of the calling process if they are available.
    pub fn new(identity: [u64; 2], own: Option<LocalBoxes>) -> Self {
        Self { identity, own: own.map(Arc::new) }
    }

    /// Returns the checksum of the boxes of all processes.
    pub fn identity(&self) -> [u64; 2] {
        self.identity
    }

    /// Returns the boxes of the calling process, if it has them.
    pub fn own(&self) -> Option<&Arc<LocalBoxes>> {
        self.own.as_ref()
    }
}

impl PartialEq for ArrayBoxes {
    /// Compares the boxes of all processes and their places, whichever boxes each value holds.
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
    /// Creates an array of `extents` elements in boxes, with indices from 0, on ranks 0, 1, 2, … of `size`.
    /// `row_major` sets the order of elements in messages.
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

    /// Places the array in these boxes.
    pub(in crate::layout::mapping) fn with_boxes(mut self, boxes: ArrayBoxes) -> Self {
        self.boxes = Some(boxes);
        self
    }

    /// Returns the boxes of the array, if it lies in boxes.
    pub fn boxes(&self) -> Option<&ArrayBoxes> {
        self.boxes.as_ref()
    }

    /// Returns an error that names `what` if the array lies in boxes.
    pub(in crate::layout::mapping) fn without_boxes(&self, what: &str) -> Result<(), Mistake> {
        ensure(self.boxes.is_none(), || {
            format!("{what} is not supported for an array in boxes, which determine its storage")
        })
    }
}
