//! SQL statements as data: a shape, which determines the SQL text, and the values to bind.

mod rules;

use crate::model::{
    FieldIx, Filter, ListSelection, Place, RelatedSelections, ResourceIx, ResourceModel, Selection,
    SortKey, View, value::Value,
};

/// One statement: its shape and its values.
///
/// The values come in this order, and each shape has those that it needs:
///
/// 1. the ids of the ancestors in the URL, from the outermost to the nearest
/// 2. the values of the cursor, without those that the statement does not bind
/// 3. the JSON array of the ids to which the statement is restricted
/// 4. the values of the filter, or of the fields that are compared
/// 5. the id of the member
/// 6. the values of the columns
/// 7. the maximum number of rows
/// 8. the number of rows to skip, or the maximum number of values that are counted
/// 9. the values of the lists that come with the rows
///
/// The values of access rules, the time and the revision are not among them: the store adds them.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The shape, which determines the SQL text.
    pub shape: Shape,
    /// The values that are bound to the parameters.
    pub values: Vec<Value>,
}

/// The part of the matching rows that a list returns. It also determines which cursor positions are
/// recorded for links to other pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// The rows after an offset. No position is recorded.
    Counted,
    /// The first rows. The position of the last row is recorded.
    First,
    /// The first rows after a cursor. The positions of the first and the last row are recorded.
    Later,
    /// The last rows before a cursor, in the sort order. The positions of the first and the last
    /// row are recorded. The last cell of each row is the number of rows.
    Earlier,
}

/// The row that an access rule tests in a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RuleRow {
    /// An ancestor in the URL, by its index; 0 is the outermost ancestor.
    Ancestor(u8),
    /// A member that is read, changed or deleted, before the change: whether the caller may see it.
    Member,
    /// A member that is changed or deleted, before the change: whether the caller may do that.
    Changed,
    /// A member after it was written. The result of the rule is a cell of the returned row.
    Written,
    /// A related member of this resource, which a filter or a selection passes: whether the caller
    /// may see it.
    Passed(ResourceIx),
}

