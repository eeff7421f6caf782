//! A field that every member has already.

use nouns::{Id, Resource, Timestamp};

#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
    created_at: Timestamp,
}

fn main() {}
