//! A field of the type `(i64, i64)`.

use nouns::{Id, Resource};

#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
    size: (i64, i64),
}

fn main() {}
