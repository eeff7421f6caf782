//! A field of the type `&'static str`.

use nouns::{Id, Resource};

#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
    size: &'static str,
}

fn main() {}
