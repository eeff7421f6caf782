//! A field of the type `u64`.

use nouns::{Id, Resource};

#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
    size: u64,
}

fn main() {}
