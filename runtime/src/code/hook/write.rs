//! [`WriteLists`]: a list for each operation that writes a member.

use crate::model::def::{Operation, Operations};

/// A list for each operation that writes a member.
pub(super) struct WriteLists<T> {
    pub(super) create: Vec<T>,
    pub(super) replace: Vec<T>,
    pub(super) update: Vec<T>,
    pub(super) delete: Vec<T>,
}

impl<T> Default for WriteLists<T> {
    fn default() -> Self {
        Self { create: vec![], replace: vec![], update: vec![], delete: vec![] }
    }
}

impl<T> WriteLists<T> {
    /// The list of an operation; empty for an operation that does not write one member.
    pub(super) fn of(&self, operation: Operation) -> &[T] {
        match operation {
            Operation::Create => &self.create,
            Operation::Replace => &self.replace,
            Operation::Update => &self.update,
            Operation::Delete => &self.delete,
            Operation::List | Operation::Get | Operation::DeleteMany => &[],
        }
    }

    /// The operations whose lists are not empty.
    pub(super) fn operations(&self) -> Operations {
        let writes = [Operation::Create, Operation::Replace, Operation::Update, Operation::Delete];
        let used: Vec<_> = writes.into_iter().filter(|one| !self.of(*one).is_empty()).collect();
        Operations::of(&used)
    }
}
