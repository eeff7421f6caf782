//! A field of the type `f32`.

use nouns::{Id, Resource};

#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
    size: f32,
}

fn main() {}
