//! Resources and named types become types of one Rust module, so their names must differ.

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
        // One mistake is told once: where one name is taken, the rest is not asked for.
        of_resource(&draft.resource.rust)
            .iter()
            .all(|name| claim(&mut names, name, &by, draft.at(), context));
    }
}

/// Takes a name, or says who has it; whether it was free.
fn claim(names: &mut Names, name: &str, by: &str, at: Origin, context: &mut Context) -> bool {
    let taken = names.claim("Rust name", name, by);
    let is_free = taken.is_none();
    if let Some(problem) = taken {
        context.say(at, problem);
    }
    is_free
}

/// The type of a resource and those that come with it: its input, its change, its field tokens.
fn of_resource(rust: &str) -> [String; 4] {
    [rust.to_owned(), format!("New{rust}"), format!("{rust}Patch"), format!("{rust}Fields")]
}
