//! Linking of accounts and access rules: what a rule says about a class of callers is decided here,
//! so that only tests of rows are left.

mod fields;
mod rule_reader;

pub(super) use self::fields::with_fields;
use self::rule_reader::RuleReader;
use super::{LinkProblem, Linker, Subject, near};
use crate::model::{
    Default, Problem, ResourceModel,
    accounts::AccountModel,
    def::{AccessDef, AuthDef, DefaultDef, ResourceDef},
    jwt::JwtModel,
    names::declared,
    rule::{ResourceRules, RuleTest, RuleValue, Rules, SourceRule},
};

/// A class of callers, for whom rules say the same.
#[derive(Clone, Copy)]
struct Class {
    is_signed_in: bool,
    role: Option<&'static str>,
}

/// The rules of a resource that declares none.
#[derive(Clone, Copy)]
enum Usual {
    Public,
    SignedIn,
}

/// The accounts and the rules of a model.
pub(super) struct LinkedAccess {
    pub(super) accounts: Option<AccountModel>,
    pub(super) rules: Rules,
}

/// Links the accounts, the access rules of all resources, and the defaults that are values of an
/// account. Problems are added to the linker's.
pub(super) fn link(linker: &mut Linker, resources: &mut [ResourceModel]) -> LinkedAccess {
    report_defaults_without_accounts(linker);
    fields::report_tests(linker);
    let (access, defaults) = read(linker, resources);
    for (resource, defaults) in resources.iter_mut().zip(defaults) {
        for (field, default) in resource.fields.iter_mut().zip(defaults) {
            field.default = default.or(field.default.take());
        }
    }
    if let Some(accounts) = &access.accounts {
        let name = linker.api.case.wire(AuthDef::CURRENT_PASSWORD);
        resources[usize::from(accounts.resource.0)].current_password = Some(name.into());
    }
    access
}

/// The defaults of the fields of a resource that are values of an account.
type AccountDefaults = Vec<Option<Default>>;

fn read(linker: &mut Linker, resources: &[ResourceModel]) -> (LinkedAccess, Vec<AccountDefaults>) {
    let api = linker.api;
    let accounts = api.auth.as_ref().and_then(|auth| accounts(auth, resources));
    if let Some(auth) = api.auth.filter(|auth| !linker.names.contains_key(auth.accounts)) {
        let names: Vec<_> = resources.iter().map(|one| one.def.name).collect();
        let (name, nearest) = (auth.accounts.to_owned(), near(auth.accounts, &names));
        let problem = Problem::UnknownResource { name, nearest };
        linker.problems.push(LinkProblem::new(Subject::Interface, problem));
    }
    let has_rules = |def: &ResourceDef| def.access != AccessDef::EMPTY || def.has_field_rules();
    let is_ruled = api.auth.is_some() || resources.iter().any(|one| has_rules(one.def));
    if !is_ruled {
        return (LinkedAccess { accounts, rules: Rules::default() }, vec![]);
    }
    let mut roles: Vec<_> = resources.iter().flat_map(|one| one.def.all_roles()).collect();
    roles.sort_unstable();
    roles.dedup();
    let mut reader = RuleReader { linker, resources, accounts, values: vec![], use_now: false };
    let declared: Vec<_> = resources.iter().map(|one| reader.resource(one)).collect();
    let of_fields =
        |one: &ResourceModel| one.fields.iter().map(|field| reader.default(field)).collect();
    let defaults = resources.iter().map(of_fields).collect();
    let RuleReader { mut accounts, values, use_now, .. } = reader;
    if let Some(accounts) = &mut accounts {
        accounts.values = values.into();
    }
    let usual = if api.auth.is_some() { Usual::SignedIn } else { Usual::Public };
    let sets = classes(&roles).map(|class| {
        let of_resource =
            |(of, rules): (&ResourceModel, &LinkedRules)| rules.of(class, usual, of, resources);
        resources.iter().zip(&declared).map(of_resource).collect()
    });
    let sets = sets.collect();
    let rules = Rules { use_now, ..Rules::new(resources, roles, sets) };
    (LinkedAccess { accounts, rules }, defaults)
}

