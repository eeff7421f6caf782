//! Access rules: which rows a caller may see, and which rows the caller may write.
//!
//! A rule is a condition on a row. It may follow references to rows of other tables. Rules have
//! tests like a filter, but are not part of the filter: the canonical text of a filter and its
//! cursors do not contain them.
//!
//! Callers of one class (anonymous, signed in, or of one role) have the same set of rules. What a
//! rule says about the class is decided when the model is linked, so the statements have only tests
//! of rows. The values of an account are parameters of these tests, so all callers of a class share
//! their statements.
//!
//! A statement has one set of rules, the set of its caller. The index of the set is in the
//! statement's [`Place`], so each statement that is derived from another has the same rules.
//!
//! The rules do not apply to rows that a deletion cascades to or sets to null. A caller who may
//! delete a member may also change the rows that refer to it.

mod inherited;

use std::sync::Arc;

use self::inherited::inherited;
use super::{
    ConditionTree, FieldIx, Model, Phases, Place, ResourceIx, ResourceModel, def::FieldKind, link,
    value::Value,
};
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

/// The access rules of one resource. Without a rule, the caller may do it with every row.
#[derive(Clone, Debug, Default)]
pub struct ResourceRules {
    /// The rows that the caller may see if it may see their parents. A row that does not match is
    /// treated as absent.
    pub read: Option<Rule>,
    /// The rows that the caller may create.
    pub create: Option<Rule>,
    /// The rows that the caller may change. The row must match before and after the change.
    pub update: Option<Rule>,
    /// The rows that the caller may delete.
    pub delete: Option<Rule>,
}

/// A condition on the rows of a resource.
#[derive(Clone, Debug)]
pub struct Rule {
    /// The resource whose rows are tested.
    pub(crate) resource: ResourceIx,
    /// The condition as a tree of tests.
    pub(crate) test: RuleTest,
    /// The tables that the condition reads, in addition to the table of the resource.
    pub(crate) tables: Box<[ResourceIx]>,
    /// The values of the tests, from left to right.
    pub(crate) values: Box<[RuleValue]>,
}

/// A declared rule whose paths and values are resolved. Only then the classes of callers get their
/// tests.
#[derive(Debug)]
pub(crate) enum SourceRule {
    /// Everybody.
    Public,
    /// Callers that are signed in.
    SignedIn,
    /// Callers with one of these roles.
    Role(&'static [&'static str]),
    /// Rows that match the test.
    Test(RuleTest),
    /// If all rules of the list hold.
    All(Vec<Self>),
    /// If any rule of the list holds.
    Any(Vec<Self>),
    /// If the rule does not hold.
    Not(Box<Self>),
}

/// A value that a test compares a field with.
#[derive(Clone, Debug, PartialEq)]
pub enum RuleValue {
    /// A fixed value.
    Fixed(Value),
    /// A value of the caller's account, by its place among the fields of accounts that rules use.
    Account(u16),
    /// The time of the request, as a value of this kind.
    Now(FieldKind),
}

/// The condition of a rule. All callers of a class share it.
pub type RuleTest = ConditionTree<Vec<RuleValue>>;

impl Rule {
    /// Creates a rule for a resource from a tree of tests.
    ///
    /// # Panics
    /// It panics if a step of a path leads to several members, if a path has another end than it
    /// says, or if rows of a relation are others than those it leads to.
    #[must_use]
    pub fn new(model: &Model, resource: ResourceIx, test: RuleTest) -> Self {
        Self::of(model.resources(), resource, test)
    }

    pub(crate) fn of(resources: &[ResourceModel], resource: ResourceIx, test: RuleTest) -> Self {
        let (mut tables, mut values) = (vec![], vec![]);
        test.add_passed(resources, resource, &mut tables);
        test.each_value(&mut |op, of_test: &Vec<RuleValue>| {
            assert!(op.is_some() || of_test.len() == 1, "a rule asks for one value at a time");
            values.extend_from_slice(of_test);
        });
        tables.sort_unstable();
        tables.dedup();
        Self { resource, test, tables: tables.into(), values: values.into() }
    }

    /// Whether no row passes the rule.
    pub(crate) fn is_never(&self) -> bool {
        self.test == RuleTest::NONE
    }

    /// Whether the time of the request decides which rows match the rule.
    fn uses_now(&self) -> bool {
        self.values.iter().any(|value| matches!(value, RuleValue::Now(_)))
    }
}

