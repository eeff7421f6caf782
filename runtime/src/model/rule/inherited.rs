//! The access rules that a member inherits: a caller that may not read the parent may not read the
//! member, whatever the URL. A nested URL proves the parents in it, and their rules are part of
//! that proof. The parents that are not in the URL are tested by the rules that are built here.

use super::{ResourceRules, Rule, RuleTest};
use crate::model::{FieldIx, Op, ResourceIx, ResourceModel};

/// Returns for each resource the rule for the members that callers with these rules may read if no
/// parent is in the URL: the own rule, and the rules of all ancestors.
pub(super) fn inherited(
    resources: &[ResourceModel],
    rules: &[ResourceRules],
) -> Box<[Option<Rule>]> {
    let of = |resource: &ResourceModel| {
        let test = readable(resources, rules, resource.ix);
        (test != RuleTest::TRUE).then(|| Rule::of(resources, resource.ix, test))
    };
    resources.iter().map(of).collect()
}

/// The test for the readable members of a resource. Parents have no cycles, so the recursion ends.
fn readable(resources: &[ResourceModel], rules: &[ResourceRules], of: ResourceIx) -> RuleTest {
    let at = usize::from(of.0);
    let own = rules.get(at).and_then(|rules| rules.read.as_ref());
    let own = own.map_or(RuleTest::TRUE, |rule| rule.test.clone());
    let Some((parent, field)) = resources[at].parent else { return own };
    let inherited = readable(resources, rules, parent).below(field);
    // A member without a parent inherits nothing.
    let has_none = || RuleTest::Field { path: vec![], field, op: Op::Null, values: vec![] };
    let is_optional = !resources[at][field].required;
    let inherited = match inherited {
        test if test == RuleTest::TRUE => return own,
        test if test == RuleTest::FALSE && is_optional => has_none(),
        test if is_optional => RuleTest::Any(vec![has_none(), test]),
        test => test,
    };
    own.and(inherited)
}

impl RuleTest {
    /// The test of a parent as a test of the members below it, whose reference is `parent`.
    fn below(self, parent: FieldIx) -> Self {
        let below = |parts: Vec<Self>| parts.into_iter().map(|part| part.below(parent)).collect();
        match self {
            Self::All(parts) => Self::All(below(parts)),
            Self::Any(parts) => Self::Any(below(parts)),
            Self::Not(test) => Self::Not(Box::new(test.below(parent))),
            Self::Given(value) => Self::Given(value),
            // The reference has the id of the parent, so no row of the parent is needed.
            Self::Field { path, field: FieldIx::ID, op, values } if path.is_empty() => {
                Self::Field { path, field: parent, op, values }
            }
            Self::Field { path, field, op, values } => {
                Self::Field { path: [&[parent], path.as_slice()].concat(), field, op, values }
            }
        }
    }

    /// The test for the rows that match both tests. A part that both have is tested once.
    fn and(self, other: Self) -> Self {
        if self == Self::FALSE || other == Self::FALSE {
            return Self::FALSE;
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
