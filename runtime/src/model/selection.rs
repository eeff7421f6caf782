//! [`Selection`]: what a statement returns of each row. [`Layout`]: what a representation shows of
//! it, and in which cells it is.

use std::sync::Arc;

use super::{
    FieldIx, FieldModel, Model, Relation, RelationIx, ResourceIx, ResourceModel, View,
    def::FieldKind,
};
use crate::base::hash::StableHasher;

/// The parts of each row that a statement returns: the fields of a view, and members that the row
/// refers to.
/// A plain selection has no related members.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Selection {
    /// The fields of the row itself.
    pub view: View,
    /// The related members that come with the row.
    pub related: Vec<RelatedSelection>,
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
    /// The members that this member refers to, in turn.
    pub related: Vec<Self>,
}

/// The parts of a row that a representation shows, in its order, with their cells.
///
/// All cells of a row are numbered here. The revision is the first, and the fields of the view
/// follow. Then come, for each related member, its id, its fields, and the members that it refers
/// to.
#[derive(Clone, Debug)]
pub struct Layout {
    /// The resource of the rows.
    resource: ResourceIx,
    /// The items. `None` stands for all fields that a representation of the resource has.
    items: Option<Arc<[LayoutItem]>>,
}

/// An item of a layout.
#[derive(Clone, Debug)]
pub(crate) enum LayoutItem {
    /// The value of a field.
    Cell(LayoutCell),
    /// A member that the row refers to.
    Member(LayoutMember),
}

/// The cell of a field.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LayoutCell {
    /// The index of the cell in the row.
    pub(crate) at: u16,
    resource: ResourceIx,
    field: FieldIx,
}

/// The cells of a related member.
#[derive(Clone, Debug)]
pub(crate) struct LayoutMember {
    /// The index of the cell with the id of the member. It is null if there is none.
    pub(crate) id: u16,
    pub(crate) items: Box<[LayoutItem]>,
    resource: ResourceIx,
    relation: RelationIx,
}

impl From<View> for Selection {
    fn from(view: View) -> Self {
        Self { view, related: vec![] }
    }
}

impl Selection {
    /// The number of cells of the related members.
    pub(crate) fn related_cells(&self) -> usize {
        RelatedSelection::cells(&self.related)
    }
}

impl RelatedSelection {
    /// The number of cells of related members.
    pub(crate) fn cells(related: &[Self]) -> usize {
        let cells = |one: &Self| 1 + one.fields.len() + Self::cells(&one.related);
        related.iter().map(cells).sum()
    }

    /// Adds related members to a hash, which is valid for one declaration.
    pub(crate) fn hash(related: &[Self], to: StableHasher) -> StableHasher {
        let to = to.number(related.len() as u64);
        related.iter().fold(to, |hash, one| {
            let hash = hash.number(one.relation.0.into()).number(one.fields.len() as u64);
            let hash = hash.number(one.length_max.map_or(0, |length| u64::from(length) + 1));
            let hash = one.fields.iter().fold(hash, |hash, field| hash.number(field.0.into()));
            Self::hash(&one.related, hash)
        })
    }

    /// Adds the resources of related members of this resource.
    pub(crate) fn add_passed(
        related: &[Self],
        resources: &[ResourceModel],
        of: ResourceIx,
        to: &mut Vec<ResourceIx>,
    ) {
        for one in related {
            let (target, _) = one.reference(&resources[usize::from(of.0)]);
            to.push(target);
            Self::add_passed(&one.related, resources, target, to);
        }
    }

    /// The relation of this resource, and the field that refers to the member.
    ///
    /// # Panics
    /// It panics if the relation leads to several members.
    pub(crate) fn reference(&self, of: &ResourceModel) -> (ResourceIx, FieldIx) {
        let relation = &of[self.relation];
        let field = relation.of_one().unwrap_or_else(|| {
            panic!("only a member that `{}` leads to alone comes with a row", relation.name)
        });
        (relation.target, field)
    }
}

impl Layout {
    /// Returns the layout of rows of a resource: of the fields that a representation has, or of
    /// some of them.
    #[must_use]
    pub fn of(model: &Model, resource: ResourceIx, fields: Option<&[FieldIx]>) -> Self {
        let items = fields.map(|fields| shown(&model[resource], Some(fields)).into());
        Self { resource, items }
    }

