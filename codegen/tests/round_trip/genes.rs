//! Derives decisions from a list of numbers. A shorter list of smaller numbers gives a simpler
//! declaration, so that proptest can simplify a failing case.

/// A source of decisions. When the numbers are used up, every decision is the first option.
pub(super) struct Genes<'g> {
    rest: std::slice::Iter<'g, u16>,
    made: usize,
}

impl<'g> Genes<'g> {
    pub(super) fn of(genes: &'g [u16]) -> Self {
        Self { rest: genes.iter(), made: 0 }
    }

    fn next(&mut self) -> u16 {
        self.rest.next().copied().unwrap_or_default()
    }

    /// A number from zero to `count - 1`.
    pub(super) fn below(&mut self, count: usize) -> usize {
        usize::from(self.next()) % count
    }

    /// A decision that is true in one of `count` cases.
    pub(super) fn once_in(&mut self, count: usize) -> bool {
        self.below(count) == count - 1
    }

    pub(super) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// Removes an item from a list and returns it.
    pub(super) fn take<T>(&mut self, from: &mut Vec<T>) -> T {
        let index = self.below(from.len());
        from.remove(index)
    }

    /// Some items of a list, at least one, in the order of the list.
    pub(super) fn some_of<T: Clone>(&mut self, from: &[T]) -> Vec<T> {
        let mut some: Vec<T> = from.iter().filter(|_| self.once_in(2)).cloned().collect();
        if some.is_empty() {
            some.push(from[0].clone());
        }
        some
    }

    /// Any character.
    pub(super) fn character(&mut self) -> char {
        char::from_u32(u32::from(self.next())).unwrap_or('🦁')
    }

    /// A number that differs from all numbers returned before.
    pub(super) fn fresh(&mut self) -> usize {
        self.made += 1;
        self.made
    }
}
