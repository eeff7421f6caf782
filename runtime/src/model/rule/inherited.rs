//! The access rules that a member inherits: a caller that may not read the parent may not read the
//! member, whatever the URL. A nested URL proves the parents in it, and their rules are part of
//! that proof. The parents that are not in the URL are tested by the rules that are built here.

use super::{ResourceRules, Rule, RuleTest, RuleValue};
use crate::model::{
    ComparedSubjects, FieldIx, Op, Path, RelatedRows, RelationIx, RelationKind, ResourceIx,
    ResourceModel, TestSubject,
};

/// Returns for each resource the rule for the members that callers with these rules may read if no
/// parent is in the URL: the own rule, and the rules of all ancestors.
pub(super) fn inherited(
    resources: &[ResourceModel],
    rules: &[ResourceRules],
) -> Box<[Option<Rule>]> {
    let of = |resource: &ResourceModel| {
        let test = readable(resources, rules, resource.ix);
        (test != RuleTest::EVERY).then(|| Rule::of(resources, resource.ix, test))
    };
    resources.iter().map(of).collect()
}

/// The test for the readable members of a resource. Parents have no cycles, so the recursion ends.
fn readable(resources: &[ResourceModel], rules: &[ResourceRules], of: ResourceIx) -> RuleTest {
    let at = usize::from(of.0);
    let own = rules.get(at).and_then(|rules| rules.read.as_ref());
    let own = own.map_or(RuleTest::EVERY, |rule| rule.test.clone());
    let Some((parent, field)) = resources[at].parent else { return own };
    let inherited = match readable(resources, rules, parent) {
        test if test == RuleTest::EVERY => return own,
        test => test.below(&StepToParent::of(&resources[at], parent, field)),
    };
    // A member without a parent inherits nothing.
    let has_none = || RuleTest::Test { subject: field.into(), op: Op::Null, values: vec![] };
    let is_optional = !resources[at][field].required;
    let inherited = match inherited {
        test if test == RuleTest::NONE && is_optional => has_none(),
        test if is_optional => RuleTest::Any(vec![has_none(), test]),
        test => test,
    };
    own.and(inherited)
}

/// The step from a member to its parent.
struct StepToParent {
    relation: RelationIx,
    parent: ResourceIx,
    /// The field of the member with the id of the parent.
    reference: FieldIx,
}

impl StepToParent {
    fn of(resource: &ResourceModel, parent: ResourceIx, reference: FieldIx) -> Self {
        let mut relations = (0..).map(RelationIx).zip(&resource.relations);
        let found = relations.find(|(_, one)| one.kind == RelationKind::One(reference));
        let (relation, _) = found.expect("a resource with a parent has a relation to it");
        Self { relation, parent, reference }
    }

    /// The subject of a test of the parent, from the member below it.
    fn above(&self, subject: TestSubject<Vec<RuleValue>>) -> TestSubject<Vec<RuleValue>> {
        let path = match subject {
            // The reference has the id of the parent, so no row of the parent is needed.
            TestSubject::Field(FieldIx::ID) => return self.reference.into(),
            TestSubject::Field(field) => Path { steps: self.first(&[]), end: self.parent, field },
            TestSubject::Path(path) => Path { steps: self.first(&path.steps), ..*path },
            TestSubject::Count(rows) => return TestSubject::Count(Box::new(self.rows(*rows))),
        };
        path.into()
    }

    /// The related rows of the parent, from the member below it.
    fn rows<V>(&self, rows: RelatedRows<V>) -> RelatedRows<V> {
        RelatedRows { steps: self.first(&rows.steps), ..rows }
    }

    fn first(&self, steps: &[RelationIx]) -> Box<[RelationIx]> {
        [&[self.relation], steps].concat().into()
    }
}

impl RuleTest {
    /// The test of a parent as a test of the members below it.
    fn below(self, to: &StepToParent) -> Self {
        let below = |parts: Vec<Self>| parts.into_iter().map(|part| part.below(to)).collect();
        match self {
            Self::All(parts) => Self::All(below(parts)),
            Self::Any(parts) => Self::Any(below(parts)),
            Self::Not(test) => Self::Not(Box::new(test.below(to))),
            Self::Given(value) => Self::Given(value),
            Self::Test { subject, op, values } => {
                Self::Test { subject: to.above(subject), op, values }
            }
            Self::Compared(compared) => Self::Compared(Box::new(ComparedSubjects {
                left: to.above(compared.left),
                right: to.above(compared.right),
                comparison: compared.comparison,
            })),
            Self::Related(rows) => Self::Related(Box::new(to.rows(*rows))),
        }
    }

    /// The test for the rows that match both tests. A part that both have is tested once.
    fn and(self, other: Self) -> Self {
        if self == Self::NONE || other == Self::NONE {
            return Self::NONE;
        }
        let parts = |test| match test {
            Self::All(parts) => parts,
            test => vec![test],
        };
        let mut all = parts(self);
        for part in parts(other) {
            if !all.contains(&part) {
                all.push(part);
            }
        }
        if all.len() == 1 { all.remove(0) } else { Self::All(all) }
    }
}
