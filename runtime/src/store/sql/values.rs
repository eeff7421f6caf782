//! The sequence of the values that a statement binds.

use crate::{
    model::{Model, RuleSet, value::Value},
    plan::Shape,
};

/// The values of a statement. The values of the access rules are inserted after the ids of the
/// ancestors in the URL.
pub(in crate::store) struct RuledValues<'m, I> {
    /// The number of ids of ancestors that the iterator must still return before the values of the
    /// rules. 0 if there are no rules.
    ids: u8,
    rules: std::vec::IntoIter<&'m Value>,
    values: I,
}

impl<'m, I> RuledValues<'m, I> {
    pub(in crate::store) fn new(
        model: &'m Model,
        shape: &Shape,
        values: impl IntoIterator<IntoIter = I>,
    ) -> Self {
        let (place, values) = (shape.place(), values.into_iter());
        if place.rules == RuleSet::NONE {
            return Self { ids: 0, rules: vec![].into_iter(), values };
        }
        let rules: Vec<_> =
            shape.rules(model).into_iter().flat_map(|(_, rule)| &*rule.values).collect();
        Self { ids: place.depth, rules: rules.into_iter(), values }
    }
}

impl<'v, I: Iterator<Item = &'v Value>> Iterator for RuledValues<'v, I> {
    type Item = &'v Value;

    fn next(&mut self) -> Option<&'v Value> {
        if self.ids > 0 {
            self.ids -= 1;
            return self.values.next();
        }
        self.rules.next().or_else(|| self.values.next())
    }
}
