//! Warns about names that are hard to use in requests: fields named like a query parameter, and
//! references named like their target resource.

use super::context::{Context, Scope};
use super::resource::ResourceDraft;
use crate::diagnostic::Problem;
use crate::draft::excerpt;
use crate::schema::{Case, Field};
use nouns_declaration::grammar::RESERVED_PARAMETERS;

/// Reports each field with a name that is hard to use.
pub(super) fn check(drafts: &[ResourceDraft<'_>], case: Case, context: &mut Context) {
    if context.scope == Scope::Item {
        return;
    }
    for draft in drafts {
        for written in &draft.fields {
            let Some(field) = &written.field else { continue };
            let at = written.entry.key.at;
            if field.filterable && is_parameter(&field.name, case) {
                context.report(at, Problem::NamedLikeParameter { field: excerpt(&field.name) });
            }
            if let Some(resource) = named_like_member(field) {
                let field = excerpt(&field.name);
                context.report(at, Problem::NamedLikeMember { field, resource: excerpt(resource) });
            }
        }
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
