//! A default that is not a valid value of its field.

use nouns::{Date, Id, Resource};

#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
    #[resource(default = "2026-02-30")]
    opened: Date,
}

fn main() {}
