//! A parent without a field for the parent's id.

use nouns::{Id, Resource};

#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
}

#[derive(Resource)]
#[resource(parent = Zoo)]
struct Animal {
    id: Id<Self>,
    name: String,
}

fn main() {}
