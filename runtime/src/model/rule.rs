//! Access rules: which rows a caller may see, and which rows the caller may write.
//!
//! A rule is a condition on a row. It may follow references to rows of other tables. Rules have
//! tests like a filter, but are not part of the filter: the canonical text of a filter and its
//! cursors do not contain them.
//!
//! A statement has one set of rules, the set of its caller. The index of the set is in the
//! statement's [`Place`], so each statement that is derived from another has the same rules.
//!
//! The rules do not apply to rows that a deletion cascades to or sets to null. A caller who may
//! delete a member may also change the rows that refer to it. The schema language cannot declare
//! access rules yet.

use super::{FieldIx, Model, Op, Place, ResourceIx, value::Value};
use crate::base::hash::StableHasher;

/// The index of a set of access rules. All callers of one kind have the same set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RuleSet(u16);

impl RuleSet {
    /// No access rules, for the program itself.
    pub const NONE: Self = Self(0);

    /// The rules of anonymous callers, if the model has rules.
    const ANONYMOUS: Self = Self(1);

    #[cfg(test)]
    pub(crate) const fn of_number(number: u16) -> Self {
        Self(number)
    }

    /// The number of the set. Different sets have different numbers; 0 means no rules.
    pub(crate) const fn number(self) -> u16 {
        self.0
    }
}

/// The access rules of one resource.
#[derive(Debug, Default)]
pub struct ResourceRules {
    /// The rows that the caller may see. A row that does not match is treated as absent.
    pub visible: Option<Rule>,
    /// The rows that the caller may write. The written row must match.
    pub writable: Option<Rule>,
}

/// A condition on the rows of a resource.
#[derive(Debug)]
pub struct Rule {
    /// The resource whose rows are tested.
    pub(crate) resource: ResourceIx,
    /// The condition as a tree of tests.
    pub(crate) test: RuleTest,
    /// The tables that the condition reads, in addition to the table of the resource.
    pub(crate) tables: Box<[ResourceIx]>,
    /// The values of the tests, from left to right.
    pub(crate) values: Box<[Value]>,
}

/// A tree of tests. Each test is either true or false, even for null. In SQL it could also be null.
#[derive(Clone, Debug, PartialEq)]
pub enum RuleTest {
    /// Rows that match all tests of the list.
    All(Vec<Self>),
    /// Rows that match any test of the list.
    Any(Vec<Self>),
    /// Rows that do not match the test.
    Not(Box<Self>),
    /// A test of one field.
    Field {
        /// The references to follow to the row that has the field; empty for the row itself.
        path: Vec<FieldIx>,
        /// The field that is tested.
        field: FieldIx,
        /// The operator of the test.
        op: Op,
        /// The values that the field is compared with.
        values: Vec<Value>,
    },
}

impl Rule {
    /// Creates a rule for a resource from a tree of tests.
    ///
    /// # Panics
    /// It panics if a path contains a field that is not a reference.
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
                    *at = model[*at][*reference]
                        .target
                        .expect("each field in the path of a rule must be a reference");
                    Some(*at)
                }));
                all.extend_from_slice(values);
            }
        }
    }
}

/// The access rules of a model, by set and then by resource.
#[derive(Debug, Default)]
pub(crate) struct Rules(Vec<Box<[ResourceRules]>>);

/// Empty rules, for a resource without access rules.
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
    /// Adds access rules for anonymous callers, one item for each resource.
    ///
    /// Tests use this method. The schema language cannot declare rules yet.
    #[doc(hidden)]
    #[must_use]
    pub fn with_rules(mut self, of_anonymous: Vec<ResourceRules>) -> Self {
        self.rules = Rules(vec![of_anonymous.into()]);
        // Rules change the content of responses, so they change the fingerprint and thus the
        // validators.
        let rules = format!("{:?}", self.rules);
        self.fingerprint = StableHasher::new().number(self.fingerprint).text(&rules).finish();
        self
    }

    /// The set of rules for anonymous callers.
    pub(crate) fn rules_of_anonymous(&self) -> RuleSet {
        if self.rules.0.is_empty() { RuleSet::NONE } else { RuleSet::ANONYMOUS }
    }

    /// The rules of a resource in a set.
    pub(crate) fn rules(&self, set: RuleSet, resource: ResourceIx) -> &ResourceRules {
        self.rules.of(set, resource)
    }

    /// Whether any rule limits the visible rows of a place's resource or of its ancestors in the
    /// URL.
    pub(crate) fn is_ruled(&self, place: Place) -> bool {
        place.rules != RuleSet::NONE
            && self.lineage(place).any(|ix| self.rules(place.rules, ix).visible.is_some())
    }

    /// The tables that the content of a place depends on: the tables of the resource and its
    /// ancestors in the URL, and the tables that their rules read.
    pub(crate) fn sources(&self, place: Place) -> impl Iterator<Item = ResourceIx> {
        let ruled = self.lineage(place).filter(move |_| place.rules != RuleSet::NONE);
        let rules = ruled.filter_map(move |ix| self.rules(place.rules, ix).visible.as_ref());
        self.lineage(place).chain(rules.flat_map(|rule| rule.tables.iter().copied()))
    }
}
