//! [`Selection`]: what a statement returns of each row. [`Layout`](super::Layout) says what a
//! representation shows of it.

use super::{FieldIx, Filter, RelationIx, ResourceIx, ResourceModel, SortKey, View, value::Value};
use crate::base::hash::StableHasher;

/// The parts of each row that a statement returns: the fields of a view, and rows that are related
/// to the row.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Selection {
    /// The fields of the row itself.
    pub view: View,
    /// The related rows that come with the row; `None` if there are none. They are in a box, as a
    /// selection is moved, hashed and compared with each statement.
    related: Option<Box<RelatedSelections>>,
}

/// The related rows that come with a row: members that it refers to, and lists of members that
/// refer to it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct RelatedSelections {
    /// The members that the row refers to.
    pub members: Vec<RelatedSelection>,
    /// The lists of members that refer to the row.
    pub lists: Vec<ListSelection>,
}

/// Related rows that are asked for, and the values of the lists among them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RelatedRequest {
    /// The related rows.
    pub selections: RelatedSelections,
    /// The values of the lists.
    pub values: Vec<Value>,
}

/// A related member that comes with a row, and what is returned of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RelatedSelection {
    /// The relation, which leads to at most one member.
    pub relation: RelationIx,
    /// The fields of the member that are returned, besides its id.
    pub fields: Box<[FieldIx]>,
    /// The maximum length of a string that is returned, in characters. The beginning of a longer
    /// one is returned. `None` if strings are returned whole.
    pub length_max: Option<u32>,
    /// The rows that are related to this member, in turn.
    pub related: RelatedSelections,
}

/// A list of related members that comes with a row, and what is returned of each of them.
///
/// Its values are those of the filter, and the maximum number of members that the list shows. A
/// statement has the values of all lists behind its others: of each list before those of the lists
/// inside of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ListSelection {
    /// The relation, which leads to several members.
    pub relation: RelationIx,
    /// The fields of each member that are returned, besides its id.
    pub fields: Box<[FieldIx]>,
    /// The filter that the members match.
    pub filter: Filter,
    /// The sort order, which ends with the id.
    pub sort: Vec<SortKey>,
    /// The rows that are related to each member, in turn.
    pub related: RelatedSelections,
}

/// A list of a selection, where it occurs.
#[derive(Clone, Debug)]
pub(crate) struct PlacedList<'s> {
    pub(crate) list: &'s ListSelection,
    /// The resource of the list's members, and the field that refers to the row above.
    pub(crate) target: ResourceIx,
    pub(crate) reference: FieldIx,
    /// The position of the first value of the list among the values of all lists.
    pub(crate) values_at: usize,
}

impl From<Vec<RelatedSelection>> for RelatedRequest {
    /// Asks for members alone.
    fn from(members: Vec<RelatedSelection>) -> Self {
        let selections = RelatedSelections { members, lists: vec![] };
        Self { selections, values: vec![] }
    }
}

impl PlacedList<'_> {
    /// Returns the values of the list, of those of all lists.
    pub(crate) fn values<'v>(&self, all: &'v [Value]) -> Option<&'v [Value]> {
        all.get(self.values_at..)?.get(..self.list.value_count())
    }
}

/// No related rows.
static NO_RELATED: RelatedSelections = RelatedSelections { members: vec![], lists: vec![] };

impl From<View> for Selection {
    fn from(view: View) -> Self {
        Self { view, related: None }
    }
}

impl Selection {
    /// Returns a selection of the fields of a view, and of these related rows.
    #[must_use]
    pub fn new(view: View, related: RelatedSelections) -> Self {
        Self { view, related: (!related.is_empty()).then(|| Box::new(related)) }
    }

    /// The related rows that come with the row.
    #[must_use]
    pub fn related(&self) -> &RelatedSelections {
        self.related.as_deref().unwrap_or(&NO_RELATED)
    }
}

