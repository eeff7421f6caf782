//! Resolves the paths in access rules: `zoo.owner_id` is the field `owner_id` of the zoo that a
//! member refers to.

use super::FindNearest;
use crate::{
    def::{FieldKind, ReferenceDef},
    outline::{Noun, Outline},
    problem::{Problem, Suggestion, excerpt},
};

/// The field at the end of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathEnd<'d> {
    /// The kind of the values; `None` if it is not known here. A reference has the kind of the ids
    /// of `target`.
    pub kind: Option<FieldKind>,
    /// The resource whose ids the values are; `None` if they are no ids.
    pub target: Option<&'d str>,
}

/// The kind of a decimal in the message about a comparison with a decimal of another scale. They
/// are stored as integers of different units.
pub const OTHER_SCALE: &str = "decimal of another scale";

/// Finds the field at the end of a path, which begins at a member of `from`. The steps before the
/// field are references, by the names of their members, or the parent.
///
/// Returns `None` if a step leads to a resource that the outline does not have.
///
/// # Errors
/// The problem of the first step that does not exist.
pub fn resolve<'d, P>(
    outline: &Outline<'d, P>,
    from: &Noun<'d, P>,
    path: &str,
    nearest: FindNearest<'_>,
) -> Result<Option<PathEnd<'d>>, Problem> {
    let (steps, field) =
        path.rsplit_once('.').map_or((None, path), |(steps, field)| (Some(steps), field));
    let mut at = from;
    for step in steps.iter().flat_map(|steps| steps.split('.')) {
        let all = steps_of(at);
        let Some((_, target)) = all.iter().find(|(name, _)| *name == step) else {
            if let Some(below) = below(outline, at, step) {
                let (name, resource) = (excerpt(step), excerpt(at.name.text));
                return Err(Problem::StepDown { name, resource, below: excerpt(below) });
            }
            let names: Vec<_> = all.iter().map(|(name, _)| *name).collect();
            return Err(Problem::UnknownStep {
                name: excerpt(step),
                resource: excerpt(at.name.text),
                nearest: nearest(step, &names),
            });
        };
        match outline.nouns.iter().find(|noun| noun.name.text == *target) {
            Some(noun) => at = noun,
            None => return Ok(None),
        }
    }
    end(at, field).map(Some).ok_or_else(|| unknown_field(at, field, nearest))
}

/// The steps from a member to another member: the name of each, and the resource it leads to.
fn steps_of<'d, P>(noun: &Noun<'d, P>) -> Vec<(&'d str, &'d str)> {
    let parent = noun
        .parent
        .iter()
        .map(|parent| (ReferenceDef::usual_alias(parent.field.text), parent.resource.text));
    let references = noun.attributes.iter().filter_map(|attribute| attribute.reference.as_ref());
    parent.chain(references.map(|to| (to.alias.text, to.resource.text))).collect()
}

/// The resource whose members a step names that leads down from a member of `from`: by its name, by
/// its collection, or by the name for the referring members.
fn below<'d, P>(outline: &Outline<'d, P>, from: &Noun<'d, P>, step: &str) -> Option<&'d str> {
    let target = from.name.text;
    let leads_down = |noun: &&Noun<'d, P>| {
        let is_named = noun.name.text == step || noun.collection.text == step;
        let is_child = noun.parent.as_ref().is_some_and(|parent| parent.resource.text == target);
        let mut pointers =
            noun.attributes.iter().filter_map(|attribute| attribute.reference.as_ref());
        is_named && is_child
            || pointers.any(|to| {
                let is_reverse = to.children.as_ref().is_some_and(|children| children.text == step);
                to.resource.text == target && (is_named || is_reverse)
            })
    };
    outline.nouns.iter().find(leads_down).map(|noun| noun.name.text)
}

fn end<'d, P>(of: &Noun<'d, P>, field: &str) -> Option<PathEnd<'d>> {
    let id_of = |target| PathEnd { kind: Some(FieldKind::Reference), target: Some(target) };
    let parent = of.parent.as_ref().filter(|parent| parent.field.text == field);
    let attribute = of.attributes.iter().find(|attribute| attribute.name.text == field);
    match (field, parent, attribute) {
        ("id", ..) => Some(id_of(of.name.text)),
        ("created_at" | "updated_at", ..) if of.timestamps => {
            Some(PathEnd { kind: Some(FieldKind::DateTime), target: None })
        }
        (_, Some(parent), _) => Some(id_of(parent.resource.text)),
        (_, None, Some(attribute)) => Some(match &attribute.reference {
            Some(to) => id_of(to.resource.text),
            None => PathEnd { kind: attribute.kind, target: None },
        }),
        _ => None,
    }
}

pub(super) fn unknown_field<P>(of: &Noun<'_, P>, field: &str, nearest: FindNearest<'_>) -> Problem {
    let names: Vec<_> = of.attributes.iter().map(|attribute| attribute.name.text).collect();
    // A reference is named by its field at the end of a path, and by its member before.
    let meant = steps_of(of).iter().any(|(name, _)| *name == field);
    let nearest =
        if meant { Suggestion(Some(format!("{field}_id"))) } else { nearest(field, &names) };
    Problem::UnknownField { name: excerpt(field), resource: excerpt(of.name.text), nearest }
}
