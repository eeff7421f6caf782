//! The YAML key `fields`, which Rust has as the fields of the struct.

use nouns::{Id, Resource};

#[derive(Resource)]
#[resource(fields(name = string))]
struct Zoo {
    id: Id<Self>,
}

fn main() {}
