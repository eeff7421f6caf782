//! Reads `access`, the access rules of a resource.

use super::context::Context;
use super::extensions::Extensions;
use super::literal;
use super::map::{Map, texts, word, wrong_shape};
use crate::diagnostic::{Problem, problem::Owner, shape};
use crate::draft::{Entry, Node, Origin, Spanned, Value, excerpt};
use crate::language;
use crate::schema::{Access, FieldAccess, Literal, Operand, Rule, Test, TestOp};
use std::collections::HashSet;

/// The rules without keys.
const WORDS: &[(&str, WordRule)] =
    &[("public", WordRule::Public), ("signed_in", WordRule::SignedIn)];

/// A rule that is a single word.
#[derive(Clone, Copy)]
enum WordRule {
    Public,
    SignedIn,
}

/// The access rules of a resource or of a field, with the positions that later checks need.
#[derive(Default)]
pub(super) struct AccessDraft<'d> {
    /// The rules of a resource. Empty for a field.
    pub(super) access: Access,
    /// The rules of a field. `None` for a resource.
    pub(super) of_field: Option<FieldAccess>,
    pub(super) extensions: Extensions,
    pub(super) tests: Vec<TestDraft<'d>>,
    /// The roles in the rules.
    pub(super) roles: Vec<Spanned<&'d str>>,
    /// The first rule that only a signed-in caller can meet.
    pub(super) first_signed_in: Option<Spanned<&'static str>>,
}

/// A test of a rule, with its positions.
pub(super) struct TestDraft<'d> {
    pub(super) path: Spanned<&'d str>,
    pub(super) test: Test,
    /// The values that the field is compared with, as they are written.
    pub(super) values: Vec<&'d Node>,
    pub(super) at: Origin,
}

/// Reads `access: { read: public, update: { role: editor } }`. Later checks look at the fields,
/// values and roles in it.
pub(super) fn read<'d>(map: &Map<'d>, context: &mut Context) -> AccessDraft<'d> {
    let mut draft = AccessDraft::default();
    let Some(entry) = map.entry("access") else { return draft };
    let Some(inner) = map.inner("access", &language::ACCESS, context) else { return draft };
    if matches!(&entry.value.value, Value::Map(entries) if entries.is_empty()) {
        context.report(entry.key.at, Problem::Nothing { key: "access".to_owned() });
    }
    let mut rule = |key| {
        let node = &inner.entry(key)?.value;
        draft.rule(key, node, context)
    };
    let (read, create) = (rule("read"), rule("create"));
    let (update, delete) = (rule("update"), rule("delete"));
    draft.access = Access { read, create, update, delete };
    draft.extensions.extend(inner.extensions);
    draft
}

/// Reads `access: { read: signed_in, write: { role: editor } }` of a field.
pub(super) fn read_of_field<'d>(map: &Map<'d>, context: &mut Context) -> AccessDraft<'d> {
    let mut draft =
        AccessDraft { of_field: Some(FieldAccess::default()), ..AccessDraft::default() };
    let Some(entry) = map.entry("access") else { return draft };
    let Some(inner) = map.inner("access", &language::FIELD_ACCESS, context) else { return draft };
    if matches!(&entry.value.value, Value::Map(entries) if entries.is_empty()) {
        context.report(entry.key.at, Problem::Nothing { key: "access".to_owned() });
    }
    let mut rule = |key| {
        let node = &inner.entry(key)?.value;
        draft.rule(key, node, context)
    };
    let (read, write) = (rule("read"), rule("write"));
    draft.of_field = Some(FieldAccess { read, write });
    draft.extensions.extend(inner.extensions);
    draft
}

