//! Maps of arrays in boxes. The map's axes give the extents and its arrangement the ranks; the boxes place the
//! elements.

use super::{Arrangement, ArrayBoxes, Map, Mistake, Template, TemplateAxis, ensure};
use std::sync::Arc;

impl Map {
    /// Creates an array of `extents` elements in boxes, with indices from 0, on all ranks of a communicator of `size`
    /// ranks. If `row_major`, messages have their elements in row-major order.
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

    pub(super) fn with_boxes(mut self, boxes: ArrayBoxes) -> Self {
        self.boxes = Some(boxes);
        self
    }

    /// Returns the boxes of the array, if it lies in boxes.
    pub fn boxes(&self) -> Option<&ArrayBoxes> {
        self.boxes.as_ref()
    }

    /// Returns an error if the array lies in boxes. The error says that `what` is not supported.
    pub(super) fn without_boxes(&self, what: &str) -> Result<(), Mistake> {
        ensure(self.boxes.is_none(), || {
            format!("{what} is not supported for an array in boxes, which determine its storage")
        })
    }
}
