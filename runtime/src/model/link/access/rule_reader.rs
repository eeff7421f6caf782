//! Resolves the paths and the values of declared rules.

use nouns_declaration::check::access::{OTHER_SCALE, resolve};

use super::LinkedRules;
use crate::model::{
    Default, FieldIx, FieldModel, Op, Path, Problem, ResourceModel, SeenModel,
    accounts::AccountModel,
    def::{DefaultDef, FieldKind, Literal, OperandDef, RuleDef, TestDef, TestOp},
    link::{LinkProblem, Linker, Subject, near, outline},
    names::declared,
    rule::{RuleTest, RuleValue, SourceRule},
    value::Value,
};

/// Resolves the paths and the values of rules.
pub(super) struct RuleReader<'l> {
    pub(super) linker: &'l mut Linker,
    pub(super) resources: &'l [ResourceModel],
    pub(super) accounts: Option<AccountModel>,
    /// The fields of accounts that rules and defaults use, each once.
    pub(super) values: Vec<FieldIx>,
    pub(super) use_now: bool,
}

impl RuleReader<'_> {
    pub(super) fn resource(&mut self, of: &ResourceModel) -> LinkedRules {
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
            RuleDef::Test(test) => SourceRule::Test(self.test(of, test).unwrap_or(RuleTest::NONE)),
        }
    }

    fn test(&mut self, of: &ResourceModel, test: &TestDef) -> Option<RuleTest> {
        let path = self.path(of, test)?;
        let model = &self.resources[usize::from(path.end.0)][path.field];
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
        Some(RuleTest::Test { subject: path.into(), op, values })
    }

    fn path(&mut self, of: &ResourceModel, test: &TestDef) -> Option<Path> {
        match SeenModel::declared(self.resources).path(of.ix, test.path) {
            None => self.unknown(of, test.path),
            path => path,
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
        if other_kind != kind {
            let is_scale = other_kind.word() == kind.word();
            let problem = Problem::OtherKind {
                path: test.path.to_owned(),
                kind: kind.word(),
                other: format!("$account.{name}"),
                other_kind: if is_scale { OTHER_SCALE } else { other_kind.word() },
            };
            return self.report(of, problem);
        }
        Some(RuleValue::Account(self.place_of(field)))
    }

    /// The default of a field that is the value of a field of the caller's account. The checks
    /// across resources report a field that does not exist.
    pub(super) fn default(&mut self, of: &FieldModel) -> Option<Default> {
        let Some(DefaultDef::Account(name)) = of.def?.default else { return None };
        let accounts = self.accounts.as_ref()?;
        let field = declared(&self.resources[usize::from(accounts.resource.0)], name)?;
        Some(Default::Account(self.place_of(field)))
    }

    /// The place of a field of accounts among those that rules and defaults use.
    fn place_of(&mut self, field: FieldIx) -> u16 {
        let at = self.values.iter().position(|known| *known == field).unwrap_or_else(|| {
            self.values.push(field);
            self.values.len() - 1
        });
        at.try_into().expect("a resource has at most 65535 fields")
    }

    fn report<T>(&mut self, of: &ResourceModel, problem: Problem) -> Option<T> {
        self.linker.problems.push(LinkProblem::new(Subject::Resource(of.def.name), problem));
        None
    }
}