/// The structure of a statement, which determines its SQL text.
///
/// A statement that returns members returns the revision first, then the fields of its view. A
/// statement that returns a single member ends with the time of its last change, unless the view
/// contains it. A place is a resource, with the number of ancestors in the URL and the access
/// rules.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// Selects a page of members. If an ancestor does not exist, there is no row. An empty page of
    /// a nested collection is one row of NULLs.
    List {
        /// The resource of the collection, the number of ancestors in the URL, and the access
        /// rules.
        place: Place,
        /// The filter that the members match.
        filter: Filter,
        /// The sort order.
        sort: Vec<SortKey>,
        /// The parts of each member that are returned.
        selection: Selection,
        /// The part of the matching rows that is returned.
        part: Part,
        /// For each sort key, whether the statement binds its value in the cursor: the value is not
        /// NULL, and the key decides about the order. The list is empty if there is no cursor. Then
        /// the rows are read from the start of the order, or from its end for `Part::Earlier`.
        beyond: Vec<bool>,
    },
    /// Counts the members.
    Count {
        /// The resource of the collection, the number of ancestors in the URL, and the access
        /// rules.
        place: Place,
        /// The filter that the members match.
        filter: Filter,
    },
    /// Selects a member.
    Get {
        /// The resource of the member, the number of ancestors in the URL, and the access rules.
        place: Place,
        /// The parts of the member that are returned.
        selection: Selection,
    },
    /// Selects the revision, some fields and the change time of a member. The fields may be hidden
    /// from clients.
    Look {
        /// The resource of the member, the number of ancestors in the URL, and the access rules.
        place: Place,
        /// The fields that come between the revision and the change time.
        fields: Vec<FieldIx>,
    },
    /// Inserts a member and returns it.
    Insert {
        /// The resource of the new member, the number of ancestors in the URL, and the access
        /// rules.
        place: Place,
        /// The columns that are set. In a nested URL, the column of the parent is set too.
        columns: Vec<FieldIx>,
        /// The fields that are returned.
        view: View,
    },
    /// Updates a member and returns it. A merge patch adds the total number of merged bytes to the
    /// returned row. A change of the parent adds the ids of the ancestors above the new parent,
    /// nearest first.
    Update {
        /// The resource of the member, the number of ancestors in the URL, and the access rules.
        place: Place,
        /// The columns that are set.
        columns: Vec<FieldIx>,
        /// The columns whose value is a merge patch for the stored value (RFC 7396).
        merged: Vec<FieldIx>,
        /// The fields that are returned.
        view: View,
    },
    /// Deletes a member.
    Delete {
        /// The resource of the member, the number of ancestors in the URL, and the access rules.
        place: Place,
    },
    /// Deletes all members that match.
    DeleteMany {
        /// The resource of the collection, the number of ancestors in the URL, and the access
        /// rules.
        place: Place,
        /// The filter that the members match.
        filter: Filter,
        /// Whether only members whose ids are in the JSON array are deleted.
        listed: bool,
    },
    /// Selects the ids of the members that match, up to a limit.
    Ids {
        /// The resource of the collection, the number of ancestors in the URL, and the access
        /// rules.
        place: Place,
        /// The filter that the members match.
        filter: Filter,
        /// Whether only members whose ids are in the JSON array are selected. They then come in the
        /// order of the array.
        listed: bool,
    },
    /// Selects 1 or 0 for each ancestor in the URL, outermost first: whether it exists.
    Links {
        /// The resource, the number of its ancestors in the URL, and the access rules.
        place: Place,
    },
    /// Selects 1 if a member exists, otherwise no row.
    Exists {
        /// The resource of the member. The number of ancestors is 0.
        place: Place,
    },
    /// Selects the id and the label of the first members, in the order of the labels.
    Choices {
        /// The resource of the members, and the access rules. The number of ancestors is 0.
        place: Place,
        /// The field with the label, which may be the id.
        label: FieldIx,
    },
    /// Counts the members up to a limit.
    CountMost {
        /// The resource of the collection, the number of ancestors in the URL, and the access
        /// rules.
        place: Place,
        /// The filter that the members match.
        filter: Filter,
    },
    /// Selects the most frequent values of a field, each with its number of members, and the number
    /// of members that were read. The maximum number of rows is that of the members to read. The
    /// cells of the members that a value refers to come last.
    Tally {
        /// The resource of the collection, the number of ancestors in the URL, and the access
        /// rules.
        place: Place,
        /// The filter that the members match.
        filter: Filter,
        /// The field whose values are counted.
        field: FieldIx,
        /// The members that come with the values, if the field refers to them; no lists.
        related: RelatedSelections,
    },
    /// Selects the rows of a list that comes with a row. Its values are those of the list.
    ListRows {
        /// The resource of the rows, and the access rules. The number of ancestors is 0.
        place: Place,
        /// The field of the rows that has the id of the row above.
        reference: FieldIx,
        /// The parts of each row that are returned, the filter, and the sort order.
        list: ListSelection,
    },
    /// Selects 1 if another member has these field values, otherwise no row. Access rules do not
    /// apply. The id is that of the member to exclude, or null.
    Taken {
        /// The resource of the members. The number of ancestors is 0.
        place: Place,
        /// The fields to compare. The collations of their columns decide which values are equal.
        fields: Vec<FieldIx>,
    },
}

impl Shape {
    /// Returns the number of cells in a row, for a statement that adds to a web page.
    pub(crate) fn lookup_cells(&self) -> usize {
        match self {
            Self::Choices { .. } => 2,
            Self::Look { fields, .. } => 1 + fields.len(),
            Self::Tally { related, .. } => 3 + related.cells(),
            _ => 1,
        }
    }

    /// Whether the statement applies a merge patch to a stored value.
    #[must_use]
    pub fn merges(&self) -> bool {
        matches!(self, Self::Update { merged, .. } if !merged.is_empty())
    }

    /// Whether the statement may change the parent of a member.
    #[must_use]
    pub fn moves(&self, resource: &ResourceModel) -> bool {
        let Self::Update { columns, .. } = self else { return false };
        resource.parent.is_some_and(|(_, field)| columns.contains(&field))
    }

    /// Returns the place that the statement reads or writes: the resource, the number of ancestors
    /// in the URL, and the access rules.
    #[must_use]
    pub const fn place(&self) -> Place {
        match self {
            Self::List { place, .. }
            | Self::Count { place, .. }
            | Self::Get { place, .. }
            | Self::Look { place, .. }
            | Self::Insert { place, .. }
            | Self::Update { place, .. }
            | Self::Delete { place }
            | Self::DeleteMany { place, .. }
            | Self::Ids { place, .. }
            | Self::Links { place }
            | Self::Exists { place }
            | Self::Choices { place, .. }
            | Self::CountMost { place, .. }
            | Self::Tally { place, .. }
            | Self::ListRows { place, .. }
            | Self::Taken { place, .. } => *place,
        }
    }
}
