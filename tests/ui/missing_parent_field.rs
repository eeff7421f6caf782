//! A parent without the field of its id.

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
