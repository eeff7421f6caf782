//! Statements as data: a shape that decides the text, and the values that are bound.

use crate::model::{
    FieldIx, Filter, Model, Place, ResourceModel, RuleSet, SortKey, View, rule::Rule, value::Value,
};

/// One statement: its shape, which alone decides its text, and the values it is run with.
///
/// Values come in the order in which [`Shape`] names them; the ids of the place come first,
/// outermost ancestor to nearest.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// What decides the text.
    pub shape: Shape,
    /// What is bound.
    pub values: Vec<Value>,
}

/// Which part of what it finds a list returns, and which places of it are noted for the links to
/// others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// What comes after so many; no place.
    Counted,
    /// What comes first; the place where it ends.
    First,
    /// What comes first after a place; the places where it begins and ends.
    Later,
    /// What comes last before a place; both places. It is in its order all the same, and the number
    /// of the rows is the last cell of each.
    Earlier,
}

/// Which row a rule of a statement tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RuleRow {
    /// An ancestor, by its place in the URL from the outermost.
    Ancestor(u8),
    /// A member that is read, changed or deleted.
    Member,
    /// A member as it was written: the answer is a cell of its row.
    Written,
}

/// What decides the text of a statement.
///
/// A statement that returns members returns the revision first, then the fields of its view; where
/// it returns one, the time of its last change comes last, unless it is one of them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// A page. Values: chain, those of the place that it is beyond, filter, limit, offset. A
    /// missing chain gives no row; an empty page of an existing chain gives one row of nulls.
    List {
        /// Where.
        place: Place,
        /// Which members.
        filter: Filter,
        /// In which order.
        sort: Vec<SortKey>,
        /// What of them.
        view: View,
        /// Which of them.
        part: Part,
        /// The place that the part is beyond: for each key of the order whether it has a value
        /// there. Without keys it is the end of the order.
        beyond: Vec<bool>,
    },
    /// The number of members. Values: chain, filter.
    Count {
        /// Where.
        place: Place,
        /// Which members.
        filter: Filter,
    },
    /// A member. Values: chain, id.
    Get {
        /// Where.
        place: Place,
        /// What of it.
        view: View,
    },
    /// The revision, fields and change time of a member, whether visible or not. Values: chain, id.
    Look {
        /// Where.
        place: Place,
        /// Which fields, between the revision and the change time.
        fields: Vec<FieldIx>,
    },
    /// A new member, returned. Values: chain, the columns; the store adds the time and the
    /// revision.
    Insert {
        /// Where.
        place: Place,
        /// The columns that are set; the parent's is set from the chain where there is one.
        columns: Vec<FieldIx>,
        /// What of it is returned.
        view: View,
    },
    /// Changes a member, and returns it; where something is merged, with its bytes in all after
    /// everything else; where it may get another parent, with the ids of the ancestors above that
    /// one at last, nearest first. Values: chain, id, the columns; the store adds the time and the
    /// revision.
    Update {
        /// Where.
        place: Place,
        /// The columns that are set.
        columns: Vec<FieldIx>,
        /// Those of them whose value is a merge patch of what is stored (RFC 7396).
        merged: Vec<FieldIx>,
        /// What of it is returned.
        view: View,
    },
    /// Deletes a member. Values: chain, id.
    Delete {
        /// Where.
        place: Place,
    },
    /// Deletes all that match. Values: chain, where they are listed a JSON array of ids, filter.
    DeleteMany {
        /// Where.
        place: Place,
        /// Which members.
        filter: Filter,
        /// Whether only those with the ids of a list are looked at.
        listed: bool,
    },
    /// The ids of all that match, as many as the limit. Values: chain, where they are listed a JSON
    /// array of ids, filter, limit.
    Ids {
        /// Where.
        place: Place,
        /// Which members.
        filter: Filter,
        /// Whether only those with the ids of a list are looked at; then they come in its order.
        listed: bool,
    },
    /// For each link of the chain, outermost first, 1 or 0. Values: chain.
    Links {
        /// Where.
        place: Place,
    },
    /// Whether a member exists, 1 or no row. Values: id.
    Exists {
        /// Where; without ancestors.
        place: Place,
    },
    /// Whether a member has these values, 1 or no row, whoever may see it. Values: the fields, then
    /// the id of a member to leave out (or null).
    Taken {
        /// Where; without ancestors.
        place: Place,
        /// Which fields; equality as their columns compare.
        fields: Vec<FieldIx>,
    },
}

impl Shape {
    /// Whether it changes a member by a merge patch of what is stored.
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

    /// Where it works.
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

    /// The rules that it obeys, in the order in which their values are bound: after the ids of the
    /// place, and before all others. The values are no part of a [`Step`]; whoever runs it adds
    /// them.
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

    /// The rule that what it has written must obey.
    pub(crate) fn leaves<'m>(&self, model: &'m Model) -> Option<&'m Rule> {
        let (Self::Insert { place, .. } | Self::Update { place, .. }) = self else { return None };
        model.rules(place.rules, place.resource).writable.as_ref()
    }
}