    /// Returns a layout that shows nothing.
    pub(crate) fn empty(resource: ResourceIx) -> Self {
        Self { resource, items: Some(Arc::default()) }
    }

    /// Returns the layout with related members after the fields of the row. The statement must
    /// return those fields of the row that clients can read.
    #[must_use]
    pub fn with_related(self, model: &Model, related: &[RelatedSelection]) -> Self {
        if related.is_empty() {
            return self;
        }
        let resource = &model[self.resource];
        let mut next = number(1 + resource.visible_count());
        let mut items = self.items(model).to_vec();
        items.extend(members(model, resource, related, &mut next));
        Self { items: Some(items.into()), ..self }
    }

    /// The resource of the rows.
    pub(crate) const fn resource(&self) -> ResourceIx {
        self.resource
    }

    /// The items, in the order of the representation.
    pub(crate) fn items<'l>(&'l self, model: &'l Model) -> &'l [LayoutItem] {
        self.items.as_deref().unwrap_or(&model[self.resource].layout)
    }

    /// Whether a field has the type JSON.
    pub(crate) fn has_json(&self, model: &Model) -> bool {
        self.items(model).iter().any(|item| item.has_json(model))
    }

    /// The fields of the row itself, each with the index of its cell.
    pub(crate) fn fields<'m>(
        &'m self,
        model: &'m Model,
    ) -> impl Iterator<Item = (usize, &'m FieldModel)> {
        self.items(model).iter().filter_map(|item| match item {
            LayoutItem::Cell(cell) => Some((usize::from(cell.at), cell.field(model))),
            LayoutItem::Member(_) => None,
        })
    }
}

/// Returns the items of the fields that a representation has, or of some of them.
pub(super) fn shown(of: &ResourceModel, fields: Option<&[FieldIx]>) -> Box<[LayoutItem]> {
    let is_shown = |field: FieldIx| fields.is_none_or(|fields| fields.contains(&field));
    let cells = (1..).zip(of.visible()).filter(|(_, (field, _))| is_shown(*field));
    let cell = |(at, (field, _))| LayoutCell { at, resource: of.ix, field };
    cells.map(cell).map(LayoutItem::Cell).collect()
}

impl LayoutItem {
    /// The cell, if the item is one.
    pub(crate) const fn cell(&self) -> Option<LayoutCell> {
        match self {
            Self::Cell(cell) => Some(*cell),
            Self::Member(_) => None,
        }
    }

    /// The related member, if the item is one.
    pub(crate) const fn member(&self) -> Option<&LayoutMember> {
        match self {
            Self::Cell(_) => None,
            Self::Member(member) => Some(member),
        }
    }

    fn has_json(&self, model: &Model) -> bool {
        match self {
            Self::Cell(cell) => cell.field(model).kind == FieldKind::Json,
            Self::Member(member) => member.items.iter().any(|item| item.has_json(model)),
        }
    }
}

impl LayoutCell {
    /// The index of the field.
    pub(crate) const fn ix(self) -> FieldIx {
        self.field
    }

    /// The field.
    pub(crate) fn field(self, model: &Model) -> &FieldModel {
        &model[self.resource][self.field]
    }
}

impl LayoutMember {
    /// The relation that leads to the member.
    pub(crate) fn relation<'m>(&self, model: &'m Model) -> &'m Relation {
        &model[self.resource][self.relation]
    }
}

/// Returns the items of related members, whose cells begin at `next`.
fn members(
    model: &Model,
    of: &ResourceModel,
    related: &[RelatedSelection],
    next: &mut u16,
) -> Vec<LayoutItem> {
    let mut items = vec![];
    for one in related {
        let (target, _) = one.reference(of);
        let id = take(next);
        let cell = |field: &FieldIx| {
            LayoutItem::Cell(LayoutCell { at: take(next), resource: target, field: *field })
        };
        let mut own: Vec<_> = one.fields.iter().map(cell).collect();
        own.extend(members(model, &model[target], &one.related, next));
        let (resource, relation, items_of) = (of.ix, one.relation, own.into());
        items.push(LayoutItem::Member(LayoutMember { id, items: items_of, resource, relation }));
    }
    items
}

fn take(next: &mut u16) -> u16 {
    *next += 1;
    *next - 1
}

fn number(cells: usize) -> u16 {
    u16::try_from(cells).expect("a row has less than 65,536 cells")
}
