//! A former path that does not begin with a slash.

use nouns::{Id, Resource};

#[derive(Resource)]
#[resource(moved_from = ["old_zoos"])]
struct Zoo {
    id: Id<Self>,
    name: String,
}

fn main() {}
