//! The key `type`, which the type says.

use nouns::{Id, Resource};

#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
    #[resource(type = "string")]
    name: String,
}

fn main() {}
