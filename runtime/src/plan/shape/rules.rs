//! What a statement depends on besides its values: the access rules that it tests, and the rows of
//! other resources that it passes.

use super::{RuleRow, Shape};
use crate::model::{
    Filter, Model, Place, PlacedList, RelatedSelections, ResourceIx, RowChange, RuleSet, rule::Rule,
};

impl Shape {
    /// Returns the access rules in the statement, in the order of their parameters. `with_lists`
    /// says whether the statement selects the rows of lists itself.
    pub(crate) fn rules<'m>(&self, model: &'m Model, with_lists: bool) -> Vec<(RuleRow, &'m Rule)> {
        let place = self.place();
        if place.rules == RuleSet::NONE {
            return vec![];
        }
        let mut sight = model.sight(place);
        let own = sight.next().flatten();
        let mut links: Vec<_> = sight.collect();
        links.reverse();
        let above = (0..).zip(links).filter_map(|(at, rule)| Some((RuleRow::Ancestor(at), rule?)));
        let sees = !matches!(
            self,
            Self::Insert { .. } | Self::Links { .. } | Self::Taken { .. } | Self::ListRows { .. }
        );
        let member = own.filter(|_| sees).map(|rule| (RuleRow::Member, rule));
        let changed = self.changes(model).map(|rule| (RuleRow::Changed, rule));
        let written = self.leaves(model).map(|rule| (RuleRow::Written, rule));
        let readable = |of| Some((RuleRow::Passed(of), model.readable_rows(place.rules, of)?));
        let passed = self.passed_with(model, with_lists).into_iter().filter_map(readable);
        above.chain(member).chain(changed).chain(written).chain(passed).collect()
    }

    /// Returns the resources whose rows the statement passes for its caller, sorted, in addition to
    /// those of its place.
    pub(crate) fn passed(&self, model: &Model) -> Vec<ResourceIx> {
        self.passed_with(model, true)
    }

    fn passed_with(&self, model: &Model, with_lists: bool) -> Vec<ResourceIx> {
        let (resources, of, mut passed) = (model.resources(), self.place().resource, vec![]);
        if let Some(filter) = self.filter() {
            filter.add_passed(resources, of, &mut passed);
        }
        if let Self::ListRows { .. } = self {
            passed.push(of);
        }
        match self.related() {
            Some(related) if with_lists => related.add_passed(resources, of, &mut passed),
            Some(related) => related.add_joined(resources, of, &mut passed),
            None => {}
        }
        passed.sort_unstable();
        passed.dedup();
        passed
    }

    /// Returns the related rows that come with the rows.
    pub(crate) fn related(&self) -> Option<&RelatedSelections> {
        match self {
            Self::List { selection, .. } | Self::Get { selection, .. } => Some(selection.related()),
            Self::Tally { related, .. } => Some(related),
            Self::ListRows { list, .. } => Some(&list.related),
            _ => None,
        }
    }

    /// Returns the lists that come with the rows, in the order of their values.
    #[inline]
    pub(crate) fn lists(&self, model: &Model) -> Vec<PlacedList<'_>> {
        match self.related() {
            Some(related) if related.has_lists() => {
                related.placed(model.resources(), self.place().resource)
            }
            _ => vec![],
        }
    }

    /// Returns the different statements of these lists, for a store that runs them for each row.
    pub(crate) fn list_shapes(&self, model: &Model) -> Vec<Self> {
        let mut shapes: Vec<_> = vec![];
        for list in self.lists(model) {
            let shape = list.shape(self.place());
            if !shapes.contains(&shape) {
                shapes.push(shape);
            }
        }
        shapes
    }

    /// Returns the filter of a statement that has one.
    pub(crate) const fn filter(&self) -> Option<&Filter> {
        match self {
            Self::List { filter, .. }
            | Self::Count { filter, .. }
            | Self::DeleteMany { filter, .. }
            | Self::Ids { filter, .. }
            | Self::CountMost { filter, .. }
            | Self::Tally { filter, .. } => Some(filter),
            Self::ListRows { list, .. } => Some(&list.filter),
            _ => None,
        }
    }

    /// Returns the access rule that a row must satisfy before it is changed or deleted, or `None`
    /// if there is no such rule. A statement that reads may look for such rows, too.
    pub(crate) fn changes<'m>(&self, model: &'m Model) -> Option<&'m Rule> {
        let place = self.place();
        let rules = model.rules(place.rules, place.resource);
        match self.change()? {
            RowChange::Update => rules.update.as_ref(),
            RowChange::Delete => rules.delete.as_ref(),
        }
    }

    /// Returns the change of existing rows that the statement makes, or for which it reads them.
    pub(crate) const fn change(&self) -> Option<RowChange> {
        match self {
            Self::Update { .. } => Some(RowChange::Update),
            Self::Delete { .. } | Self::DeleteMany { .. } => Some(RowChange::Delete),
            Self::Get { place, .. } | Self::Look { place, .. } | Self::Ids { place, .. } => {
                place.intent
            }
            _ => None,
        }
    }

    /// Returns the access rule that says who may read an inserted member, or `None` if there is no
    /// such rule.
    #[cfg(feature = "postgres")]
    pub(crate) fn shows<'m>(&self, model: &'m Model) -> Option<&'m Rule> {
        let place = self.place();
        let is_insert = matches!(self, Self::Insert { .. });
        model.readable_rows(place.rules, place.resource).filter(|_| is_insert)
    }

    /// Returns the access rule that the written row must satisfy, or `None` if there is no such
    /// rule.
    pub(crate) fn leaves<'m>(&self, model: &'m Model) -> Option<&'m Rule> {
        let place = self.place();
        let rules = model.rules(place.rules, place.resource);
        match self {
            Self::Insert { .. } => rules.create.as_ref(),
            Self::Update { .. } => rules.update.as_ref(),
            _ => None,
        }
    }
}

impl PlacedList<'_> {
    /// Returns the statement that selects the rows of the list for one row of this place, or of a
    /// list that comes with it.
    pub(crate) fn shape(&self, of: Place) -> Shape {
        let (reference, list) = (self.reference, self.list.clone());
        Shape::ListRows { place: of.flat(self.target), reference, list }
    }
}
