//! The levels of resources.

use super::{
    ACCESS, FIELD, Level, ListShape, ReservedNames, TextShape, ValueShape, api::url, key,
    shape::word,
};
use crate::{
    diagnostic::shape,
    schema::{
        IdAssignment, IdKind, Limit, OnDelete, Operation, Precondition, Push, Routes, Visibility,
    },
};

/// The largest allowed page size. A page is built in memory before it is sent.
const PAGE_MEMBERS_MAX: u32 = 10_000;

/// The path segment of a collection.
const SEGMENT: TextShape =
    TextShape { max: Some(63), ..TextShape::matching("^[a-z0-9][a-z0-9_-]*$") };

/// Former paths. Each segment is a literal or a placeholder, and none is `.`, `..` or `-`. Paths
/// below `/openapi.json` are not allowed.
const FORMER: ValueShape = ValueShape::Text(TextShape {
    except: Some(r"/(\.{1,2}|-)(/|$)|^/openapi\.json(/|$)"),
    examples: &["/old_zoos"],
    ..TextShape::matching(r"^(/([A-Za-z0-9._~-]+|\{[a-z][a-z0-9]*(_[a-z0-9]+)*\}))+$")
});

/// A URL or a path, without the segments `.`, `..` and `-`.
const LOCATION: TextShape = TextShape {
    except: Some(r"/(\.{1,2}|-)(/|$)"),
    examples: &["https://zoo.example.org/zoos"],
    ..TextShape::matching(
        r"^(https?://[A-Za-z0-9.:\[\]-]+(/[A-Za-z0-9._~-]+)*/?|(/[A-Za-z0-9._~-]+)+/?)$",
    )
};

const USUAL_METHODS: [&str; Operation::DEFAULT.len()] = {
    let mut words = [""; Operation::DEFAULT.len()];
    let mut at = 0;
    while at < words.len() {
        words[at] = Operation::DEFAULT[at].word();
        at += 1;
    }
    words
};

const METHODS: ListShape = ListShape { usual: &USUAL_METHODS, ..ListShape::of(&word!(Operation)) };

const SORT: ListShape =
    ListShape { example: &["name", "-opened"], ..ListShape::of(&ValueShape::SortKey) };

/// The keys of a resource.
pub static RESOURCE: Level = Level {
    name: "a resource",
    definition: "resource",
    keys: &[
        key(
            "collection",
            "The path segment of the collection, by default the English plural of the name.",
            ValueShape::Text(SEGMENT),
        ),
        key(
            "table",
            "The database table, by default named like the collection.",
            ValueShape::TableName,
        ),
        key(
            "description",
            "The description of the resource.",
            ValueShape::Text(TextShape::VISIBLE),
        ),
        key(
            "parent",
            "The resource under whose members the collection is nested.",
            ValueShape::Either(&[ValueShape::Name(None), ValueShape::Map(&PARENT)], None),
        ),
        key(
            "routes",
            "The URLs of the collection: below its parent, at the top level, or both.",
            word!(Routes, Routes::Nested),
        ),
        key(
            "id",
            "The type of the ids: numbers from the database, UUIDs from the server, or strings \
             from the client.",
            ValueShape::Either(
                &[word!(IdKind), ValueShape::Map(&ID)],
                Some(IdKind::Integer.word()),
            ),
        ),
        key(
            "fields",
            "The fields of the members.",
            ValueShape::Named { of: &FIELD, reserved: ReservedNames::Columns, is_filled: false },
        ),
        key(
            "methods",
            "The operations that the resource offers, by default all but `delete_many`.",
            ValueShape::List(METHODS),
        ),
        key(
            "sort",
            "The default sort order of the collection; `-` means descending.",
            ValueShape::List(SORT),
        ),
        key("limit", "The page size.", ValueShape::Map(&LIMIT)),
        key("unique", "Sets of fields whose combined values are unique.", ValueShape::Sets),
        key("indexes", "Sets of fields that are indexed together.", ValueShape::Sets),
        key(
            "timestamps",
            "Whether the members have `created_at` and `updated_at`.",
            ValueShape::Flag(Some(true)),
        ),
        key(
            "label",
            "The field by which a member is shown where it is referenced, by default the first \
             required and unique string.",
            ValueShape::FreeName,
        ),
        key(
            "noun",
            "Asserts that the name is a singular noun, although it looks like a verb or a plural.",
            ValueShape::Flag(Some(false)),
        ),
        key(
            "deprecated",
            "The deprecation of the resource: its date, and the date from which the resource may \
             be removed.",
            ValueShape::Either(
                &[ValueShape::Flag(Some(false)), ValueShape::Map(&DEPRECATED)],
                None,
            ),
        ),
        key(
            "cache",
            "How long responses may be cached, and by which caches.",
            ValueShape::Map(&CACHE),
        ),
        key(
            "precondition",
            "Whether a change must have `If-Match`.",
            word!(Precondition, Precondition::Optional),
        ),
        key(
            "push",
            "What is pushed with responses over HTTP/2, or named in 103 Early Hints.",
            ValueShape::List(ListShape::of(&word!(Push))),
        ),
        key(
            "moved_from",
            "Former paths of the collection, which redirect permanently.",
            ValueShape::Either(&[FORMER, ValueShape::List(ListShape::of(&FORMER))], None),
        ),
        key(
            "moved_to",
            "The temporary location of the collection, a URL or a path; requests for the \
             collection are redirected to it.",
            ValueShape::Text(LOCATION),
        ),
        key(
            "access",
            "The access rules: which callers may read and write which members.",
            ValueShape::Map(&ACCESS),
        ),
    ],
    required: &["fields"],
    later: &["search"],
    ..Level::PLAIN
};

