//! Checks the lists of fields in a resource: `sort`, `unique` and `indexes`.

use std::collections::HashMap;

use super::{Faults, FindNearest};
use crate::{
    def::FieldKind,
    outline::{Mention, Noun},
    problem::{Problem, Suggestion, excerpt},
};

/// Checks that every field in `sort`, `unique` and `indexes` exists and has an order.
pub(super) fn check<P: Copy>(noun: &Noun<'_, P>, nearest: FindNearest<'_>, found: &mut Faults<P>) {
    if noun.mentions.is_empty() {
        return;
    }
    let names = FieldNames::of(noun);
    for mention in &noun.mentions {
        if let Some(problem) = names.problem(mention, nearest) {
            found.say(mention.field.at, problem);
        }
    }
}

/// Splits a sort key in the syntax of SQL into a sign and a field: `title desc` gives `-` and
/// `title`. `None` for other syntax.
fn directed(key: &str) -> Option<(&'static str, &str)> {
    let (field, direction) = key.split_once([' ', ':'])?;
    match direction.trim().to_ascii_lowercase().as_str() {
        "desc" | "descending" => Some(("-", field)),
        "asc" | "ascending" => Some(("", field)),
        _ => None,
    }
}

/// The names of all fields of a resource, system fields included. `kinds` has the kind of a field,
/// or `None` if it is a system field or of an unknown kind.
pub(super) struct FieldNames<'a> {
    resource: &'a str,
    names: Vec<&'a str>,
    kinds: HashMap<&'a str, Option<FieldKind>>,
}

impl<'a> FieldNames<'a> {
    pub(super) fn of<P>(noun: &Noun<'a, P>) -> Self {
        let system = ["id", "created_at", "updated_at"].into_iter().take(if noun.timestamps {
            3
        } else {
            1
        });
        let parent = noun.parent.iter().map(|parent| parent.field.text);
        let system = system.chain(parent).map(|name| (name, None));
        let declared =
            noun.attributes.iter().map(|attribute| (attribute.name.text, attribute.kind));
        let all: Vec<_> = system.chain(declared).collect();
        let names = all.iter().map(|(name, _)| *name).collect();
        Self { resource: noun.name.text, names, kinds: all.into_iter().collect() }
    }

    fn problem<P>(&self, mention: &Mention<'_, P>, nearest: FindNearest<'_>) -> Option<Problem> {
        let (key, name) = (mention.key, mention.field.text);
        match self.kinds.get(name) {
            Some(kind) => kind.filter(|kind| !kind.is_ordered()).map(|kind| Problem::Unordered {
                key: key.to_owned(),
                field: excerpt(name),
                kind: kind.word(),
            }),
            None => match directed(name).filter(|_| key == "sort") {
                Some((sign, field)) if self.kinds.contains_key(field) => {
                    let nearest = Suggestion(Some(format!("{sign}{field}")));
                    let (name, resource) = (excerpt(name), excerpt(self.resource));
                    Some(Problem::UnknownField { name, resource, nearest })
                }
                _ => self.unknown(name, nearest),
            },
        }
    }

    /// The problem of a name that no field has.
    pub(super) fn unknown(&self, name: &str, nearest: FindNearest<'_>) -> Option<Problem> {
        let is_unknown = !self.kinds.contains_key(name);
        is_unknown.then(|| Problem::UnknownField {
            nearest: nearest(name, &self.names),
            name: excerpt(name),
            resource: excerpt(self.resource),
        })
    }
}
