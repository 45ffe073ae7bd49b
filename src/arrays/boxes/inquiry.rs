//! Inquiries for arrays in boxes.

use crate::arrays::map::Map;
use crate::collective::failure::Failure;
use crate::layout::mapping::{LocalAxis, count_text};

impl Map {
    /// Returns the number of the calling process's boxes that have elements, or `None` if the array does not lie in
    /// boxes.
    pub fn boxes(&self) -> Option<usize> {
        self.map().boxes().map(|_| self.local().boxes.as_ref().map_or(0, |boxes| boxes.boxes().len()))
    }

    /// Returns the axes of the calling process's local array. An error if it has several boxes, since each has its
    /// own axes.
    pub fn local_axes(&self) -> Result<&[LocalAxis], Failure> {
        match &self.local().boxes {
            Some(boxes) if !boxes.boxes().is_empty() && boxes.single().is_none() => {
                Err(Failure::argument(format!(
                    "this process has {}, so it has no single local array: each box has its own place and strides",
                    count_text(boxes.boxes().len(), "box", "boxes")
                )))
            }
            _ => Ok(&self.local().axes),
        }
    }

    /// Returns the offset of an element in the calling process's storage, in elements: from place 0 of each axis or,
    /// for an array in boxes, from the start of the storage. `None` if the process does not own the element.
    pub fn offset(&self, index: &[i64]) -> Result<Option<i64>, Failure> {
        let Some(place) = self.local_index(index)? else { return Ok(None) };
        let steps = |strides: &mut dyn Iterator<Item = i64>| {
            let step =
                |(stride, &at): (i64, &u64)| stride.saturating_mul(i64::try_from(at).unwrap_or(i64::MAX));
            strides.zip(&place).map(step).sum::<i64>()
        };
        let Some(boxes) = &self.local().boxes else {
            return Ok(Some(steps(&mut self.local().axes.iter().map(|axis| axis.stride))));
        };
        let found = boxes.find(&self.element(index)?);
        Ok(found.map(|own| steps(&mut own.strides.iter().copied()).saturating_add_unsigned(own.offset)))
    }

    pub(in crate::arrays) fn check_not_in_boxes(&self, what: &str) -> Result<(), Failure> {
        match self.map().boxes() {
            None => Ok(()),
            Some(_) => Err(Failure::argument(format!(
                "{what} is not available for an array in boxes: each process has only its own boxes"
            ))),
        }
    }
}
