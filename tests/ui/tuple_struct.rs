//! A resource that is a tuple struct.

use nouns::Resource;

#[derive(Resource)]
struct Zoo(String);

fn main() {}
