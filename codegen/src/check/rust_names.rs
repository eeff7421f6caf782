//! Checks that Rust names are unique: resources and named types become Rust types in one module.

use super::context::Context;
use super::resource::ResourceDraft;
use super::types::DeclaredType;
use crate::draft::{Origin, excerpt};
use nouns_declaration::check::names::Names;

pub(super) fn check(drafts: &[ResourceDraft<'_>], context: &mut Context) {
    let mut names = Names::default();
    for DeclaredType { name, rust, at } in std::mem::take(&mut context.types.declared) {
        claim(&mut names, &rust, &format!("type `{}`", excerpt(&name)), at, context);
    }
    for draft in drafts {
        let by = format!("resource `{}`", excerpt(draft.name()));
        // `all` stops at the first name that is taken, so only this name is reported.
        of_resource(&draft.resource.rust)
            .iter()
            .all(|name| claim(&mut names, name, &by, draft.at(), context));
    }
}

/// Claims a name for an owner, or reports that another owner has it. Returns whether the name was
/// free.
fn claim(names: &mut Names, name: &str, by: &str, at: Origin, context: &mut Context) -> bool {
    let taken = names.claim("Rust name", name, by);
    let is_free = taken.is_none();
    if let Some(problem) = taken {
        context.report(at, problem);
    }
    is_free
}

/// The Rust types of a resource: the struct itself, and those for new members, patches and queries.
fn of_resource(rust: &str) -> [String; 4] {
    [rust.to_owned(), format!("New{rust}"), format!("{rust}Patch"), format!("{rust}Fields")]
}
