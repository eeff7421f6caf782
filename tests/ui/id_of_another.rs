//! An id whose type is the id of another resource.

use nouns::{Id, Resource};

#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
}

#[derive(Resource)]
struct Animal {
    id: Id<Zoo>,
}

fn main() {}
