//! A field with the name of a built-in field of every member.

use nouns::{Id, Resource, Timestamp};

#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
    created_at: Timestamp,
}

fn main() {}
