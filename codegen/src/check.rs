//! A [`Draft`] becomes a [`Schema`], or every mistake in it is told.
//!
//! The checker knows keys, values and places, never the front end they came from. A mistake poisons only what depends on
//! it: the rest is checked in the same run.

mod api;
mod collisions;
mod constraints;
mod context;
mod cycles;
mod domain;
mod expand;
mod field;
mod foreign;
mod format;
mod json;
pub mod level;
mod links;
mod literal;
mod map;
mod resource;
mod sets;
mod tighten;
mod types;

use crate::diagnostic::Diagnostics;
use crate::draft::{Draft, Node};
use crate::schema::Schema;
use context::Context;
use map::Map;

/// Checks what an author wrote.
///
/// # Errors
/// Every mistake of the declaration, in the order of their places.
pub fn check(mut draft: Draft) -> Result<Schema, Diagnostics> {
    expand::short_forms(&mut draft.root);
    let mut context = Context::new(draft.problems);
    match declaration(&draft.root, &mut context) {
        Some(schema) if context.problems.is_empty() => Ok(schema),
        _ => Err(Diagnostics::new(draft.source, context.problems)),
    }
}

fn declaration(root: &Node, context: &mut Context) -> Option<Schema> {
    let map = Map::open(root, root.at, "the declaration", &level::DECLARATION, context)?;
    api::version(&map, context);
    let api = api::api(&map, context);
    let server = api::server(&map, context);
    let mut extensions = map.extensions.clone();
    types::read(&map, &mut extensions, context);
    let drafts = resource::read_all(&map, &mut extensions, context);
    links::check(&drafts, context);
    collisions::check(&drafts, api.case, context);
    sets::check(&drafts, context);
    let resources = drafts.into_iter().map(resource::ResourceDraft::finish).collect();
    Some(Schema { api, server, types: context.types.finish(), resources, extensions })
}
