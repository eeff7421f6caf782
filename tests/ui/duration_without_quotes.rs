//! A duration that is not a string.

use nouns::{Id, Resource};

#[derive(Resource)]
#[resource(cache(max_age = 60s))]
struct Zoo {
    id: Id<Self>,
    name: String,
}

fn main() {}
