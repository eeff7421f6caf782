//! A value whose type is not the type of its key.

use nouns::{Id, Resource};

#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
    #[resource(max_length = "eighty")]
    name: String,
}

fn main() {}
