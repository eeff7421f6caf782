//! An attribute without parentheses.

use nouns::{Id, Resource};

#[derive(Resource)]
#[resource]
struct Zoo {
    id: Id<Self>,
}

fn main() {}
