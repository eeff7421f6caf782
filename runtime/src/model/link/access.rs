//! Linking of accounts and access rules: what a rule says about a class of callers is decided here,
//! so that only tests of rows are left.

use nouns_declaration::check::access::resolve;

use super::{LinkProblem, Linker, Subject, near, outline};
use crate::model::{
    FieldIx, FieldModel, Op, Problem, ResourceIx, ResourceModel,
    accounts::AccountModel,
    def::{
        AccessDef, AuthDef, FieldKind, Literal, OperandDef, ResourceDef, RuleDef, TestDef, TestOp,
    },
    rule::{ResourceRules, RuleTest, RuleValue, Rules, SourceRule},
    value::Value,
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

/// Links the accounts and the access rules of all resources. Problems are added to the linker's.
pub(super) fn link(linker: &mut Linker, resources: &[ResourceModel]) -> LinkedAccess {
    let api = linker.api;
    let accounts = api.auth.as_ref().and_then(|auth| accounts(auth, resources));
    if let Some(auth) = api.auth.filter(|auth| !linker.names.contains_key(auth.accounts)) {
        let names: Vec<_> = resources.iter().map(|one| one.def.name).collect();
        let (name, nearest) = (auth.accounts.to_owned(), near(auth.accounts, &names));
        let problem = Problem::UnknownResource { name, nearest };
        linker.problems.push(LinkProblem::new(Subject::Interface, problem));
    }
    let is_ruled =
        api.auth.is_some() || resources.iter().any(|one| one.def.access != AccessDef::EMPTY);
    if !is_ruled {
        return LinkedAccess { accounts, rules: Rules::default() };
    }
    let mut roles: Vec<_> = resources.iter().flat_map(|one| one.def.access.roles()).collect();
    roles.sort_unstable();
    roles.dedup();
    let mut reader = RuleReader { linker, resources, accounts, values: vec![], use_now: false };
    let declared: Vec<_> = resources.iter().map(|one| reader.resource(one)).collect();
    let RuleReader { mut accounts, values, use_now, .. } = reader;
    if let Some(accounts) = &mut accounts {
        accounts.values = values.into();
    }
    let usual = if api.auth.is_some() { Usual::SignedIn } else { Usual::Public };
    let anonymous = Class { is_signed_in: false, role: None };
    let signed_in = Class { is_signed_in: true, role: None };
    let of_roles = roles.iter().map(|role| Class { role: Some(role), ..signed_in });
    let classes = [anonymous, signed_in].into_iter().chain(of_roles);
    let sets = classes.map(|class| {
        let of_resource =
            |(of, rules): (&ResourceModel, &LinkedRules)| rules.of(class, usual, of, resources);
        resources.iter().zip(&declared).map(of_resource).collect()
    });
    let sets = sets.collect();
    LinkedAccess { accounts, rules: Rules { roles, sets, use_now } }
}

fn accounts(def: &'static AuthDef, resources: &[ResourceModel]) -> Option<AccountModel> {
    // `check::across` reports names that do not exist.
    let resource = resources.iter().find(|one| one.def.name == def.accounts)?;
    let field = |name: &str| declared(resource, name);
    let names = [field(def.login)?, field(def.password)?];
    Some(AccountModel::new(def, resource.ix, names, def.role.and_then(field)))
}

/// The field that is declared with this name. System fields have their own names.
fn declared(resource: &ResourceModel, name: &str) -> Option<FieldIx> {
    let parent = resource.def.parent.map(|parent| parent.field);
    let is_named = |(ix, field): &(FieldIx, &FieldModel)| match field.def {
        Some(def) => def.name == name,
        None if *ix == FieldIx::ID => name == "id",
        None if Some(name) == parent => *ix == FieldIx(1),
        None => field.column == name && resource.def.timestamps,
    };
    resource.indexed().find(is_named).map(|(ix, _)| ix)
}

/// The rules of a resource, whose paths and values are resolved.
#[derive(Default)]
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
                (None, Usual::SignedIn) if !class.is_signed_in => RuleTest::FALSE,
                (None, _) => RuleTest::TRUE,
            };
            (test != RuleTest::TRUE).then(|| crate::model::rule::Rule::of(resources, of.ix, test))
        };
        ResourceRules {
            read: rule(&self.read),
            create: rule(&self.create),
            update: rule(&self.update),
            delete: rule(&self.delete),
        }
    }
}