/// The classes of callers, in the order of their sets of rules.
fn classes(roles: &[&'static str]) -> impl Iterator<Item = Class> {
    let anonymous = Class { is_signed_in: false, role: None };
    let signed_in = Class { is_signed_in: true, role: None };
    let of_roles = roles.iter().map(move |role| Class { role: Some(role), ..signed_in });
    [anonymous, signed_in].into_iter().chain(of_roles)
}

/// Reports defaults that are values of an account, although there are no accounts.
fn report_defaults_without_accounts(linker: &mut Linker) {
    let api = linker.api;
    let all = api.resources.iter().flat_map(|def| def.fields.iter().map(move |field| (def, field)));
    for (def, field) in all.filter(|_| api.auth.is_none()) {
        if let Some(DefaultDef::Account(name)) = field.default {
            let problem = Problem::DefaultWithoutAccounts { value: format!("$account.{name}") };
            let subject = Subject::Field { resource: def.name, field: field.name };
            linker.problems.push(LinkProblem::new(subject, problem));
        }
    }
}

fn accounts(def: &'static AuthDef, resources: &[ResourceModel]) -> Option<AccountModel> {
    // `check::across` reports names that do not exist.
    let resource = resources.iter().find(|one| one.def.name == def.accounts)?;
    let field = |name: &str| declared(resource, name);
    let names = [field(def.login)?, field(def.password)?];
    let jwt = def.jwt.as_ref().map(|jwt| JwtModel::new(jwt, names[0], field));
    Some(AccountModel::new(def, resource.ix, names, def.role.and_then(field), jwt))
}

/// The rules of a resource, whose paths and values are resolved.
struct LinkedRules {
    read: Option<SourceRule>,
    create: Option<SourceRule>,
    update: Option<SourceRule>,
    delete: Option<SourceRule>,
}

impl LinkedRules {
    fn of(
        &self,
        class: Class,
        usual: Usual,
        of: &ResourceModel,
        resources: &[ResourceModel],
    ) -> ResourceRules {
        let rule = |declared: &Option<SourceRule>| {
            let test = match (declared, usual) {
                (Some(rule), _) => for_class(rule, class, true),
                (None, Usual::SignedIn) if !class.is_signed_in => RuleTest::NONE,
                (None, _) => RuleTest::EVERY,
            };
            (test != RuleTest::EVERY).then(|| crate::model::rule::Rule::of(resources, of.ix, test))
        };
        ResourceRules {
            read: rule(&self.read),
            create: rule(&self.create),
            update: rule(&self.update),
            delete: rule(&self.delete),
        }
    }
}

/// Returns a rule for a class of callers, as a test of the rows. `holds` is false inside of `not`,
/// so the result has a negation only around single tests.
fn for_class(rule: &SourceRule, class: Class, holds: bool) -> RuleTest {
    let constant = |is_true| if is_true == holds { RuleTest::EVERY } else { RuleTest::NONE };
    match rule {
        SourceRule::Public => constant(true),
        SourceRule::SignedIn => constant(class.is_signed_in),
        SourceRule::Role(roles) => constant(class.role.is_some_and(|role| roles.contains(&role))),
        SourceRule::All(rules) => joined(rules, class, holds, holds),
        SourceRule::Any(rules) => joined(rules, class, holds, !holds),
        SourceRule::Not(rule) => for_class(rule, class, !holds),
        SourceRule::Test(test) => tested(test, class, holds),
    }
}

/// A list of rules of which all must hold, or any. A negation turns one into the other.
fn joined(rules: &[SourceRule], class: Class, holds: bool, all: bool) -> RuleTest {
    let (neutral, decisive) = match all {
        true => (RuleTest::EVERY, RuleTest::NONE),
        false => (RuleTest::NONE, RuleTest::EVERY),
    };
    let tests = rules.iter().map(|rule| for_class(rule, class, holds));
    let mut tests: Vec<_> = tests.filter(|test| *test != neutral).collect();
    if tests.contains(&decisive) {
        return decisive;
    }
    match (tests.len(), all) {
        (0, _) => neutral,
        (1, _) => tests.remove(0),
        (_, true) => RuleTest::All(tests),
        (_, false) => RuleTest::Any(tests),
    }
}

/// A test. If the account does not have a value that it compares with, it is false, also inside of
/// `not`.
fn tested(test: &RuleTest, class: Class, holds: bool) -> RuleTest {
    // A rule with a problem lets nobody in, also inside of `not`.
    if *test == RuleTest::NONE {
        return RuleTest::NONE;
    }
    let mut given: Vec<RuleTest> = vec![];
    test.each_value(&mut |_, values: &Vec<RuleValue>| {
        let account = values.iter().find(|value| matches!(value, RuleValue::Account(_)));
        let is_given = account.map(|value| RuleTest::Given(vec![value.clone()]));
        given.extend(is_given.filter(|test| !given.contains(test)));
    });
    if !given.is_empty() && !class.is_signed_in {
        return RuleTest::NONE;
    }
    let test = match (test, test.complement()) {
        (test, _) if holds => test.clone(),
        (_, Some(complement)) => complement,
        (test, None) => RuleTest::Not(Box::new(test.clone())),
    };
    if given.is_empty() {
        return test;
    }
    given.push(test);
    RuleTest::All(given)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{FieldIx, Op, RelatedRows, RelationIx, ResourceIx};

    /// A test for a related row whose field has a value of the account.
    fn related() -> RuleTest {
        let values = vec![RuleValue::Account(0)];
        let test = RuleTest::Test { subject: FieldIx(1).into(), op: Op::Eq, values };
        let (relation, target) = (RelationIx(0), ResourceIx(1));
        RuleTest::Related(Box::new(RelatedRows { steps: [].into(), relation, target, test }))
    }

    #[test]
    fn a_rule_over_related_rows_is_negated_and_needs_the_value_that_it_compares_with() {
        let [anonymous, account] =
            [false, true].map(|is_signed_in| Class { is_signed_in, role: None });
        let given = || RuleTest::Given(vec![RuleValue::Account(0)]);
        let not = SourceRule::Not(Box::new(SourceRule::Test(related())));
        let turned = RuleTest::Not(Box::new(related()));
        assert_eq!(for_class(&not, account, true), RuleTest::All(vec![given(), turned]));
        let holds = for_class(&SourceRule::Test(related()), account, true);
        assert_eq!(holds, RuleTest::All(vec![given(), related()]));
        assert_eq!(for_class(&not, anonymous, true), RuleTest::NONE);
    }

    #[test]
    fn a_rule_with_a_problem_lets_nobody_in_also_inside_of_not() {
        let class = Class { is_signed_in: true, role: None };
        let broken = SourceRule::Not(Box::new(SourceRule::Test(RuleTest::NONE)));
        assert_eq!(for_class(&broken, class, true), RuleTest::NONE);
    }
}
