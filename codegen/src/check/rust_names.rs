//! Rust names: resources and named types become types of one module, so their names must differ.

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
        // Only the first name that is taken is reported.
        of_resource(&draft.resource.rust)
            .iter()
            .all(|name| claim(&mut names, name, &by, draft.at(), context));
    }
}

/// Claims a name or reports its owner, and returns whether it was free.
fn claim(names: &mut Names, name: &str, by: &str, at: Origin, context: &mut Context) -> bool {
    let taken = names.claim("Rust name", name, by);
    let is_free = taken.is_none();
    if let Some(problem) = taken {
        context.report(at, problem);
    }
    is_free
}

/// The type of a resource and its companions: its input, its patch, its field tokens.
fn of_resource(rust: &str) -> [String; 4] {
    [rust.to_owned(), format!("New{rust}"), format!("{rust}Patch"), format!("{rust}Fields")]
}
