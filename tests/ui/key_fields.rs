//! The key `fields`, which the struct says.

use nouns::{Id, Resource};

#[derive(Resource)]
#[resource(fields(name = string))]
struct Zoo {
    id: Id<Self>,
}

fn main() {}
