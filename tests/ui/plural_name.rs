//! A resource whose name is a plural.

use nouns::{Id, Resource};

#[derive(Resource)]
struct Zoos {
    id: Id<Self>,
}

fn main() {}
