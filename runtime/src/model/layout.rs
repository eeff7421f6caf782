//! [`Layout`]: what a representation shows of the rows of a selection, and in which cells it is.

use std::sync::Arc;

use super::{
    FieldIx, FieldModel, Model, RelatedSelections, Relation, RelationIx, ResourceIx, ResourceModel,
    def::FieldKind, value::Value,
};

/// The parts of a row that a representation shows, in its order, with their cells.
///
/// All cells of a row are numbered here. The revision is the first, and the fields of the view
/// follow. Then come, for each related member, its id, its fields, and the rows that are related to
/// it. A list has one cell, after those of the members of the same row. The cells of its own rows
/// are numbered from 0, and the first is the id.
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
    /// A list of members that refer to the row.
    List(LayoutList),
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

/// The cell of a list, and those of its rows.
#[derive(Clone, Debug)]
pub struct LayoutList {
    /// The index of the cell of the list. It has the rows themselves, or the id of the row that the
    /// list belongs to.
    pub(crate) at: u16,
    /// The number of the list among all lists of the selection.
    pub(crate) number: u16,
    /// The maximum number of rows that are shown. The store returns one more, if there is one.
    pub(crate) limit: usize,
    pub(crate) items: Box<[LayoutItem]>,
    resource: ResourceIx,
    relation: RelationIx,
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

    /// Returns the layout with related rows after the fields of the row. The statement must return
    /// those fields of the row that clients can read. The values are those of the lists.
    #[must_use]
    pub fn with_related(
        self,
        model: &Model,
        related: &RelatedSelections,
        values: &[Value],
    ) -> Self {
        if related.is_empty() {
            return self;
        }
        let own = model[self.resource].visible_count();
        let items = self.items(model).to_vec();
        let items =
            LayoutNumbering { model, values, list: 0 }.after(own, self.resource, related, items);
        Self { items: Some(items), ..self }
    }

    /// Returns the items of related rows alone, which come after all fields of a row.
    pub(crate) fn related(
        model: &Model,
        of: ResourceIx,
        related: &RelatedSelections,
        values: &[Value],
    ) -> Arc<[LayoutItem]> {
        let own = model[of].fields.len();
        LayoutNumbering { model, values, list: 0 }.after(own, of, related, vec![])
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
            LayoutItem::Member(_) | LayoutItem::List(_) => None,
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
            Self::Member(_) | Self::List(_) => None,
        }
    }

    /// The related member, if the item is one.
    pub(crate) const fn member(&self) -> Option<&LayoutMember> {
        match self {
            Self::Cell(_) | Self::List(_) => None,
            Self::Member(member) => Some(member),
        }
    }

    fn has_json(&self, model: &Model) -> bool {
        match self {
            Self::Cell(cell) => cell.field(model).kind == FieldKind::Json,
            Self::Member(LayoutMember { items, .. }) | Self::List(LayoutList { items, .. }) => {
                items.iter().any(|item| item.has_json(model))
            }
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

impl LayoutList {
    /// The relation that leads to the members.
    pub(crate) fn relation<'m>(&self, model: &'m Model) -> &'m Relation {
        &model[self.resource][self.relation]
    }
}

/// The numbering of the cells and lists of a layout.
struct LayoutNumbering<'m> {
    model: &'m Model,
    /// The values of the lists that have no number yet.
    values: &'m [Value],
    /// The number of the next list.
    list: u16,
}

impl LayoutNumbering<'_> {
    /// Adds the items of related rows. Their cells come after the revision and `own` fields.
    fn after(
        mut self,
        own: usize,
        of: ResourceIx,
        related: &RelatedSelections,
        mut items: Vec<LayoutItem>,
    ) -> Arc<[LayoutItem]> {
        let mut next = u16::try_from(1 + own).expect("a row has less than 65,536 cells");
        self.add(&self.model[of], related, &mut next, &mut items);
        items.into()
    }

    /// Adds the items of related rows, whose cells begin at `next`.
    fn add(
        &mut self,
        of: &ResourceModel,
        related: &RelatedSelections,
        next: &mut u16,
        to: &mut Vec<LayoutItem>,
    ) {
        let (model, resource) = (self.model, of.ix);
        for one in &related.members {
            let (target, _) = one.reference(of);
            let (id, mut items) = row(&model[target], &one.fields, next);
            self.add(&model[target], &one.related, next, &mut items);
            let (relation, items) = (one.relation, items.into());
            to.push(LayoutItem::Member(LayoutMember { id, items, resource, relation }));
        }
        for list in &related.lists {
            let (target, _) = list.reference(of);
            let (at, number) = (take(next), take(&mut self.list));
            let limit = self.limit(list.value_count());
            let mut cells = 0;
            let (_, mut items) = row(&model[target], &list.fields, &mut cells);
            self.add(&model[target], &list.related, &mut cells, &mut items);
            let (relation, items) = (list.relation, items.into());
            to.push(LayoutItem::List(LayoutList { at, number, limit, items, resource, relation }));
        }
    }

    /// Takes the values of a list, and returns the last one.
    fn limit(&mut self, count: usize) -> usize {
        let (own, others) = self.values.split_at(count.min(self.values.len()));
        self.values = others;
        match own.last() {
            Some(Value::Integer(limit)) => usize::try_from(*limit).unwrap_or_default(),
            _ => 0,
        }
    }
}

/// Returns the cell of the id of a related row, and the items of its fields.
fn row(of: &ResourceModel, fields: &[FieldIx], next: &mut u16) -> (u16, Vec<LayoutItem>) {
    let id = take(next);
    let cell = |field: &FieldIx| {
        LayoutItem::Cell(LayoutCell { at: take(next), resource: of.ix, field: *field })
    };
    (id, fields.iter().map(cell).collect())
}

fn take(next: &mut u16) -> u16 {
    *next += 1;
    *next - 1
}
