//! Writes an array's alignment and distribution in HPF's notation.

use super::template::listed;
use super::{Align, Map, MapAxis, Rest};
use std::fmt;

impl fmt::Display for Map {
    /// Writes the alignment, then the distribution: `A(i,*,j) WITH T(2*j+1,i,*)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let source = |(k, axis): (usize, &MapAxis)| match axis.align {
            Align::Collapsed => "*".into(),
            Align::With { .. } => dummy(k),
        };
        if self.boxes().is_some() {
            let indices: Vec<String> = (0..self.axes().len()).map(dummy).collect();
            return write!(
                f,
                "A{} IN BOXES ONTO P({})",
                listed(&indices),
                self.template().arrangement().grid().size()
            );
        }
        let sources: Vec<String> = self.axes().iter().enumerate().map(source).collect();
        let base = |k: usize| {
            let Some(d) = self.aligned_with(k) else {
                return match self.rest()[k] {
                    Rest::Replicated => "*".into(),
                    Rest::At(index) => index.to_string(),
                };
            };
            let Align::With { stride, offset, .. } = self.axes()[d].align else {
                unreachable!("it is aligned")
            };
            subscript(d, stride, offset)
        };
        let subscripts: Vec<String> = (0..self.rest().len()).map(base).collect();
        write!(f, "A{} WITH T{}, T{}", listed(&sources), listed(&subscripts), self.template())
    }
}

/// Returns the name of the index of axis `k` of an array: i, j, k, ...
pub fn dummy(k: usize) -> String {
    char::from(b'i' + u8::try_from(k).unwrap_or(0)).to_string()
}

/// Formats the alignment of axis `k` of an array, as in `2*i+1`.
pub fn subscript(k: usize, stride: i64, offset: i64) -> String {
    let name = dummy(k);
    let times = match stride {
        1 => name,
        -1 => format!("-{name}"),
        _ => format!("{stride}*{name}"),
    };
    if offset == 0 { times } else { format!("{times}{offset:+}") }
}

#[cfg(test)]
mod tests {
    use super::super::map::samples::{template, with};
    use super::*;

    #[test]
    fn maps_are_written_as_hpf_writes_them() {
        let axes = [(1, 20, with(1, 2, 1)), (0, 7, Align::Collapsed), (-3, 5, with(0, -1, 20))];
        let map =
            Map::new(template(), &axes, Some(&[Rest::Replicated, Rest::Replicated, Rest::At(4)])).unwrap();
        assert_eq!(map.to_string(), "A(i,*,k) WITH T(-k+20,2*i+1,4), T(BLOCK,CYCLIC(2),*) ONTO P(2,3)");
        assert_eq!(
            Map::whole(template()).to_string(),
            "A(i,j,k) WITH T(i,j,k), T(BLOCK,CYCLIC(2),*) ONTO P(2,3)"
        );
        let scalar = Map::new(template(), &[], Some(&[Rest::At(3), Rest::Replicated, Rest::At(4)])).unwrap();
        assert_eq!(scalar.to_string(), "A WITH T(3,*,4), T(BLOCK,CYCLIC(2),*) ONTO P(2,3)");
    }
}