/// What a rule says about the rows for a class of callers. `holds` is false inside of `not`, so the
/// result has a negation only around single tests.
fn for_class(rule: &SourceRule, class: Class, holds: bool) -> RuleTest {
    let constant = |is_true| if is_true == holds { RuleTest::TRUE } else { RuleTest::FALSE };
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
        true => (RuleTest::TRUE, RuleTest::FALSE),
        false => (RuleTest::FALSE, RuleTest::TRUE),
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

/// The test of a field. A test whose value the account does not have is false, also inside of
/// `not`.
fn tested(test: &RuleTest, class: Class, holds: bool) -> RuleTest {
    let RuleTest::Field { path, field, op, values } = test else { return test.clone() };
    let account = values.iter().find(|value| matches!(value, RuleValue::Account(_)));
    if account.is_some() && !class.is_signed_in {
        return RuleTest::FALSE;
    }
    let test = match (holds, op.complement()) {
        (true, _) => test.clone(),
        (false, Some(op)) => {
            RuleTest::Field { path: path.clone(), field: *field, op, values: values.clone() }
        }
        (false, None) => RuleTest::Not(Box::new(test.clone())),
    };
    match account {
        Some(value) => RuleTest::All(vec![RuleTest::Given(value.clone()), test]),
        None => test,
    }
}

/// Resolves the paths and the values of rules.
struct RuleReader<'l> {
    linker: &'l mut Linker,
    resources: &'l [ResourceModel],
    accounts: Option<AccountModel>,
    /// The fields of accounts that rules use.
    values: Vec<FieldIx>,
    use_now: bool,
}

