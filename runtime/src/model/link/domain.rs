//! Checks of constraints. They must fit the kind of the field, allow at least one value, be as
//! strict as the named type, and allow the default.
//!
//! The linker does these checks, because the derive sees only one struct and does not know the kind
//! of a named type.

use nouns_declaration::{
    check::{
        Fault,
        bounds::{self, Bound, Bounds, broken, unlisted, unlisted_by_type},
    },
    pattern::to_regex,
    problem::Problem,
};
use regex::Regex;

use super::{LinkProblem, Subject, near};
use crate::model::{
    def::{DefaultDef, FieldDef, FieldKind, FieldMode, Format, Literal, TypeDef},
    value::Value,
};

/// Returns all problems in the constraints of a named type.
pub(super) fn check_type(def: &'static TypeDef, base: Option<&TypeDef>) -> Vec<LinkProblem> {
    check(Subject::Type(def.name), &FieldDef::typed(def.name, def), def.kind, base)
}

/// Returns all problems in the constraints of a field.
pub(super) fn check(
    subject: Subject,
    def: &FieldDef,
    kind: FieldKind,
    named: Option<&TypeDef>,
) -> Vec<LinkProblem> {
    DomainProblems { subject, problems: vec![] }.all(def, kind, named)
}

struct DomainProblems {
    /// The field or named type whose constraints are checked.
    subject: Subject,
    problems: Vec<LinkProblem>,
}

impl DomainProblems {
    fn all(mut self, def: &FieldDef, kind: FieldKind, named: Option<&TypeDef>) -> Vec<LinkProblem> {
        self.unfit(def);
        if self.problems.is_empty() {
            self.values(def, kind);
            self.take(bounds_of(def, kind).empty());
        }
        if let Some(named) = named.filter(|_| self.problems.is_empty()) {
            self.looser(def, kind, named);
        }
        self.problems
    }

    fn unfit(&mut self, def: &FieldDef) {
        let is_said = |key: &str| match key {
            "ignore_case" => def.ignore_case,
            "unique" => def.unique,
            "index" => def.index,
            "default" => def.default.is_some(),
            "read_only" => def.mode == FieldMode::ReadOnly,
            "create_only" => def.mode == FieldMode::CreateOnly,
            key => def.constraints().any(|constraint| constraint.key().word() == key),
        };
        self.take(bounds::unfit(def.kind, is_said));
    }

    fn take<P>(&mut self, found: Vec<Fault<P>>) {
        found.into_iter().for_each(|fault| self.say(fault.problem));
    }

    fn say(&mut self, problem: Problem) {
        self.problems.push(LinkProblem::new(self.subject, problem));
    }

    fn values(&mut self, def: &FieldDef, kind: FieldKind) {
        let default = match def.default {
            Some(DefaultDef::Value(literal)) => Some(("default", literal)),
            _ => None,
        };
        let bounds = [("minimum", def.minimum), ("maximum", def.maximum)];
        let bounds = bounds.into_iter().filter_map(|(key, literal)| Some((key, literal?)));
        let choices = def.choices.iter().map(|choice| ("enum", *choice));
        for (key, literal) in bounds.chain(choices).chain(default) {
            if Value::literal(kind, literal).is_err() {
                let (key, value) = (key.to_owned(), spell(literal));
                self.say(Problem::WrongValue { key, value, expected: bounds::expected(kind) });
            }
        }
        if let Some(pattern) = def.pattern
            && let Err(error) = Regex::new(&to_regex(pattern))
        {
            let reason = error.to_string();
            let reason =
                reason.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
            self.say(Problem::BadPattern { pattern: pattern.to_owned(), reason });
        }
    }

    /// Checks that the constraints of a field are at least as strict as those of its named type.
    fn looser(&mut self, def: &FieldDef, kind: FieldKind, named: &TypeDef) {
        let base = FieldDef::typed(named.name, named);
        self.take(bounds_of(def, kind).looser(&bounds_of(&base, kind), named.name));
        for own in def
            .choices
            .iter()
            .filter(|own| !named.choices.is_empty() && !named.choices.contains(own))
        {
            self.broken("enum", spell(*own), unlisted_by_type(named.name));
        }
    }

    /// Reports a value in a declaration that breaks a rule.
    fn broken(&mut self, key: &str, value: String, rule: String) {
        self.say(Problem::BreaksRule { key: key.to_owned(), value, rule });
    }
}

/// A literal and its kind, to compare the bounds of constraints.
struct TypedLiteral(Literal, FieldKind);

impl Bound for TypedLiteral {
    fn is_above(&self, other: &Self) -> bool {
        match (Value::literal(self.1, self.0), Value::literal(self.1, other.0)) {
            (Ok(Value::Integer(one)), Ok(Value::Integer(other))) => one > other,
            (Ok(Value::Number(one)), Ok(Value::Number(other))) => one > other,
            (Ok(Value::Text(one)), Ok(Value::Text(other))) => one > other,
            _ => false,
        }
    }

    fn spell(&self) -> String {
        spell(self.0)
    }
}

fn bounds_of(def: &FieldDef, kind: FieldKind) -> Bounds<'static, TypedLiteral> {
    let bound = |literal| TypedLiteral(literal, kind);
    Bounds {
        minimum: def.minimum.map(bound),
        maximum: def.maximum.map(bound),
        min_length: def.min_length,
        max_length: def.max_length,
        pattern: def.pattern,
        format: def.format,
        ignore_case: def.ignore_case,
    }
}

fn spell(literal: Literal) -> String {
    match literal {
        Literal::Integer(value) => value.to_string(),
        Literal::Number(value) => Value::Number(value).spell(FieldKind::Number),
        Literal::Boolean(value) => value.to_string(),
        Literal::String(text) | Literal::Json(text) => text.to_owned(),
    }
}

/// Checks the default of a field against the constraints of the field.
pub(super) fn check_default(
    subject: Subject,
    def: &FieldDef,
    value: &Value,
    kind: FieldKind,
    breaches: &[crate::model::Breach],
) -> Vec<LinkProblem> {
    let mut found = DomainProblems { subject, problems: vec![] };
    let value = value.spell(kind);
    for breach in breaches {
        let rule = match breach.code {
            "enum" => unlisted(
                &value,
                &def.choices.iter().copied().map(spell).collect::<Vec<_>>(),
                &mut near,
            ),
            "minimum" => broken("minimum", &literal_text(def.minimum)),
            "maximum" => broken("maximum", &literal_text(def.maximum)),
            "min_length" => broken("min_length", &def.min_length.unwrap_or_default().to_string()),
            "max_length" => broken("max_length", &def.max_length.unwrap_or_default().to_string()),
            "format" => broken("format", def.format.map_or("", Format::word)),
            _ => broken("pattern", def.pattern.unwrap_or_default()),
        };
        found.broken("default", value.clone(), rule);
    }
    found.problems
}

fn literal_text(literal: Option<Literal>) -> String {
    literal.map_or_else(String::new, spell)
}