/// The keys of the mapping `cache` in a resource.
pub static CACHE: Level = Level {
    name: "`cache`",
    definition: "cache",
    keys: &[
        key("max_age", "How long a response is fresh.", ValueShape::Duration(None)),
        key(
            "s_maxage",
            "How long a response is fresh in shared caches.",
            ValueShape::Duration(None),
        ),
        key("visibility", "Whether shared caches may store a response.", word!(Visibility)),
        key("no_store", "Whether no cache may store a response.", ValueShape::Flag(Some(false))),
        key(
            "must_revalidate",
            "Whether a stale response must be revalidated before use.",
            ValueShape::Flag(Some(false)),
        ),
        key(
            "stale_while_revalidate",
            "How long a stale response may be served during revalidation.",
            ValueShape::Duration(None),
        ),
        key(
            "stale_if_error",
            "How long a stale response may be served when the server fails.",
            ValueShape::Duration(None),
        ),
    ],
    is_filled: true,
    ..Level::PLAIN
};

const DATE: ValueShape = ValueShape::Text(TextShape {
    examples: &["2026-11-20"],
    ..TextShape::matching("^[0-9]{4}-[0-9]{2}-[0-9]{2}$")
});

/// The keys of the mapping `deprecated` in a resource.
pub static DEPRECATED: Level = Level {
    name: "`deprecated`",
    definition: "deprecated",
    shape: shape::FLAG_OR_MAPPING,
    keys: &[
        key("since", "The date of the deprecation.", DATE),
        key("sunset", "The date from which the resource may be removed.", DATE),
        key("link", "A page about what to use instead.", url(&["https://zoo.example.org/changes"])),
    ],
    ..Level::PLAIN
};

/// The keys of the mapping `id` in a resource.
pub static ID: Level = Level {
    name: "`id`",
    definition: "id",
    shape: "a type or a mapping",
    keys: &[
        key("type", "The type of the ids.", word!(IdKind, IdKind::Integer)),
        key(
            "assigned",
            "Who assigns ids of type `integer` or `uuid`: always the server, or optionally the \
             client.",
            word!(IdAssignment, IdAssignment::Server),
        ),
    ],
    ..Level::PLAIN
};

/// The keys of the mapping `parent` in a resource.
pub static PARENT: Level = Level {
    name: "`parent`",
    definition: "parent",
    shape: "a resource or a mapping",
    keys: &[
        key("resource", "The name of the parent.", ValueShape::Name(None)),
        key(
            "field",
            "The field that holds the parent's id, by default the name of the parent with `_id`.",
            ValueShape::FreeName,
        ),
        key(
            "on_delete",
            "The effect on children when their parent is deleted: refuse it, delete them, or clear \
             the reference.",
            word!(OnDelete, OnDelete::Restrict),
        ),
        key(
            "movable",
            "Whether PUT and PATCH may change the parent of a member, which also changes its URL.",
            ValueShape::Flag(Some(false)),
        ),
        key(
            "required",
            "Whether every member has a parent; a member without a parent has only its top-level \
             URL.",
            ValueShape::Flag(Some(true)),
        ),
    ],
    required: &["resource"],
    ..Level::PLAIN
};

/// The keys of the mapping `limit` in a resource.
pub static LIMIT: Level = Level {
    name: "`limit`",
    definition: "limit",
    keys: &[
        key(
            "default",
            "The page size of a request without `limit`.",
            ValueShape::Count(1, PAGE_MEMBERS_MAX, Some(Limit::DEFAULT.default)),
        ),
        key(
            "maximum",
            "The largest page size that a request may set.",
            ValueShape::Count(1, PAGE_MEMBERS_MAX, Some(Limit::DEFAULT.maximum)),
        ),
    ],
    ..Level::PLAIN
};
