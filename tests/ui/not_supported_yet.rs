//! A key that is planned but not supported yet.

use nouns::{Id, Resource};

#[derive(Resource)]
#[resource(search = [name])]
struct Zoo {
    id: Id<Self>,
    name: String,
}

fn main() {}
