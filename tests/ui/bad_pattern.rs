//! A pattern that is not a regular expression.

use nouns::{Id, Resource};

#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
    #[resource(pattern = "(")]
    name: String,
}

fn main() {}
