//! A field of the type `Result<String, String>`.

use nouns::{Id, Resource};

#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
    size: Result<String, String>,
}

fn main() {}
