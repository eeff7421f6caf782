//! Warns about names that are hard to use in requests: fields named like a query parameter, and
//! references named like their target resource.

use super::context::{Context, Scope};
use super::resource::ResourceDraft;
use crate::diagnostic::Problem;
use crate::draft::{Origin, excerpt};
use crate::schema::{Case, Field, Parent};
use nouns_declaration::grammar::RESERVED_PARAMETERS;

/// Reports each field with a name that is hard to use.
pub(super) fn check(drafts: &[ResourceDraft<'_>], case: Case, context: &mut Context) {
    if context.scope == Scope::Item {
        return;
    }
    for draft in drafts {
        for written in &draft.fields {
            let Some(field) = &written.field else { continue };
            let (at, name) = (written.entry.key.at, excerpt(&field.name));
            if field.filterable && is_parameter(&field.name, case) {
                let or = ", or set `filterable: false`";
                context.report(at, Problem::NamedLikeParameter { field: name.clone(), or });
            }
            if let Some(resource) = named_like_member(field) {
                let or = ", or give the referenced member another name with `as`";
                let resource = excerpt(resource);
                context.report(at, Problem::NamedLikeMember { field: name, resource, or });
            }
        }
        if let Some((parent, map)) = draft.resource.parent.as_ref().zip(draft.parent.as_ref()) {
            check_parent(parent, map.place("field"), case, context);
        }
    }
}

/// Reports the field of a parent, whose name `field` says.
fn check_parent(parent: &Parent, at: Origin, case: Case, context: &mut Context) {
    let (field, or) = (excerpt(&parent.field), "");
    if is_parameter(&parent.field, case) {
        context.report(at, Problem::NamedLikeParameter { field: field.clone(), or });
    }
    if parent.field == parent.resource {
        let resource = excerpt(&parent.resource);
        context.report(at, Problem::NamedLikeMember { field, resource, or });
    }
}

/// Whether the name of a field in requests is also a query parameter.
fn is_parameter(name: &str, case: Case) -> bool {
    RESERVED_PARAMETERS.contains(&case.wire(name).as_str())
}

/// The target resource of a reference if the field has the same name as the alias, the name for the
/// target member.
fn named_like_member(field: &Field) -> Option<&str> {
    field
        .reference
        .as_ref()
        .filter(|reference| reference.alias == field.name)
        .map(|reference| reference.resource.as_str())
}
