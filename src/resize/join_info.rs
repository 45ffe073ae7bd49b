//! Message to a rank that joins a job or returns to it: ranks, registered items with relocations, values.

use super::registry::{DealtArray, Registered, Value};
use super::relocation::Relocation;
use crate::collective::call::broadcast_list;
use crate::collective::failure::{Code, Failure};
use crate::layout::mapping::Map;
use crate::runtime::session::Session;
use crate::scalapack::Descriptor;

pub struct JoinInfo {
    /// For each rank of the job, the number of the spawn call that started it.
    pub calls: Vec<u32>,
    /// Number of active ranks before the resize.
    pub before: u32,
    /// Number of active ranks after the resize.
    pub ranks: u32,
    pub grid: Option<[u32; 2]>,
    pub items: Vec<JoinItem>,
}

#[allow(clippy::large_enum_variant, reason = "there are as many as a program registers")]
pub enum JoinItem {
    Array { element: usize, matrix: Option<Descriptor>, relocation: Relocation },
    Value(Vec<u8>),
}

impl JoinInfo {
    /// Broadcasts `mine`, the message of rank 0. Collective over the communicator of `session`.
    pub fn broadcast(session: &Session, mine: Option<Self>) -> Result<Self, Failure> {
        let numbers = mine.as_ref().map(Self::numbers);
        let all = broadcast_list(session, 0, numbers.as_deref())?;
        mine.map_or_else(|| Self::decode(&all).ok_or_else(invalid_message), Ok)
    }

    /// Returns the items of a joining rank before it registers its own.
    pub fn items<M>(&self) -> Vec<Registered<M>> {
        let item = |item: &JoinItem| match item {
            JoinItem::Array { element, matrix, relocation } => Registered::Array(Box::new(DealtArray {
                element: *element,
                matrix: *matrix,
                map: None,
                formats: None,
                constant: relocation.constant,
                variables: None,
                memory: None,
            })),
            JoinItem::Value(bytes) => {
                Registered::Value(Value { bytes: bytes.len(), variable: None, received: bytes.clone() })
            }
        };
        self.items.iter().map(item).collect()
    }

    pub fn relocations(&self) -> Vec<Relocation> {
        let relocation = |item: &JoinItem| match item {
            JoinItem::Array { relocation, .. } => Some(relocation.clone()),
            JoinItem::Value(_) => None,
        };
        self.items.iter().filter_map(relocation).collect()
    }

    fn numbers(&self) -> Vec<i64> {
        let [rows, cols] = self.grid.unwrap_or([0, 0]).map(i64::from);
        let mut out = vec![i64::from(self.before), i64::from(self.ranks), rows, cols, wide(self.calls.len())];
        out.extend(self.calls.iter().map(|&call| i64::from(call)));
        for item in &self.items {
            match item {
                JoinItem::Array { element, matrix, relocation } => {
                    out.extend([
                        0,
                        wide(*element),
                        i64::from(relocation.constant),
                        i64::from(matrix.is_some()),
                    ]);
                    out.extend(matrix.iter().flat_map(|d| [d.extent, d.block, d.first].concat()));
                    for numbers in [relocation.from.numbers(), relocation.to.numbers()] {
                        out.push(wide(numbers.len()));
                        out.extend(numbers);
                    }
                }
                JoinItem::Value(bytes) => {
                    out.extend([1, wide(bytes.len())]);
                    out.extend(bytes.iter().map(|&byte| i64::from(byte)));
                }
            }
        }
        out
    }

    fn decode(numbers: &[i64]) -> Option<Self> {
        let mut reader = JoinReader(numbers);
        let mut narrow = || u32::try_from(reader.next()?).ok();
        let (before, ranks, shape) = (narrow()?, narrow()?, [narrow()?, narrow()?]);
        let grid = (shape != [0, 0]).then_some(shape);
        let calls = reader.list()?.iter().map(|&call| u32::try_from(call).ok()).collect::<Option<_>>()?;
        let mut items = Vec::new();
        while let Some(kind) = reader.next() {
            items.push(if kind == 0 { reader.array()? } else { reader.value()? });
        }
        Some(Self { calls, before, ranks, grid, items })
    }
}

/// The numbers that have not been read yet.
struct JoinReader<'a>(&'a [i64]);

impl<'a> JoinReader<'a> {
    fn next(&mut self) -> Option<i64> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn take(&mut self, count: usize) -> Option<&'a [i64]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn list(&mut self) -> Option<&'a [i64]> {
        let count = usize::try_from(self.next()?).ok()?;
        self.take(count)
    }

    fn array(&mut self) -> Option<JoinItem> {
        let element = usize::try_from(self.next()?).ok()?;
        let constant = self.next()? != 0;
        let mut matrix = None;
        if self.next()? != 0 {
            let n = self.take(6)?;
            matrix = Some(Descriptor::new([n[0], n[1]], [n[2], n[3]], [n[4], n[5]], 0));
        }
        let mut map = || Map::from_numbers(self.list()?);
        let relocation = Relocation { from: map()?, to: map()?, constant };
        Some(JoinItem::Array { element, matrix, relocation })
    }

    fn value(&mut self) -> Option<JoinItem> {
        let bytes = self.list()?.iter().map(|&byte| u8::try_from(byte).ok());
        Some(JoinItem::Value(bytes.collect::<Option<_>>()?))
    }
}

fn wide(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

fn invalid_message() -> Failure {
    Failure::new(Code::Internal, "internal error: cannot decode the message for a new rank")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::mapping::{Arrangement, Template, TemplateAxis};
    use std::sync::Arc;

    #[test]
    fn messages_are_decoded_unchanged() {
        let axes = vec![TemplateAxis::collapsed(1, 5), TemplateAxis::collapsed(-2, 7)];
        let template = Template::new(Arrangement::new(&[2, 3], None, 6).unwrap(), axes).unwrap();
        let to = Map::whole(Arc::new(template.clone()));
        let from = Map::whole(Arc::new(
            template.onto(Arrangement::new(&[2, 3], Some(&[5, 4, 3, 2, 1, 0]), 6).unwrap()),
        ));
        let relocation = Relocation { from, to, constant: false };
        let constant = Relocation { constant: true, ..relocation.clone() };
        let matrix = Descriptor::new([5, 10], [2, 3], [1, 0], 0);
        let items = vec![
            JoinItem::Array { element: 8, matrix: Some(matrix), relocation: relocation.clone() },
            JoinItem::Value(vec![0, 255, 7]),
            JoinItem::Array { element: 3, matrix: None, relocation: constant },
            JoinItem::Value(Vec::new()),
        ];
        let join_info = JoinInfo { calls: vec![0, 0, 1, 1], before: 2, ranks: 5, grid: Some([2, 3]), items };
        let numbers = join_info.numbers();
        let decoded = JoinInfo::decode(&numbers).unwrap();
        assert_eq!((decoded.numbers(), decoded.grid), (numbers.clone(), Some([2, 3])));
        let constant: Vec<bool> = decoded.relocations().iter().map(|array| array.constant).collect();
        assert_eq!((decoded.items::<()>().len(), constant), (4, vec![false, true]));
        for end in 0..numbers.len() - 1 {
            assert!(JoinInfo::decode(&numbers[..end]).is_none_or(|cut| cut.items.len() < 4), "{end}");
        }
    }
}
