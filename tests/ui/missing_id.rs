//! A resource without an id.

use nouns::Resource;

#[derive(Resource)]
struct Zoo {
    name: String,
}

fn main() {}
