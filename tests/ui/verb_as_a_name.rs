//! A resource whose name is not a noun.

use nouns::{Id, Resource};

#[derive(Resource)]
struct GetZoo {
    id: Id<Self>,
}

fn main() {}
