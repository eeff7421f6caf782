//! A field of the type `Option<Option<String>>`.

use nouns::{Id, Resource};

#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
    size: Option<Option<String>>,
}

fn main() {}
