//! Names that work, and that requests will not reach as their author expects: those of query
//! parameters, and of references that are called like a member.

use super::context::{Context, Scope};
use super::resource::ResourceDraft;
use crate::diagnostic::Problem;
use crate::draft::excerpt;
use crate::schema::{Case, Field};

/// The parameters of every collection; the runtime has the same.
const PARAMETERS: [&str; 13] = [
    "limit", "offset", "page", "per_page", "after", "before", "sortby", "order", "count", "fields",
    "expand", "q", "filter",
];

/// Says each name that is doubtful.
pub(super) fn check(drafts: &[ResourceDraft<'_>], case: Case, context: &mut Context) {
    if context.scope == Scope::Item {
        return;
    }
    for draft in drafts {
        for written in &draft.fields {
            let Some(field) = &written.field else { continue };
            let at = written.entry.key.at;
            if field.filterable && is_parameter(&field.name, case) {
                context.say(at, Problem::NamedLikeParameter { field: excerpt(&field.name) });
            }
            if let Some(resource) = named_like_member(field) {
                let field = excerpt(&field.name);
                context.say(at, Problem::NamedLikeMember { field, resource: excerpt(resource) });
            }
        }
    }
}

/// Whether a field has the name of a parameter on the wire.
fn is_parameter(name: &str, case: Case) -> bool {
    PARAMETERS.contains(&case.wire(name).as_str())
}

/// What a reference points at whose field and member have one name.
fn named_like_member(field: &Field) -> Option<&str> {
    field
        .reference
        .as_ref()
        .filter(|reference| reference.alias == field.name)
        .map(|reference| reference.resource.as_str())
}
