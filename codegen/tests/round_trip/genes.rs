//! Decisions taken from a list of numbers, so that a shorter list of smaller numbers is a simpler
//! declaration.

/// The numbers that are left; when they are used up, every decision is the first one.
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

    /// One of the numbers from zero.
    pub(super) fn below(&mut self, count: usize) -> usize {
        usize::from(self.next()) % count
    }

    /// Whether something rare happens.
    pub(super) fn once_in(&mut self, count: usize) -> bool {
        self.below(count) == count - 1
    }

    pub(super) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// Takes one out of several.
    pub(super) fn take<T>(&mut self, from: &mut Vec<T>) -> T {
        let index = self.below(from.len());
        from.remove(index)
    }

    /// Some of several, at least one, in their order.
    pub(super) fn some_of<T: Clone>(&mut self, from: &[T]) -> Vec<T> {
        let mut some: Vec<T> = from.iter().filter(|_| self.once_in(2)).cloned().collect();
        if some.is_empty() {
            some.push(from[0].clone());
        }
        some
    }

    /// A character that may be any.
    pub(super) fn character(&mut self) -> char {
        char::from_u32(u32::from(self.next())).unwrap_or('🦁')
    }

    /// A number that no other has.
    pub(super) fn fresh(&mut self) -> usize {
        self.made += 1;
        self.made
    }
}
