//! A key that the schema language does not have.

use nouns::{Id, Resource};

#[derive(Resource)]
#[resource(colection = "zoos")]
struct Zoo {
    id: Id<Self>,
}

fn main() {}
