//! A resource that is an enum.

use nouns::Resource;

#[derive(Resource)]
enum Zoo {
    Open,
    Closed,
}

fn main() {}