impl<'d> AccessDraft<'d> {
    fn rule(&mut self, key: &'static str, node: &'d Node, context: &mut Context) -> Option<Rule> {
        if let Value::Text(text) = &node.value {
            let spanned = Spanned { value: text.as_str(), at: node.at };
            return Some(match word(key, spanned, WORDS, context)? {
                WordRule::Public => Rule::Public,
                WordRule::SignedIn => {
                    self.needs_accounts("signed_in", node.at);
                    Rule::SignedIn
                }
            });
        }
        let owner = Owner::Key(key.to_owned());
        let map = Map::open(node, node.at, &owner, &language::RULE, context)?;
        let mut parts = Vec::new();
        parts.extend(self.role(&map, context));
        match map.entry("where") {
            Some(entry) if self.of_field.is_some() => {
                context.report(entry.key.at, Problem::WhereInFieldRule);
            }
            Some(entry) => parts.extend(self.tests(entry, context)),
            None => {}
        }
        parts.extend(self.rules("any", &map, context).map(Rule::Any));
        parts.extend(self.rules("all", &map, context).map(Rule::All));
        if let Some(entry) = map.entry("not") {
            let inner = self.rule("not", &entry.value, context);
            parts.extend(inner.map(|rule| Rule::Not(Box::new(rule))));
        }
        if matches!(&node.value, Value::Map(entries) if entries.is_empty()) {
            context.report(node.at, Problem::Nothing { key: key.to_owned() });
        }
        self.extensions.extend(map.extensions);
        if parts.len() < 2 { parts.pop() } else { Some(Rule::All(parts)) }
    }

    /// Reads `role: editor` or `role: [editor, admin]`.
    fn role(&mut self, map: &Map<'d>, context: &mut Context) -> Option<Rule> {
        let entry = map.entry("role")?;
        self.needs_accounts("role", entry.key.at);
        let nodes = match &entry.value.value {
            Value::Text(_) => std::slice::from_ref(&entry.value),
            _ => map.list("role", "a role or a list of roles", context)?,
        };
        let roles = texts("role", nodes, context);
        let rule = Rule::Role(roles.iter().map(|role| role.value.to_owned()).collect());
        self.roles.extend(roles);
        Some(rule)
    }

    fn rules(
        &mut self,
        key: &'static str,
        map: &Map<'d>,
        context: &mut Context,
    ) -> Option<Vec<Rule>> {
        let items = map.list(key, "a list of rules", context)?;
        Some(items.iter().filter_map(|item| self.rule(key, item, context)).collect())
    }

    /// Reads `where: { author_id: $account.id, views: { gte: 10 } }`.
    fn tests(&mut self, entry: &'d Entry, context: &mut Context) -> Vec<Rule> {
        let owner = Owner::Key("where".to_owned());
        let Value::Map(fields) = &entry.value.value else {
            let _: Option<()> = wrong_shape(&owner, "a mapping", &entry.value, context);
            return Vec::new();
        };
        if fields.is_empty() {
            context.report(entry.key.at, Problem::Nothing { key: "where".to_owned() });
        }
        let mut seen = HashSet::new();
        let mut rules = Vec::new();
        for field in fields {
            let path = Spanned { value: field.key.value.as_str(), at: field.key.at };
            if !seen.insert(path.value) {
                report_twice(&field.key, context);
                continue;
            }
            match &field.value.value {
                Value::Map(operators) => {
                    if operators.is_empty() {
                        context.report(path.at, Problem::Nothing { key: excerpt(path.value) });
                    }
                    let mut seen = HashSet::new();
                    for one in operators {
                        match seen.insert(one.key.value.as_str()) {
                            true => rules.extend(self.compared(path, one, context)),
                            false => report_twice(&one.key, context),
                        }
                    }
                }
                _ => rules.extend(self.test(path, TestOp::Eq, &field.value, context)),
            }
        }
        rules
    }

    /// Reads `gte: 10`, an operator with its operand.
    fn compared(
        &mut self,
        path: Spanned<&'d str>,
        entry: &'d Entry,
        context: &mut Context,
    ) -> Option<Rule> {
        let name = Spanned { value: entry.key.value.as_str(), at: entry.key.at };
        let op = word("where", name, TestOp::WORDS, context)?;
        self.test(path, op, &entry.value, context)
    }

