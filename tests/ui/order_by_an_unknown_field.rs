//! A sort order by a field that does not exist.

use nouns::{Id, Resource};

#[derive(Resource)]
#[resource(sort = [-nmae])]
struct Zoo {
    id: Id<Self>,
    name: String,
}

fn main() {}
