//! A value that is of another kind than its key wants.

use nouns::{Id, Resource};

#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
    #[resource(max_length = "eighty")]
    name: String,
}

fn main() {}
