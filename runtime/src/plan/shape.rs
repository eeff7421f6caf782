//! Statements as data: a shape that determines the SQL text, and the bound values.

use crate::model::{
    FieldIx, Filter, Model, Place, ResourceModel, RuleSet, SortKey, View, rule::Rule, value::Value,
};

/// One statement: its shape, which alone determines its text, and the values that it is run with.
///
/// Values come in the order in which [`Shape`] names them; the ids of the place come first,
/// outermost ancestor to nearest.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The shape, which determines the text.
    pub shape: Shape,
    /// The bound values.
    pub values: Vec<Value>,
}

/// The part of the matching rows that a list returns, and the positions in it that are recorded for
/// links to other pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// The rows after an offset; no position is recorded.
    Counted,
    /// The first rows; the position of the last one is recorded.
    First,
    /// The first rows after a cursor; both positions are recorded.
    Later,
    /// The last rows before a cursor; both positions are recorded. They come in the same order, and
    /// the number of rows is the last cell of each.
    Earlier,
}

/// The row that a rule of a statement tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RuleRow {
    /// An ancestor, by its position in the URL from the outermost.
    Ancestor(u8),
    /// A member that is read, changed or deleted.
    Member,
    /// A member as it was written: the result is a cell of its row.
    Written,
}

/// The structure of a statement, which determines its text.
///
/// A statement that returns members returns the revision first, then the fields of its view. If it
/// returns one member, the time of its last change comes last, unless the fields include it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// A page. Values: chain, those of the cursor, filter, limit, offset. A missing chain gives no
    /// row; an empty page of an existing chain gives one row of nulls.
    List {
        /// The place of the collection.
        place: Place,
        /// The filter of the members.
        filter: Filter,
        /// The sort order.
        sort: Vec<SortKey>,
        /// The fields that are returned.
        view: View,
        /// The part that is returned.
        part: Part,
        /// The cursor: for each sort key whether it has a value there. Without keys it is the end
        /// of the order.
        beyond: Vec<bool>,
    },
    /// The number of members. Values: chain, filter.
    Count {
        /// The place of the collection.
        place: Place,
        /// The filter of the members.
        filter: Filter,
    },
    /// A member. Values: chain, id.
    Get {
        /// The place of the member.
        place: Place,
        /// The fields that are returned.
        view: View,
    },
    /// The revision, fields and change time of a member, whether visible or not. Values: chain, id.
    Look {
        /// The place of the member.
        place: Place,
        /// The fields between the revision and the change time.
        fields: Vec<FieldIx>,
    },
    /// A new member, returned. Values: chain, the columns; the store adds the time and the
    /// revision.
    Insert {
        /// The place of the new member.
        place: Place,
        /// The columns that are set; the chain sets the parent, where there is one.
        columns: Vec<FieldIx>,
        /// The fields that are returned.
        view: View,
    },
    /// Changes a member, and returns it. An update that merges adds the total bytes of the merged
    /// values after everything else. One that may change the parent finally adds the ids of the
    /// ancestors above it, nearest first. Values: chain, id, the columns; the store adds the time
    /// and the revision.
    Update {
        /// The place of the member.
        place: Place,
        /// The columns that are set.
        columns: Vec<FieldIx>,
        /// The columns whose value is a merge patch to the stored one (RFC 7396).
        merged: Vec<FieldIx>,
        /// The fields that are returned.
        view: View,
    },
    /// Deletes a member. Values: chain, id.
    Delete {
        /// The place of the member.
        place: Place,
    },
    /// Deletes all members that match. Values: chain, if `listed` a JSON array of ids, filter.
    DeleteMany {
        /// The place of the collection.
        place: Place,
        /// The filter of the members.
        filter: Filter,
        /// Whether only members whose ids are in a list are considered.
        listed: bool,
    },
    /// The ids of all members that match, up to the limit. Values: chain, if `listed` a JSON array
    /// of ids, filter, limit.
    Ids {
        /// The place of the collection.
        place: Place,
        /// The filter of the members.
        filter: Filter,
        /// Whether only members whose ids are in a list are considered; then they come in its
        /// order.
        listed: bool,
    },
    /// For each link of the chain, outermost first, 1 or 0. Values: chain.
    Links {
        /// The place whose chain is tested.
        place: Place,
    },
    /// Whether a member exists: 1 or no row. Values: id.
    Exists {
        /// The place of the member, without ancestors.
        place: Place,
    },
    /// Whether a member has these values: 1 or no row, whoever may see it. Values: the fields, then
    /// the id of a member to exclude (or null).
    Taken {
        /// The place of the members, without ancestors.
        place: Place,
        /// The fields; their columns define equality.
        fields: Vec<FieldIx>,
    },
}

impl Shape {
    /// Whether it changes a member by a merge patch to a stored value.
    #[must_use]
    pub fn merges(&self) -> bool {
        matches!(self, Self::Update { merged, .. } if !merged.is_empty())
    }

    /// Whether it may give a member another parent.
    #[must_use]
    pub fn moves(&self, resource: &ResourceModel) -> bool {
        let Self::Update { columns, .. } = self else { return false };
        resource.parent.is_some_and(|(_, field)| columns.contains(&field))
    }

    /// Returns the place that it reads or writes.
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
            | Self::Taken { place, .. } => *place,
        }
    }

    /// Returns the rules that it obeys, in the order in which their values are bound: after the ids
    /// of the place, and before all others. A [`Step`] does not contain these values; the code that
    /// runs it adds them.
    pub(crate) fn rules<'m>(&self, model: &'m Model) -> Vec<(RuleRow, &'m Rule)> {
        let place = self.place();
        if place.rules == RuleSet::NONE {
            return vec![];
        }
        let mut links: Vec<_> = model.lineage(place).skip(1).collect();
        links.reverse();
        let visible = |ix| model.rules(place.rules, ix).visible.as_ref();
        let above =
            (0..).zip(links).filter_map(|(at, ix)| Some((RuleRow::Ancestor(at), visible(ix)?)));
        let sees = !matches!(self, Self::Insert { .. } | Self::Links { .. } | Self::Taken { .. });
        let member = visible(place.resource).filter(|_| sees).map(|rule| (RuleRow::Member, rule));
        let written = self.leaves(model).map(|rule| (RuleRow::Written, rule));
        above.chain(member).chain(written).collect()
    }

    /// Returns the rule that the written row must obey.
    pub(crate) fn leaves<'m>(&self, model: &'m Model) -> Option<&'m Rule> {
        let (Self::Insert { place, .. } | Self::Update { place, .. }) = self else { return None };
        model.rules(place.rules, place.resource).writable.as_ref()
    }
}
