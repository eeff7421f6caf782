//! An attribute with a syntax error.

use nouns::{Id, Resource};

#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
    #[resource(max_length = )]
    name: String,
}

fn main() {}
