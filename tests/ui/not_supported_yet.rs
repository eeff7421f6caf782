//! A key that is planned.

use nouns::{Id, Resource};

#[derive(Resource)]
#[resource(search = [name])]
struct Zoo {
    id: Id<Self>,
    name: String,
}

fn main() {}
