//! Two mistakes are told in one run.

use nouns::{Id, Resource};

#[derive(Resource)]
#[resource(sort = [opened])]
struct Zoo {
    id: Id<Self>,
    #[resource(max_length = -1)]
    name: String,
}

fn main() {}
