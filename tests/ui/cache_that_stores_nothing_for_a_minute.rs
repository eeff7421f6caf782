//! Cache keys that contradict each other.

use nouns::{Id, Resource};

#[derive(Resource)]
#[resource(cache(no_store, max_age = "60s"))]
struct Zoo {
    id: Id<Self>,
    name: String,
}

fn main() {}
