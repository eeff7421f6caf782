//! The operations of a resource.

use crate::words;

words! {
    /// An operation of a resource.
    pub enum Operation {
        /// GET on the collection.
        List = "list",
        /// POST on the collection.
        Create = "create",
        /// GET on a member.
        Get = "get",
        /// PUT on a member.
        Replace = "replace",
        /// PATCH on a member.
        Update = "update",
        /// DELETE on a member.
        Delete = "delete",
        /// DELETE on the collection, with a filter.
        DeleteMany = "delete_many",
    }
}

impl Operation {
    /// All operations, in the order of the enum.
    pub const ALL: [Self; 7] = [
        Self::List,
        Self::Create,
        Self::Get,
        Self::Replace,
        Self::Update,
        Self::Delete,
        Self::DeleteMany,
    ];

    /// The operations of a resource that does not declare `methods`: all but `delete_many`.
    pub const DEFAULT: &'static [Self] =
        &[Self::List, Self::Create, Self::Get, Self::Replace, Self::Update, Self::Delete];
}

/// A set of operations, one bit for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operations(u8);

impl Operations {
    /// The operations of a resource that does not declare `methods`: all but `delete_many`.
    pub const DEFAULT: Self = Self(63);

    /// The empty set.
    pub const NONE: Self = Self(0);

    /// Whether the two sets have an operation in common.
    #[must_use]
    pub const fn meet(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// The set of the given operations.
    ///
    /// ```
    /// # use nouns_declaration as nouns;
    /// use nouns::def::{Operation, Operations};
    /// const READ: Operations = Operations::of(&[Operation::List, Operation::Get]);
    /// assert!(READ.contains(Operation::Get) && !READ.contains(Operation::Delete));
    /// ```
    #[must_use]
    pub const fn of(operations: &[Operation]) -> Self {
        let mut bits = 0;
        let mut at = 0;
        while at < operations.len() {
            bits |= 1 << operations[at] as u8;
            at += 1;
        }
        Self(bits)
    }

    /// Whether this set contains the operation.
    #[must_use]
    pub const fn contains(self, operation: Operation) -> bool {
        self.0 & (1 << operation as u8) != 0
    }
}
