//! Access rules: the rows that exist for a kind of caller, and the rows that it may write.
//!
//! A rule is a condition on a row, which may follow references to others. It has tests like a
//! filter, but is never a part of one: a client's filter has a canonical text and cursors, and a
//! rule is in neither.
//!
//! A statement has one set of rules, that of its caller. The index of the set is in its [`Place`],
//! so each statement that is derived from another inherits it.
//!
//! Rows that a deletion cascades to or sets to null are changed without rules: a caller who may
//! delete a member may change what refers to it. The schema language has no access rules yet.

use super::{FieldIx, Model, Op, Place, ResourceIx, value::Value};
use crate::base::hash::StableHasher;

/// The rules of one kind of caller.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RuleSet(u16);

impl RuleSet {
    /// No rules, for the system itself.
    pub const NONE: Self = Self(0);

    /// The rules of anonymous callers, in a model with rules.
    const ANONYMOUS: Self = Self(1);

    #[cfg(test)]
    pub(crate) const fn of_number(number: u16) -> Self {
        Self(number)
    }

    /// A number that no other set has; 0 for no rules.
    pub(crate) const fn number(self) -> u16 {
        self.0
    }
}

/// The rules of one resource.
#[derive(Debug, Default)]
pub struct ResourceRules {
    /// The rows that exist; any other is treated as absent.
    pub visible: Option<Rule>,
    /// The rows that a create or an update may write. It is tested on the written row.
    pub writable: Option<Rule>,
}

/// A condition on the rows of a resource.
#[derive(Debug)]
pub struct Rule {
    /// The resource.
    pub(crate) resource: ResourceIx,
    /// The condition.
    pub(crate) test: RuleTest,
    /// The tables that it reads, in addition to that of the resource.
    pub(crate) tables: Box<[ResourceIx]>,
    /// The values of its tests, from left to right.
    pub(crate) values: Box<[Value]>,
}

/// A tree of tests, each true or false for every row.
#[derive(Clone, Debug, PartialEq)]
pub enum RuleTest {
    /// All of these.
    All(Vec<Self>),
    /// Any of these.
    Any(Vec<Self>),
    /// The complement.
    Not(Box<Self>),
    /// A test of a field.
    Field {
        /// The references that lead to the row of the field; empty for the row itself.
        path: Vec<FieldIx>,
        /// The field.
        field: FieldIx,
        /// The test.
        op: Op,
        /// Its values.
        values: Vec<Value>,
    },
}

impl Rule {
    /// Creates a rule of a resource from a test.
    ///
    /// # Panics
    /// If a path contains a field that is no reference.
    #[must_use]
    pub fn new(model: &Model, resource: ResourceIx, test: RuleTest) -> Self {
        let (mut tables, mut values) = (vec![], vec![]);
        test.collect(model, resource, &mut tables, &mut values);
        tables.sort_unstable();
        tables.dedup();
        Self { resource, test, tables: tables.into(), values: values.into() }
    }
}

impl RuleTest {
    fn collect(
        &self,
        model: &Model,
        of: ResourceIx,
        tables: &mut Vec<ResourceIx>,
        all: &mut Vec<Value>,
    ) {
        match self {
            Self::All(parts) | Self::Any(parts) => {
                parts.iter().for_each(|part| part.collect(model, of, tables, all));
            }
            Self::Not(inner) => inner.collect(model, of, tables, all),
            Self::Field { path, values, .. } => {
                tables.extend(path.iter().scan(of, |at, reference| {
                    *at = model[*at][*reference].target.expect("a path follows references");
                    Some(*at)
                }));
                all.extend_from_slice(values);
            }
        }
    }
}

/// The rules of a model, by set and resource.
#[derive(Debug, Default)]
pub(crate) struct Rules(Vec<Box<[ResourceRules]>>);

/// The rules of a resource without rules.
static NONE: ResourceRules = ResourceRules { visible: None, writable: None };

impl Rules {
    fn of(&self, set: RuleSet, resource: ResourceIx) -> &ResourceRules {
        if set == RuleSet::NONE {
            return &NONE;
        }
        let rules =
            self.0.get(usize::from(set.0) - 1).and_then(|set| set.get(usize::from(resource.0)));
        rules.unwrap_or(&NONE)
    }
}

impl Model {
    /// Adds rules for anonymous callers, by resource.
    ///
    /// It is for front ends that declare rules. The schema language does not have them yet.
    #[doc(hidden)]
    #[must_use]
    pub fn with_rules(mut self, of_anonymous: Vec<ResourceRules>) -> Self {
        self.rules = Rules(vec![of_anonymous.into()]);
        // Different rules change the content of responses.
        let rules = format!("{:?}", self.rules);
        self.fingerprint = StableHasher::new().number(self.fingerprint).text(&rules).finish();
        self
    }

    /// The rules of anonymous callers.
    pub(crate) fn rules_of_anonymous(&self) -> RuleSet {
        if self.rules.0.is_empty() { RuleSet::NONE } else { RuleSet::ANONYMOUS }
    }

    /// The rules of a resource in a set.
    pub(crate) fn rules(&self, set: RuleSet, resource: ResourceIx) -> &ResourceRules {
        self.rules.of(set, resource)
    }

    /// Whether any rule applies to the rows of a place, or to those of its ancestors in the URL.
    pub(crate) fn is_ruled(&self, place: Place) -> bool {
        place.rules != RuleSet::NONE
            && self.lineage(place).any(|ix| self.rules(place.rules, ix).visible.is_some())
    }

    /// The tables that the content of a place depends on: its lineage, and the tables that its
    /// rules read.
    pub(crate) fn sources(&self, place: Place) -> impl Iterator<Item = ResourceIx> {
        let ruled = self.lineage(place).filter(move |_| place.rules != RuleSet::NONE);
        let rules = ruled.filter_map(move |ix| self.rules(place.rules, ix).visible.as_ref());
        self.lineage(place).chain(rules.flat_map(|rule| rule.tables.iter().copied()))
    }
}
