//! The constraints of a field: whether they fit its kind, leave anything, keep its type and are kept by its default.
//!
//! A derive that sees one struct does not know the kind of a named type, so it leaves all this to the linker.

use nouns_declaration::problem::Problem;
use regex::Regex;

use super::{LinkProblem, Subject};
use crate::{
    base::nearest::nearest,
    model::{
        def::{DefaultDef, FieldDef, FieldKind, Format, Literal, TypeDef},
        value::Value,
    },
};

/// A key that only some kinds have: whether a field says it, what it is for, and whether a kind is one of those.
type Fit = (&'static str, fn(&FieldDef) -> bool, &'static str, fn(FieldKind) -> bool);

const FITS: &[Fit] = &[
    ("minimum", |def| def.minimum.is_some(), "numbers, dates and times", is_measured),
    ("maximum", |def| def.maximum.is_some(), "numbers, dates and times", is_measured),
    ("min_length", |def| def.min_length.is_some(), "`string`", is_string),
    ("max_length", |def| def.max_length.is_some(), "`string`", is_string),
    ("pattern", |def| def.pattern.is_some(), "`string`", is_string),
    ("format", |def| def.format.is_some(), "`string`", is_string),
    ("ignore_case", |def| def.ignore_case, "`string`", is_string),
    ("enum", |def| !def.choices.is_empty(), "`string` and `integer`", is_listed),
    ("unique", |def| def.unique, "every type but `json`", is_ordered),
    ("index", |def| def.index, "every type but `json`", is_ordered),
];

const fn is_measured(kind: FieldKind) -> bool {
    matches!(kind, FieldKind::Date | FieldKind::Time | FieldKind::DateTime)
        || matches!(kind, FieldKind::Integer | FieldKind::Number | FieldKind::Decimal { .. })
}

const fn is_string(kind: FieldKind) -> bool {
    matches!(kind, FieldKind::String)
}

const fn is_listed(kind: FieldKind) -> bool {
    matches!(kind, FieldKind::String | FieldKind::Integer)
}

const fn is_ordered(kind: FieldKind) -> bool {
    !matches!(kind, FieldKind::Json)
}

/// Everything that is wrong with a named type.
pub(super) fn check_type(def: &'static TypeDef, base: Option<&TypeDef>) -> Vec<LinkProblem> {
    check(Subject::Type(def.name), &FieldDef::typed(def.name, def), def.kind, base)
}

/// Everything that is wrong with the constraints of a field.
pub(super) fn check(
    subject: Subject,
    def: &FieldDef,
    kind: FieldKind,
    named: Option<&TypeDef>,
) -> Vec<LinkProblem> {
    Found { subject, problems: vec![] }.all(def, kind, named)
}

struct Found {
    /// What the constraints are of.
    subject: Subject,
    problems: Vec<LinkProblem>,
}

impl Found {
    fn all(mut self, def: &FieldDef, kind: FieldKind, named: Option<&TypeDef>) -> Vec<LinkProblem> {
        self.unfit(def);
        if self.problems.is_empty() {
            self.values(def, kind);
            self.ranges(def, kind);
        }
        if let Some(named) = named.filter(|_| self.problems.is_empty()) {
            self.looser(def, kind, named);
        }
        self.problems
    }

    fn unfit(&mut self, def: &FieldDef) {
        let fits = def.kind;
        for (key, said, what, fit) in FITS {
            let inherent = fits == FieldKind::Reference && matches!(*key, "unique" | "index");
            if said(def) && !fit(fits) && !inherent {
                let described = match fits {
                    FieldKind::Reference => "a reference".to_owned(),
                    fits => format!("type `{}`", fits.word()),
                };
                self.say(Problem::Unfit { key: (*key).to_owned(), kind: described, fits: what });
            }
        }
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
                self.say(Problem::WrongValue { key, value, expected: expected(kind) });
            }
        }
        if let Some(pattern) = def.pattern
            && let Err(error) = Regex::new(pattern)
        {
            let reason = error.to_string();
            let reason = reason.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
            self.say(Problem::BadPattern { pattern: pattern.to_owned(), reason });
        }
    }

    fn ranges(&mut self, def: &FieldDef, kind: FieldKind) {
        if above(kind, def.minimum, def.maximum) {
            self.empty(("minimum", shown(def.minimum)), ("maximum", shown(def.maximum)));
        }
        if def.min_length.zip(def.max_length).is_some_and(|(low, high)| low > high) {
            let length = |length: Option<u32>| length.unwrap_or_default().to_string();
            self.empty(("min_length", length(def.min_length)), ("max_length", length(def.max_length)));
        }
    }

    fn empty(&mut self, low: (&'static str, String), high: (&'static str, String)) {
        self.say(Problem::EmptyRange { low_key: low.0, low: low.1, high_key: high.0, high: high.1 });
    }

    /// A field can only tighten its type.
    fn looser(&mut self, def: &FieldDef, kind: FieldKind, named: &TypeDef) {
        let mut say = |key: &'static str, value: String, limit: String| {
            self.say(Problem::Looser { key, value, type_name: named.name.to_owned(), limit });
        };
        if above(kind, named.minimum, def.minimum) || def.minimum.is_none() && named.minimum.is_some() {
            say("minimum", shown(def.minimum), shown(named.minimum));
        }
        if above(kind, def.maximum, named.maximum) || def.maximum.is_none() && named.maximum.is_some() {
            say("maximum", shown(def.maximum), shown(named.maximum));
        }
        let length = |length: Option<u32>| length.map_or_else(|| "null".into(), |length| length.to_string());
        if named.min_length.is_some_and(|low| def.min_length.is_none_or(|own| own < low)) {
            say("min_length", length(def.min_length), length(named.min_length));
        }
        if named.max_length.is_some_and(|high| def.max_length.is_none_or(|own| own > high)) {
            say("max_length", length(def.max_length), length(named.max_length));
        }
        if named.pattern.is_some() && named.pattern != def.pattern {
            say("pattern", def.pattern.unwrap_or("null").into(), named.pattern.unwrap_or_default().into());
        }
        if named.format.is_some() && named.format != def.format {
            let word = |format: Option<Format>| format.map_or("null", Format::word).to_owned();
            say("format", word(def.format), word(named.format));
        }
        if named.ignore_case && !def.ignore_case {
            say("ignore_case", "false".into(), "true".into());
        }
        for own in def.choices.iter().filter(|own| !named.choices.is_empty() && !named.choices.contains(own))
        {
            self.broken("enum", spell(*own), format!("which type `{}` does not list", named.name));
        }
    }

    /// Says what a value breaks.
    fn broken(&mut self, key: &str, value: String, rule: String) {
        self.say(Problem::BreaksRule { key: key.to_owned(), value, rule });
    }
}

