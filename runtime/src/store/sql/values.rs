//! The sequence of the values that a statement binds.

use crate::{
    model::{Model, RuleSet, value::Value},
    plan::{CallerValues, Shape},
};

/// The values of a statement. The values of the access rules are inserted after the ids of the
/// ancestors in the URL.
pub(in crate::store) struct RuledValues<'a, I> {
    /// The number of ids of ancestors that the iterator must still return before the values of the
    /// rules. 0 if there are no rules.
    ids: u8,
    rules: std::vec::IntoIter<&'a Value>,
    values: I,
}

impl<'a, I> RuledValues<'a, I> {
    pub(in crate::store) fn new(
        model: &'a Model,
        shape: &Shape,
        caller: &'a CallerValues,
        values: impl IntoIterator<IntoIter = I>,
    ) -> Self {
        let (place, values) = (shape.place(), values.into_iter());
        if place.rules == RuleSet::NONE {
            return Self { ids: 0, rules: vec![].into_iter(), values };
        }
        let rules = shape.rules(model).into_iter().flat_map(|(_, rule)| &rule.values);
        let rules: Vec<_> = rules.map(|value| caller.get(value)).collect();
        Self { ids: place.depth, rules: rules.into_iter(), values }
    }
}

impl<'a, 'v: 'a, I: Iterator<Item = &'v Value>> Iterator for RuledValues<'a, I> {
    type Item = &'a Value;

    fn next(&mut self) -> Option<&'a Value> {
        if self.ids > 0 {
            self.ids -= 1;
            return self.values.next();
        }
        self.rules.next().or_else(|| self.values.next())
    }
}
