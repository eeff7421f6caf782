//! A field of the type `Vec<String>`.

use nouns::{Id, Resource};

#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
    size: Vec<String>,
}

fn main() {}
