//! An enum that wants to be a resource.

use nouns::Resource;

#[derive(Resource)]
enum Zoo {
    Open,
    Closed,
}

fn main() {}
