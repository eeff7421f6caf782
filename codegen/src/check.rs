//! The checker: converts a [`Draft`] to a [`Schema`], or reports every mistake in the draft.
//!
//! The checker does not know whether the draft comes from YAML or Rust. After a mistake, everything
//! that does not depend on the wrong part is still checked in the same run.

mod access;
mod api;
mod auth;
mod cache;
mod constraints;
mod context;
mod domain;
mod expand;
mod extensions;
mod field;
mod field_access;
mod foreign;
mod id;
mod indexes;
mod json;
mod jwt;
mod limits;
mod links;
mod literal;
mod map;
mod misplaced;
mod open_access;
mod outline;
mod parameters;
mod redirects;
mod resource;
mod ruled;
mod rust_names;
mod server;
mod session;
mod sets;
mod shared_caches;
mod tests_of_rules;
mod tighten;
mod types;

use crate::diagnostic::Diagnostics;
use crate::diagnostic::problem::Owner;
use crate::draft::{Draft, Node};
use crate::language;
use crate::schema::{Api, Case, Schema};
use auth::AuthDraft;
use context::{Context, Scope};
use map::Map;
use nouns_declaration::check::Fault;
use nouns_declaration::outline::Outline;
use resource::ResourceDraft;

/// A schema without mistakes, with its warnings.
#[derive(Clone, Debug)]
pub struct CheckedSchema {
    /// The checked schema.
    pub schema: Schema,
    /// The warnings, in the order of their positions.
    pub warnings: Diagnostics,
}

/// Checks a [`Draft`], a declaration as it was written.
///
/// # Errors
/// Every mistake of the declaration, in the order of positions.
pub fn check(draft: Draft) -> Result<Schema, Diagnostics> {
    check_with_warnings(draft).map(|checked| checked.schema)
}

/// Checks a [`Draft`], and also returns the warnings.
///
/// # Errors
/// Every mistake of the declaration, in the order of positions.
pub fn check_with_warnings(draft: Draft) -> Result<CheckedSchema, Diagnostics> {
    check_within(Scope::Whole, draft)
}

/// Checks one resource or type for a derive macro, which sees only this item. Other resources are
/// assumed to exist, and the kinds of other named types stay unknown.
///
/// # Errors
/// Every mistake of the item, in the order of positions.
pub fn check_item(draft: Draft) -> Result<Schema, Diagnostics> {
    check_within(Scope::Item, draft).map(|checked| checked.schema)
}

fn check_within(scope: Scope, mut draft: Draft) -> Result<CheckedSchema, Diagnostics> {
    let mut context = Context::new(scope, draft.problems);
    misplaced::mend(&mut draft.root, &mut context);
    expand::short_forms(&mut draft.root);
    match declaration(&draft.root, &mut context) {
        Some(schema) if context.problems.is_empty() => {
            Ok(CheckedSchema { schema, warnings: Diagnostics::new(draft.source, context.warnings) })
        }
        _ => Err(Diagnostics::new(draft.source, context.problems)),
    }
}

fn declaration(root: &Node, context: &mut Context) -> Option<Schema> {
    let map = Map::open(root, root.at, &Owner::Declaration, &language::DECLARATION, context)?;
    api::version(&map, context);
    let (api, of_api) = api::api(&map, context);
    let (server, of_server) = server::server(&map, context);
    let of_types = types::read(&map, context);
    let (drafts, of_resources) = resource::read_all(&map, context);
    let (auth, of_auth) = auth::read(&map, &drafts, context);
    if let Some(auth) = &auth {
        auth.check_store(&server, context);
    }
    let parts = [map.extensions.clone(), of_api, of_server, of_auth, of_types, of_resources];
    let api = Api { extensions: extensions::merge(parts, context), ..api };
    across(&drafts, auth.as_ref(), api.case, context);
    rust_names::check(&drafts, context);
    indexes::check(&drafts, context);
    parameters::check(&drafts, api.case, context);
    let resources = drafts.into_iter().map(ResourceDraft::finish).collect();
    let auth = auth.map(|draft| draft.auth);
    Some(Schema { api, server, auth, types: context.types.finish(), resources })
}

/// Runs the checks that compare several resources. `Model::link` runs the same checks for an API
/// that is declared in Rust.
fn across(
    drafts: &[ResourceDraft<'_>],
    auth: Option<&AuthDraft<'_>>,
    case: Case,
    context: &mut Context,
) {
    let accounts = auth.map(|auth| auth.names(drafts));
    let outline = Outline { accounts, ..outline::of(drafts, case) };
    if auth.is_none() && context.scope == Scope::Whole {
        auth::report_without(drafts, &outline, context);
    }
    let found =
        nouns_declaration::check::across(&outline, &mut |name, known| context.nearest(name, known));
    for Fault { at, problem } in found {
        context.report(at, problem);
    }
    tests_of_rules::check(drafts, &outline, context);
    shared_caches::warn(drafts, auth.is_none(), context);
    if context.scope == Scope::Whole {
        field_access::warn(drafts, auth.is_none(), context);
        open_access::warn(drafts, auth.map(|draft| &draft.auth), context);
    }
}