impl RelatedSelections {
    /// Whether no rows come with the row.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.members.is_empty() && self.lists.is_empty()
    }

    /// Whether lists come with the row, or with a member that it refers to.
    pub(crate) fn has_lists(&self) -> bool {
        !self.lists.is_empty() || self.members.iter().any(|one| one.related.has_lists())
    }

    /// The number of levels of lists: 0 without lists, and 2 if lists come with the rows of a list.
    pub(crate) fn levels(&self) -> u32 {
        let below = self.members.iter().map(|one| one.related.levels());
        let lists = self.lists.iter().map(|list| 1 + list.related.levels());
        below.chain(lists).max().unwrap_or_default()
    }

    /// The number of cells of the related rows. A list has one.
    pub(crate) fn cells(&self) -> usize {
        let cells = |one: &RelatedSelection| 1 + one.fields.len() + one.related.cells();
        self.members.iter().map(cells).sum::<usize>() + self.lists.len()
    }

    /// Returns all lists, in the order of their values. The number of a list is its position.
    pub(crate) fn placed<'s>(
        &'s self,
        resources: &[ResourceModel],
        of: ResourceIx,
    ) -> Vec<PlacedList<'s>> {
        let mut all = vec![];
        self.place(resources, of, &mut 0, &mut all);
        all
    }

    fn place<'s>(
        &'s self,
        resources: &[ResourceModel],
        of: ResourceIx,
        values: &mut usize,
        to: &mut Vec<PlacedList<'s>>,
    ) {
        let resource = &resources[usize::from(of.0)];
        for one in &self.members {
            let (target, _) = one.reference(resource);
            one.related.place(resources, target, values, to);
        }
        for list in &self.lists {
            let (target, reference) = list.reference(resource);
            to.push(PlacedList { list, target, reference, values_at: *values });
            *values += list.value_count();
            list.related.place(resources, target, values, to);
        }
    }

    /// Adds related rows to a hash, which is valid for one declaration.
    pub(crate) fn add_to(&self, to: StableHasher) -> StableHasher {
        let fields = |hash: StableHasher, fields: &[FieldIx]| {
            let hash = hash.number(fields.len() as u64);
            fields.iter().fold(hash, |hash, field| hash.number(field.0.into()))
        };
        let hash = to.number(self.members.len() as u64);
        let hash = self.members.iter().fold(hash, |hash, one| {
            let hash = hash.number(one.relation.0.into());
            let hash = hash.number(one.length_max.map_or(0, |length| u64::from(length) + 1));
            one.related.add_to(fields(hash, &one.fields))
        });
        let hash = hash.number(self.lists.len() as u64);
        self.lists.iter().fold(hash, |hash, list| {
            let hash = fields(hash.number(list.relation.0.into()), &list.fields);
            // The text of a condition is the same in every process of one build.
            let hash = hash.text(&format!("{:?}{:?}", list.filter, list.sort));
            list.related.add_to(hash)
        })
    }

    /// Adds the resources of the rows that come with a row of this resource.
    pub(crate) fn add_passed(
        &self,
        resources: &[ResourceModel],
        of: ResourceIx,
        to: &mut Vec<ResourceIx>,
    ) {
        self.add_joined(resources, of, to);
        for list in self.placed(resources, of) {
            to.push(list.target);
            list.list.filter.add_passed(resources, list.target, to);
            list.list.related.add_joined(resources, list.target, to);
        }
    }

    /// Adds the resources of the members that the row refers to.
    pub(crate) fn add_joined(
        &self,
        resources: &[ResourceModel],
        of: ResourceIx,
        to: &mut Vec<ResourceIx>,
    ) {
        for one in &self.members {
            let (target, _) = one.reference(&resources[usize::from(of.0)]);
            to.push(target);
            one.related.add_joined(resources, target, to);
        }
    }
}

impl RelatedSelection {
    /// The resource of the member, and the field of this resource that refers to it.
    ///
    /// # Panics
    /// It panics if the relation leads to several members.
    pub(crate) fn reference(&self, of: &ResourceModel) -> (ResourceIx, FieldIx) {
        let relation = &of[self.relation];
        let field = relation.of_one().unwrap_or_else(|| {
            panic!("a member is joined by a relation that leads to one, unlike `{}`", relation.name)
        });
        (relation.target, field)
    }
}

impl ListSelection {
    /// The resource of the members, and their field that refers to the row of this resource.
    ///
    /// # Panics
    /// It panics if the relation leads to at most one member.
    pub(crate) fn reference(&self, of: &ResourceModel) -> (ResourceIx, FieldIx) {
        let relation = &of[self.relation];
        let field = relation.of_many().unwrap_or_else(|| {
            panic!(
                "a list has the members of a relation that leads to several, unlike `{}`",
                relation.name
            )
        });
        (relation.target, field)
    }

    /// The number of values, of which the last one is the limit.
    pub(crate) fn value_count(&self) -> usize {
        self.filter.value_count() + 1
    }
}
