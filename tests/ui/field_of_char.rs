//! A field of the type `char`.

use nouns::{Id, Resource};

#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
    size: char,
}

fn main() {}
