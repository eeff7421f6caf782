//! Checks the access rules of fields: whether they fit the field, and whether those who may create
//! a member may set what it requires.

use super::context::Context;
use super::map::Map;
use super::resource::ResourceDraft;
use crate::diagnostic::Problem;
use crate::draft::excerpt;
use crate::schema::{CallerClass, Condition, Field, FieldMode};

/// Checks that the rules of a field are about something that clients can do with it.
pub(super) fn check(field: &Field, map: &Map<'_>, context: &mut Context) {
    let Some(inner) = map.entry("access") else { return };
    let unfit = |key: &'static str| match (key, field.mode) {
        // A change of such a field would be compared with the stored value, which nobody may guess.
        ("read", FieldMode::CreateOnly | FieldMode::WriteOnly | FieldMode::Hidden) => {
            Some("fields that are not `create_only`, `write_only` or `hidden`")
        }
        ("write", FieldMode::ReadOnly | FieldMode::Hidden) => {
            Some("fields that are not `read_only` or `hidden`")
        }
        _ => None,
    };
    for (key, _) in field.access.rules() {
        if let Some(fits) = unfit(key) {
            let kind = format!("a field that is `{}`", field.mode.word());
            context
                .report(inner.key.at, Problem::Unfit { key: format!("access.{key}"), kind, fits });
        }
    }
}

/// Warns about a required field without a default that some callers may not write, although they
/// may create members.
pub(super) fn warn(drafts: &[ResourceDraft<'_>], is_open: bool, context: &mut Context) {
    let mut roles: Vec<_> = drafts.iter().flat_map(ResourceDraft::roles).collect();
    roles.sort_unstable();
    roles.dedup();
    let of_roles = roles.into_iter().map(|role| CallerClass::Role(role.to_owned()));
    let classes: Vec<_> =
        [CallerClass::Anonymous, CallerClass::SignedIn].into_iter().chain(of_roles).collect();
    for draft in drafts {
        let may_create = |class: &CallerClass| match &draft.resource.access.create {
            Some(rule) => rule.condition(class) != Condition::Never,
            None => is_open || *class != CallerClass::Anonymous,
        };
        let fields = draft.fields.iter().filter_map(|one| one.field.as_ref().zip(one.map.as_ref()));
        for (field, map) in fields.filter(|(field, _)| field.required && field.default.is_none()) {
            let lacks = |class: &&CallerClass| may_create(class) && !field.access.may_write(class);
            let Some(class) = classes.iter().find(lacks) else { continue };
            let (resource, field) = (excerpt(draft.name()), excerpt(&field.name));
            let problem = Problem::MayNotBeSet { field, resource, who: described(class) };
            context.report(map.key_place("access"), problem);
        }
    }
}

pub(super) fn described(class: &CallerClass) -> String {
    match class {
        CallerClass::Anonymous => "anonymous callers".to_owned(),
        CallerClass::SignedIn => "signed-in callers".to_owned(),
        CallerClass::Role(role) => format!("callers with the role `{}`", excerpt(role)),
    }
}
