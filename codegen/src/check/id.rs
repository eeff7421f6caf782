//! Reads the ids of a resource: their type, and who assigns them.

use super::extensions::Extensions;
use super::map::{self, Map};
use super::{context::Context, map::text};
use crate::diagnostic::Problem;
use crate::draft::Spanned;
use crate::language;
use crate::schema::{IdAssignment, IdKind};

/// The declaration of the ids of a resource.
#[derive(Default)]
pub(super) struct Ids {
    pub(super) kind: IdKind,
    /// Whether a client may choose the id of a new member. If the client does not, the server
    /// assigns the id.
    pub(super) is_optional: bool,
    pub(super) extensions: Extensions,
}

impl Ids {
    /// Reads `id: { type: integer, assigned: optional }`.
    pub(super) fn read(resource: &Map<'_>, context: &mut Context) -> Self {
        let Some(map) = resource.inner("id", &language::ID, context) else {
            return Self::default();
        };
        let kind = kind(&map, context).unwrap_or_default();
        let assigned = map.word("assigned", IdAssignment::WORDS, context).unwrap_or_default();
        if kind == IdKind::String && map.has("assigned") {
            let kind = "ids of type `string`, which the client always assigns".to_owned();
            let problem =
                Problem::Unfit { key: "assigned".to_owned(), kind, fits: "`integer` and `uuid`" };
            context.report(map.key_place("assigned"), problem);
        }
        Self { kind, is_optional: assigned == IdAssignment::Optional, extensions: map.extensions }
    }
}

/// Reads the type of the ids. Messages name the key `id`, because the short form is `id: uuid`.
fn kind(map: &Map<'_>, context: &mut Context) -> Option<IdKind> {
    let node = &map.entry("type")?.value;
    let word = Spanned { value: text("id", node, context)?, at: node.at };
    map::word("id", word, IdKind::WORDS, context)
}