    fn test(
        &mut self,
        path: Spanned<&'d str>,
        op: TestOp,
        node: &'d Node,
        context: &mut Context,
    ) -> Option<Rule> {
        let (op, operand) = match (op, &node.value) {
            (TestOp::Eq | TestOp::Ne, Value::Null) => (op, Operand::Null),
            (TestOp::Eq | TestOp::In, Value::List(items)) => {
                (TestOp::In, self.list(path.value, node, items, context)?)
            }
            (TestOp::NotIn, Value::List(items)) => {
                (op, self.list(path.value, node, items, context)?)
            }
            (TestOp::In | TestOp::NotIn, _) => {
                let owner = Owner::Key(op.word().to_owned());
                return wrong_shape(&owner, shape::LIST, node, context);
            }
            (_, Value::Text(text)) if text.starts_with('$') => {
                (op, self.variable(path.value, text, node, context)?)
            }
            _ => (op, Operand::Value(fixed(path.value, node, context)?)),
        };
        let test = Test { path: path.value.to_owned(), op, operand };
        let values = match (&test.operand, &node.value) {
            (Operand::Values(_), Value::List(items)) => items.iter().collect(),
            (Operand::Value(_), _) => vec![node],
            _ => Vec::new(),
        };
        self.tests.push(TestDraft { path, test: test.clone(), values, at: node.at });
        Some(Rule::Test(test))
    }

    fn list(
        &self,
        path: &str,
        node: &Node,
        items: &[Node],
        context: &mut Context,
    ) -> Option<Operand> {
        if items.is_empty() {
            context.report(node.at, Problem::Nothing { key: excerpt(path) });
            return None;
        }
        let values = items.iter().map(|item| listed(path, item, context));
        values.collect::<Option<Vec<_>>>().map(Operand::Values)
    }

    fn variable(
        &mut self,
        path: &str,
        text: &str,
        node: &Node,
        context: &mut Context,
    ) -> Option<Operand> {
        if text == "$now" {
            return Some(Operand::Now);
        }
        if let Some(field) = text.strip_prefix("$account.").filter(|field| !field.is_empty()) {
            self.needs_accounts("$account", node.at);
            return Some(Operand::Account(field.to_owned()));
        }
        context.report(
            node.at,
            Problem::WrongValue {
                key: excerpt(path),
                value: excerpt(text),
                expected: "a value, `$now`, `$account.id` or `$account.<field>`".to_owned(),
            },
        );
        None
    }

    fn needs_accounts(&mut self, what: &'static str, at: Origin) {
        self.first_signed_in.get_or_insert(Spanned { value: what, at });
    }
}

fn report_twice(key: &Spanned<String>, context: &mut Context) {
    context.report(key.at, Problem::DuplicateKey { key: excerpt(&key.value) });
}

/// A value in the list of a test. Words that stand for other values in a test stand for nothing in
/// a list.
fn listed(path: &str, node: &Node, context: &mut Context) -> Option<Literal> {
    match &node.value {
        Value::Text(text) if text == "$now" || text.starts_with("$account.") => {
            let (variable, path) = (excerpt(text), excerpt(path));
            context.report(node.at, Problem::VariableInList { variable, path });
            None
        }
        _ => fixed(path, node, context),
    }
}

/// The value of a test, in the form in which it is written.
fn fixed(path: &str, node: &Node, context: &mut Context) -> Option<Literal> {
    if matches!(&node.value, Value::Null | Value::List(_) | Value::Map(_)) {
        return wrong_shape(&Owner::Key(excerpt(path)), "a value", node, context);
    }
    let literal = literal::read(&node.value, None);
    super::domain::ok_or_report(path, node, literal, context)
}