/// What a value of a kind is, in the words of the checker.
fn expected(kind: FieldKind) -> String {
    let text = match kind {
        FieldKind::String => "text",
        FieldKind::Integer | FieldKind::Reference => "a whole number of at most 64 bits",
        FieldKind::Number => "a finite number",
        FieldKind::Decimal { scale } => {
            return format!("a decimal number with at most {scale} fraction digits and 18 digits in all");
        }
        FieldKind::Boolean => "`true` or `false`",
        FieldKind::Date => "a date like `2026-11-20`",
        FieldKind::Time => "a time like `23:59:59`, in quotes where YAML needs them",
        FieldKind::DateTime => "a time like `2026-11-20T23:59:59Z`, with its offset from UTC",
        FieldKind::Uuid => "a UUID like `0190b5a8-6c1f-7c3e-9d2a-3f1e5b7c9d10`",
        FieldKind::Json => "a JSON value, which has no infinite numbers",
    };
    text.to_owned()
}

/// Whether a value lies above another.
fn above(kind: FieldKind, one: Option<Literal>, other: Option<Literal>) -> bool {
    let (Some(one), Some(other)) = (one, other) else { return false };
    match (Value::literal(kind, one), Value::literal(kind, other)) {
        (Ok(Value::Integer(one)), Ok(Value::Integer(other))) => one > other,
        (Ok(Value::Number(one)), Ok(Value::Number(other))) => one > other,
        (Ok(Value::Text(one)), Ok(Value::Text(other))) => one > other,
        _ => false,
    }
}

fn shown(literal: Option<Literal>) -> String {
    literal.map_or_else(|| "null".into(), spell)
}

fn spell(literal: Literal) -> String {
    match literal {
        Literal::Integer(value) => value.to_string(),
        Literal::Number(value) => Value::Number(value).spell(FieldKind::Number),
        Literal::Boolean(value) => value.to_string(),
        Literal::String(text) | Literal::Json(text) => text.to_owned(),
    }
}

/// How many values of a list stand in a message.
const LISTED_MAX: usize = 8;

/// What is said of a value that is none of the listed: those that are, as far as a line has room for them.
fn unlisted(def: &FieldDef, value: &str) -> String {
    let listed: Vec<String> = def.choices.iter().map(|choice| spell(*choice)).collect();
    let near = nearest(&value.to_lowercase(), listed.iter().map(String::as_str));
    let near = near.map(|near| format!("; `{near}` is near")).unwrap_or_default();
    let rest = if listed.len() > LISTED_MAX { ", …" } else { "" };
    let listed = listed[..listed.len().min(LISTED_MAX)].join("`, `");
    format!("which `enum` does not list (it has `{listed}`{rest}{near})")
}

/// A default that breaks a constraint of its own field.
pub(super) fn check_default(
    subject: Subject,
    def: &FieldDef,
    value: &Value,
    kind: FieldKind,
    breaches: &[crate::model::Breach],
) -> Vec<LinkProblem> {
    let mut found = Found { subject, problems: vec![] };
    for breach in breaches {
        let limit = match breach.code {
            "minimum" => shown(def.minimum),
            "maximum" => shown(def.maximum),
            "min_length" => def.min_length.unwrap_or_default().to_string(),
            "max_length" => def.max_length.unwrap_or_default().to_string(),
            "format" => def.format.map_or("", Format::word).to_owned(),
            _ => def.pattern.unwrap_or_default().to_owned(),
        };
        let rule = match breach.code {
            "enum" => unlisted(def, &value.spell(kind)),
            "minimum" => format!("below `minimum`, which is `{limit}`"),
            "maximum" => format!("above `maximum`, which is `{limit}`"),
            "min_length" => format!("shorter than `min_length`, which is `{limit}`"),
            "max_length" => format!("longer than `max_length`, which is `{limit}`"),
            "format" => format!("not of the format `{limit}`"),
            _ => format!("which does not match `pattern`, `{limit}`"),
        };
        found.broken("default", value.spell(kind), rule);
    }
    found.problems
}
