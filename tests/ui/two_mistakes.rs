//! Two mistakes that are reported together.

use nouns::{Id, Resource};

#[derive(Resource)]
#[resource(sort = [opened])]
struct Zoo {
    id: Id<Self>,
    #[resource(max_length = -1)]
    name: String,
}

fn main() {}