/// The classes of callers, each with its set of rules. The first class is that of anonymous
/// callers, the second that of signed-in callers whose role no rule names.
#[derive(Default)]
pub(crate) struct Rules {
    /// The roles that rules name. Each is the class after the first two.
    pub(crate) roles: Vec<&'static str>,
    /// The rules of each class, by resource. Empty if the model has no rules.
    pub(super) sets: Vec<Box<[ResourceRules]>>,
    /// For each class, the rows of each resource that the caller may see, with the rules of the
    /// ancestors.
    pub(super) reads: Vec<Box<[Option<Rule>]>>,
    /// Whether any rule compares a field with the time of the request.
    pub(crate) use_now: bool,
    /// For each class, the resources whose fields have rules, as the callers see them. Empty if no
    /// field has rules.
    pub(crate) views: Vec<Box<[Option<ResourceModel>]>>,
}

/// The number of classes before those of roles.
const CLASSES_WITHOUT_ROLE: u16 = 2;

/// Empty rules, for a resource without access rules.
static NONE: ResourceRules = ResourceRules { read: None, create: None, update: None, delete: None };

impl Rules {
    /// The rules of a model that has none.
    pub(super) const EMPTY: Self =
        Self { roles: vec![], sets: vec![], reads: vec![], use_now: false, views: vec![] };

    pub(crate) fn new(
        resources: &[ResourceModel],
        roles: Vec<&'static str>,
        sets: Vec<Box<[ResourceRules]>>,
    ) -> Self {
        let reads = sets.iter().map(|set| inherited(resources, set)).collect();
        Self { roles, sets, reads, ..Self::default() }
    }

    /// The resource as callers with these rules see it; `None` if they see all of its fields.
    pub(super) fn view(&self, set: RuleSet, resource: ResourceIx) -> Option<&ResourceModel> {
        let views = self.views.get(usize::from(set.0).checked_sub(1)?)?;
        views.get(usize::from(resource.0))?.as_ref()
    }

    /// The rule for the rows of a resource that callers with these rules may see, if no parent is
    /// in the URL. `None` stands for every row.
    pub(super) fn readable_rows(&self, set: RuleSet, resource: ResourceIx) -> Option<&Rule> {
        let rules = self.reads.get(usize::from(set.0).checked_sub(1)?)?;
        rules.get(usize::from(resource.0))?.as_ref()
    }

    /// Whether callers may get different members of a resource: classes of callers have different
    /// rules, or a rule compares with a value of the account.
    pub(super) fn tell_readers_apart(&self, resource: ResourceIx) -> bool {
        let ix = usize::from(resource.0);
        let mut rules = self.reads.iter().map(|set| set.get(ix).cloned().flatten());
        let first = rules.next().flatten();
        let is_of_account = |value: &RuleValue| matches!(value, RuleValue::Account(_));
        let test = |rule: &Option<Rule>| rule.as_ref().map(|rule| rule.test.clone());
        first.as_ref().is_some_and(|rule| rule.values.iter().any(is_of_account))
            || rules.any(|rule| test(&rule) != test(&first))
    }

    /// Sets the operations of a resource that have hooks.
    pub(super) fn attach(&mut self, resource: ResourceIx, phases: Phases) {
        let at = usize::from(resource.0);
        for view in self.views.iter_mut().filter_map(|views| views.get_mut(at)).flatten() {
            view.hooks = Some(phases);
        }
    }

    fn of(&self, set: RuleSet, resource: ResourceIx) -> &ResourceRules {
        if set == RuleSet::NONE {
            return &NONE;
        }
        let rules =
            self.sets.get(usize::from(set.0) - 1).and_then(|set| set.get(usize::from(resource.0)));
        rules.unwrap_or(&NONE)
    }
}

impl Model {
    /// Adds access rules for all callers, one item for each resource.
    ///
    /// Tests use this method; a declaration has rules for each class of callers.
    #[doc(hidden)]
    #[must_use]
    pub fn with_rules(mut self, of_all: Vec<ResourceRules>) -> Self {
        let set: Box<[ResourceRules]> = of_all.into();
        self.rules = Rules::new(&self.resources, vec![], vec![set.clone(), set]);
        link::tell_readers_apart(&mut self.resources, &self.rules, self.api);
        // Rules change the content of responses, so they change the fingerprint and thus the
        // validators.
        let rules = format!("{:?}", self.rules.sets);
        self.fingerprint = StableHasher::new().number(self.fingerprint).text(&rules).finish();
        self
    }

    /// Whether access rules apply to anybody.
    pub(crate) fn has_rules(&self) -> bool {
        !self.rules.sets.is_empty()
    }

