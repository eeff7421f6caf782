//! The YAML key `type`, which Rust has as the type of the field.

use nouns::{Id, Resource};

#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
    #[resource(type = "string")]
    name: String,
}

fn main() {}
