//! An order by a field that is not there.

use nouns::{Id, Resource};

#[derive(Resource)]
#[resource(sort = [-nmae])]
struct Zoo {
    id: Id<Self>,
    name: String,
}

fn main() {}
