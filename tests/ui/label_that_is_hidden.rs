//! A label that clients may not read.

use nouns::{Id, Resource};

#[derive(Resource)]
#[resource(label = nickname)]
struct Zoo {
    id: Id<Self>,
    #[resource(hidden)]
    nickname: Option<String>,
}

fn main() {}
