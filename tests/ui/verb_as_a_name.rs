//! A name that is no noun.

use nouns::{Id, Resource};

#[derive(Resource)]
struct GetZoo {
    id: Id<Self>,
}

fn main() {}
