//! Shapes of statements, drawn from bytes.

use std::{collections::BTreeSet, slice::Iter};

use nouns::__runtime::{
    Model,
    model::{
        ComparedSubjects, ComparisonOp, FieldIx, ListSelection, Path, RelatedRows,
        RelatedSelection, RelatedSelections, RelationIx, RelationKind, ResourceModel, Selection,
        SortKey, TestSubject,
    },
    plan::{Filter, Op, Part, Place, Shape, View},
};

/// The maximum depth of a filter.
const FILTER_DEPTH_MAX: usize = 4;

/// The bytes that are left. After the last one, each draw is 0.
pub(super) struct Draw<'b>(pub(super) Iter<'b, u8>);

impl Draw<'_> {
    fn below(&mut self, most: usize) -> usize {
        usize::from(self.0.next().copied().unwrap_or_default()) % most.max(1)
    }

    fn coin(&mut self) -> bool {
        self.below(2) == 1
    }

    fn several<T>(&mut self, most: usize, mut draw: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..self.below(most + 1)).map(|_| draw(self)).collect()
    }

    /// Draws a shape of a statement.
    pub(super) fn shape(&mut self, model: &Model) -> Shape {
        let resources = model.resources();
        let resource = &resources[self.below(resources.len())];
        let above = model.ancestors(resource.ix).count();
        let depth = u8::try_from(self.below(above + 1)).unwrap_or_default();
        let (place, flat) = (Place::new(resource.ix, depth), Place::new(resource.ix, 0));
        let view = if self.coin() { View::Shown } else { View::Whole };
        match self.below(20) {
            0..=5 => self.list(model, resource, place, view),
            6 => Shape::Count { place, filter: self.filter(model, resource, 0) },
            7 => {
                let related = self.related(model, resource, view, 0);
                Shape::Get { place, selection: Selection::new(view, related) }
            }
            8 => Shape::Look { place, fields: self.columns(resource) },
            9 => Shape::Insert { place, columns: self.inserted(resource, depth), view },
            10 => {
                let columns = self.columns(resource);
                Shape::Update { place, columns, merged: vec![], view }
            }
            11 => Shape::Delete { place },
            12 => {
                let filter = self.filter(model, resource, 0);
                Shape::DeleteMany { place, filter, listed: self.coin() }
            }
            13 => {
                let filter = self.filter(model, resource, 0);
                Shape::Ids { place, filter, listed: self.coin() }
            }
            14 => Shape::CountMost { place, filter: self.filter(model, resource, 0) },
            15 => {
                let filter = self.filter(model, resource, 0);
                let field = self.field(resource);
                let mut related = self.related(model, resource, view, 0);
                related.members.retain(|one| resource[one.relation].field() == field);
                // The values of a field have no lists.
                related.lists.clear();
                Shape::Tally { place, filter, field, related }
            }
            16 => Shape::Choices { place: flat, label: self.field(resource) },
            17 => Shape::Taken { place: flat, fields: self.columns(resource) },
            18 => match self.relation(resource, true) {
                Some(relation) => {
                    let (target, reference) =
                        (resource[relation].target, resource[relation].field());
                    let list = self.list_of(model, &model[target], relation, 0);
                    Shape::ListRows { place: Place::new(target, 0), reference, list }
                }
                None => Shape::Exists { place: flat },
            },
            _ if depth == 0 => Shape::Exists { place },
            _ => Shape::Links { place },
        }
    }

    fn list(&mut self, model: &Model, resource: &ResourceModel, place: Place, view: View) -> Shape {
        let filter = self.filter(model, resource, 0);
        let sort = self.sort(resource);
        let parts = [Part::First, Part::Counted, Part::Later, Part::Earlier];
        let part = parts[self.below(parts.len())];
        // Clients sort by fields that they see.
        let is_beyond = matches!(part, Part::Later | Part::Earlier);
        let view = if is_beyond { View::Whole } else { view };
        // As in the plans of requests, a key that does not decide has no value.
        let decides = |at: usize| {
            let is_after_id = sort[..at].iter().any(|key| key.field == FieldIx::ID);
            let is_id = sort[at].field == FieldIx::ID;
            !is_after_id && (is_id || !is_fixed(&filter, sort[at].field))
        };
        let count = if is_beyond { sort.len() } else { 0 };
        let beyond = (0..count).map(|at| decides(at) && !self.coin()).collect();
        let selection = Selection::new(view, self.related(model, resource, view, 0));
        Shape::List { place, filter, sort, selection, part, beyond }
    }

    fn filter(&mut self, model: &Model, resource: &ResourceModel, depth: usize) -> Filter {
        let inner = |draw: &mut Self| draw.filter(model, resource, depth + 1);
        match self.below(10) {
            0 if depth < FILTER_DEPTH_MAX => Filter::All(self.several(3, inner)),
            1 if depth < FILTER_DEPTH_MAX => Filter::Any(self.several(3, inner)),
            2 if depth < FILTER_DEPTH_MAX => Filter::Not(Box::new(inner(self))),
            3 if depth < FILTER_DEPTH_MAX => match self.rows(model, resource, depth) {
                Some(rows) => Filter::Related(rows),
                None => Filter::EVERY,
            },
            4 => {
                let [left, right] = [0; 2].map(|_| self.subject(model, resource, depth));
                let all = [ComparisonOp::Equal, ComparisonOp::Less, ComparisonOp::LessOrEqual];
                let comparison = all[self.below(all.len())];
                Filter::Compared(Box::new(ComparedSubjects { left, comparison, right }))
            }
            5 => {
                let subject = self.subject(model, resource, depth);
                // An empty list is no test of a client.
                let op = match self.op() {
                    Op::In(0) | Op::NotIn(0) => Op::Eq,
                    op => op,
                };
                Filter::Test { subject, op, values: () }
            }
            _ => Filter::test(self.field(resource), self.op()),
        }
    }

    /// Draws rows that come with a row. The row must have the references to its members.
    fn related(
        &mut self,
        model: &Model,
        of: &ResourceModel,
        view: View,
        depth: usize,
    ) -> RelatedSelections {
        let mut related = RelatedSelections::default();
        let count = if depth < 3 { self.below(3) } else { 0 };
        for _ in 0..count {
            let Some(relation) = self.relation(of, false) else { break };
            let (target, reference) = (&model[of[relation].target], of[relation].field());
            if view == View::Shown && !of.visible().any(|(field, _)| field == reference) {
                continue;
            }
            let fields = self.several(3, |draw| draw.field(target)).into();
            let related_of = self.related(model, target, View::Whole, depth + 1);
            related.members.push(RelatedSelection {
                relation,
                fields,
                length_max: None,
                related: related_of,
            });
        }
        let count = if depth < 3 { self.below(3) } else { 0 };
        for _ in 0..count {
            let Some(relation) = self.relation(of, true) else { break };
            related.lists.push(self.list_of(model, &model[of[relation].target], relation, depth));
        }
        related
    }

    /// Draws a list of members that a relation leads to.
    fn list_of(
        &mut self,
        model: &Model,
        of: &ResourceModel,
        relation: RelationIx,
        depth: usize,
    ) -> ListSelection {
        let fields = self.several(3, |draw| draw.field(of)).into();
        let filter = self.filter(model, of, FILTER_DEPTH_MAX - 1);
        let sort = self.sort(of);
        let related = self.related(model, of, View::Whole, depth + 1);
        ListSelection { relation, fields, filter, sort, related }
    }

    /// Draws a sort order, which ends with the id.
    fn sort(&mut self, of: &ResourceModel) -> Vec<SortKey> {
        let mut sort =
            self.several(3, |draw| SortKey { field: draw.field(of), descending: draw.coin() });
        sort.push(SortKey { field: FieldIx::ID, descending: self.coin() });
        sort
    }

    /// Draws a value of a row: a field, one at the end of a path, or a number of related rows.
    fn subject(
        &mut self,
        model: &Model,
        resource: &ResourceModel,
        depth: usize,
    ) -> TestSubject<()> {
        if depth < FILTER_DEPTH_MAX
            && self.coin()
            && let Some(rows) = self.rows(model, resource, depth)
        {
            return TestSubject::Count(rows);
        }
        let (steps, end) = self.steps(model, resource);
        Path { steps: steps.into(), end: end.ix, field: self.field(end) }.into()
    }

    fn rows(
        &mut self,
        model: &Model,
        resource: &ResourceModel,
        depth: usize,
    ) -> Option<Box<RelatedRows<()>>> {
        let (steps, end) = self.steps(model, resource);
        let relation = self.relation(end, true)?;
        let target = end[relation].target;
        let test = self.filter(model, &model[target], depth + 1);
        Some(Box::new(RelatedRows { steps: steps.into(), relation, target, test }))
    }

    /// Draws up to three relations to one row each, and returns the resource at their end.
    fn steps<'m>(
        &mut self,
        model: &'m Model,
        of: &'m ResourceModel,
    ) -> (Vec<RelationIx>, &'m ResourceModel) {
        let (mut steps, mut at) = (vec![], of);
        for _ in 0..self.below(4) {
            let Some(step) = self.relation(at, false) else { break };
            steps.push(step);
            at = &model[at[step].target];
        }
        (steps, at)
    }

    /// Draws a relation to several rows, or to one.
    fn relation(&mut self, of: &ResourceModel, to_many: bool) -> Option<RelationIx> {
        let all = (0..).map(RelationIx).zip(&of.relations);
        let fits: Vec<_> = all
            .filter(|(_, one)| matches!(one.kind, RelationKind::Many(_)) == to_many)
            .map(|(ix, _)| ix)
            .collect();
        fits.get(self.below(fits.len())).copied()
    }

    fn op(&mut self) -> Op {
        let count = u16::try_from(self.below(4)).unwrap_or_default();
        let ops = [
            Op::Eq,
            Op::Ne,
            Op::Lt,
            Op::Lte,
            Op::Gt,
            Op::Gte,
            Op::In(count),
            Op::NotIn(count),
            Op::Contains,
            Op::StartsWith,
            Op::EndsWith,
            Op::Between,
            Op::Null,
            Op::NotNull,
        ];
        ops[self.below(ops.len())]
    }

    fn field(&mut self, resource: &ResourceModel) -> FieldIx {
        let count = resource.indexed().count();
        FieldIx(u16::try_from(self.below(count)).unwrap_or_default())
    }

    /// Draws fields that differ, at least one.
    fn columns(&mut self, resource: &ResourceModel) -> Vec<FieldIx> {
        let first = self.field(resource);
        let others = self.several(3, |draw| draw.field(resource));
        let fields: BTreeSet<_> = others.into_iter().chain([first]).map(|field| field.0).collect();
        fields.into_iter().map(FieldIx).collect()
    }

    /// Draws the columns of an insert. Its URL sets the parent.
    fn inserted(&mut self, resource: &ResourceModel, depth: u8) -> Vec<FieldIx> {
        let parent = resource.parent.filter(|_| depth > 0).map(|(_, field)| field);
        let mut columns = self.columns(resource);
        columns.retain(|column| Some(*column) != parent);
        columns
    }
}

/// Whether all members that match a filter have the same value in a field.
fn is_fixed(filter: &Filter, field: FieldIx) -> bool {
    match filter {
        Filter::All(parts) => parts.iter().any(|part| is_fixed(part, field)),
        Filter::Test { subject, op, .. } => {
            *subject == field.into() && matches!(op, Op::Eq | Op::Null)
        }
        _ => false,
    }
}

/// Returns the numbers of the parameters that a text names, in their order.
pub(super) fn numbers(text: &str, mark: char) -> BTreeSet<usize> {
    let number = |part: &str| {
        let end = part.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(part.len());
        part[..end].parse().ok()
    };
    text.split(mark).skip(1).filter_map(number).collect()
}