    /// The set of rules for anonymous callers.
    pub(crate) fn rules_of_anonymous(&self) -> RuleSet {
        if self.rules.sets.is_empty() { RuleSet::NONE } else { RuleSet::ANONYMOUS }
    }

    /// The set of rules for signed-in callers with this role.
    pub(crate) fn rules_of_role(&self, role: Option<&str>) -> RuleSet {
        if self.rules.sets.is_empty() {
            return RuleSet::NONE;
        }
        let place = role.and_then(|role| self.rules.roles.iter().position(|known| *known == role));
        let place = place.and_then(|place| u16::try_from(place).ok());
        RuleSet(place.map_or(CLASSES_WITHOUT_ROLE, |place| CLASSES_WITHOUT_ROLE + 1 + place))
    }

    /// Whether any rule compares a field with the time of the request.
    pub(crate) fn rules_use_now(&self) -> bool {
        self.rules.use_now
    }

    /// The rules of a resource in a set.
    pub(crate) fn rules(&self, set: RuleSet, resource: ResourceIx) -> &ResourceRules {
        self.rules.of(set, resource)
    }

    /// Whether a rule keeps callers with these rules from reading a field that clients can read.
    pub(crate) fn withholds(&self, set: RuleSet, resource: ResourceIx, field: FieldIx) -> bool {
        self[resource][field].visible() && !self.seen(set).resource(resource)[field].visible()
    }

    /// The fields in a representation for callers with these rules. `None` if they may read all
    /// fields of the resource that clients can read.
    pub(crate) fn readable(&self, set: RuleSet, resource: ResourceIx) -> Option<Arc<[FieldIx]>> {
        let view = self.rules.view(set, resource)?;
        (view.visible_count() < self[resource].visible_count())
            .then(|| view.visible().map(|(ix, _)| ix).collect())
    }

    /// The rules for the rows that are visible in a place: of its resource, and then of its
    /// ancestors in the URL. `None` stands for every row.
    ///
    /// The URL proves the parents in it. The last rule includes those of all further ancestors.
    pub(crate) fn sight(&self, place: Place) -> impl Iterator<Item = Option<&Rule>> {
        (0..).zip(self.lineage(place)).map(move |(above, ix)| match above == place.depth {
            true => self.readable_rows(place.rules, ix),
            false => self.rules(place.rules, ix).read.as_ref(),
        })
    }

    /// The rule for the rows of a resource that callers with these rules may see, if no parent is
    /// in the URL. `None` stands for every row.
    pub(crate) fn readable_rows(&self, set: RuleSet, resource: ResourceIx) -> Option<&Rule> {
        self.rules.readable_rows(set, resource)
    }

    /// The rules that limit the visible rows of a place's resource and of its ancestors in the URL.
    pub(crate) fn read_rules(&self, place: Place) -> impl Iterator<Item = &Rule> {
        self.sight(place).flatten()
    }

    /// The rules that limit the rows which are passed for callers with these rules.
    pub(crate) fn passed_rules(
        &self,
        set: RuleSet,
        passed: &[ResourceIx],
    ) -> impl Iterator<Item = &Rule> {
        passed.iter().filter_map(move |ix| self.readable_rows(set, *ix))
    }

    /// Whether rows of a place, or rows that are passed besides, depend on the time of the request.
    /// Then the content changes without a write, and has no validators.
    pub(crate) fn is_momentary(&self, place: Place, passed: &[ResourceIx]) -> bool {
        self.rules.use_now
            && (self.read_rules(place).any(Rule::uses_now)
                || self.is_passing_momentary(place.rules, passed))
    }

    /// Whether rows that are passed for callers with these rules depend on the time of the request.
    pub(crate) fn is_passing_momentary(&self, set: RuleSet, passed: &[ResourceIx]) -> bool {
        self.rules.use_now && self.passed_rules(set, passed).any(Rule::uses_now)
    }

    /// The tables that the content of a place depends on: the tables of the resource and its
    /// ancestors in the URL, and the tables that their rules read.
    pub(crate) fn tables(&self, place: Place) -> impl Iterator<Item = ResourceIx> {
        let rules = self.read_rules(place);
        self.lineage(place).chain(rules.flat_map(|rule| rule.tables.iter().copied()))
    }

    /// The tables that the rows depend on which are passed for callers with these rules: their own
    /// tables, and those that their rules read.
    pub(crate) fn passed_tables(
        &self,
        set: RuleSet,
        passed: &[ResourceIx],
    ) -> impl Iterator<Item = ResourceIx> {
        let rules = self.passed_rules(set, passed);
        passed.iter().copied().chain(rules.flat_map(|rule| rule.tables.iter().copied()))
    }
}