impl RuleReader<'_> {
    fn resource(&mut self, of: &ResourceModel) -> LinkedRules {
        let access = of.def.access;
        let mut read = |rule: Option<RuleDef>| rule.map(|rule| self.rule(of, &rule));
        LinkedRules {
            read: read(access.read),
            create: read(access.create),
            update: read(access.update),
            delete: read(access.delete),
        }
    }

    fn rule(&mut self, of: &ResourceModel, rule: &RuleDef) -> SourceRule {
        let mut all = |rules: &[RuleDef]| rules.iter().map(|rule| self.rule(of, rule)).collect();
        match rule {
            RuleDef::Public => SourceRule::Public,
            RuleDef::SignedIn => SourceRule::SignedIn,
            RuleDef::Role(roles) => SourceRule::Role(roles),
            RuleDef::All(rules) => SourceRule::All(all(rules)),
            RuleDef::Any(rules) => SourceRule::Any(all(rules)),
            RuleDef::Not([rule]) => SourceRule::Not(Box::new(self.rule(of, rule))),
            // A rule with a problem lets nobody in; the model is not linked then.
            RuleDef::Test(test) => SourceRule::Test(self.test(of, test).unwrap_or(RuleTest::FALSE)),
        }
    }

    fn test(&mut self, of: &ResourceModel, test: &TestDef) -> Option<RuleTest> {
        let (path, end, field) = self.path(of, test)?;
        let model = &self.resources[usize::from(end.0)][field];
        let kind = model.kind;
        if !kind.is_ordered() && test.operand != OperandDef::Null {
            let path = test.path.to_owned();
            return self.report(of, Problem::Incomparable { path, kind: kind.word() });
        }
        let is_of_text =
            matches!(test.op, TestOp::Contains | TestOp::StartsWith | TestOp::EndsWith);
        if is_of_text && kind != FieldKind::String {
            let (key, kind) = (test.op.word().to_owned(), format!("type `{}`", kind.word()));
            return self.report(of, Problem::Unfit { key, kind, fits: "`string`" });
        }
        let values = self.values(of, test, kind)?;
        let count = u16::try_from(values.len()).unwrap_or(u16::MAX);
        let op = match (test.op, test.operand) {
            (TestOp::Eq, OperandDef::Null) => Op::Null,
            (TestOp::Ne, OperandDef::Null) => Op::NotNull,
            (TestOp::Eq, _) => Op::Eq,
            (TestOp::Ne, _) => Op::Ne,
            (TestOp::Lt, _) => Op::Lt,
            (TestOp::Lte, _) => Op::Lte,
            (TestOp::Gt, _) => Op::Gt,
            (TestOp::Gte, _) => Op::Gte,
            (TestOp::In, _) => Op::In(count),
            (TestOp::NotIn, _) => Op::NotIn(count),
            (TestOp::Contains, _) => Op::Contains,
            (TestOp::StartsWith, _) => Op::StartsWith,
            (TestOp::EndsWith, _) => Op::EndsWith,
        };
        Some(RuleTest::Field { path, field, op, values })
    }

    /// The references of a path, and the field at its end with its resource.
    fn path(
        &mut self,
        of: &ResourceModel,
        test: &TestDef,
    ) -> Option<(Vec<FieldIx>, ResourceIx, FieldIx)> {
        let (steps, name) = test.path.rsplit_once('.').unwrap_or(("", test.path));
        let (mut path, mut at) = (vec![], of.ix);
        for step in steps.split('.').filter(|step| !step.is_empty()) {
            let resource = &self.resources[usize::from(at.0)];
            let Some((reference, target)) = step_of(resource, step) else {
                return self.unknown(of, test.path);
            };
            path.push(reference);
            at = target;
        }
        match declared(&self.resources[usize::from(at.0)], name) {
            Some(field) => Some((path, at, field)),
            None => self.unknown(of, test.path),
        }
    }

    /// Reports a path that does not exist, in the words of the checker of schema files.
    fn unknown<T>(&mut self, of: &ResourceModel, path: &str) -> Option<T> {
        let outline = outline::of(self.linker.api);
        let noun = outline.nouns.iter().find(|noun| noun.name.text == of.def.name)?;
        let problem = resolve(&outline, noun, path, &mut near).err()?;
        self.report(of, problem)
    }

    fn values(
        &mut self,
        of: &ResourceModel,
        test: &TestDef,
        kind: FieldKind,
    ) -> Option<Vec<RuleValue>> {
        match test.operand {
            OperandDef::Null => Some(vec![]),
            OperandDef::Value(value) => Some(vec![self.fixed(of, test, kind, value)?]),
            OperandDef::Values(values) => {
                values.iter().map(|value| self.fixed(of, test, kind, *value)).collect()
            }
            OperandDef::Now => {
                self.use_now = true;
                let fits = matches!(kind, FieldKind::Date | FieldKind::Time | FieldKind::DateTime);
                let described = format!("type `{}`", kind.word());
                match fits {
                    true => Some(vec![RuleValue::Now(kind)]),
                    false => self.report(
                        of,
                        Problem::Unfit {
                            key: "$now".to_owned(),
                            kind: described,
                            fits: "`date`, `time` and `datetime`",
                        },
                    ),
                }
            }
            OperandDef::Account(name) => self.account(of, test, kind, name).map(|one| vec![one]),
        }
    }

    fn fixed(
        &mut self,
        of: &ResourceModel,
        test: &TestDef,
        kind: FieldKind,
        literal: Literal,
    ) -> Option<RuleValue> {
        let spelled = match (kind, literal) {
            // A decimal may be written as a number.
            (FieldKind::Decimal { .. }, Literal::Integer(value)) => {
                Value::parse(kind, &value.to_string())
            }
            (FieldKind::Decimal { .. }, Literal::Number(value)) => {
                Value::parse(kind, &value.to_string())
            }
            (FieldKind::Number, Literal::Integer(value)) => Value::parse(kind, &value.to_string()),
            (kind, literal) => Value::literal(kind, literal),
        };
        match spelled {
            Ok(value) => Some(RuleValue::Fixed(value)),
            Err(expected) => {
                let (key, expected) = (test.path.to_owned(), expected.to_string());
                let value = format!("{literal:?}");
                self.report(of, Problem::WrongValue { key, value, expected })
            }
        }
    }

    /// The value of a field of the caller's account.
    fn account(
        &mut self,
        of: &ResourceModel,
        test: &TestDef,
        kind: FieldKind,
        name: &str,
    ) -> Option<RuleValue> {
        // Without accounts nobody has the value, so the test is false.
        let Some(accounts) = &self.accounts else { return Some(RuleValue::Account(u16::MAX)) };
        let resource = &self.resources[usize::from(accounts.resource.0)];
        let Some(field) = declared(resource, name) else {
            let outline = outline::of(self.linker.api);
            let noun = outline.nouns.iter().find(|noun| noun.name.text == resource.def.name)?;
            let problem = resolve(&outline, noun, name, &mut near).err()?;
            return self.report(of, problem);
        };
        let other_kind = resource[field].kind;
        if other_kind.word() != kind.word() {
            let problem = Problem::OtherKind {
                path: test.path.to_owned(),
                kind: kind.word(),
                other: format!("$account.{name}"),
                other_kind: other_kind.word(),
            };
            return self.report(of, problem);
        }
        let at = self.values.iter().position(|known| *known == field).unwrap_or_else(|| {
            self.values.push(field);
            self.values.len() - 1
        });
        u16::try_from(at).ok().map(RuleValue::Account)
    }

    fn report<T>(&mut self, of: &ResourceModel, problem: Problem) -> Option<T> {
        self.linker.problems.push(LinkProblem::new(Subject::Resource(of.def.name), problem));
        None
    }
}

/// The reference that a step of a path follows, and the resource that it leads to.
fn step_of(resource: &ResourceModel, step: &str) -> Option<(FieldIx, ResourceIx)> {
    let alias = |def: &ResourceDef, field: &FieldModel| match field.def {
        Some(def) => def.reference.map(|reference| reference.alias),
        None => def.parent.map(|parent| parent.field.strip_suffix("_id").unwrap_or(parent.field)),
    };
    resource.indexed().find_map(|(ix, field)| {
        let target = field.target?;
        (alias(resource.def, field) == Some(step)).then_some((ix, target))
    })
}
