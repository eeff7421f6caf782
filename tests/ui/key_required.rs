//! The key `required`, which the type says.

use nouns::{Id, Resource};

#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
    #[resource(required)]
    name: Option<String>,
}

fn main() {}
