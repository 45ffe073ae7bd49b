//! Maps from distributions without a template: `(BLOCK, CYCLIC(8)) ONTO P(2,3)` of an array with indices from 0, on
//! the first ranks of a communicator.

use super::{Distribution, Target};
use crate::layout::distribution::nearly_cubic;
use crate::layout::mapping::{Map, Mistake, first_ranks};

impl Distribution {
    /// Returns the map of an array of `extents` elements on the first of `size` ranks. Without `ONTO`, all ranks form
    /// one axis.
    pub fn map(&self, extents: &[i64], size: u32) -> Result<Map, Mistake> {
        let shape = match &self.onto {
            Some(Target { shape: Some(shape), .. }) => shape.clone(),
            Some(Target { shape: None, name }) => {
                let name = name.as_deref().unwrap_or_default();
                return Err(Mistake(format!("ONTO {name} has no shape, expected one, as in ONTO P(2,3)")));
            }
            None => vec![size],
        };
        let dealt = self.distributed_axes();
        if self.onto.is_none() && dealt > 1 {
            let shape: Vec<String> = nearly_cubic(size, dealt).iter().map(u32::to_string).collect();
            return Err(Mistake(format!(
                "there are {dealt} formats other than *, but without ONTO all {size} ranks form one axis: add the shape of the ranks, for instance ONTO P({})",
                shape.join(",")
            )));
        }
        let formats = self.apply_to(&shape)?;
        let shape: Vec<i64> = shape.into_iter().map(i64::from).collect();
        Map::from_zero(extents, first_ranks(&shape, size)?, &formats)
    }
}

#[cfg(test)]
mod tests {
    use super::super::distribution;
    use super::*;

    fn map(extents: &[i64], text: &str, size: u32) -> Result<Map, Mistake> {
        distribution(text).unwrap().map(extents, size)
    }

    #[test]
    fn formats_go_onto_the_axes_in_order() {
        let same = |text: &str, shape: &[i64], blocks: &[i64]| {
            assert_eq!(map(&[9, 7], text, 6).unwrap(), Map::block_cyclic(&[9, 7], shape, blocks, 6).unwrap());
        };
        same("(BLOCK, CYCLIC(8)) ONTO P(2,3)", &[2, 3], &[0, 8]);
        same("(cyclic, cyclic(2)) onto q(3,1)", &[3, 1], &[1, 2]);
        let one = map(&[9, 7], "(*, CYCLIC(2))", 6).unwrap();
        assert_eq!(one.template().to_string(), "(*,CYCLIC(2)) ONTO P(6)");
        let copies = map(&[9], "(BLOCK) ONTO P(2,3)", 6).unwrap();
        assert_eq!(copies.template().to_string(), "(BLOCK) ONTO P(2,3)");
        assert_eq!(map(&[9], "(*)", 6).unwrap().template().to_string(), "(*) ONTO P(6)");
    }

    #[test]
    fn mistakes_are_named() {
        let why = |extents: &[i64], text: &str| map(extents, text, 6).unwrap_err().to_string();
        assert_eq!(why(&[9], "(BLOCK, *)"), "2 formats for 1 axis, expected one for each axis");
        assert_eq!(
            why(&[9, 9], "(BLOCK, BLOCK)"),
            "there are 2 formats other than *, but without ONTO all 6 ranks form one axis: add the shape of the ranks, for instance ONTO P(2,3)"
        );
        assert_eq!(why(&[9], "(BLOCK) ONTO Q"), "ONTO Q has no shape, expected one, as in ONTO P(2,3)");
        assert_eq!(
            why(&[9], "(BLOCK) ONTO P(7)"),
            "the arrangement has 7 processes, expected at most 6, the size of the communicator"
        );
        assert_eq!(why(&[-9], "(BLOCK)"), "axis 0 has -9 elements, expected at least 0");
        assert_eq!(
            why(&[9], "(BLOCK(2)) ONTO P(3)"),
            "axis 0 of the template: BLOCK(2) on 3 processes has room for 6 indices, expected at least 9"
        );
    }
}
