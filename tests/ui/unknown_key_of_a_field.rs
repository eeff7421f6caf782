//! A key that fields do not have.

use nouns::{Id, Resource};

#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
    #[resource(max_lenght = 80)]
    name: String,
}

fn main() {}
