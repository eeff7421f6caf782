//! Two fields with one column.

use nouns::{Id, Resource};

#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
    name: String,
    #[resource(column = "name")]
    label: String,
}

fn main() {}
