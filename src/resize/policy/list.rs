//! Policy that requests the numbers of ranks of a list, one at each resize point. After the last one the size stays.

use super::{Now, Policy};

/// A list of numbers of ranks.
pub struct List {
    sizes: Vec<u32>,
    next: usize,
}

impl List {
    /// Makes the policy of these numbers, in the order of use.
    pub fn new(sizes: Vec<u32>) -> Self {
        Self { sizes, next: 0 }
    }
}

impl Policy for List {
    fn ask(&mut self, _: &Now) -> Result<Option<u32>, String> {
        let size = self.sizes.get(self.next).copied();
        self.next += 1;
        Ok(size)
    }

    fn waits(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_resize_point_takes_the_next_size() {
        let mut list = List::new(vec![4, 8]);
        let now = Now { ranks: 2, seconds: 1.0 };
        let asked: Vec<_> = (0..4).map(|_| list.ask(&now).unwrap()).collect();
        assert_eq!(asked, [Some(4), Some(8), None, None]);
    }
}
